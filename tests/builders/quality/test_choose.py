"""The choice of tests from many inputs, by behaviour and cost of accepted programs."""

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
    """Return the run of a program with these edges."""
    return ObservedRun(output, None, cpu_ns, np.array(edges, np.int32), timed_out)


def bench(
    *accepted: Does, wrong: Sequence[Does] = (), slow: Sequence[Does] = ()
) -> SelectionContext:
    """Return a context of programs: functions of an input's first number and size class."""
    does = {str(n): behaviour for n, behaviour in enumerate((*accepted, *wrong, *slow))}
    programs = [Program(LANGUAGES["cpp"], name) for name in does]
    a, w = len(accepted), len(accepted) + len(wrong)

    def run(program: Program, tests: Sequence[TestCase], how: RunMode) -> list[ObservedRun]:
        return [does[program.source](int(test.stdin.split()[0]), test.size or "") for test in tests]

    def same(_: object) -> list[bool]:
        raise AssertionError("these outputs have no texts")

    named = {f"wrong-{n}": program for n, program in enumerate(programs[a:w])}
    return SelectionContext(
        programs[:a],
        named,
        {f"slow-{n}": program for n, program in enumerate(programs[w:])},
        run,
        same,
    )


def ids(tests: Sequence[TestCase], role: str) -> set[str]:
    """Return the ids of the tests with a role."""
    return {test.test_id for test in tests if test.role == role}


def test_rare_paths_are_chosen_first() -> None:
    """A random choice would include the input with the rare path with probability 1/8."""
    tests = choose(bench(lambda n, _: seen("yes", 1, 2 if n == 17 else 3)), POOL, 5, 0).tests
    assert len(ids(tests, "correctness")) == 5
    assert {test.test_id: test.adds for test in tests}["tiny-17"] == "coverage"


def test_half_of_the_tests_are_drawn_from_alternating_families() -> None:
    """A mistake on common inputs shows in no rare feature, so half of the tests are a sample."""
    pool = [
        TestCase(f"{family}-{n}", f"{n}\n", size=family)
        for family in ("tiny", "replay")
        for n in range(400)
    ]
    tests = choose(bench(lambda n, _: seen(str(n % 97), n)), pool, 40, 0).tests
    drawn = [test for test in tests if test.adds == "sample"]
    assert len(drawn) in (19, 20, 21)
    assert 4 <= sum(test.size == "tiny" for test in drawn) <= 16


def test_outputs_decide_without_coverage() -> None:
    tests = choose(bench(lambda n, _: seen(str(n // 10))), POOL, 8, 0).tests
    assert {test.stdin.strip()[:-1] for test in tests} == {"", "1", "2", "3"}
    assert {test.adds for test in tests} == {"output", "sample"}


def test_disputed_inputs_are_excluded() -> None:
    choice = choose(
        bench(
            lambda n, _: seen("a"), lambda n, _: seen("b" if n == 3 else None if n == 5 else "a")
        ),
        POOL,
        40,
        0,
    )
    assert len(choice.tests) == 38
    assert "disagree or fail on 2 of 40" in choice.notes[0]


def test_lone_dissenter_is_excluded() -> None:
    right, odd = (lambda n, _: seen("a")), (lambda n, _: seen("b" if n % 3 else "a"))
    families = [
        replace(test, size="replay") if index % 2 else test for index, test in enumerate(POOL)
    ]
    choice = choose(bench(right, odd, right), families, 40, 0)
    assert len(choice.tests) == 40
    assert "dissents alone on 26 of 40" in choice.notes[0]
    # Doubtful inputs or those of one family exclude no program; they are dropped instead.
    third = bench(right, lambda n, _: seen("a" if n % 3 else "b"), right)
    for trial, pool in ((replace(third, confidence=0.95), families), (third, POOL)):
        doubted = choose(trial, pool, 40, 0)
        assert doubted.notes == ("accepted programs disagree or fail on 14 of 40 candidates",)
        assert len(doubted.tests) == 26


def test_many_right_answers_exclude_no_input() -> None:
    assert (
        len(choose(bench(lambda n, _: seen("a"), lambda n, _: seen("b")), POOL, 40, 0).tests) == 40
    )


def test_evaluator_gets_answers_in_batches() -> None:
    """Every call starts a process, so single calls for thousands of candidates take minutes."""
    asked: list[int] = []

    def same(answers: Sequence[Answer]) -> list[bool]:
        asked.append(len(answers))
        return [
            answer.expected.lower() == str(answer.actual, "utf-8").lower() for answer in answers
        ]

    def says(text: Callable[[int], str]) -> Does:
        return lambda n, _: seen(text(n))._replace(text=text(n))

    programs = bench(says(lambda n: f"x{n}"), says(lambda n: "wrong" if n == 3 else f"X{n}"))
    pool = [replace(test, stdout="given" if n == 8 else None) for n, test in enumerate(POOL)]
    choice = choose(replace(programs, same=same), pool, 40, 0)
    assert ids(choice.tests, "correctness") == {
        test.test_id for n, test in enumerate(POOL[:40]) if n not in (3, 8)
    }
    # the small inputs with one expected output, and the large ones
    assert asked == [41, 12]


def test_efficiency_tests_are_costly_slowing_or_unlike() -> None:
    quick: Does = lambda n, size: seen("a", cpu_ns=9000 if n == 7 and size == "max" else 2000)  # noqa: E731
    slow: Does = lambda n, size: seen("a", cpu_ns=10**9 if n == 2 and size == "max" else 3000)  # noqa: E731
    tests = choose(bench(quick, slow=[slow]), POOL, 3, 6).tests
    adds = {test.test_id: test.adds for test in tests if test.role == "efficiency"}
    assert len(adds) == 6
    assert (adds["max-7"], adds["max-2"]) == ("cost", "slows slow-0")
    assert all(name.startswith("max") for name in adds)


def test_separating_inputs_precede_those_for_slow_programs() -> None:
    sought = TestCase(
        "max-777", "777\n", size="max", seed=777, role="efficiency", adds="separates, by search"
    )
    asked: list[tuple[int, int]] = []

    def separate(candidates: Sequence[TestCase], count: int) -> list[TestCase]:
        asked.append((len(candidates), count))
        return [replace(candidates[4], adds="separates"), sought][:count]

    slow: Does = lambda n, size: seen("a", cpu_ns=10**9 if n == 2 and size == "max" else 3000)  # noqa: E731
    tests = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 6
    ).tests
    efficiency = [(test.test_id, test.adds) for test in tests if test.role == "efficiency"]
    assert asked == [(12, 6)]
    assert efficiency[:2] == [("max-4", "separates"), ("max-777", "separates, by search")]
    assert ("max-2", "slows slow-0") in efficiency
    assert "largest" in {adds for _, adds in efficiency}
    assert len(efficiency) == 4
    assert len(ids(tests, "correctness")) == 3
    # Room for one efficiency test, then for none.
    one = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 1
    ).tests
    assert ids(one, "efficiency") == {"max-4"}
    none = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 0
    ).tests
    assert not ids(none, "efficiency")


@pytest.mark.parametrize(("slowest", "separating"), [(7, [0, 1, 2]), (2, [0, 1, 2, 3])])
def test_separating_inputs_leave_room_for_slow_programs(
    slowest: int, separating: list[int]
) -> None:
    """An input that serves both purposes frees a place for another."""

    def slow(n: int, size: str) -> ObservedRun:
        return seen("a", cpu_ns=10**9 if (n, size) == (slowest, "max") else 3000)

    def separate(candidates: list, count: int) -> list:
        return [replace(test, adds="separates") for test in candidates][:count]

    tests = choose(
        replace(bench(lambda n, _: seen("a"), slow=[slow]), separate=separate), POOL, 3, 5
    ).tests
    adds = {test.test_id: test.adds for test in tests if test.role == "efficiency"}
    assert len(adds) == 5
    assert [name for name, reason in adds.items() if reason == "separates"] == [
        f"max-{n}" for n in separating
    ]
    assert "largest" in adds.values()
    assert f"max-{slowest}" in adds


def test_pool_kills_surviving_wrong_programs() -> None:
    tests = choose(
        bench(lambda n, _: seen("a", 1), wrong=[lambda n, _: seen("b" if n == 33 else "a")]),
        POOL,
        3,
        0,
    ).tests
    assert {test.test_id: test.adds for test in tests}["tiny-33"] == "kills wrong-0"
    assert len(tests) == 3


def test_large_input_alone_may_kill_a_wrong_program() -> None:
    wrong: Does = lambda n, size: seen("b" if n == 9 and size == "max" else "a")  # noqa: E731
    tests = choose(bench(lambda n, _: seen("a"), wrong=[wrong]), POOL, 3, 2).tests
    assert "max-9" in {test.test_id for test in tests}


@pytest.mark.parametrize(("confidence", "family"), [(0.95, "max"), (1.0, "unsure")])
def test_doubtful_inputs_are_not_efficiency_tests(confidence: float, family: str) -> None:
    def does(n: int, _: str) -> ObservedRun:
        return seen("a", n, cpu_ns=1000 + n)

    def search(*_: object) -> list[TestCase]:
        return [TestCase("sought", "999\n", size="max", role="efficiency")]

    large = [replace(test, size=family) for test in POOL[40:]]
    given_test = TestCase("large", f"5 {'1 ' * 10_000}", kind="given")
    trial = replace(bench(does, does), confidence=confidence, separate=search)
    chosen = choose(trial, [*POOL[:40], *large, given_test], 20, 5)
    assert ids(chosen.tests, "efficiency") == {"large"} | (
        {"sought"} if confidence == 1.0 else set()
    )
    none = choose(replace(trial, confidence=0.95), [*POOL[:40], *large], 20, 5)
    assert not ids(none.tests, "efficiency")
    assert "no tests for efficiency: no input of full confidence is agreed on" in none.notes


def test_inputs_without_work_are_not_efficiency_tests() -> None:
    corners = [TestCase(f"corner-{n}", f"{n}\n", size="corner", seed=n) for n in range(9)]
    tests = choose(
        bench(lambda n, size: seen("a", cpu_ns=3000 + 2000 * (size == "max"))),
        [*POOL, *corners],
        3,
        20,
    ).tests
    assert {name.split("-")[0] for name in ids(tests, "efficiency")} == {"max"}


def test_given_tests_compete_only_without_room() -> None:
    given_tests = [TestCase(f"given-{n}", f"{n}\n", "a\n", kind="given") for n in range(30)]
    a = output_key(b"a\n")
    program = bench(lambda n, _: seen(a, n if n in (21, 29) else 99))
    assert {f"given-{n}" for n in range(30)} <= ids(
        choose(program, [*given_tests, *POOL], 30, 2).tests, "correctness"
    )
    cut = choose(program, given_tests, 5, 10, roles=False).tests
    assert {"given-21", "given-29"} <= {test.test_id for test in cut}
    assert len(cut) == 5
    assert {test.role for test in cut} == {None}


def test_contradicted_given_tests_are_dropped_first() -> None:
    given_tests = [TestCase(f"given-{n}", f"{n}\n", f"{n % 2}\n", kind="given") for n in range(30)]
    one = output_key(b"1\n")
    cut = choose(
        bench(lambda n, _: seen(one, n, cpu_ns=10**9 // (1 + n))), given_tests, 10, 10, roles=False
    ).tests
    assert {test.stdout for test in cut} == {"1\n"}


def test_large_inputs_become_efficiency_tests_only() -> None:
    tests = choose(bench(lambda n, _: seen("a", 1)), POOL[40:], 7, 3).tests
    assert [test.role for test in tests] == ["efficiency"] * 3


def test_choice_works_without_accepted_programs() -> None:
    assert len(choose(bench(), POOL, 7, 3).tests) == 10
    never: Does = lambda n, _: seen(None, timed_out=True)  # noqa: E731
    # An input that no program finishes cannot test efficiency.
    assert len(choose(bench(never), POOL, 7, 3).tests) == 7


@pytest.mark.parametrize(
    "text", [b"", b"venus-coverage 1:1\n", b"\nvenus-coverage x\n", b"\nvenus-coverage 1:1\nmore"]
)
def test_malformed_report_is_ignored(text: bytes) -> None:
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
def test_traced_programs_report_their_edges(sandbox: Sandbox, name: str, mark: None) -> None:
    if name == "rust":
        pytest.importorskip("shutil").which("rustc") or pytest.skip("rustc is not installed")
    program = Program(LANGUAGES[name], PROGRAMS[name])
    limits = Limits(cpu_ns=NS_PER_S)
    none, again, one, nine, crash = observe(
        sandbox, Cores(), program, ["0", "0", "1", "9", "x"], limits, RunMode.TRACED
    )
    assert none.edges.size
    assert set(none.edges) == set(again.edges)
    assert len({frozenset(run.edges.tolist()) for run in (none, one, nine)}) == 3
    assert name == "cpp" or crash.output is None
    (plain,) = observe(sandbox, Cores(), program, ["1"], limits, RunMode.ALONE)
    assert plain.output == one.output
    assert plain.edges.size == NO_EDGES.size
    if name == "python":
        # Tracing stops in a long loop; tracing all of this one would take 20 times as long.
        [long] = observe(sandbox, Cores(), program, ["1000000"], limits, RunMode.TRACED)
        assert long.edges.size
        assert long.cpu_ns < 2 * NS_PER_S
    together = observe(sandbox, Cores(), program, ["1", "9"], limits, RunMode.TOGETHER, texts=True)
    assert [run.text for run in together] == ["0", "012345678"]


@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_repeated_timeouts_end_the_observation(sandbox: Sandbox, mark: None) -> None:
    """Three runs over the limit end the observation; crashes do not."""
    code = (
        "import os\nn = int(input())\nwhile n == 7:\n    pass\nif n == 8:\n    os.abort()\n"
        "print(n)\n"
    )
    program, limits = Program(LANGUAGES["python"], code), Limits(cpu_ns=NS_PER_S)
    runs = observe(
        sandbox, Cores(), program, ["8"] * 5 + ["1"] + ["7"] * 20, limits, RunMode.TRACED
    )
    assert [run.timed_out for run in runs] == [False] * 6 + [True] * 3
    assert runs[5].edges.size
    assert sum(run.cpu_ns for run in runs) < 8 * NS_PER_S


@pytest.mark.parametrize("how", [RunMode.TRACED, RunMode.ALONE, RunMode.TOGETHER])
@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_portions_of_inputs_keep_their_order(
    sandbox: Sandbox, how: RunMode, mark: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a portion ends with the input that exceeds it
    monkeypatch.setattr(coverage, "PORTION_BYTES", 1)
    program = Program(LANGUAGES["python"], PROGRAMS["python"])
    runs = observe(
        sandbox,
        Cores(),
        program,
        ["3", "1", "9", "0", "2"],
        Limits(cpu_ns=NS_PER_S),
        how,
        texts=True,
    )
    assert [run.text for run in runs] == ["012", "0", "012345678", "", "01"]
