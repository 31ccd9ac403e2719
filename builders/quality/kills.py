"""Running the programs of one problem on tests and inputs, each once: what kills what.

Every verdict is the judge's. The figures are about tests, so a program that a session failed on has no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.work import collect, inputs_of, kill
from venus_toolkit.engine import Seat
from venus_toolkit.errors import SandboxError
from venus_toolkit.judge import Rules
from venus_toolkit.language import Language
from venus_toolkit.records import Limits, Problem, TestCase, Verdict, digest
from venus_toolkit.sandbox import Program
from venus_toolkit.signatures import fill

Result = TypeVar("Result")
TRIES = 2
LARGE = "large"
PARENTS = 8  # whose outputs are kept at a time: those of large inputs are large


class Journal(Protocol):
    """Keeps finished work: a `Store`."""

    def get(self, stage: str, key: str) -> Any:
        """Return what was kept under `key`, or None."""
        ...

    def put(self, stage: str, key: str, value: Any) -> None:
        """Keep a result."""
        ...


@dataclass(frozen=True, slots=True)
class Inputs:
    """A request for generated inputs: so many, from this seed on."""

    count: int
    seed: int


class Row(NamedTuple):
    """What the tests say of one program: whether it compiles, and the verdict of each test that was run."""

    compiled: bool
    verdicts: Mapping[str, str]

    @property
    def killers(self) -> tuple[str, ...]:
        """The tests that do not accept it."""
        return tuple(name for name, verdict in self.verdicts.items() if verdict != Verdict.ACCEPTED)


class Differences(NamedTuple):
    """The inputs on which a program was found to differ from its parent, and how many there were to compare on."""

    test_ids: tuple[str, ...]
    compared: int


class Workbench:
    """One problem's programs, and where they run; a context manager.

    Args:
        seat: Where.
        problem: The problem.
        limits: What a run may take.
        languages: The languages that can be used here, by id.
        identity: Names a program together with its toolchain: results are kept under it.
        journal: Where results are kept.
    """

    def __init__(
        self,
        seat: Seat,
        problem: Problem,
        limits: Limits,
        languages: Mapping[str, Language],
        identity: Callable[[Program], str],
        journal: Journal,
    ) -> None:
        self.problem = problem
        self._seat = seat.at(problem.slug)
        self._rules = Rules(limits, problem.comparison, problem.evaluator)
        self.languages = languages
        self._identity = identity
        self._journal = journal
        self._compiled: dict[str, Program] = {}
        self._made: dict[Inputs, tuple[TestCase, ...]] = {}
        self._outputs: dict[tuple[str, Inputs], list[TestCase]] = {}
        self._digests: dict[int, tuple[TestCase, str]] = {}

    def __enter__(self) -> Workbench:
        """Return the workbench itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Free what the compiled programs take."""
        self.close()

    def can_run(self, language: str) -> bool:
        """Whether solutions in a language are programs here: it is installed, and has a runner where one is needed."""
        return language in self.languages and (self.problem.style != "function" or language in self.problem.runners)

    def program(self, language: str, code: str) -> Program:
        """Return the complete program: inside the problem's runner where its solutions are functions."""
        if self.problem.style == "function":
            code = fill(self.problem.runners[language], code, self.languages[language])
        return Program(self.languages[language], code)

    def close(self) -> None:
        """Free what the compiled programs take."""
        while self._compiled:
            self._seat.forget(self._compiled.popitem()[1])

    # -------------------------------------------------------------- tests

    def row(self, program: Program, tests: Sequence[TestCase], kills: int) -> Row | None:
        """Return what the tests say of a program, or None where the sandbox failed.

        Small inputs come first. The program is run until `kills` tests killed it, or one by its time; on large ones
        only as long as none did: they are kept in any case.
        """
        key = digest(self._identity(program), self._tests_key(tests), list(self._rules), kills)
        found = self._journal.get("kills", key)
        if found is None:
            row = self._twice(lambda: self._judge(program, tests, kills))
            if row is None:
                return None
            found = [row.compiled, dict(row.verdicts)]
            self._journal.put("kills", key, found)
        return Row(*found)

    def _judge(self, program: Program, tests: Sequence[TestCase], kills: int) -> Row:
        ordered = sorted(tests, key=size_of)
        parts = tuple(tuple(t for t in ordered if (t.size == LARGE) == large) for large in (False, True))
        row = Row(*self._seat.run(kill, program, parts, self._rules, kills))
        if row.compiled and not row.killers:
            self._compiled[program.source] = program
        return row

    # -------------------------------------------------------------- inputs

    def inputs(self, wanted: Inputs) -> tuple[TestCase, ...]:
        """Return generated inputs, without outputs; none where there is no generator, or the sandbox failed."""
        return self._twice(lambda: self._inputs(wanted)) or ()

    def _inputs(self, wanted: Inputs) -> tuple[TestCase, ...]:
        if self.problem.generator is None or not wanted.count:
            return ()
        if wanted not in self._made:
            self._made[wanted] = self._seat.run(inputs_of, self.problem, wanted.count, wanted.seed)
        return self._made[wanted]

    def differences(self, program: Program, parent: Program, wanted: Inputs, kills: int) -> Differences | None:
        """Return on which generated inputs a program differs from its parent, or None where the sandbox failed.

        The parent's outputs are the expected ones; it stops after `kills` differences.
        """
        key = digest(
            self._identity(program), self._identity(parent), self.problem.generator, wanted, list(self._rules), kills
        )
        found = self._journal.get("differences", key)
        if found is None:
            found = self._twice(lambda: self._compare(program, parent, wanted, kills))
            if found is None:
                return None
            self._journal.put("differences", key, found)
        return Differences(tuple(found[0]), found[1])

    def _compare(self, program: Program, parent: Program, wanted: Inputs, kills: int) -> list[Any]:
        tests = self._with_outputs(parent, wanted)
        killers = self._judge(program, tests, kills).killers if tests else ()
        return [list(killers), len(tests)]

    def _with_outputs(self, parent: Program, wanted: Inputs) -> list[TestCase]:
        """Return inputs with the outputs of a program as the expected ones; those it fails on are left out."""
        key = (parent.source, wanted)
        if key not in self._outputs:
            outputs = self._run(parent, self._inputs(wanted))
            while len(self._outputs) >= PARENTS:
                del self._outputs[next(iter(self._outputs))]
            self._outputs[key] = outputs
        return self._outputs[key]

    def _run(self, program: Program, inputs: Sequence[TestCase]) -> list[TestCase]:
        self._compiled[program.source] = program
        votes, outputs, _ = self._seat.run(collect, program, inputs, self._rules.limits, None)
        return [
            TestCase(test.test_id, test.stdin, outputs[vote.output], test.kind, test.size, test.seed)
            for test, vote in zip(inputs, votes, strict=True)
            if vote.kind == "answer"
        ]

    # -------------------------------------------------------------- helpers

    def _tests_key(self, tests: Sequence[TestCase]) -> str:
        """Return a digest of tests; each is read once, however often it is asked about."""
        for test in tests:
            if id(test) not in self._digests:
                self._digests[id(test)] = (test, digest(test.test_id, test.stdin, test.stdout))
        return digest([self._digests[id(test)][1] for test in tests])

    def _twice(self, work: Callable[[], Result]) -> Result | None:
        """Work; a failure of the sandbox is tried once more. The one place where it is attributed: to nobody."""
        for _ in range(TRIES):
            try:
                return work()
            except SandboxError:
                continue
        return None
