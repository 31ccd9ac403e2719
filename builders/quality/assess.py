"""Are the tests of this problem good? Mutants, more tests, fewer tests, and the figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.builders.quality.improve import Agree, improve
from venus_toolkit.builders.quality.kills import Inputs, Row, Workbench
from venus_toolkit.builders.quality.minimal import minimal_set
from venus_toolkit.builders.quality.mutants import Mutant, sample_mutants
from venus_toolkit.builders.quality.options import QualityOptions
from venus_toolkit.builders.quality.score import Counts, Detection, Fate, Quality, Rate, Survivor, count
from venus_toolkit.records import Expectation, Solution, TestCase
from venus_toolkit.sandbox import Program

POOL_SEED = 1_000_000  # tests are made of small seeds: pool and batches share none with them, nor with each other
BATCH_SEED = 2_000_000


class Assessment(NamedTuple):
    """The tests to keep, and how good they are."""

    tests: tuple[TestCase, ...]
    quality: Quality


def assess(
    bench: Workbench,
    solutions: Sequence[Solution],
    tests: Sequence[TestCase],
    agree: Agree,
    options: QualityOptions,
) -> Assessment:
    """Examine the tests of one problem, add to them and thin them out.

    Args:
        bench: Where the problem's programs run.
        solutions: Those that are trusted to be accepted, and the known wrong ones, in the languages to try them in.
        tests: The agreed tests.
        agree: Returns those inputs that all canonical solutions agree on, with their outputs.
        options: How thoroughly.
    """
    return _Examination(bench, solutions, tests, agree, options).run()


def mutated_languages(bench: Workbench, solutions: Sequence[Solution], options: QualityOptions) -> tuple[str, ...]:
    """Return in which languages mutants are made: those asked for, else the cheapest that the problem is solved in."""
    solved = {s.language for s in solutions if s.expected == Expectation.ACCEPTED and bench.can_run(s.language)}
    if options.languages:
        return tuple(name for name in options.languages if name in solved)
    return next(((name,) for name in (*options.cheapest, *sorted(solved)) if name in solved), ())


class _Examination:
    """One call of `assess`: the programs by their names, and what the tests said of each so far."""

    def __init__(
        self,
        bench: Workbench,
        solutions: Sequence[Solution],
        tests: Sequence[TestCase],
        agree: Agree,
        options: QualityOptions,
    ) -> None:
        self.bench, self.options, self.agree, self.tests = bench, options, agree, tuple(tests)
        self.names = mutated_languages(bench, solutions, options)
        self.solutions = {s.solution_id: s for s in solutions if bench.can_run(s.language)}
        self.guides: dict[str, Mutant] = {}
        self.held_out: dict[str, Mutant] = {}
        accepted = [s for s in solutions if s.expected == Expectation.ACCEPTED]
        for name in self.names:
            drawn = sample_mutants(accepted, bench.languages[name], options.mutants + options.held_out, options.seed)
            self.guides |= {mutant.mutant_id: mutant for mutant in drawn[: options.mutants]}
            self.held_out |= {mutant.mutant_id: mutant for mutant in drawn[options.mutants :]}
        self.mutants = {**self.guides, **self.held_out}
        self.wrong = {name: s for name, s in self.solutions.items() if s.expected == Expectation.WRONG}
        self.kills = 2 * options.depth if options.reduce else 1  # tests to choose from, not all that there are
        self.rows: dict[str, Row | None] = {}
        self.differs: dict[str, str | None] = {}

    def run(self) -> Assessment:
        for name in (*self.wrong, *self.mutants):
            self.rows[name] = self.bench.row(self._program(name), self.tests, self.kills)
        before = self._detection(self.tests)
        improvement = improve(
            self._worth_killing(), self._suspect, lambda number: self.bench.inputs(self._batch(number)),
            self.agree, self._killed, self.options,
        )  # fmt: skip
        everything = (*self.tests, *improvement.added)
        kept = self._kept(everything)
        for name in self.held_out:
            self._complete(name, kept)
        return Assessment(kept, self._quality(before, kept, everything, improvement.batches))

    # -------------------------------------------------------------- programs

    def _program(self, name: str) -> Program:
        found = self.mutants.get(name) or self.solutions[name]
        return self.bench.program(found.language, found.code)

    def _alive(self, name: str, tests: Sequence[TestCase]) -> bool:
        row = self.rows[name]
        ids = {test.test_id for test in tests}
        return row is not None and row.compiled and not ids.intersection(row.killers)

    # -------------------------------------------------------------- more tests

    def _worth_killing(self) -> list[str]:
        """Return the guides and wrong solutions that are alive and are known to be wrong."""
        right = any(s.expected == Expectation.ACCEPTED for s in self.solutions.values())
        wrong = [name for name in self.wrong if right and self._alive(name, self.tests)]
        return wrong + [name for name in self.guides if self._outcome(name, self.tests) == "differing"]

    def _batch(self, number: int) -> Inputs:
        return Inputs(self.options.batch, BATCH_SEED + self.options.seed + number * self.options.batch)

    def _suspect(self, number: int, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Say on which inputs of a batch programs differ from an accepted one."""
        found = {
            name: self.bench.differences(self._program(name), self._right(name), self._batch(number), self.kills)
            for name in names
        }
        return {name: each.test_ids for name, each in found.items() if each}

    def _right(self, name: str) -> Program:
        """Return what a program should do as well: a mutant's parent, or an accepted solution, best of its language."""
        if name in self.mutants:
            return self._program(self.mutants[name].parent)
        accepted = [s for s in self.solutions.values() if s.expected == Expectation.ACCEPTED]
        first = min(accepted, key=lambda s: (s.language != self.solutions[name].language, s.solution_id))
        return self.bench.program(first.language, first.code)

    def _killed(self, tests: Sequence[TestCase], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        for name in names:
            self._complete(name, tests)
        ids = {test.test_id for test in tests}
        return {name: tuple(ids.intersection(row.killers)) for name in names if (row := self.rows[name])}

    def _complete(self, name: str, tests: Sequence[TestCase]) -> None:
        """Run a program that none of `tests` is known to kill on those of them that it was not run on."""
        row = self.rows[name]
        todo = [test for test in tests if row and test.test_id not in row.verdicts]
        if row and todo and self._alive(name, tests):
            more = self.bench.row(self._program(name), todo, self.kills)
            self.rows[name] = Row(row.compiled, {**row.verdicts, **more.verdicts}) if more else None

    # -------------------------------------------------------------- fewer tests

    def _kept(self, tests: Sequence[TestCase]) -> tuple[TestCase, ...]:
        if not self.options.reduce:
            return tuple(tests)
        steering = {name: row.killers for name in (*self.wrong, *self.guides) if (row := self.rows[name])}
        return minimal_set(steering, tests, self.options)

    # -------------------------------------------------------------- figures

    def _outcome(self, name: str, tests: Sequence[TestCase]) -> str:
        row = self.rows[name]
        if row is None:
            return "unjudged"
        if not row.compiled:
            return "broken"
        ids = {test.test_id for test in tests}
        if ids.intersection(row.killers):
            return "killed"
        if row.killers:
            return "differing"  # on a test that was dropped
        found = self.bench.differences(self._program(name), self._right(name), self._pool(), kills=1)
        if found is None:
            return "unjudged"
        self.differs[name] = next(iter(found.test_ids), None)
        return "differing" if found.test_ids else "same" if found.compared else "undecided"

    def _pool(self) -> Inputs:
        return Inputs(self.options.pool, POOL_SEED + self.options.seed)

    def _fates(self, names: Sequence[str], tests: Sequence[TestCase]) -> list[Fate]:
        mutants = [self.mutants[name] for name in names]
        return [Fate(m.operator, m.language, self._outcome(m.mutant_id, tests)) for m in mutants]

    def _detection(self, tests: Sequence[TestCase]) -> Detection:
        judged = [name for name in self.wrong if self.rows[name] is not None]
        refused = [name for name in judged if not self._alive(name, tests)]
        return Detection(len(tests), Rate(len(refused), len(judged)), count(self._fates(list(self.guides), tests)))

    def _quality(
        self, before: Detection, kept: Sequence[TestCase], everything: Sequence[TestCase], batches: int
    ) -> Quality:
        fates = self._fates(list(self.mutants), kept)
        operators: dict[str, Counts] = {
            name: count(fate for fate in fates if fate.operator == name) for name in sorted({f.operator for f in fates})
        }
        return Quality(
            slug=self.bench.problem.slug,
            languages=self.names,
            before=before,
            after=self._detection(kept),
            held_out=count(self._fates(list(self.held_out), kept)),
            operators=operators,
            survivors=tuple(self._survivors(kept)),
            missed=tuple(name for name in self.wrong if self._alive(name, kept)),
            added=len(everything) - len(self.tests),
            dropped=len(everything) - len(kept),
            batches=batches,
        )

    def _survivors(self, tests: Sequence[TestCase]) -> list[Survivor]:
        return [
            Survivor(m.mutant_id, m.operator, m.line, m.before, m.after, outcome, self.differs.get(name))
            for name, m in self.mutants.items()
            if (outcome := self._outcome(name, tests)) in ("differing", "same", "undecided")
        ]


def no_more(inputs: Sequence[TestCase]) -> Sequence[TestCase]:
    """An `agree` for those who want no more tests: it agrees to none."""
    return ()
