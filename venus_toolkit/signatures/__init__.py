"""Signatures of function-style problems: names and types, independent of the language.

    starter code ── parse_signature ──▶ Signature ── starter_code ──▶ starter code in any language
                                          ▲
           combined, widened, refined ────┘    facts from other languages, the statement, samples

types        the model of a signature, and the JSON values of its types: `valid`, `random_value`
grammar      how a language writes types and names: ``languages/<id>/signature.toml``
parsing      from starter code to a signature
refinement   more exact types from several languages, the statement, or samples
rendering    starter code, and the runner that a solution is inserted into
order        evaluators for problems with several right answers
views        the runtime of these evaluators: the properties of an answer that they compare
"""

from venus_toolkit.signatures.grammar import grammar_of, spelled
from venus_toolkit.signatures.order import evaluator_for, order_of_dissent
from venus_toolkit.signatures.parsing import parse_signature
from venus_toolkit.signatures.refinement import (
    Disagreement,
    ExampleCall,
    combined,
    refined,
    widened,
)
from venus_toolkit.signatures.rendering import (
    BATCH,
    camel,
    fill,
    lines_of_case,
    pascal,
    render_runner,
    result_type,
    snake,
    starter_code,
)
from venus_toolkit.signatures.types import (
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    Value,
    random_value,
    valid,
)

__all__ = [
    "BATCH", "Disagreement", "ExampleCall", "Function", "Kind", "Parameter", "Signature", "Type", "Value", "camel",
    "combined", "evaluator_for", "fill", "grammar_of", "lines_of_case", "order_of_dissent",
    "parse_signature", "pascal", "random_value", "refined", "render_runner", "result_type", "snake", "spelled",
    "starter_code", "valid", "widened",
]  # fmt: skip
