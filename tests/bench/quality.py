"""Are the tests that the corpus' generators give good? Mutants, known wrong and accepted programs, slow ones.

Expected outputs come from two accepted programs, one in C++ and one in Python; every other accepted program, in every
language, is held to them. So the true positive rate could fall short, which it cannot where all of them have a vote.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.builders import validate
from venus_toolkit.builders.generation.run import generate
from venus_toolkit.builders.quality.assess import assess
from venus_toolkit.builders.quality.kills import Workbench
from venus_toolkit.builders.quality.options import QualityOptions
from venus_toolkit.builders.quality.score import Cost, Quality, separate, true_positives
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, read_entry
from venus_toolkit.engine import Engine
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import installed, load_languages
from venus_toolkit.records import Expectation, Solution, TestCase, Verdict, digest
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.sandbox.local import LocalSandbox
from venus_toolkit.store import Store
from venus_toolkit.supervisor import Cores

REFERENCES = ("cpp", "python")
TESTS = 20


class Subject(NamedTuple):
    """A problem of the corpus and the tests that its quality was found with."""

    entry: Entry
    tests: tuple[TestCase, ...]
    quality: Quality


class Bench:
    """Examines problems of the corpus one by one, each on a core of its own; what is finished is kept in `store`."""

    def __init__(self, sandbox: Sandbox, store: Store, options: QualityOptions) -> None:
        here, _ = installed(load_languages().values())
        self.languages = {language.id: language for language in here}
        self.sandbox, self.store, self.options = sandbox, store, options

    def examine(self, slug: str, cores: Cores) -> Subject:
        """Generate the tests of a problem, then examine, improve and reduce them."""
        entry = read_entry(CORPUS / slug, load_languages())
        with self.workbench(entry, cores) as bench:
            tests = self.agreed(entry, generate(self.sandbox, entry.problem, TESTS, 0, cores).tests)
            agree = lambda inputs: self.agreed(entry, inputs)  # noqa: E731
            found = assess(bench, entry.solutions, tests, agree, self.options)
        return Subject(entry, found.tests, found.quality)

    def workbench(self, entry: Entry, cores: Cores | None) -> Workbench:
        """Return where the programs of a problem run."""
        identity = lambda program: digest(program.language.id, program.source)  # noqa: E731
        problem = entry.problem
        return Workbench(self.sandbox, problem, problem.limits, self.languages, identity, self.store, cores)

    def references(self, entry: Entry) -> list[Solution]:
        """Return the first accepted solution in each of REFERENCES."""
        accepted = [s for s in entry.solutions if s.expected == Expectation.ACCEPTED]
        return [next(s for s in accepted if s.language == name) for name in REFERENCES]

    def agreed(self, entry: Entry, inputs: Sequence[TestCase]) -> tuple[TestCase, ...]:
        """Return the inputs on which the references agree, with their outputs."""
        problem, votes, outputs = entry.problem, {}, dict[str, str]()
        bench = self.workbench(entry, None)
        for solution in self.references(entry):
            compiled = self.sandbox.compile(bench.program(solution.language, solution.code))
            votes[solution.solution_id], said = validate.collect_votes(self.sandbox, compiled, inputs, problem.limits)
            outputs |= said
        return validate.agree(
            inputs, votes, outputs, Checker(problem.comparison, self.sandbox, problem.evaluator)
        ).tests

    def finish(self, subject: Subject, engine: Engine, most: int | None) -> Quality:
        """Judge accepted and slow programs, at most so many of a language, and return the quality with them."""
        asked = {s.solution_id for s in self.references(subject.entry)}
        left = [s for s in subject.entry.solutions if s.language in self.languages and s.solution_id not in asked]
        todo = [
            s
            for language in self.languages
            for expected in (Expectation.ACCEPTED, Expectation.SLOW)
            for s in [s for s in left if (s.language, s.expected) == (language, expected)][:most]
        ]
        work = lambda solution, cores: self._cost(subject, solution, cores)  # noqa: E731
        costs = {solution.solution_id: (solution, cost) for solution, cost in engine.judging(work, todo)}
        verdicts = {name: Verdict(verdict) for name, (_, (verdict, _)) in costs.items()}
        times = [Cost(s.language, s.expected, ns) for s, (verdict, ns) in costs.values() if not math.isnan(ns)]
        positive = true_positives(todo, verdicts)
        return dataclasses.replace(subject.quality, positive=positive, separation=separate(times))

    def _cost(self, subject: Subject, solution: Solution, cores: Cores) -> tuple[str, float]:
        problem = subject.entry.problem
        program: Program = self.workbench(subject.entry, cores).program(solution.language, solution.code)
        key = digest(program.source, [(test.stdin, test.stdout) for test in subject.tests], problem.limits)
        found = self.store.get("cost", key)
        if found is None:
            compiled = self.sandbox.compile(program, cores)
            checker = Checker(problem.comparison, self.sandbox, problem.evaluator)
            slowest_first = sorted(subject.tests, key=lambda test: test.size != "large")
            said = judge(self.sandbox, compiled, slowest_first, checker, problem.limits, cores=cores)
            self.sandbox.discard(compiled)
            found = [said.verdict, sum(run.cpu_ns for run in said.runs)]
            self.store.put("cost", key, found)
        verdict, cpu_ns = found
        ended = {Verdict.ACCEPTED: float(cpu_ns), Verdict.TIME_LIMIT: math.inf}
        return verdict, ended.get(Verdict(verdict), math.nan)


def examine_corpus(folder: Path, options: QualityOptions, slugs: Sequence[str], most: int | None) -> list[Quality]:
    """Examine problems of the corpus, then judge their accepted and slow programs: all, or `most` of each language."""
    engine = Engine()
    with Store(folder) as store, LocalSandbox() as sandbox:
        bench = Bench(sandbox, store, options)
        subjects = dict(engine.judging(bench.examine, slugs))
        return [bench.finish(subjects[slug], engine, most) for slug in slugs]


def all_slugs() -> list[str]:
    """Return the problems of the corpus."""
    return sorted(path.parent.name for path in CORPUS.glob("*/problem.toml"))
