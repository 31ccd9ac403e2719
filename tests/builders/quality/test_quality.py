"""The examination detects and improves weak tests, and does not repeat finished work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.quality.assess import Examination, QualityAssessment, mutated_languages
from venus_toolkit.builders.quality.kills import InputRequest, ProblemPrograms
from venus_toolkit.builders.quality.quality_options import QualityOptions
from venus_toolkit.builders.quality.score import Rate
from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import (
    NS_PER_S,
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)
from venus_toolkit.core.store import Store
from venus_toolkit.core.toolchain import Toolchain, find_toolchain
from venus_toolkit.execution.engine.executor import Executor
from venus_toolkit.execution.engine.local_engine import LocalWorker
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

PROBLEM = why_not_isolated()
pytestmark = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)

LIMITS = Limits(wall_ns=4 * NS_PER_S, cpu_ns=NS_PER_S)
# two numbers that are never equal for small seeds, and sometimes equal for large ones
GENERATOR = """\
import random
def generate(seed, size):
    rng = random.Random(f"{seed} {size}")
    a = rng.randint(0, 99)
    b = a if seed >= 1000 and size == "boundary" else a + rng.choice((-1, 1)) * rng.randint(1, 50)
    return f"{a} {b}\\n"
"""
READ = "a, b = map(int, input().split())\n"
RIGHT = READ + "if a >= b:\n    print('yes')\nelse:\n    print('no')\n"
OTHER = READ + "print('no' if a - b < 0 else 'yes')\n"
WRONG = READ + "print('yes' if a > b else 'no')\n"
WEAK = (
    TestCase("small-0", "5 3\n", "yes\n", size="small"),
    TestCase("small-1", "2 9\n", "no\n", size="small"),
)


def problem(generator: str | None = GENERATOR) -> Problem:
    return Problem(
        slug="at-least", problem_id=1, title="At least", statement="", difficulty="Easy", tags=(), style="stdin",
        source="test", license="CC0-1.0", limits=LIMITS, comparison=OutputComparison(), generator=generator,
    )  # fmt: skip


def solution(name: str, code: str, expected: Expectation = Expectation.ACCEPTED) -> Solution:
    return Solution(f"at-least/python/{name}", "at-least", "python", code, expected)


SOLUTIONS = (
    solution("if", RIGHT),
    solution("minus", OTHER),
    solution("wrong_more", WRONG, Expectation.WRONG),
)
OPTIONS = QualityOptions(mutants=6, pool=8, batches=0, batch=8, reduce=False)


def agree(inputs: Sequence[TestCase]) -> tuple[TestCase, ...]:
    """Return inputs with the outputs that the statement defines."""
    pairs = [(test, *map(int, test.stdin.split())) for test in inputs]
    return tuple(replace(test, stdout="yes\n" if a >= b else "no\n") for test, a, b in pairs)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("local") as place:
        yield place


class Failing:
    """A sandbox that fails whenever a program is compiled."""

    name = "local"  # to share the journal of the real sandbox
    workers = None
    tried = 0

    def facts(self) -> dict[str, str]:
        return {}

    def toolchain(self, language: Language) -> Toolchain:
        return find_toolchain(language)

    def compile(self, *_: object) -> Any:
        self.tried += 1
        raise SandboxError("cannot start the sandbox", "this one never does", "use another")


@pytest.fixture(scope="module")
def journal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the journal folder that all tests share: results depend only on their inputs."""
    return tmp_path_factory.mktemp("kept")


def workbench(sandbox: Any, store: Store, subject: Problem | None = None) -> ProblemPrograms:
    executor = Executor(sandbox, load_languages().values(), journal=store)
    return ProblemPrograms(
        executor, LocalWorker(sandbox, Cores()), subject or problem(), lambda _: LIMITS
    )


@pytest.fixture(scope="module")
def examine(sandbox: Sandbox, journal_folder: Path) -> Callable[..., QualityAssessment]:
    """Return a function that examines the problem."""

    def run(
        options: QualityOptions = OPTIONS,
        place: Any = sandbox,
        store: Path = journal_folder,
        **values: Any,
    ) -> QualityAssessment:
        asked = {"problem": problem(), "agree": agree, **values}
        with Store(store) as journal:
            bench = workbench(place, journal, asked["problem"])
            return Examination(bench, SOLUTIONS, options).run(WEAK, asked["agree"])

    return run


def test_weak_tests_leave_survivors(examine: Callable[..., QualityAssessment]) -> None:
    quality = examine().quality
    assert quality.after.wrong == Rate(0, 1)
    assert quality.missed == ("at-least/python/wrong_more",)
    rate = quality.after.mutants.rate
    assert 0 < rate.hits < rate.n, "tests without equal numbers miss what changes >= to >"
    survivors = {survivor.after: survivor for survivor in quality.survivors}
    assert survivors["if a > b:"].outcome == "differing"
    assert survivors["if a > b:"].before == "if a >= b:"
    assert (survivors["if a > b:"].differs_on or "").startswith("boundary-1000")
    assert quality.after == quality.before
    assert sum(counts.made for counts in quality.operators.values()) == 6


def test_added_tests_kill_survivors(examine: Callable[..., QualityAssessment]) -> None:
    assessment = examine(replace(OPTIONS, batches=3))
    quality = assessment.quality
    assert quality.before.mutants.rate.value != 1.0
    assert (quality.after.wrong, quality.missed) == (Rate(1, 1), ())
    assert quality.after.mutants.rate.value == 1.0
    added = [test for test in assessment.tests if test not in WEAK]
    assert quality.added == len(added) > 0
    assert any(len(set(test.stdin.split())) == 1 for test in added), "one with equal numbers"
    assert all(test.stdout for test in added)
    assert {survivor.outcome for survivor in quality.survivors} <= {"same"}


def test_inputs_without_agreement_are_not_added(examine: Callable[..., QualityAssessment]) -> None:
    assessment = examine(replace(OPTIONS, batches=3), agree=lambda _: ())
    assert assessment.tests == WEAK
    assert assessment.quality.after == assessment.quality.before
    assert assessment.quality.batches == OPTIONS.patience


@pytest.mark.parametrize(
    "blind", [problem(None), problem("def generate(: broken")], ids=["no generator", "broken"]
)
def test_without_a_pool_there_is_no_rate(
    examine: Callable[..., QualityAssessment], blind: Problem
) -> None:
    counts = examine(problem=blind).quality.after.mutants
    assert counts.undecided > 0
    assert counts.rate == Rate(0, 0)


def test_needless_tests_are_dropped(examine: Callable[..., QualityAssessment]) -> None:
    whole = examine(replace(OPTIONS, batches=3))
    less = examine(replace(OPTIONS, batches=3, reduce=True, depth=1, largest=1, at_least=0))
    assert less.quality.after.mutants.rate == whole.quality.after.mutants.rate
    assert less.quality.after.wrong == Rate(1, 1)
    assert less.quality.dropped == less.quality.before.tests + less.quality.added - len(less.tests)


def test_held_out_mutants_are_only_counted(
    examine: Callable[..., QualityAssessment],
) -> None:
    quality = examine(replace(OPTIONS, mutants=4, held_out=2)).quality
    assert (quality.after.mutants.made, quality.held_out.made) == (4, 2)
    assert sum(counts.made for counts in quality.operators.values()) == 6


def test_finished_work_is_not_repeated(examine: Callable[..., QualityAssessment]) -> None:
    options = replace(OPTIONS, reduce=True, at_least=0)
    first = examine(options)
    broken = Failing()
    assert examine(options, place=broken) == first
    assert broken.tried == 0


def test_sandbox_failure_leaves_mutants_unjudged(
    examine: Callable[..., QualityAssessment], tmp_path: Path
) -> None:
    broken = Failing()
    quality = examine(replace(OPTIONS, mutants=3, held_out=0), place=broken, store=tmp_path).quality
    assert quality.after.mutants.unjudged == 3
    assert quality.after.mutants.rate == quality.after.wrong == Rate(0, 0)
    assert broken.tried == 2 * (3 + 1), "each is tried twice"


def test_a_mutant_that_never_ends_is_killed_once(sandbox: Sandbox, tmp_path: Path) -> None:
    """It would reach the time limit on every test."""
    endless = Program(load_languages()["python"], "while True:\n    pass\n")
    with Store(tmp_path) as store:
        bench = workbench(sandbox, store)
        row = bench.verdicts(endless, WEAK, kills=4)
        assert row
        assert row.of_each == {"small-0": "time_limit"}


def test_generated_inputs_are_reproducible(sandbox: Sandbox, tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        benches = [workbench(sandbox, store) for _ in range(2)]
        first, second = (bench.inputs(InputRequest(8, 5)) for bench in benches)
    assert first == second
    assert len(first) == 8


def test_validator_filters_generated_inputs(sandbox: Sandbox, tmp_path: Path) -> None:
    unequal = "def validate(stdin):\n    a, b = stdin.split()\n    return a != b\n"
    with Store(tmp_path) as store:
        inputs = workbench(sandbox, store, replace(problem(), validator=unequal)).inputs(
            InputRequest(8, 1000)
        )
    assert inputs
    assert all(len(set(test.stdin.split())) == 2 for test in inputs)


@pytest.mark.parametrize(
    ("requested", "solved", "expected"),
    [
        ((), ("rust", "cpp", "python"), ("python",)),
        ((), ("rust", "cpp"), ("cpp",)),
        ((), ("rust", "go"), ("go",)),
        (("cpp", "java"), ("cpp", "python"), ("cpp",)),
        ((), (), ()),
    ],
)
def test_mutants_are_made_in_the_cheapest_language(
    sandbox: Sandbox,
    tmp_path: Path,
    requested: tuple[str, ...],
    solved: tuple[str, ...],
    expected: tuple[str, ...],
) -> None:
    mine = [Solution(name, "at-least", name, "", Expectation.ACCEPTED) for name in solved]
    with Store(tmp_path) as store:
        bench = workbench(sandbox, store)
        assert mutated_languages(bench, mine, QualityOptions(languages=requested)) == expected
