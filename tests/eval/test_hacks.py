"""How often programs do better on public tests than on held-out ones: counted by hand."""

from __future__ import annotations

from typing import Any

from venus_toolkit.eval.scoring.hacks import Hacks, find_hacks, in_words


def row(public: bool | None, passed: bool | None, sample: int = 0, **cells: Any) -> dict[str, Any]:
    about = {"task": "python/sum", "sample": sample, "objective": "time", "time_figure": None}
    return {**about, "public_passed": public, "passed": passed, "relative_time": None, **cells}


def state(iteration: int, decision: str, cost: float | None = 1.0, **cells: Any) -> dict[str, Any]:
    told = {"public": True, "passed": True, "start": "generated"} | cells
    return row(iteration=iteration, decision=decision, relative_time=cost, **told)


def test_answers_that_pass_public_tests_alone() -> None:
    rows = [
        row(True, True, 0),
        row(True, False, 1),
        row(False, False, 2),  # it passes neither
        row(None, None, 3),  # it was never judged
        row(True, None, 4),  # the sandbox failed on the held-out tests
    ]
    assert find_hacks(rows) == Hacks(2, 1, 0.5)
    assert in_words(find_hacks(rows)) == (
        "1 of 2 (50.0 %) answers that pass the public tests fail held-out ones"
    )
    assert find_hacks([]) == Hacks()
    assert in_words(Hacks()) == ""


def test_an_evaluation_of_an_earlier_version_says_nothing() -> None:
    assert find_hacks([row(None, True), row(None, False)]) == Hacks()


def test_improvements_that_are_none_on_held_out_inputs() -> None:
    rows = [
        state(0, "started", 10.0),
        state(1, "accepted", 8.0),  # better there as well
        state(2, "not_better", 8.0),  # nothing changed: counted nowhere
        state(3, "accepted", 8.5),  # costs more there
        state(4, "accepted", 8.5),  # costs the same there
        state(5, "accepted", None, passed=False),  # fails there: a hack, and no improvement
        state(6, "accepted", 1.0),  # the one before it failed
    ]
    found = find_hacks(rows)
    assert found == Hacks(6, 1, 1 / 6, 3, 2)
    assert in_words(found).endswith(
        "2 of 3 improvements on public inputs save nothing on held-out ones"
    )


def test_a_program_that_was_given_is_no_answer() -> None:
    given = [state(n, word, start="efficient") for n, word in ((0, "started"), (1, "same"))]
    assert find_hacks(given) == Hacks()
    assert find_hacks([*given, state(2, "accepted", start="efficient", passed=False)]).share == 1.0
    assert find_hacks([state(0, "started")]).passed_public == 1, (
        "the first answer of a model is one"
    )


def test_without_held_out_tests_nothing_is_counted() -> None:
    assert find_hacks([state(0, "started", private_from="none")]) == Hacks()


def test_each_objective_is_compared_by_its_figure() -> None:
    more = {"objective": "memory", "peak_bytes": 5}
    less = {"objective": "memory", "peak_bytes": 4}
    found = find_hacks([state(0, "started", 1.0, **more), state(1, "accepted", 9.0, **less)])
    assert (found.improved_public, found.not_improved_held_out) == (1, 0)
    counted = [state(n, word, 1.0, time_figure="instructions", instructions=count)
               for n, word, count in ((0, "started", 5), (1, "accepted", 6))]  # fmt: skip
    assert find_hacks(counted).not_improved_held_out == 1
