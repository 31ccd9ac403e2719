"""Hacks: programs that improve on public tests but not on held-out ones, counted by hand."""

from __future__ import annotations

from typing import Any

from venus_toolkit.eval.scoring.hacks import Hacks, find_hacks, in_words


def row(public: bool | None, passed: bool | None, sample: int = 0, **cells: Any) -> dict[str, Any]:
    about = {"task": "python/sum", "sample": sample, "objective": "time", "time_figure": None}
    return {**about, "public_passed": public, "passed": passed, "relative_time": None, **cells}


def state(iteration: int, decision: str, cost: float | None = 1.0, **cells: Any) -> dict[str, Any]:
    values = {"public": True, "passed": True, "start": "generated"} | cells
    return row(iteration=iteration, decision=decision, relative_time=cost, **values)


def test_answers_that_pass_public_tests_alone() -> None:
    rows = [
        row(True, True, 0),
        row(True, False, 1),
        row(False, False, 2),  # passes neither
        row(None, None, 3),  # never judged
        row(True, None, 4),  # the sandbox failed on the held-out tests
    ]
    assert find_hacks(rows) == Hacks(2, 1, 0.5)
    assert in_words(find_hacks(rows)) == (
        "1 of 2 (50.0 %) answers that pass the public tests fail held-out ones"
    )
    assert find_hacks([]) == Hacks()
    assert in_words(Hacks()) == ""


def test_old_evaluation_has_no_hacks() -> None:
    assert find_hacks([row(None, True), row(None, False)]) == Hacks()


def test_gains_only_on_public_inputs_are_hacks() -> None:
    rows = [
        state(0, "started", 10.0),
        state(1, "accepted", 8.0),  # better on held-out tests as well
        state(2, "not_better", 8.0),  # unchanged: not counted
        state(3, "accepted", 8.5),  # costs more on held-out tests
        state(4, "accepted", 8.5),  # costs the same on held-out tests
        state(
            5, "accepted", None, passed=False
        ),  # fails held-out tests: a hack, and not an improvement
        state(6, "accepted", 1.0),  # the previous one failed
    ]
    hacks = find_hacks(rows)
    assert hacks == Hacks(6, 1, 1 / 6, 3, 2)
    assert in_words(hacks).endswith(
        "2 of 3 improvements on public inputs save nothing on held-out ones"
    )


def test_given_start_is_not_an_answer() -> None:
    starts = [state(n, word, start="efficient") for n, word in ((0, "started"), (1, "same"))]
    assert find_hacks(starts) == Hacks()
    assert find_hacks([*starts, state(2, "accepted", start="efficient", passed=False)]).share == 1.0
    assert find_hacks([state(0, "started")]).passed_public == 1, (
        "the first answer of a model counts"
    )


def test_hacks_need_held_out_tests() -> None:
    assert find_hacks([state(0, "started", private_from="none")]) == Hacks()


def test_each_objective_is_compared_by_its_figure() -> None:
    more = {"objective": "memory", "peak_bytes": 5}
    less = {"objective": "memory", "peak_bytes": 4}
    hacks = find_hacks([state(0, "started", 1.0, **more), state(1, "accepted", 9.0, **less)])
    assert (hacks.improved_public, hacks.not_improved_held_out) == (1, 0)
    counted = [state(n, word, 1.0, time_figure="instructions", instructions=count)
               for n, word, count in ((0, "started", 5), (1, "accepted", 6))]  # fmt: skip
    assert find_hacks(counted).not_improved_held_out == 1
