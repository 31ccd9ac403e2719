"""Examines the tests of a problem: draws mutants, adds tests that kill, drops redundant ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.quality.feedback import Attack, ModelFeedback, ModelRounds
from venus_toolkit.builders.quality.kills import InputRequest, InputSource, ProblemPrograms
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
    """Return the languages of the mutants.

    They are the requested languages in which the problem has an accepted solution. Without a
    request, it is the cheapest language with one.
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
    """Examines the tests of one problem, adds tests and drops redundant ones; for a single use.

    `solutions` are the trusted accepted ones and the known wrong ones, in the languages to try.
    With `feedback` a model attacks the wrong programs that the tests still accept.
    """

    role: str | None = None  # role of the added tests
    agree: Agree  # the argument of `run`

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
        self.killers: dict[str, Solution] = {}  # a model's wrong programs; some may be right
        # Kills to look for in each program: enough for `reduce` to choose from.
        self.kills = 2 * options.depth if options.reduce else 1
        self.batches = 0
        # Verdicts on each program so far; None: the sandbox failed.
        self.rows: dict[str, Verdicts | None] = {}
        self.differs: dict[str, str | None] = {}

    def run(self, tests: Sequence[TestCase], agree: Agree) -> QualityAssessment:
        """Return the tests to keep, among the given and the added ones, and their quality.

        `agree` returns the inputs on which all canonical solutions agree, with their outputs.
        """
        self.agree, options = agree, self.options
        # If the given tests have roles, the added ones need one too.
        self.role = CORRECTNESS if any(test.role for test in tests) else None
        for name in (*self.wrong, *self.mutants):
            self.rows[name] = self.bench.verdicts(self._program(name), tests, self.kills)
        before = self._detection(tests)
        # Only programs known to be wrong are worth killing: mutants that differ from their parent,
        # and wrong solutions of a problem that has an accepted one to compare with.
        alive = [name for name in self.wrong if self.accepted and self._is_alive(name, tests)]
        alive += [name for name in self.guides if self._outcome(name, tests) == "differing"]
        added = self.improve(alive)
        missed = [name for name in alive if self._is_alive(name, (*tests, *added))]
        model_rounds = (
            self.feedback.improve(self.bench, self, (*tests, *added), missed)
            if self.feedback
            else ModelRounds()
        )
        added += model_rounds.tests
        all_tests = chosen = (*tests, *added)
        if options.reduce:
            # Held-out mutants must not steer the choice: their rate estimates the kill rate on
            # unseen programs.
            steers = (*self.wrong, *self.guides, *model_rounds.killers)
            steering = {name: row.failed for name in steers if (row := self.rows[name])}
            chosen = minimal_set(steering, all_tests, options)
        # Each was run only until enough tests killed it, and `reduce` may have dropped those tests.
        for name in self.held_out:
            self._run_missing(name, chosen)
        outcomes = {name: self._outcome(name, chosen) for name in self.mutants}
        quality = Quality(
            slug=self.bench.problem.slug,
            languages=self.names,
            before=before,
            after=self._detection(chosen),
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
            missed=tuple(name for name in self.wrong if self._is_alive(name, chosen)),
            added=len(added),
            dropped=len(all_tests) - len(chosen),
            batches=self.batches,
            rounds=tuple(model_rounds.rounds),
        )
        return QualityAssessment(chosen, quality)

    def improve(self, alive: Sequence[str]) -> list[TestCase]:
        """Try batches of inputs on the surviving programs; return the killing inputs as tests.

        Stops when no program is alive, after `options.batches` batches, or after `options.patience`
        batches in a row without a new kill. All canonical solutions have to agree on a new test,
        which is expensive, so `agree` sees only the few inputs on which a program and its parent
        differ.
        """
        options, remaining, added, quiet = self.options, list(alive), list[TestCase](), 0
        while remaining and self.batches < options.batches and quiet < options.patience:
            batch = InputRequest(
                options.batch, BATCH_SEED + options.seed + self.batches * options.batch
            )
            attack = self.attack(batch, remaining)
            added += attack.tests
            remaining = [name for name in remaining if name not in attack.dead]
            quiet = 0 if attack.dead else quiet + 1
            self.batches += 1
        return added

    def attack(self, inputs: InputSource, names: Sequence[str]) -> Attack:
        """Try inputs on programs; turn a small set of inputs that kills as many into tests."""
        differing = self.suspect(inputs, names)
        # A bare cover: whether to keep large inputs and every size class is decided later.
        cover = QualityOptions(depth=1, largest=0, at_least=0)
        fewest = minimal_set(differing, self.bench.inputs(inputs), cover) if differing else ()
        good = self.agree(fewest) if fewest else ()
        dead = self.killed(good, sorted(differing)) if good else {}
        disputed = {test.test_id for test in fewest} - {test.test_id for test in good}
        tests = []
        # Note the reason if the other tests have one, or if the input was written for this purpose.
        tells = self.role is not None or isinstance(inputs, tuple)
        for test in good:
            if killed := next((name for name, ids in dead.items() if test.test_id in ids), None):
                tests.append(
                    replace(test, role=self.role, adds=f"kills {killed}" if tells else None)
                )
        return Attack(tuple(tests), dead, frozenset(disputed))

    def admit(self, killer: Solution, tests: Sequence[TestCase]) -> str:
        """Add a program, possibly wrong, to those to kill, or return the reason for a refusal."""
        known = {solution.code for solution in (*self.solutions.values(), *self.killers.values())}
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
        entry = self.known(name)
        return self.bench.program(entry.language, entry.code)

    def _reference(self, name: str) -> Program:
        """Return the right program for comparison.

        The parent of a mutant; else an accepted solution, in the same language if possible.
        """
        if name in self.mutants:
            return self._program(self.mutants[name].parent)
        language = self.known(name).language
        first = min(self.accepted, key=lambda s: (s.language != language, s.solution_id))
        return self._program(first.solution_id)

    def _is_alive(self, name: str, tests: Sequence[TestCase]) -> bool:
        row = self.rows[name]
        return (
            row is not None
            and row.compiled
            and not {test.test_id for test in tests}.intersection(row.failed)
        )

    def suspect(self, batch: InputSource, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the programs that differ from an accepted one, with the ids of those inputs."""
        differing = {}
        for name in names:
            differences = self.bench.differences(
                self._program(name), self._reference(name), batch, self.kills
            )
            if differences and differences[0]:
                differing[name] = differences[0]
        return differing

    def killed(self, tests: Sequence[TestCase], names: Sequence[str]) -> dict[str, set[str]]:
        """Return the programs that these tests kill, each with the ids of the killing tests."""
        for name in names:
            self._run_missing(name, tests)
        ids = {test.test_id for test in tests}
        killing = {name: ids.intersection(row.failed) for name in names if (row := self.rows[name])}
        return {name: test_ids for name, test_ids in killing.items() if test_ids}

    def _run_missing(self, name: str, tests: Sequence[TestCase]) -> None:
        """Run a surviving program on the tests that it has not seen yet."""
        row = self.rows[name]
        todo = [test for test in tests if row and test.test_id not in row.of_each]
        if row and todo and self._is_alive(name, tests):
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
        if not self._is_alive(name, tests):
            return "killed"
        if row.failed:
            return "differing"  # it failed a test that was dropped
        # Tests use small seeds. Pool and batches share no seed with them, nor with each other.
        pool_seed = 1_000_000
        pool = InputRequest(self.options.pool, pool_seed + self.options.seed)
        differences = self.bench.differences(
            self._program(name), self._reference(name), pool, kills=1
        )
        if differences is None:
            return "unjudged"
        test_ids, compared = differences
        self.differs[name] = next(iter(test_ids), None)
        return "differing" if test_ids else "same" if compared else "undecided"

    def _detection(self, tests: Sequence[TestCase]) -> Detection:
        judged = [name for name in self.wrong if self.rows[name] is not None]
        refused = [name for name in judged if not self._is_alive(name, tests)]
        mutants = count(self._outcome(name, tests) for name in self.guides)
        return Detection(len(tests), Rate(len(refused), len(judged)), mutants)
