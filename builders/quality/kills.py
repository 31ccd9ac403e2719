"""Running the programs of one problem on tests and inputs, each once: what kills what.

Every verdict is the judge's. The figures are about tests, so a program that a session failed on has no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from venus_toolkit.builders.generation.run import generate
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.validate import collect_votes
from venus_toolkit.errors import SandboxError, SourceError
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language
from venus_toolkit.records import Limits, Problem, TestCase, Verdict, digest
from venus_toolkit.sandbox import Compiled, Program, Sandbox
from venus_toolkit.signatures import fill
from venus_toolkit.supervisor import Cores

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
        sandbox: Where.
        problem: The problem.
        limits: What a run may take.
        languages: The languages that can be used here, by id.
        identity: Names a program together with its toolchain: results are kept under it.
        journal: Where results are kept.
        cores: Which cores to run on.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        problem: Problem,
        limits: Limits,
        languages: Mapping[str, Language],
        identity: Callable[[Program], str],
        journal: Journal,
        cores: Cores | None = None,
    ) -> None:
        self.problem = problem
        self._sandbox = sandbox
        self._limits = limits
        self.languages = languages
        self._identity = identity
        self._journal = journal
        self._cores = cores
        self._checker = Checker(problem.comparison, sandbox, problem.evaluator)
        self._compiled: list[Compiled] = []
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
            self._sandbox.discard(self._compiled.pop())

    # -------------------------------------------------------------- tests

    def row(self, program: Program, tests: Sequence[TestCase], kills: int) -> Row | None:
        """Return what the tests say of a program, or None where the sandbox failed.

        Small inputs come first. The program is run until `kills` tests killed it, or one by its time; on large ones
        only as long as none did: they are kept in any case.
        """
        key = digest(self._identity(program), self._tests_key(tests), self._rules(), kills)
        found = self._journal.get("kills", key)
        if found is None:
            row = self._twice(lambda: self._judge(program, tests, kills))
            if row is None:
                return None
            found = [row.compiled, dict(row.verdicts)]
            self._journal.put("kills", key, found)
        return Row(*found)

    def _judge(self, program: Program, tests: Sequence[TestCase], kills: int) -> Row:
        compiled = self._sandbox.compile(program, self._cores)
        verdicts: dict[str, str] = {}
        ordered = sorted(tests, key=size_of)
        cheap = [test for test in ordered if test.size != LARGE]
        for part in (cheap, [test for test in ordered if test.size == LARGE]):
            if not part or not compiled.ok or not all(v == Verdict.ACCEPTED for v in verdicts.values()):
                continue
            said = judge(self._sandbox, compiled, part, self._checker, self._limits, cores=self._cores, failures=kills)
            verdicts |= {test.test_id: str(verdict) for test, verdict in zip(part, said.verdicts, strict=False)}
        row = Row(compiled.ok, verdicts)
        self._keep(compiled, compiled.ok and not row.killers)
        return row

    def _keep(self, compiled: Compiled, again: bool) -> None:
        """Keep a compiled program that will be run again; close() frees it."""
        if again:
            self._compiled.append(compiled)
        else:
            self._sandbox.discard(compiled)

    # -------------------------------------------------------------- inputs

    def inputs(self, wanted: Inputs) -> tuple[TestCase, ...]:
        """Return generated inputs, without outputs; none where there is no generator, or the sandbox failed."""
        return self._twice(lambda: self._inputs(wanted)) or ()

    def _inputs(self, wanted: Inputs) -> tuple[TestCase, ...]:
        if self.problem.generator is None or not wanted.count:
            return ()
        if wanted not in self._made:
            self._made[wanted] = self._generate(wanted)
        return self._made[wanted]

    def _generate(self, wanted: Inputs) -> tuple[TestCase, ...]:
        try:
            return generate(self._sandbox, self.problem, wanted.count, wanted.seed, self._cores).tests
        except SourceError:  # a generator that does not compile; given tests do not need it
            return ()

    def differences(self, program: Program, parent: Program, wanted: Inputs, kills: int) -> Differences | None:
        """Return on which generated inputs a program differs from its parent, or None where the sandbox failed.

        The parent's outputs are the expected ones; it stops after `kills` differences.
        """
        key = digest(
            self._identity(program), self._identity(parent), self.problem.generator, wanted, self._rules(), kills
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
        compiled = self._sandbox.compile(program, self._cores)
        votes, outputs = collect_votes(self._sandbox, compiled, inputs, self._limits, self._cores)
        self._keep(compiled, again=True)
        return [
            TestCase(test.test_id, test.stdin, outputs[vote.output], test.kind, test.size, test.seed)
            for test, vote in zip(inputs, votes, strict=True)
            if vote.kind == "answer"
        ]

    # -------------------------------------------------------------- helpers

    def _rules(self) -> list[object]:
        return [self._limits, self.problem.comparison, self.problem.evaluator]

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
