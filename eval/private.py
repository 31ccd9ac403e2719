"""Public and private tests of a task: the loop sees the ones, the others say what its programs are worth.

A program that was chosen by its time on some tests looks better on these than it is, and may be right on these only.
So the two sets have no input in common:

fresh   the task's tests are public; private ones are made by the problem's generator with seeds of its own, and an
        input counts where up to three human solutions all end well on it and agree
split   where there is no generator, or too little came of it: of the tests by length of input every second one
none    where there is one test only: it is both, and the results say so
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from venus_toolkit.engine import Seat
from venus_toolkit.eval.tasks import FEWEST_REFERENCES, Task, spread_out
from venus_toolkit.eval.work import agreed_tests
from venus_toolkit.eval.workplace import Workplace, tests_digest
from venus_toolkit.fresh import fresh_inputs, kept
from venus_toolkit.judge import Rules
from venus_toolkit.records import TestCase, digest
from venus_toolkit.store import WORK

FRESH, SPLIT, NONE = "fresh", "split", "none"
MOST = 20
FEWEST = 3
WITNESSES = 3


class Split(NamedTuple):
    """The tests of a task in two sets, and where the private ones come from."""

    public: tuple[TestCase, ...]
    private: tuple[TestCase, ...]
    origin: str


def split_tests(place: Workplace, task: Task, seat: Seat) -> Split:
    """Return the public and private tests of a task.

    Raises:
        SandboxError: The sandbox failed.
    """
    if task.problem.generator and len(task.references) >= FEWEST_REFERENCES:
        fresh = _fresh(place, task, seat)
        if len(fresh) >= FEWEST:
            return Split(task.tests, fresh, FRESH)
    return halved(task.tests)


def halved(tests: Sequence[TestCase]) -> Split:
    """Return every second test as a private one, by length of input, so that both sets have short and long ones.

    Equal inputs stay together, in the public set.
    """
    longest_first = sorted(tests, key=lambda test: (-len(test.stdin), test.stdin, test.test_id))
    inputs = list(dict.fromkeys(test.stdin for test in longest_first))
    chosen = set(inputs[1::2])
    private = tuple(test for test in tests if test.stdin in chosen)
    if not private:
        return Split(tuple(tests), tuple(tests), NONE)
    return Split(tuple(test for test in tests if test.stdin not in chosen), private, SPLIT)


# ------------------------------------------------------------------ fresh inputs


def _fresh(place: Workplace, task: Task, seat: Seat) -> tuple[TestCase, ...]:
    """Return tests that were made with new seeds; what was made once is kept in the run folder."""
    witnesses = spread_out(task.references, WITNESSES, place.options.time_figure)
    codes = [place.identity(task.program(each.code)) for each in witnesses]
    problem = task.problem
    rules = [problem.generator, problem.evaluator, problem.comparison, problem.limits, place.options.seed]
    path = place.store.folder / WORK / "private" / f"{digest(tests_digest(task.tests), codes, rules)}.json.gz"

    def make() -> list[TestCase]:
        inputs = fresh_inputs(place.sandbox, problem.generator, task.tests, MOST, place.options.seed, seat.cores)
        return _agreed(task, [each.code for each in witnesses], inputs, seat) if inputs else []

    return kept(path, make)


def _agreed(task: Task, codes: Sequence[str], inputs: Sequence[TestCase], seat: Seat) -> list[TestCase]:
    problem, programs = task.problem, tuple(map(task.program, codes))
    rules = Rules(problem.limits, problem.comparison, problem.evaluator)
    return seat.at(task.name).run(agreed_tests, programs, inputs, rules)
