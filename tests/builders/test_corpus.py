"""The bundled corpus: its files and, in slow tests, the labels of its programs.

For each problem, the tests judge an accepted program in each of two languages, a wrong one and a
slow one. `nox -s thorough-test` judges all programs in ten minutes. `.ci/run` does not include that
session: run it by hand after changing the corpus.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import re
import runpy
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.complexity import declarations
from tests.building import read_entry
from venus_toolkit.builders.inputs.run_generator import generate, requests
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, problem_folders
from venus_toolkit.core.language import Language, load_languages, render
from venus_toolkit.core.records import Expectation, Judgement, Solution, TestCase, Verdict
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.generators import sizes
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.machine.doctor import check_toolchain, why_not_isolated
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

LANGUAGES = load_languages()
SLUGS = sorted(path.parent.name for path in CORPUS.glob("*/problem.toml"))
RICH = ("window-maximum", "sort-records", "prime-count")
RICH_LANGUAGES = ("cpp", "python")
SIZES = ("small", "boundary", "random", "large")
PROBLEM = why_not_isolated()


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    return {folder.name: read_entry(folder, LANGUAGES) for folder in problem_folders(CORPUS)}


@pytest.fixture(params=SLUGS)
def entry(request: pytest.FixtureRequest, entries: dict[str, Entry]) -> Entry:
    return entries[request.param]


def by_language(entry: Entry) -> dict[str, list[Solution]]:
    solutions: dict[str, list[Solution]] = defaultdict(list)
    for solution in entry.solutions:
        solutions[solution.language].append(solution)
    return solutions


# ------------------------------------------------------------------ files


def test_python_runners_have_no_star_import(entries: dict[str, Entry]) -> None:
    """Runners may be indented into a function, where a star import is a syntax error."""
    for entry in entries.values():
        assert "import *" not in entry.problem.runners.get("python", "")


def test_problems_and_styles(entries: dict[str, Entry]) -> None:
    problems = [entry.problem for entry in entries.values()]
    assert len(problems) == 12
    assert Counter(problem.style for problem in problems) == {"function": 5, "stdin": 7}
    assert sorted(problem.problem_id for problem in problems) == list(range(1, 13))
    assert len({problem.title for problem in problems}) == 12
    assert Counter(problem.comparison.kind for problem in problems) == {
        "exact": 10,
        "float": 1,
        "evaluator": 1,
    }
    assert {"Easy", "Medium", "Hard"} == {problem.difficulty for problem in problems}
    assert {(problem.source, problem.license) for problem in problems} == {
        ("venus-corpus", "Apache-2.0")
    }


def test_statements_are_complete(entry: Entry) -> None:
    statement = entry.problem.statement
    assert statement.startswith(f"# {entry.problem.title}\n")
    for heading in ("Input", "Output", "Constraints", "Example"):
        assert re.search(rf"^##? {heading}", statement, flags=re.MULTILINE), heading
    assert entry.problem.tags


def test_solutions_of_every_language(entry: Entry) -> None:
    solutions = by_language(entry)
    assert set(solutions) == set(LANGUAGES)
    for name, mine in solutions.items():
        counts = Counter(solution.expected for solution in mine)
        least = 16 if entry.problem.slug in RICH and name in RICH_LANGUAGES else 4
        assert counts[Expectation.ACCEPTED] >= least, (
            f"{name} has {counts[Expectation.ACCEPTED]} accepted ones"
        )
        assert counts[Expectation.WRONG] >= 1, f"{name} has no wrong one"
        assert counts[Expectation.SLOW] >= 1, f"{name} has no slow one"
        assert not counts[Expectation.UNKNOWN]


def test_every_file_is_read(entry: Entry) -> None:
    files = [
        path for path in (CORPUS / entry.problem.slug / "solutions").rglob("*") if path.is_file()
    ]
    assert len(files) == len(entry.solutions)
    assert all(re.fullmatch(r"[a-z0-9_]+", path.stem) for path in files)


def test_function_problems_have_starters_and_runners(entry: Entry) -> None:
    problem = entry.problem
    if problem.style == "stdin":
        assert not problem.starter_code
        assert not problem.runners
        return
    assert set(problem.starter_code) == set(problem.runners) == set(LANGUAGES)
    for name, runner in problem.runners.items():
        assert "CODE" in render(runner, "CODE"), name
        assert problem.starter_code[name].strip()


def stripped(solution: Solution, language: Language) -> str:
    """Return a program without comments and whitespace."""
    code = solution.code
    if language.comment == "//":
        code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    return re.sub(r"\s+", "", re.sub(rf"(?m){language.comment}(?!include|define).*$", "", code))


def test_programs_are_distinct(entry: Entry) -> None:
    for name, mine in by_language(entry).items():
        for one, other in itertools.combinations(mine, 2):
            assert stripped(one, LANGUAGES[name]) != stripped(other, LANGUAGES[name]), (
                f"{one.solution_id} and {other.solution_id} are the same"
            )


def test_comments_and_spaces_are_ignored() -> None:
    cpp, python = LANGUAGES["cpp"], LANGUAGES["python"]
    one, other = "int x = 1; // one\n", "/* two\n */ int x=1;\n\n"
    assert stripped(Solution("a", "p", "cpp", one), cpp) == stripped(
        Solution("b", "p", "cpp", other), cpp
    )
    assert stripped(Solution("a", "p", "python", "x = 1  # one"), python) == "x=1"


GENERATE = """
import hashlib, runpy, sys
generate = runpy.run_path(sys.argv[1])["generate"]
for size in sys.argv[2:]:
    for seed in (0, 1):
        text = generate(seed, size)
        assert isinstance(text, str)
        print(hashlib.sha256(text.encode()).hexdigest(), len(text))
"""


def generated(slug: str, hash_seed: str) -> list[str]:
    words = [sys.executable, "-c", GENERATE, str(CORPUS / slug / "generator.py"), *SIZES]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    return subprocess.run(
        words, capture_output=True, text=True, check=True, env=environment
    ).stdout.splitlines()


@pytest.mark.parametrize("slug", SLUGS)
def test_generators_are_seeded_and_support_every_size(slug: str) -> None:
    first = generated(slug, "1")
    assert first == generated(slug, "2"), "another process gets other inputs"
    assert all(int(line.split()[1]) > 0 for line in first)
    assert len({line.split()[0] for line in first}) == len(first), "two inputs are the same"


# The first 16 digits of the SHA-256 of the inputs of all sizes. References regenerate tests from
# size and seed, so these must not change.
BEFORE = {
    "coin-ways": "fe11b1244e735bf3",
    "grid-islands": "3271772c9257875d",
    "hull-perimeter": "94bb2baf6a4bef43",
    "longest-balanced": "fcb7733238b1759d",
    "pair-sums": "63a2d4816fcba1ba",
    "parcel-routes": "b07b831c6b7aec9e",
    "prime-count": "65c1cd1975d136d6",
    "rising-subsequence": "a472343db1a6f154",
    "sort-records": "3dd44c5da37481d2",
    "task-order": "6b97dd4755edc5b8",
    "totient-sum": "4501ec959dfe7fb3",
    "window-maximum": "39890d51d3adda42",
}
SEEDS = {"small": 24, "boundary": 24, "random": 8, "large": 2, "worst": 1}


@pytest.mark.parametrize("slug", SLUGS)
def test_inputs_of_size_classes_are_stable(slug: str) -> None:
    generate = runpy.run_path(str(CORPUS / slug / "generator.py"))["generate"]
    inputs_made = hashlib.sha256()
    for size, seeds in SEEDS.items():
        for seed in range(seeds):
            inputs_made.update(generate(seed, size).encode())
    assert inputs_made.hexdigest()[:16] == BEFORE[slug]


@pytest.mark.parametrize("slug", SLUGS)
def test_generators_accept_numeric_sizes(slug: str) -> None:
    source = (CORPUS / slug / "generator.py").read_text()
    ((name, largest),) = sizes(source).items()
    generate = runpy.run_path(str(CORPUS / slug / "generator.py"))["generate"]
    assert name == ""
    inputs_made = [generate(1, str(size)) for size in (1, 2, 3, largest >> 6, largest >> 3)]
    assert inputs_made == [generate(1, str(size)) for size in (1, 2, 3, largest >> 6, largest >> 3)]
    assert generate(2, str(largest >> 6)) != inputs_made[3] or slug == "totient-sum"
    assert [len(text) for text in inputs_made] == sorted(len(text) for text in inputs_made)
    # The largest n of the statement, or the number of cells of a 600 x 600 grid.
    bounds = re.findall(
        r"`1 <= [^`]*?<= (\d+)`|`0 <= amount <= (\d+)`",
        (CORPUS / slug / "statement.md").read_text(),
    )
    allowed = [int(one or other) for one, other in bounds]
    assert largest in (*allowed, allowed[0] ** 2)


def test_declared_complexity_refers_to_programs() -> None:
    rows = list(declarations())
    files = {path.relative_to(CORPUS).with_suffix("") for path in CORPUS.glob("*/solutions/*/*")}
    assert all(Path(row.problem, "solutions", row.solution) in files for row in rows)
    assert len({(row.problem, row.solution) for row in rows}) == len(rows)
    assert not {row.problem for row in rows if row.half == "seen"} & {
        row.problem for row in rows if row.half == "aside"
    }
    assert sum(row.half == "aside" for row in rows) >= 60


# ------------------------------------------------------------------ verdicts

WANTED = {
    Expectation.ACCEPTED: Verdict.ACCEPTED,
    Expectation.WRONG: Verdict.WRONG_ANSWER,
    Expectation.SLOW: Verdict.TIME_LIMIT,
}
PLAN_TESTS = 20  # as in the bundled plan; they must catch wrong and slow programs


class Inputs(NamedTuple):
    """Tests for each expectation: few for accepted programs; for others, likely failures first."""

    accepted: list[TestCase]
    wrong: list[TestCase]
    slow: list[TestCase]

    def of(self, expected: Expectation) -> list[TestCase]:
        return {Expectation.WRONG: self.wrong, Expectation.SLOW: self.slow}.get(
            expected, self.accepted
        )


def inputs(tests: list[TestCase]) -> Inputs:
    large = [test for test in tests if test.size == "large"]
    firsts = [
        next(test for test in tests if test.size == size)
        for size in ("small", "boundary", "random")
    ]
    others = [test for test in tests if test.size != "large"]
    return Inputs([*firsts, large[0]], [*others, *large], [*large, *others])


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if PROBLEM:
        pytest.skip(f"programs cannot be isolated: {PROBLEM}")
    with open_sandbox("local") as place:
        yield place


def program(entry: Entry, solution: Solution) -> Program:
    language = LANGUAGES[solution.language]
    if entry.problem.style == "stdin":
        return Program(language, solution.code)
    return Program(language, render(entry.problem.runners[language.id], solution.code))


def with_outputs(sandbox: Sandbox, entry: Entry, tests: tuple[TestCase, ...]) -> list[TestCase]:
    """Return the tests; the first accepted C++ program gives their expected outputs."""
    first = next(
        s for s in entry.solutions if s.language == "cpp" and s.expected == Expectation.ACCEPTED
    )
    compiled = sandbox.compile(program(entry, first))
    assert compiled.ok, compiled.log
    with sandbox.session(compiled, entry.problem.limits) as session:
        runs = list(session.run([test.stdin.encode() for test in tests]))
    assert all(run.clean for run in runs), first.solution_id
    return [
        TestCase(test.test_id, test.stdin, run.stdout.decode(), test.kind, test.size, test.seed)
        for test, run in zip(tests, runs, strict=True)
    ]


def some_of(entry: Entry) -> Iterator[Solution]:
    """Return an accepted program in each of two languages, a wrong and a slow one.

    The slug seeds the sample; over all problems it covers every language.
    """
    chance = random.Random(entry.problem.slug)
    for mine in chance.sample(list(by_language(entry).values()), 2):
        yield chance.choice(
            [solution for solution in mine if solution.expected == Expectation.ACCEPTED]
        )
    for expected in (Expectation.WRONG, Expectation.SLOW):
        yield chance.choice(
            [solution for solution in entry.solutions if solution.expected == expected]
        )


def test_sample_has_every_language(entries: dict[str, Entry]) -> None:
    drawn = {solution.language for entry in entries.values() for solution in some_of(entry)}
    assert drawn == set(LANGUAGES)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.isolation
@pytest.mark.parametrize("slug", SLUGS)
def test_programs_are_judged_as_labelled(
    slug: str, entries: dict[str, Entry], sandbox: Sandbox, pytestconfig: pytest.Config
) -> None:
    """Languages agree, and the bundled plan's tests catch wrong and slow programs."""
    entry = entries[slug]
    here = {name for name, language in LANGUAGES.items() if check_toolchain(language).ok}
    if not {"cpp", "python"} <= here:
        pytest.skip("g++ or python3 is not installed")
    generated_tests = generate(sandbox, entry.problem, PLAN_TESTS, 0)
    assert [
        reason
        for reason in generated_tests.dropped.values()
        if not reason.startswith("the same input as")
    ] == []
    assert {test.size for test in generated_tests.tests} == set(SIZES)
    held = inputs(with_outputs(sandbox, entry, generated_tests.tests))
    checker = Checker(entry.problem.comparison, sandbox, entry.problem.evaluator)

    def judged(solution: Solution, worker: Worker) -> Judgement:
        compiled = sandbox.compile(program(entry, solution), worker.cores)
        tests = held.of(solution.expected)
        return judge(sandbox, compiled, tests, checker, entry.problem.limits, cores=worker.cores)

    thorough = pytestconfig.getoption("--thorough")
    chosen, jobs = (entry.solutions, None) if thorough else (some_of(entry), 1)
    todo = [solution for solution in chosen if solution.language in here]
    surprises = {
        solution.solution_id: f"{judgement.verdict} on {judgement.failing_test}: {judgement.reason}"
        for solution, judgement in LocalEngine(sandbox, jobs).judging(judged, todo)
        if judgement.verdict != WANTED[solution.expected]
    }
    assert surprises == {}
    if len(here) < len(LANGUAGES):
        pytest.skip(
            f"all judged programs are right, but not installed: {sorted(set(LANGUAGES) - here)}"
        )


def test_plan_has_the_number_of_tests_judged_here() -> None:
    from venus_toolkit.builders.plan import read_plan

    assert read_plan("bundled").tests == PLAN_TESTS
    sizes = Counter(size for size, _ in requests(PLAN_TESTS, 0))
    assert sizes["large"] + sizes["worst"] >= 3


def test_corpus_size() -> None:
    files = [path for path in Path(CORPUS).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 8 << 20
    assert all(path.stat().st_size for path in files)
