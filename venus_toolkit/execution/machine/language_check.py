"""Whether a language works here: ``venus languages check``.

A language folder has a self-test program for each verdict, which must get just that verdict. Where
the language has signatures and runners, they are checked with one small function:
``languages/<id>/selftest/function.<extension>`` is a solution of ``addTo(values, amount)``, which
returns the values, each with the amount added.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.core.errors import LanguageError, SignatureError, VenusError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Judgement, Limits, OutputComparison, TestCase, Verdict
from venus_toolkit.execution.judging.batch import BatchSandbox, judge_batch
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import self_check
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.measuring.counting import Counter
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.signatures import (
    Function,
    Kind,
    Parameter,
    Signature,
    Type,
    lines_of_case,
    parse_signature,
    render_runner,
    starter_code,
)

VALUES = Type(Kind.LIST, Type(Kind.INT))
ADD_TO = Signature(
    (Function("addTo", (Parameter("values", VALUES), Parameter("amount", Type(Kind.INT))), VALUES),)
)
# Enough for a batch, with an empty list and negative amounts.
CASES = [(list(range(count)), count - 3) for count in range(6)]


class LanguageCheck(NamedTuple):
    """Which verdict each self-test program got, by what it should get, and what is wrong."""

    verdicts: dict[str, str]
    complaints: Sequence[str]


def check_language(sandbox: Sandbox, language: Language) -> LanguageCheck:
    """Judge the self-test programs of a language, and its small function where it has runners.

    Failures of a toolchain or the sandbox become complaints, so that other languages are checked as
    well.
    """
    try:
        judged = self_check(sandbox, language)
        function = check_functions(sandbox, language) if has_functions(language) else None
    except VenusError as error:
        return LanguageCheck({}, [str(error)])
    verdicts = {str(wanted): str(got.verdict) for wanted, got in judged.items()}
    wrong = [
        f"{wanted} is {got.verdict}: {got.reason}"
        for wanted, got in judged.items()
        if got.verdict != wanted
    ]
    if function:
        verdicts["function"] = str(function.verdict)
        if function.verdict != Verdict.ACCEPTED:
            wrong.append(f"a function in its runner is {function.verdict}: {function.reason}")
    return LanguageCheck(verdicts, wrong)


class SpreadCheck(NamedTuple):
    """What counting the reference program so many times found.

    spread is (largest - smallest) / smallest; None, with a complaint, where it was not found or is
    larger than stated.
    """

    counts: tuple[int, ...]
    spread: float | None
    complaint: str | None


def check_spread(sandbox: Sandbox, language: Language, counter: Counter, runs: int) -> SpreadCheck:
    """Count the reference program of a language `runs` times, and compare the spread with the one that it states."""
    try:
        compiled = sandbox.compile(Program(language, language.reference))
        if not compiled.ok:
            return SpreadCheck(
                (), None, f"the reference program does not compile: {compiled.log.strip()[-200:]}"
            )
        counted = list(counter.count(sandbox, compiled, [b""] * runs, Limits()))
    except VenusError as error:
        return SpreadCheck((), None, str(error))
    if missing := next((run for run in counted if run.instructions is None), None):
        return SpreadCheck((), None, f"the reference program has no count: {missing.uncounted}")
    counts = tuple(run.instructions or 0 for run in counted)
    spread = (max(counts) - min(counts)) / min(counts)
    stated, found = language.counting.range_of(min(counts)), max(counts) - min(counts)
    if stated is None or found <= stated:
        return SpreadCheck(counts, spread, None)
    return SpreadCheck(
        counts, spread, f"counts spread by {found:,} instructions, more than {stated:,.0f}"
    )


def has_functions(language: Language) -> bool:
    """Return whether a language says how it writes signatures, or has a runner.

    Both are optional.
    """
    return any(
        (language.folder / name).is_file()
        for name in ("signature.toml", f"runner{language.extension}.j2")
    )


def check_functions(sandbox: Sandbox, language: Language) -> Judgement:
    """Write starter code and read it again, then judge the small function in its runner, alone and in a batch.

    Raises:
        LanguageError: A file is missing or cannot be read; the message names it.
        SignatureError: What was written is not what is read.
        SandboxError: The sandbox failed.
    """
    # What is written must be read again with the same types; the name may be spelt otherwise.
    again = parse_signature(starter_code(ADD_TO, language), language).functions[0]
    written, read = (
        [*(each.type for each in one.parameters), one.returns]
        for one in (ADD_TO.functions[0], again)
    )
    if written != read:
        raise SignatureError(
            f"signature.toml of {language.name} does not fit starter{language.extension}.j2",
            f"it reads {', '.join(map(str, read))} where it has written "
            f"{', '.join(map(str, written))}",
            "see docs/runners.md",
        )
    file = language.folder / "selftest" / f"function{language.extension}"
    if not file.is_file():
        why = f"selftest/{file.name} is missing"
        raise LanguageError(
            f"the runner of {language.name} cannot be checked", why, "write it: see docs/runners.md"
        )
    compiled = sandbox.compile(
        program_of(language, file.read_text(), runner=render_runner(ADD_TO, language))
    )
    tests = [
        TestCase(
            f"case-{number}",
            f"{json.dumps(values)}\n{amount}\n",
            json.dumps([each + amount for each in values], separators=(",", ":")) + "\n",
        )
        for number, (values, amount) in enumerate(CASES)
    ]
    batches = BatchSandbox(sandbox, lines_of_case(ADD_TO))
    return judge_batch(
        batches, compiled, tests, Checker(OutputComparison(), sandbox), language.selftest.limits
    )
