"""Quality of the generated tests of the corpus, by mutants and known wrong, accepted and slow programs.

Expected outputs come from two accepted programs, one in C++ and one in Python; every other accepted
program in every language is judged by them. So the true positive rate can be below 1, which is
impossible if all of them vote.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from tests.building import read_entry
from venus_toolkit.builders.inputs.run_generator import generate
from venus_toolkit.builders.quality.assess import Examination
from venus_toolkit.builders.quality.kills import ProblemPrograms
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import Quality, SolutionTime, separate, true_positives
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.builders.stages import validate
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution, TestCase, Verdict, digest
from venus_toolkit.core.store import Store
from venus_toolkit.core.toolchain import installed
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.engine.work import vote
from venus_toolkit.execution.judging.checker import Checker, Rules
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.local import LocalSandbox

REFERENCES = ("cpp", "python")
TESTS = 20


class Subject(NamedTuple):
    """A problem of the corpus, its tests, and their quality."""

    entry: Entry
    tests: tuple[TestCase, ...]
    quality: Quality


class CorpusExaminer:
    """Examines problems of the corpus, each on one core; `store` keeps finished work."""

    def __init__(self, executor: Executor, store: Store, options: QualityOptions) -> None:
        self.executor, self.store, self.options = executor, store, options
        self.languages, self.sandbox = executor.languages, executor.sandbox

    def examine(self, slug: str, worker: Worker) -> Subject:
        """Generate the tests of a problem, then examine, improve and reduce them."""
        entry = read_entry(CORPUS / slug, load_languages())
        tests = self.agreed_tests(
            entry, generate(self.sandbox, entry.problem, TESTS, 0, worker.cores).tests, worker
        )
        agree = lambda inputs: self.agreed_tests(entry, inputs, worker)  # noqa: E731
        examination = Examination(self.workbench(entry, worker), entry.solutions, self.options).run(
            tests, agree
        )
        return Subject(entry, examination.tests, examination.quality)

    def workbench(self, entry: Entry, worker: Worker) -> ProblemPrograms:
        """Return the programs of a problem with their executor."""
        return ProblemPrograms(self.executor, worker, entry.problem, lambda _: entry.problem.limits)

    def references(self, entry: Entry) -> list[Solution]:
        """Return the first accepted solution in each of REFERENCES."""
        accepted = [s for s in entry.solutions if s.expected == Expectation.ACCEPTED]
        return [next(s for s in accepted if s.language == name) for name in REFERENCES]

    def agreed_tests(
        self, entry: Entry, inputs: Sequence[TestCase], worker: Worker
    ) -> tuple[TestCase, ...]:
        """Return the inputs on which the references agree, with their outputs."""
        problem, bench = entry.problem, self.workbench(entry, worker)
        rules = Rules(problem.limits, problem.comparison, problem.evaluator)
        votes, outputs = {}, dict[str, str]()
        for solution in self.references(entry):
            program = bench.program(solution.language, solution.code)
            judgement = vote(self.sandbox, worker.cores, program, inputs, problem.limits, None)
            votes[solution.solution_id] = judgement.of_each
            outputs |= judgement.outputs
        return validate.decide(self.sandbox, worker.cores, inputs, votes, outputs, rules).tests

    def finish(self, subject: Subject, most: int | None) -> Quality:
        """Judge up to `most` accepted and slow programs per language; return the full quality."""
        references = {s.solution_id for s in self.references(subject.entry)}
        others = [
            s
            for s in subject.entry.solutions
            if s.language in self.languages and s.solution_id not in references
        ]
        todo = [
            s
            for language in self.languages
            for expected in (Expectation.ACCEPTED, Expectation.SLOW)
            for s in [s for s in others if (s.language, s.expected) == (language, expected)][:most]
        ]
        work = lambda solution, worker: self._cost(subject, solution, worker)  # noqa: E731
        costs = {
            solution.solution_id: (solution, cost)
            for solution, cost in self.executor.judging(work, todo)
        }
        verdicts = {name: Verdict(verdict) for name, (_, (verdict, _)) in costs.items()}
        times = [
            SolutionTime(s.language, s.expected, ns)
            for s, (verdict, ns) in costs.values()
            if not math.isnan(ns)
        ]
        positive = true_positives(todo, verdicts)
        return dataclasses.replace(subject.quality, positive=positive, separation=separate(times))

    def _cost(self, subject: Subject, solution: Solution, worker: Worker) -> tuple[str, float]:
        problem = subject.entry.problem
        program: Program = self.workbench(subject.entry, worker).program(
            solution.language, solution.code
        )
        key = digest(
            program.source, [(test.stdin, test.stdout) for test in subject.tests], problem.limits
        )
        cached = self.store.get("cost", key)
        if cached is None:
            compiled = self.sandbox.compile(program, worker.cores)
            checker = Checker(problem.comparison, self.sandbox, problem.evaluator)
            slowest_first = sorted(subject.tests, key=lambda test: test.size != "large")
            judgement = judge(
                self.sandbox, compiled, slowest_first, checker, problem.limits, cores=worker.cores
            )
            cached = [judgement.verdict, sum(run.cpu_ns for run in judgement.runs)]
            self.store.put("cost", key, cached)
        verdict, cpu_ns = cached
        ended = {Verdict.ACCEPTED: float(cpu_ns), Verdict.TIME_LIMIT: math.inf}
        return verdict, ended.get(Verdict(verdict), math.nan)


def examine_corpus(
    folder: Path, options: QualityOptions, slugs: Sequence[str], most: int | None
) -> list[Quality]:
    """Examine problems of the corpus, then judge all or `most` accepted and slow programs each."""
    languages, _ = installed(load_languages().values())
    with (
        Store(folder) as store,
        LocalSandbox() as sandbox,
        closing(Executor(sandbox, languages, journal=store)) as executor,
    ):
        bench = CorpusExaminer(executor, store, options)
        subjects = dict(executor.judging(bench.examine, slugs))
        return [bench.finish(subjects[slug], most) for slug in slugs]


def all_slugs() -> list[str]:
    """Return the names of the problems of the corpus."""
    return sorted(path.parent.name for path in CORPUS.glob("*/problem.toml"))
