"""Are the tests of this problem good? Mutants, more tests as long as they kill something, fewer tests, the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.quality.feedback import Attack, ModelFeedback, ModelRounds
from venus_toolkit.builders.quality.kills import InputRequest, ProblemPrograms, Wanted
from venus_toolkit.builders.quality.minimal import minimal_set
from venus_toolkit.builders.quality.mutants import Mutant, sample_mutants
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import Detection, Quality, Rate, Survivor, count
from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.records import CORRECTNESS, Expectation, Solution, TestCase
from venus_toolkit.execution.engine.work import Verdicts
from venus_toolkit.execution.sandbox import Program

BATCH_SEED = 2_000_000

Agree = Callable[[Sequence[TestCase]], Sequence[TestCase]]


class QualityAssessment(NamedTuple):
    """The tests to keep, and how good they are."""

    tests: tuple[TestCase, ...]
    quality: Quality


def mutated_languages(
    bench: ProblemPrograms, solutions: Sequence[Solution], options: QualityOptions
) -> tuple[str, ...]:
    """Return in which languages mutants are made.

    These are the requested ones, else the cheapest that the problem is solved in.
    """
    solved = {
        s.language
        for s in solutions
        if s.expected == Expectation.ACCEPTED and bench.can_run(s.language)
    }
    if options.languages:
        return tuple(name for name in options.languages if name in solved)
    return next(((name,) for name in (*options.cheapest, *sorted(solved)) if name in solved), ())


class Examination:
    """Examines the tests of one problem, adds to them and thins them out: once.

    `solutions` are those that are trusted to be accepted, and the known wrong ones, in the
    languages to try them in. With `feedback` a model attacks what is still missed.
    """

    role: str | None = None  # of the tests that are added
    agree: Agree  # what `run` was given

    def __init__(
        self,
        bench: ProblemPrograms,
        solutions: Sequence[Solution],
        options: QualityOptions,
        feedback: ModelFeedback | None = None,
    ) -> None:
        self.bench, self.options, self.feedback = bench, options, feedback
        self.names = mutated_languages(bench, solutions, options)
        self.solutions = {s.solution_id: s for s in solutions if bench.can_run(s.language)}
        self.accepted = [s for s in self.solutions.values() if s.expected == Expectation.ACCEPTED]
        self.wrong = [name for name, s in self.solutions.items() if s.expected == Expectation.WRONG]
        self.guides: dict[str, Mutant] = {}
        self.held_out: dict[str, Mutant] = {}
        for name in self.names:
            drawn = sample_mutants(
                self.accepted,
                bench.languages[name],
                options.mutants + options.held_out,
                options.seed,
                bench.called(name),
            )
            self.guides |= {mutant.mutant_id: mutant for mutant in drawn[: options.mutants]}
            self.held_out |= {mutant.mutant_id: mutant for mutant in drawn[options.mutants :]}
        self.mutants = {**self.guides, **self.held_out}
        self.killers: dict[str, Solution] = {}  # programs of a model that may be wrong
        # tests to choose from, not all that there are
        self.kills = 2 * options.depth if options.reduce else 1
        self.batches = 0
        # What the tests said of each program so far; None: the sandbox failed.
        self.rows: dict[str, Verdicts | None] = {}
        self.differs: dict[str, str | None] = {}

    def run(self, tests: Sequence[TestCase], agree: Agree) -> QualityAssessment:
        """Return the tests to keep of the agreed ones and those that are added.

        `agree` returns those inputs that all canonical solutions agree on, with their outputs.
        """
        self.agree, options = agree, self.options
        # Where the tests have roles, those that are added have one too.
        self.role = CORRECTNESS if any(test.role for test in tests) else None
        for name in (*self.wrong, *self.mutants):
            self.rows[name] = self.bench.verdicts(self._program(name), tests, self.kills)
        before = self._detection(tests)
        # Only what is known to be wrong is worth killing: a mutant that differs from its parent, a
        # solution where another one is right.
        alive = [name for name in self.wrong if self.accepted and self._alive(name, tests)]
        alive += [name for name in self.guides if self._outcome(name, tests) == "differing"]
        added = self.improve(alive)
        missed = [name for name in alive if self._alive(name, (*tests, *added))]
        found = (
            self.feedback.improve(self.bench, self, (*tests, *added), missed)
            if self.feedback
            else ModelRounds()
        )
        added += found.tests
        everything = kept = (*tests, *added)
        if options.reduce:
            # Held-out mutants are left out: their rate would no longer be that of programs nobody
            # has seen.
            steers = (*self.wrong, *self.guides, *found.killers)
            steering = {name: row.failed for name in steers if (row := self.rows[name])}
            kept = minimal_set(steering, everything, options)
        # They were run only until enough tests killed them; the choice above need not have kept any
        # of those.
        for name in self.held_out:
            self._complete(name, kept)
        outcomes = {name: self._outcome(name, kept) for name in self.mutants}
        quality = Quality(
            slug=self.bench.problem.slug,
            languages=self.names,
            before=before,
            after=self._detection(kept),
            held_out=count(outcomes[name] for name in self.held_out),
            operators={
                operator: count(
                    outcomes[name] for name, m in self.mutants.items() if m.operator == operator
                )
                for operator in sorted({m.operator for m in self.mutants.values()})
            },
            survivors=tuple(
                Survivor(
                    name,
                    m.operator,
                    m.line,
                    m.before,
                    m.after,
                    outcomes[name],
                    self.differs.get(name),
                )
                for name, m in self.mutants.items()
                if outcomes[name] in ("differing", "same", "undecided")
            ),
            missed=tuple(name for name in self.wrong if self._alive(name, kept)),
            added=len(added),
            dropped=len(everything) - len(kept),
            batches=self.batches,
            rounds=tuple(found.rounds),
        )
        return QualityAssessment(kept, quality)

    def improve(self, alive: Sequence[str]) -> list[TestCase]:
        """Try batches of inputs on the programs that no test kills.

        Returns those inputs that kill one, as tests.

        It stops when nothing is alive, after `options.batches`, or after `options.patience` batches
        in a row without a new kill. All canonical solutions have to agree on a new test, which is
        expensive: `agree` is asked only about the few inputs of a batch on which a program and its
        parent differ.
        """
        options, remaining, added, quiet = self.options, list(alive), list[TestCase](), 0
        while remaining and self.batches < options.batches and quiet < options.patience:
            batch = InputRequest(
                options.batch, BATCH_SEED + options.seed + self.batches * options.batch
            )
            found = self.attack(batch, remaining)
            added += found.tests
            remaining = [name for name in remaining if name not in found.dead]
            quiet = 0 if found.dead else quiet + 1
            self.batches += 1
        return added

    def attack(self, inputs: Wanted, names: Sequence[str]) -> Attack:
        """Try inputs on programs; of those on which a program differs from a right one, the fewest become tests."""
        found = self.suspect(inputs, names)
        # Only the cover: what a release keeps beside it (large inputs, size classes) is decided
        # later.
        cover = QualityOptions(depth=1, largest=0, at_least=0)
        fewest = minimal_set(found, self.bench.inputs(inputs), cover) if found else ()
        good = self.agree(fewest) if fewest else ()
        dead = self.killed(good, sorted(found)) if good else {}
        disputed = {test.test_id for test in fewest} - {test.test_id for test in good}
        tests = []
        # A test says what it was chosen for where the others do, and where it was written for that.
        tells = self.role is not None or isinstance(inputs, tuple)
        for test in good:
            if killed := next((name for name, ids in dead.items() if test.test_id in ids), None):
                tests.append(
                    replace(test, role=self.role, adds=f"kills {killed}" if tells else None)
                )
        return Attack(tuple(tests), dead, frozenset(disputed))

    def admit(self, killer: Solution, tests: Sequence[TestCase]) -> str:
        """Take a program that may be wrong among those to be killed, or return why it is of no use."""
        known = {each.code for each in (*self.solutions.values(), *self.killers.values())}
        if not self.accepted or killer.code in known:
            return (
                "it is known already"
                if self.accepted
                else "there is no right solution to compare it with"
            )
        try:
            program = self.bench.program(killer.language, killer.code)
        except LanguageError as error:
            return str(error)
        row = self.bench.verdicts(program, tests, kills=1)
        if row is None or not row.compiled:
            return "it does not compile" if row else "the sandbox failed at it"
        if row.failed:
            return f"the test {row.failed[0]} refuses it already"
        self.killers[killer.solution_id], self.rows[killer.solution_id] = killer, row
        return ""

    def known(self, name: str) -> Mutant | Solution:
        """Return a program by its name."""
        return self.mutants.get(name) or self.killers.get(name) or self.solutions[name]

    def _program(self, name: str) -> Program:
        found = self.known(name)
        return self.bench.program(found.language, found.code)

    def _right(self, name: str) -> Program:
        """Return the program that another should equal.

        It is a mutant's parent, or an accepted solution, if possible of the same language.
        """
        if name in self.mutants:
            return self._program(self.mutants[name].parent)
        language = self.known(name).language
        first = min(self.accepted, key=lambda s: (s.language != language, s.solution_id))
        return self._program(first.solution_id)

    def _alive(self, name: str, tests: Sequence[TestCase]) -> bool:
        row = self.rows[name]
        return (
            row is not None
            and row.compiled
            and not {test.test_id for test in tests}.intersection(row.failed)
        )

    def suspect(self, batch: Wanted, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the programs that differ from an accepted one on some inputs of a batch, and on which."""
        found = {}
        for name in names:
            differences = self.bench.differences(
                self._program(name), self._right(name), batch, self.kills
            )
            if differences and differences[0]:
                found[name] = differences[0]
        return found

    def killed(self, tests: Sequence[TestCase], names: Sequence[str]) -> dict[str, set[str]]:
        """Return the programs that some of the tests kill, and which."""
        for name in names:
            self._complete(name, tests)
        ids = {test.test_id for test in tests}
        found = {name: ids.intersection(row.failed) for name in names if (row := self.rows[name])}
        return {name: killers for name, killers in found.items() if killers}

    def _complete(self, name: str, tests: Sequence[TestCase]) -> None:
        """Run a program that none of `tests` is known to kill on those of them that it was not run on."""
        row = self.rows[name]
        todo = [test for test in tests if row and test.test_id not in row.of_each]
        if row and todo and self._alive(name, tests):
            more = self.bench.verdicts(self._program(name), todo, self.kills)
            self.rows[name] = (
                Verdicts(row.compiled, {**row.of_each, **more.of_each}) if more else None
            )

    def _outcome(self, name: str, tests: Sequence[TestCase]) -> str:
        row = self.rows[name]
        if row is None:
            return "unjudged"
        if not row.compiled:
            return "broken"
        if not self._alive(name, tests):
            return "killed"
        if row.failed:
            return "differing"  # on a test that was dropped
        # Tests are made of small seeds: pool and batches share none with them, nor with each other
        pool_seed = 1_000_000
        pool = InputRequest(self.options.pool, pool_seed + self.options.seed)
        differences = self.bench.differences(self._program(name), self._right(name), pool, kills=1)
        if differences is None:
            return "unjudged"
        test_ids, compared = differences
        self.differs[name] = next(iter(test_ids), None)
        return "differing" if test_ids else "same" if compared else "undecided"

    def _detection(self, tests: Sequence[TestCase]) -> Detection:
        judged = [name for name in self.wrong if self.rows[name] is not None]
        refused = [name for name in judged if not self._alive(name, tests)]
        mutants = count(self._outcome(name, tests) for name in self.guides)
        return Detection(len(tests), Rate(len(refused), len(judged)), mutants)
