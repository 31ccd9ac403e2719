"""Checks outputs: by comparison, or by a problem's own evaluator, which runs in the sandbox.

An evaluator is Python code that defines ``evaluate(expected, actual, stdin)``. If it assigns at its
top level

    CHECKER = {"language": "cpp", "convention": "kattis", "files": {"validate.cpp": "…"}, "flags":
    []}

it stands for an output validator or checker in another language, which is compiled once and stored
like any program. Its ``evaluate`` is then for users without this toolkit.

============  ===================================================  ==================
convention    arguments                                            right answer
============  ===================================================  ==================
``kattis``    input, answer, feedback folder, flags; output: stdin  exit code 42
``testlib``   input, output, answer, flags                          exit code 0
============  ===================================================  ==================

If such a program ends in any other way, including a crash, the answer is wrong.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from venus_toolkit.core.errors import LanguageError, SourceError
from venus_toolkit.core.language import find_language, load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, OutputComparison
from venus_toolkit.execution.judging.comparison import Output, pieces, same_numbers, same_text
from venus_toolkit.execution.judging.host_programs import host_program, top_level_literal
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox
from venus_toolkit.execution.sandbox.starvation import fair

# One process of the evaluator checks many answers of a program.
CHECKER_LIMITS = Limits(wall_ns=60 * NS_PER_S, cpu_ns=60 * NS_PER_S, memory_bytes=1024 * MIB)
WAITING_BYTES = 16 * MIB  # outputs that wait for the evaluator
CONVENTIONS = ("kattis", "testlib")
CHECKER_FOLDER = "checker"  # next to the host program that calls it


class Answer(NamedTuple):
    """The arguments of an evaluator."""

    expected: str
    actual: Output
    stdin: str


class Checker:
    """Checks the outputs of one problem; an evaluator is untrusted and runs in the sandbox.

    Args:
        comparison: The kind of comparison and its tolerances.
        sandbox: Runs the evaluator.
        evaluator: Python source that defines ``evaluate(expected, actual)`` or ``evaluate(expected,
            actual, stdin)``; for the kind ``evaluator`` only.

    Raises:
        SourceError: The evaluator does not compile, or is missing.
        ToolchainError: The compiler of the evaluator is missing.
    """

    def __init__(
        self, comparison: OutputComparison, sandbox: Sandbox, evaluator: str | None = None
    ) -> None:
        self.comparison = comparison
        self._sandbox = sandbox
        self._compiled: Compiled | None = None
        if comparison.kind == "evaluator":
            literal = top_level_literal(evaluator, "CHECKER")
            if isinstance(literal, dict):
                self._compiled = _compiled_checker(sandbox, literal)
            else:
                self._compiled = host_program(sandbox, "evaluator.py.txt", evaluator)

    def passes(self, answers: Sequence[Answer]) -> list[bool]:
        """Return whether each answer is right."""
        same = [same_text(answer.expected, answer.actual) for answer in answers]
        if self.comparison.kind == "float":
            pairs = zip(same, answers, strict=True)
            return [
                equal or same_numbers(answer.expected, answer.actual, self.comparison)
                for equal, answer in pairs
            ]
        if self._compiled is None or all(same):
            return same
        different = [answer for answer, equal in zip(answers, same, strict=True) if not equal]
        judged = iter(self._evaluate(different))
        return [equal or next(judged) for equal in same]

    def accepts(self, answer: Answer) -> bool:
        """Return whether the evaluator accepts an answer, even if that equals the expected text."""
        return self._evaluate([answer])[0] if self._compiled else self.passes([answer])[0]

    def _evaluate(self, answers: Sequence[Answer]) -> list[bool]:
        """Evaluate all answers in one process, or if that fails one by one; a crash means wrong."""
        assert self._compiled
        with fair(self._sandbox).session(self._compiled, CHECKER_LIMITS) as session:
            (run,) = session.run([b"".join(chain.from_iterable(map(_question, answers)))])
        with contextlib.suppress(ValueError):  # it did not print JSON
            replies = [json.loads(line) for line in run.stdout.splitlines()]
            if (
                run.clean
                and len(replies) == len(answers)
                and all(isinstance(reply, bool) for reply in replies)
            ):
                return replies
        if len(answers) == 1:
            return [False]
        return [self._evaluate([answer])[0] for answer in answers]


class Rules(NamedTuple):
    """The limits, the comparison and, if that needs it, the evaluator's source of one problem."""

    limits: Limits
    comparison: OutputComparison
    evaluator: str | None

    def checker(self, sandbox: Sandbox) -> Checker:
        """Return the checker of outputs."""
        return Checker(self.comparison, sandbox, self.evaluator)


def _question(answer: Answer) -> Iterator[bytes]:
    """Yield an answer in the host program's format: the sizes of its texts, then the texts."""
    sizes = [sum(map(len, pieces(text))) for text in answer]
    yield json.dumps(sizes).encode() + b"\n"
    for text in answer:
        yield from pieces(text)


def _compiled_checker(sandbox: Sandbox, fields: Mapping[str, Any]) -> Compiled:
    """Compile a checker, together with the host program that calls it.

    Raises:
        SourceError: The fields are invalid (see the top of this module), or it does not compile.
    """
    try:
        files, flags = dict(fields["files"]), list(fields.get("flags", ()))
        language, convention = (
            find_language(fields["language"], load_languages()),
            fields["convention"],
        )
        texts = [*files, *files.values(), *flags]
        if (
            convention not in CONVENTIONS
            or not files
            or not all(isinstance(text, str) for text in texts)
        ):
            raise ValueError(
                f"convention is one of {', '.join(CONVENTIONS)}; files and flags are text"
            )
        host = language.checker
        if host is None:
            raise ValueError(f"checkers in {language.name} cannot be run; C++ and Python can")
    except (KeyError, TypeError, ValueError, AttributeError, LanguageError) as error:
        reason = error.what if isinstance(error, LanguageError) else str(error)
        raise SourceError(
            "the problem's checker cannot be used", reason, "see docs/problems.md"
        ) from error
    checker_files = [
        File(f"{CHECKER_FOLDER}/{name}", text.encode("utf-8", "surrogatepass"))
        for name, text in files.items()
    ]
    # The host program reads one word a line.
    checker_files.append(File("arguments", "\n".join([convention, *flags]).encode()))
    language = replace(language, compile_argv=host.compile_argv, prepared=None)
    compiled = sandbox.compile(Program(language, host.source, tuple(sorted(checker_files))))
    if not compiled.ok:
        raise SourceError("the checker does not compile", compiled.log.strip()[-500:], "fix it")
    return compiled
