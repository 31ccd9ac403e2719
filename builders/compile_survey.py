"""How many programs of a source compile here, by language, and why the others do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from venus_toolkit.builders.functions import complete
from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.core.errors import LanguageError, ToolchainError
from venus_toolkit.core.interruption import worker_pool
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Expectation
from venus_toolkit.dataset.task import whole_program
from venus_toolkit.execution.judging.judge import compile_reason
from venus_toolkit.execution.sandbox import Program, Sandbox


@dataclass(slots=True)
class CompileCounts:
    """Programs of one language: how many there are, how many compile, and how often each reason keeps one from it."""

    programs: int = 0
    compile: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def share(self) -> float:
        """The share of programs that compile."""
        return self.compile / self.programs


def survey_compilation(
    items: Iterable[Entry | Rejected],
    languages: Mapping[str, Language],
    chosen: Collection[str],
    sandbox: Sandbox,
    jobs: int,
    limit: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, CompileCounts]:
    """Compile the programs that a source says are accepted; functions in their runners.

    Args:
        items: What the source gives.
        languages: All, by id: one may have the starter code from which another's runner is made.
        chosen: The ids of those whose programs are compiled.
        sandbox: Where.
        jobs: How many compilers run at a time.
        limit: Stop after so many programs; None: all.
        say: Told how many programs are done, now and then.

    Returns:
        The languages that have programs, in the order of their ids.

    Raises:
        SandboxError: The sandbox failed.
    """
    found: dict[str, CompileCounts] = {}

    def outcome(wanted: tuple[str, Program | str]) -> tuple[str, str]:
        language, program = wanted
        if isinstance(program, str):
            return language, program
        try:
            compiled = sandbox.compile(program)
        except ToolchainError as error:
            return language, error.what
        return language, "" if compiled.ok else _kind(compile_reason(compiled.log))

    programs = islice(_programs(items, languages, chosen), limit)
    at_once = 64  # programs in memory
    with worker_pool(jobs) as pool:
        while part := list(islice(programs, at_once)):
            for language, reason in pool.map(outcome, part):
                coverage = found.setdefault(language, CompileCounts())
                coverage.programs += 1
                if reason:
                    coverage.reasons[reason] += 1
                else:
                    coverage.compile += 1
            say(f"{sum(each.programs for each in found.values())} programs compiled")
    return dict(sorted(found.items()))


def _programs(
    items: Iterable[Entry | Rejected], languages: Mapping[str, Language], chosen: Collection[str]
) -> Iterator[tuple[str, Program | str]]:
    """Yield a language and a program, or why there is none."""
    for item in items:
        if isinstance(item, Rejected):
            continue
        done = complete(item, languages)
        problem = done.entry.problem
        for solution in item.solutions:
            name = solution.language
            if name not in chosen or solution.expected != Expectation.ACCEPTED:
                continue
            runner = problem.runners.get(name) if problem.style == "function" else None
            if problem.style == "function" and runner is None:
                yield name, f"no runner: {_kind(done.missing.get(name, 'there is none'))}"
                continue
            try:
                standard = problem.standards.get(name, "")
                yield name, whole_program(languages[name], runner, solution.code, standard)
            except LanguageError as error:
                yield name, error.what


def _kind(reason: str) -> str:
    """Return a reason without what is of one program.

    Places, and numbers that are no part of a word.
    """
    line = reason.strip().splitlines()[0] if reason.strip() else "no message"
    place = re.compile(r"^\S*?:\d+(?::\d+)?:\s*|^[./\w]+\.\w+\(\d+\):\s*")
    return re.sub(r"\b\d+\b", "N", place.sub("", line))[:120]
