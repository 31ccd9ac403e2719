"""Which of many inputs become tests.

By what accepted programs do with them, and by what they cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.building import needs_cpp, needs_isolation
from venus_toolkit.builders.quality import coverage
from venus_toolkit.builders.quality.choose import SelectionContext, choose
from venus_toolkit.builders.quality.coverage import (
    NO_EDGES,
    ObservedRun,
    RunMode,
    observe,
    read_edges,
)
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits, TestCase
from venus_toolkit.execution.judging.checker import Answer
from venus_toolkit.execution.judging.comparison import output_key
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

LANGUAGES = load_languages()
POOL = [TestCase(f"tiny-{n}", f"{n}\n", size="tiny", seed=n) for n in range(40)]
POOL += [
    TestCase(f"max-{n}", f"{n} " + f"{n % 3} " * 10_000, size="max", seed=n) for n in range(12)
]

Does = Callable[[int, str], ObservedRun]


def seen(
    output: str | None, *edges: int, cpu_ns: int = 1000, timed_out: bool = False
) -> ObservedRun:
    """What a program did; edges are numbers of its own."""
    return ObservedRun(output, None, cpu_ns, np.array(edges, np.int32), timed_out)


def bench(
    *accepted: Does, wrong: Sequence[Does] = (), slow: Sequence[Does] = ()
) -> SelectionContext:
    """Programs that are functions of the number an input begins with, by the text of their source."""
    does = {str(n): each for n, each in enumerate((*accepted, *wrong, *slow))}
    programs = [Program(LANGUAGES["cpp"], name) for name in does]
    a, w = len(accepted), len(accepted) + len(wrong)

    def run(program: Program, tests: Sequence[TestCase], how: RunMode) -> list[ObservedRun]:
        return [does[program.source](int(test.stdin.split()[0]), test.size or "") for test in tests]

    def same(_: object) -> list[bool]:
        raise AssertionError("these outputs have no texts")

    named = {f"wrong-{n}": each for n, each in enumerate(programs[a:w])}
    return SelectionContext(
        programs[:a], named, {f"slow-{n}": each for n, each in enumerate(programs[w:])}, run, same
    )


def ids(tests: Sequence[TestCase], role: str) -> set[str]:
    """The names of the tests of a role."""
    return {test.test_id for test in tests if test.role == role}


def test_rare_paths_are_taken_first() -> None:
    """Thirty-nine inputs lead the program one way.

    Chance would take the other one in one of eight choices.
    """
    found = choose(bench(lambda n, _: seen("yes", 1, 2 if n == 17 else 3)), POOL, 5, 0).tests
    assert len(ids(found, "correctness")) == 5
    assert {test.test_id: test.adds for test in found}["tiny-17"] == "coverage"


def test_half_of_the_tests_are_drawn_from_each_family_in_turn() -> None:
    """A mistake in what is common shows in no rare feature.

    Any other choice could leave such inputs out.
    """
    pool = [
        TestCase(f"{family}-{n}", f"{n}\n", size=family)
        for family in ("tiny", "replay")
        for n in range(400)
    ]
    found = choose(bench(lambda n, _: seen(str(n % 97), n)), pool, 40, 0).tests
    drawn = [test for test in found if test.adds == "sample"]
    assert len(drawn) in (19, 20, 21)
    assert 4 <= sum(test.size == "tiny" for test in drawn) <= 16


def test_without_coverage_different_outputs_are_taken() -> None:
    found = choose(bench(lambda n, _: seen(str(n // 10))), POOL, 8, 0).tests
    assert {test.stdin.strip()[:-1] for test in found} == {"", "1", "2", "3"}
    assert {test.adds for test in found} == {"output", "sample"}


def test_inputs_that_accepted_programs_disagree_on_are_left_out() -> None:
    found = choose(
        bench(
            lambda n, _: seen("a"), lambda n, _: seen("b" if n == 3 else None if n == 5 else "a")
        ),
        POOL,
        40,
        0,
    )
    assert len(found.tests) == 38
    assert "disagree or fail on 2 of 40" in found.notes[0]


def test_of_three_the_one_that_dissents_alone_is_left_out_and_not_the_inputs() -> None:
    right, odd = (lambda n, _: seen("a")), (lambda n, _: seen("b" if n % 3 else "a"))
    families = [
        replace(test, size="replay") if index % 2 else test for index, test in enumerate(POOL)
    ]
    found = choose(bench(right, odd, right), families, 40, 0)
    assert len(found.tests) == 40
    assert "dissents alone on 26 of 40" in found.notes[0]
    # Inputs that are in doubt, or of one family, are no reason to leave a program out: they go
    # themselves.
    third = bench(right, lambda n, _: seen("a" if n % 3 else "b"), right)
    for trial, pool in ((replace(third, confidence=0.95), families), (third, POOL)):
        doubted = choose(trial, pool, 40, 0)
        assert doubted.notes == ("accepted programs disagree or fail on 14 of 40 candidates",)
        assert len(doubted.tests) == 26


def test_where_there_may_be_many_right_answers_none_is_left_out() -> None:
    assert (
        len(choose(bench(lambda n, _: seen("a"), lambda n, _: seen("b")), POOL, 40, 0).tests) == 40
    )


def test_an_evaluator_is_asked_about_many_answers_at_once() -> None:
    """It is a process of its own each time: asked one by one, a pool of thousands takes minutes."""
    asked: list[int] = []

    def same(answers: Sequence[Answer]) -> list[bool]:
        asked.append(len(answers))
        return [
            answer.expected.lower() == str(answer.actual, "utf-8").lower() for answer in answers
        ]

    def says(text: Callable[[int], str]) -> Does:
        return lambda n, _: seen(text(n))._replace(text=text(n))

    made = bench(says(lambda n: f"x{n}"), says(lambda n: "wrong" if n == 3 else f"X{n}"))
    pool = [replace(test, stdout="given" if n == 8 else None) for n, test in enumerate(POOL)]
    found = choose(replace(made, same=same), pool, 40, 0)
    assert ids(found.tests, "correctness") == {
        test.test_id for n, test in enumerate(POOL[:40]) if n not in (3, 8)
    }
    # the small ones with what was given for one of them, and the large ones
    assert asked == [41, 12]


def test_efficiency_tests_are_the_costliest_those_that_slow_a_slow_program_and_unlike_ones() -> (
    None
):
    quick: Does = lambda n, size: seen("a", cpu_ns=9000 if n == 7 and size == "max" else 2000)  # noqa: E731
    slow: Does = lambda n, size: seen("a", cpu_ns=10**9 if n == 2 and size == "max" else 3000)  # noqa: E731
    found = choose(bench(quick, slow=[slow]), POOL, 3, 6).tests
    adds = {test.test_id: test.adds for test in found if test.role == "efficiency"}
    assert len(adds) == 6
    assert (adds["max-7"], adds["max-2"]) == ("cost", "slows slow-0")
    assert all(name.startswith("max") for name in adds)


def test_inputs_that_separate_come_first_and_slow_programs_are_still_found_out() -> None:
    sought = TestCase(
        "max-777", "777\n", size="max", seed=777, role="efficiency", adds="separates, by search"
    )
    asked: list[tuple[int, int]] = []

    def separate(candidates: Sequence[TestCase], count: int) -> list[TestCase]:
        asked.append((len(candidates), count))
        return [replace(candidates[4], adds="separates"), sought][:count]

    slow: Does = lambda n, size: seen("a", cpu_ns=10**9 if n == 2 and size == "max" else 3000)  # noqa: E731
    found = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 6
    ).tests
    efficiency = [(test.test_id, test.adds) for test in found if test.role == "efficiency"]
    assert asked == [(12, 6)]
    assert efficiency[:2] == [("max-4", "separates"), ("max-777", "separates, by search")]
    assert ("max-2", "slows slow-0") in efficiency
    assert "largest" in {adds for _, adds in efficiency}
    assert len(efficiency) == 4
    assert len(ids(found, "correctness")) == 3
    # There is room for one, and none is wanted.
    one = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 1
    ).tests
    assert ids(one, "efficiency") == {"max-4"}
    none = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 0
    ).tests
    assert not ids(none, "efficiency")


@pytest.mark.parametrize(("slowest", "separating"), [(7, [0, 1, 2]), (2, [0, 1, 2, 3])])
def test_inputs_that_separate_leave_room_for_slow_programs(
    slowest: int, separating: list[int]
) -> None:
    """One that serves both leaves its place to another."""

    def slow(n: int, size: str) -> ObservedRun:
        return seen("a", cpu_ns=10**9 if (n, size) == (slowest, "max") else 3000)

    def separate(candidates: list, count: int) -> list:
        return [replace(each, adds="separates") for each in candidates][:count]

    found = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 5
    ).tests
    adds = {test.test_id: test.adds for test in found if test.role == "efficiency"}
    assert len(adds) == 5
    assert [name for name, why in adds.items() if why == "separates"] == [
        f"max-{n}" for n in separating
    ]
    assert "largest" in adds.values()
    assert f"max-{slowest}" in adds


def test_known_wrong_programs_that_survive_are_killed_from_the_pool() -> None:
    found = choose(
        bench(lambda n, _: seen("a", 1), wrong=[lambda n, _: seen("b" if n == 33 else "a")]),
        POOL,
        3,
        0,
    ).tests
    assert {test.test_id: test.adds for test in found}["tiny-33"] == "kills wrong-0"
    assert len(found) == 3


def test_a_known_wrong_program_may_be_killed_by_a_large_input_alone() -> None:
    wrong: Does = lambda n, size: seen("b" if n == 9 and size == "max" else "a")  # noqa: E731
    found = choose(bench(lambda n, _: seen("a"), wrong=[wrong]), POOL, 3, 2).tests
    assert "max-9" in {test.test_id for test in found}


@pytest.mark.parametrize(("confidence", "family"), [(0.95, "max"), (1.0, "unsure")])
def test_what_is_in_doubt_is_no_test_of_efficiency(confidence: float, family: str) -> None:
    def does(n: int, _: str) -> ObservedRun:
        return seen("a", n, cpu_ns=1000 + n)

    def search(*_: object) -> list[TestCase]:
        return [TestCase("sought", "999\n", size="max", role="efficiency")]

    large = [replace(test, size=family) for test in POOL[40:]]
    given = TestCase("large", f"5 {'1 ' * 10_000}", kind="given")
    trial = replace(bench(does, does), confidence=confidence, separate=search)
    chosen = choose(trial, [*POOL[:40], *large, given], 20, 5)
    assert ids(chosen.tests, "efficiency") == {"large"} | (
        {"sought"} if confidence == 1.0 else set()
    )
    none = choose(replace(trial, confidence=0.95), [*POOL[:40], *large], 20, 5)
    assert not ids(none.tests, "efficiency")
    assert "no tests for efficiency: no input of full confidence is agreed on" in none.notes


def test_what_costs_a_start_alone_is_no_test_of_efficiency() -> None:
    corners = [TestCase(f"corner-{n}", f"{n}\n", size="corner", seed=n) for n in range(9)]
    found = choose(
        bench(lambda n, size: seen("a", cpu_ns=3000 + 2000 * (size == "max"))),
        [*POOL, *corners],
        3,
        20,
    ).tests
    assert {name.split("-")[0] for name in ids(found, "efficiency")} == {"max"}


def test_given_tests_are_kept_while_there_is_room_and_cut_by_what_they_add() -> None:
    given = [TestCase(f"given-{n}", f"{n}\n", "a\n", kind="given") for n in range(30)]
    a = output_key(b"a\n")
    program = bench(lambda n, _: seen(a, n if n in (21, 29) else 99))
    assert {f"given-{n}" for n in range(30)} <= ids(
        choose(program, [*given, *POOL], 30, 2).tests, "correctness"
    )
    cut = choose(program, given, 5, 10, roles=False).tests
    assert {"given-21", "given-29"} <= {test.test_id for test in cut}
    assert len(cut) == 5
    assert {test.role for test in cut} == {None}


def test_given_tests_that_solutions_contradict_make_room_for_those_they_agree_with() -> None:
    given = [TestCase(f"given-{n}", f"{n}\n", f"{n % 2}\n", kind="given") for n in range(30)]
    one = output_key(b"1\n")
    cut = choose(
        bench(lambda n, _: seen(one, n, cpu_ns=10**9 // (1 + n))), given, 10, 10, roles=False
    ).tests
    assert {test.stdout for test in cut} == {"1\n"}


def test_a_pool_of_large_inputs_alone_has_efficiency_tests_alone() -> None:
    found = choose(bench(lambda n, _: seen("a", 1)), POOL[40:], 7, 3).tests
    assert [test.role for test in found] == ["efficiency"] * 3


def test_one_program_or_none_still_gives_a_choice() -> None:
    assert len(choose(bench(), POOL, 7, 3).tests) == 10
    never: Does = lambda n, _: seen(None, timed_out=True)  # noqa: E731
    # What nobody finishes is no test of efficiency.
    assert len(choose(bench(never), POOL, 7, 3).tests) == 7


@pytest.mark.parametrize(
    "text", [b"", b"venus-coverage 1:1\n", b"\nvenus-coverage x\n", b"\nvenus-coverage 1:1\nmore"]
)
def test_what_is_no_report_says_nothing(text: bytes) -> None:
    assert read_edges(text).size == 0


def test_a_forged_report_is_bounded() -> None:
    assert read_edges(b"\nvenus-coverage 99999:9999999999\n").size == 1
    assert read_edges(b"\nvenus-coverage" + b" 1:1" * 2_000_000 + b"\n").size == 0


PROGRAMS = {
    "cpp": (
        "#include <iostream>\nint main() { int n; std::cin >> n; for (int i = 0; i < n; i++) "
        "std::cout << i; }\n"
    ),
    "python": "n = int(input())\nfor i in range(n):\n    print(i, end='')\n",
    "rust": "fn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();\n"
    '    let n: i32 = s.trim().parse().unwrap(); for i in 0..n { print!("{}", i); } }\n',
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with open_sandbox("auto", list(LANGUAGES.values())) as opened:
        yield opened


@pytest.mark.parametrize("name", [pytest.param("cpp", marks=needs_cpp), "python", "rust"])
@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_programs_say_what_they_went_through(sandbox: Sandbox, name: str, mark: None) -> None:
    if name == "rust":
        pytest.importorskip("shutil").which("rustc") or pytest.skip("rustc is not installed")
    program = Program(LANGUAGES[name], PROGRAMS[name])
    limits = Limits(cpu_ns=NS_PER_S)
    none, again, one, nine, crash = observe(
        sandbox, Cores(), program, ["0", "0", "1", "9", "x"], limits, RunMode.TRACED
    )
    assert none.edges.size
    assert set(none.edges) == set(again.edges)
    assert len({frozenset(each.edges.tolist()) for each in (none, one, nine)}) == 3
    assert name == "cpp" or crash.output is None
    (plain,) = observe(sandbox, Cores(), program, ["1"], limits, RunMode.ALONE)
    assert plain.output == one.output
    assert plain.edges.size == NO_EDGES.size
    if name == "python":
        # Tracing ends where a loop goes on and on: traced to its end this one takes twenty times as
        # long.
        [long] = observe(sandbox, Cores(), program, ["1000000"], limits, RunMode.TRACED)
        assert long.edges.size
        assert long.cpu_ns < 2 * NS_PER_S
    together = observe(sandbox, Cores(), program, ["1", "9"], limits, RunMode.TOGETHER, texts=True)
    assert [each.text for each in together] == ["0", "012345678"]


@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_a_program_that_never_ends_on_some_inputs_is_given_up_soon(
    sandbox: Sandbox, mark: None
) -> None:
    """It is traced under twice the limit, three times; what crashes is no reason to give up."""
    code = (
        "import os\nn = int(input())\nwhile n == 7:\n    pass\nif n == 8:\n    os.abort()\n"
        "print(n)\n"
    )
    program, limits = Program(LANGUAGES["python"], code), Limits(cpu_ns=NS_PER_S)
    found = observe(
        sandbox, Cores(), program, ["8"] * 5 + ["1"] + ["7"] * 20, limits, RunMode.TRACED
    )
    assert [each.timed_out for each in found] == [False] * 6 + [True] * 3
    assert found[5].edges.size
    assert sum(each.cpu_ns for each in found) < 8 * NS_PER_S


@pytest.mark.parametrize("how", [RunMode.TRACED, RunMode.ALONE, RunMode.TOGETHER])
@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_inputs_that_come_in_portions_are_all_answered_in_order(
    sandbox: Sandbox, how: RunMode, mark: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a portion ends with the input that exceeds it
    monkeypatch.setattr(coverage, "PORTION_BYTES", 1)
    program = Program(LANGUAGES["python"], PROGRAMS["python"])
    found = observe(
        sandbox,
        Cores(),
        program,
        ["3", "1", "9", "0", "2"],
        Limits(cpu_ns=NS_PER_S),
        how,
        texts=True,
    )
    assert [each.text for each in found] == ["012", "0", "012345678", "", "01"]
