"""Held-out and reseeded tests: their choice, and the comparison of outputs on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.building import needs_isolation
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits, OutputComparison, TestCase
from venus_toolkit.execution.judging.checker import Checker, Rules
from venus_toolkit.execution.judging.held_out import FIRST_SEED, held_out_inputs, reseeded_tests
from venus_toolkit.execution.measuring.measure import count_reseeded, measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions, Rounds
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

PYTHON = load_languages()["python"]
CORES = Cores(0, 0)
RULES = Rules(Limits(), OutputComparison(), None)
GENERATOR = """def generate(seed, size):
    return "7" if size == "small" else f"{seed} {size}"
"""
ECHO = Program(PYTHON, "print(input())\n")
TESTS = (
    TestCase("given", "1 as given", "1 as given\n"),
    TestCase("small", "2 small", "2 small\n", "generated", "small", 2),
    TestCase("large", "3 large", "3 large\n", "generated", "large", 3),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("local") as opened:
        yield opened


def reseeded(
    sandbox: Sandbox, *programs: Program, seed: str = "0", generator: str = GENERATOR
) -> list[TestCase]:
    return reseeded_tests(sandbox, CORES, TESTS, RULES, generator, programs, seed)


pytestmark = needs_isolation


def test_only_generated_tests_are_reseeded(
    sandbox: Sandbox,
) -> None:
    first, again, other = (reseeded(sandbox, ECHO, ECHO, seed=seed) for seed in ("0", "0", "1"))
    assert first == again, "they depend on the seed alone"
    handwritten, small, large = first
    assert handwritten == TESTS[0]
    assert (small.stdin, small.stdout, small.size, small.test_id) == ("7", "7\n", "small", "small")
    assert large.stdin == f"{large.seed} large"
    assert (large.seed or 0) >= FIRST_SEED, "far from the seeds of the release"
    assert large.stdin not in (TESTS[2].stdin, other[2].stdin)


SIZED = [
    *(TestCase(f"s{n}", "1", "", "generated", "small", n, "correctness") for n in range(10)),
    *(TestCase(f"r{n}", "12", "", "generated", "random", n, "correctness") for n in range(6)),
    *(TestCase(f"l{n}", "123", "", "generated", "large", n) for n in range(2)),
    TestCase("w", "1234", "", "generated", "worst", 0, "efficiency"),
    TestCase("b", "1", "", "generated", "boundary", 0, "efficiency"),
]


@pytest.mark.parametrize(
    ("most", "sizes"),
    [
        (1, ["worst"]),
        (3, ["worst", "boundary", "large"]),
        (8, ["worst", "boundary", "large", "large", "random", "random", "small", "random"]),
        (50, ["worst", "boundary", "large", "large", *["random"] * 6, *["small"] * 10]),
    ],
)
def test_held_out_inputs_have_discriminating_sizes(
    sandbox: Sandbox, most: int, sizes: list[str]
) -> None:
    """A uniform choice of sizes would yield too few large inputs."""
    generator = "def generate(seed, size):\n    return f'{seed} {size}'\n"
    inputs = held_out_inputs(sandbox, generator, SIZED, most, 0)
    assert [test.size for test in inputs] == sizes
    assert len({test.stdin for test in inputs}) == len(sizes)
    assert inputs[0].role == "efficiency"


@pytest.mark.parametrize(
    ("most", "first"), [(3, ["large"] * 3), (8, ["large"] * 3 + ["random"] * 3)]
)
def test_without_sizes_of_tests_large_inputs_come_first(
    sandbox: Sandbox, most: int, first: list[str]
) -> None:
    generator = "def generate(seed, size):\n    return f'{seed} {size}'\n"
    inputs = [
        test.size
        for test in held_out_inputs(sandbox, generator, [TestCase("given", "1", "1")], most, 0)
    ]
    assert (inputs[: len(first)], len(inputs)) == (first, most)


def test_tests_stay_without_agreement_or_generator(sandbox: Sandbox) -> None:
    contrary = Program(PYTHON, "n = input()\nprint(n if n == '7' else 0)\n")
    assert [test.stdin for test in reseeded(sandbox, ECHO, contrary)] == [
        "1 as given",
        "7",
        "3 large",
    ]
    assert reseeded(sandbox, ECHO) == list(TESTS), "a single reference solution is not trusted"
    assert reseeded(sandbox, ECHO, ECHO, generator="def generate(") == list(TESTS)


def test_reseeded_tests_have_distinct_inputs() -> None:
    def repeat(*inputs: str) -> tuple[TestCase, ...]:
        return tuple(TestCase(text, text, None) for text in inputs)

    assert count_reseeded(TESTS, ()) == 0
    assert (
        count_reseeded(repeat("a", "b", "c"), (repeat("a", "d", "e"), repeat("a", "d", "f"))) == 1
    )


def test_each_repeat_has_its_own_expected_outputs(sandbox: Sandbox) -> None:
    """A program that is right only on the first inputs is rejected."""
    stubborn = sandbox.compile(Program(PYTHON, "n = input()\nprint(n if n in ('2', '3') else 0)\n"))
    honest = sandbox.compile(ECHO)
    inputs = [
        tuple(TestCase("t", f"{n}", f"{n}\n") for n in numbers) for numbers in ((2, 3), (4, 5))
    ]
    seen: list[bytes] = []
    rounds: Rounds = measure_interleaved(
        sandbox, [stubborn, honest], inputs[0], Limits(), MeasureOptions(repeats=2), reseeded=inputs,
        checker=Checker(OutputComparison(), sandbox), cores=CORES, reference=False,
        on_run=lambda program, _, run: seen.append(run.stdout) if program else None,
    )  # fmt: skip
    # The order of the tests is random in each repeat.
    assert [sorted(seen[:2]), sorted(seen[2:])] == [[b"2\n", b"3\n"], [b"4\n", b"5\n"]]
    assert rounds.measured(0).rejection
    assert rounds.measured(0).total.wall_ns is None
    assert rounds.measured(1).rejection is None
    assert rounds.measured(1).total.reseeded == 0, "the first repeat has the inputs of the tests"
