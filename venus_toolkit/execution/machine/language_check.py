"""Checks whether a language works on this machine: ``venus languages check``.

A language folder has self-test programs, and each must get the verdict in its name. If the language
has signatures and runners, a small function tests them:
``languages/<id>/selftest/function.<extension>`` solves ``addTo(values, amount)``, which adds the
amount to every value.
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
    """The verdict of each self-test program by its expected verdict, and the complaints."""

    verdicts: dict[str, str]
    complaints: Sequence[str]


def check_language(sandbox: Sandbox, language: Language) -> LanguageCheck:
    """Judge the self-test programs of a language, and its small function if it has runners.

    Failures of a toolchain or the sandbox become complaints, so that other languages are still
    checked.
    """
    try:
        judgements = self_check(sandbox, language)
        function = check_functions(sandbox, language) if has_functions(language) else None
    except VenusError as error:
        return LanguageCheck({}, [str(error)])
    verdicts = {str(verdict): str(judgement.verdict) for verdict, judgement in judgements.items()}
    complaints = [
        f"{verdict} is {judgement.verdict}: {judgement.reason}"
        for verdict, judgement in judgements.items()
        if judgement.verdict != verdict
    ]
    if function:
        verdicts["function"] = str(function.verdict)
        if function.verdict != Verdict.ACCEPTED:
            complaints.append(f"a function in its runner is {function.verdict}: {function.reason}")
    return LanguageCheck(verdicts, complaints)


class SpreadCheck(NamedTuple):
    """The instruction counts of several runs of a reference program.

    spread is (largest - smallest) / smallest, or None if counting failed. complaint is the reason
    of the failure, or says that the spread is larger than the language states.
    """

    counts: tuple[int, ...]
    spread: float | None
    complaint: str | None


def check_spread(sandbox: Sandbox, language: Language, counter: Counter, runs: int) -> SpreadCheck:
    """Count `runs` runs of the reference program, and compare their spread with the stated one."""
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
    stated, measured = language.counting.range_of(min(counts)), max(counts) - min(counts)
    if stated is None or measured <= stated:
        return SpreadCheck(counts, spread, None)
    return SpreadCheck(
        counts, spread, f"counts spread by {measured:,} instructions, more than {stated:,.0f}"
    )


def has_functions(language: Language) -> bool:
    """Return whether a language has one of the optional files for signatures and runners."""
    return any(
        (language.folder / name).is_file()
        for name in ("signature.toml", f"runner{language.extension}.j2")
    )


def check_functions(sandbox: Sandbox, language: Language) -> Judgement:
    """Check that starter code survives a roundtrip, and judge the small function in its runner.

    The function is judged alone and in a batch.

    Raises:
        LanguageError: A file is missing or cannot be read; the message names it.
        SignatureError: The types in the starter code are not read as they were written.
        SandboxError: The sandbox failed.
    """
    # Types must survive the roundtrip; the spelling of the name may change.
    parsed = parse_signature(starter_code(ADD_TO, language), language).functions[0]
    written, read = (
        [*(parameter.type for parameter in function.parameters), function.returns]
        for function in (ADD_TO.functions[0], parsed)
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
        reason = f"selftest/{file.name} is missing"
        raise LanguageError(
            f"the runner of {language.name} cannot be checked",
            reason,
            "write it: see docs/runners.md",
        )
    compiled = sandbox.compile(
        program_of(language, file.read_text(), runner=render_runner(ADD_TO, language))
    )
    tests = [
        TestCase(
            f"case-{number}",
            f"{json.dumps(values)}\n{amount}\n",
            json.dumps([value + amount for value in values], separators=(",", ":")) + "\n",
        )
        for number, (values, amount) in enumerate(CASES)
    ]
    batches = BatchSandbox(sandbox, lines_of_case(ADD_TO))
    return judge_batch(
        batches, compiled, tests, Checker(OutputComparison(), sandbox), language.selftest.limits
    )
