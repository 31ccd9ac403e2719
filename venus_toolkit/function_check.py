"""Whether a language's signatures and runners work here, tried with one small function: ``venus languages check``.

``languages/<id>/selftest/function.<extension>`` is a solution of it: ``addTo(values, amount)`` returns the values, each
with the amount added.
"""

from __future__ import annotations

import json

from venus_toolkit.batch import BatchSandbox, judge_batch
from venus_toolkit.errors import LanguageError, SignatureError
from venus_toolkit.judge import Checker
from venus_toolkit.language import Language
from venus_toolkit.records import Comparison, Judgement, TestCase
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, parse_signature, starter_code
from venus_toolkit.signatures.runner import lines_of_case, place, render_runner

VALUES = Type(Kind.LIST, Type(Kind.INT))
ADD_TO = Signature((Function("addTo", (Parameter("values", VALUES), Parameter("amount", Type(Kind.INT))), VALUES),))
CASES = [(list(range(count)), count - 3) for count in range(6)]


def has_functions(language: Language) -> bool:
    """Return whether a language says how it writes signatures, or has a runner; both are optional."""
    return any((language.folder / name).is_file() for name in ("signature.toml", f"runner{language.extension}.j2"))


def check_functions(sandbox: Sandbox, language: Language) -> Judgement:
    """Write starter code and read it again, then judge the small function in its runner, alone and in a batch.

    Raises:
        LanguageError: A file is missing or cannot be read; the message names it.
        SignatureError: What was written is not what is read.
        SandboxError: The sandbox failed.
    """
    _check_starter(language)
    file = language.folder / "selftest" / f"function{language.extension}"
    if not file.is_file():
        why = f"selftest/{file.name} is missing"
        raise LanguageError(f"the runner of {language.name} cannot be tried", why, "write it: see docs/runners.md")
    compiled = sandbox.compile(Program(language, place(render_runner(ADD_TO, language), file.read_text(), language)))
    batches = BatchSandbox(sandbox, lines_of_case(ADD_TO))
    checker = Checker(Comparison(), sandbox)
    return judge_batch(batches, compiled, _tests(), checker, language.selftest.limits)


def _check_starter(language: Language) -> None:
    """Read what is written: the types must be there again, the name may be spelt otherwise."""
    again = parse_signature(starter_code(ADD_TO, language), language).functions[0]
    wanted = ADD_TO.functions[0]
    types = [[*(parameter.type for parameter in each.parameters), each.returns] for each in (wanted, again)]
    if types[0] != types[1]:
        why = f"it reads {', '.join(map(str, types[1]))} where it has written {', '.join(map(str, types[0]))}"
        raise SignatureError(f"signature.toml of {language.name} does not fit starter{language.extension}.j2", why,
                             "see docs/runners.md")  # fmt: skip


def _tests() -> list[TestCase]:
    return [
        TestCase(f"case-{number}", f"{json.dumps(values)}\n{amount}\n", _line([each + amount for each in values]))
        for number, (values, amount) in enumerate(CASES)
    ]


def _line(values: list[int]) -> str:
    return json.dumps(values, separators=(",", ":")) + "\n"
