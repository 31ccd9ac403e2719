"""What a function-style problem asks for: names and types, the same in every language.

    starter code ── parse_signature ──▶ Signature ── starter_code ──▶ starter code in any language
                                          ▲
           combined, widened, refined ────┘    what several languages, the statement and samples add

`order_freedom` and `level_of_dissent` say whether the order of a result is free, `evaluator_for` compares such results;
`valid` and `random_value` are about the values of a type. How a language writes types is data:
``languages/<id>/signature.toml``.
"""

from venus_toolkit.signatures.combine import combined
from venus_toolkit.signatures.exactness import Sample, refined, widened
from venus_toolkit.signatures.order import evaluator_for, level_of_dissent, order_freedom
from venus_toolkit.signatures.parse import parse_signature
from venus_toolkit.signatures.runner import fill, lines_of_case, render_runner
from venus_toolkit.signatures.starter import starter_code
from venus_toolkit.signatures.types import Function, Kind, Parameter, Signature, Type
from venus_toolkit.signatures.values import random_value, valid

__all__ = [
    "Function",
    "Kind",
    "Parameter",
    "Sample",
    "Signature",
    "Type",
    "combined",
    "evaluator_for",
    "fill",
    "level_of_dissent",
    "lines_of_case",
    "order_freedom",
    "parse_signature",
    "random_value",
    "refined",
    "render_runner",
    "starter_code",
    "valid",
    "widened",
]
