"""Public and private tests of a task.

The loop sees the ones, the others say what its programs are worth.

A program that was chosen by its time on some tests looks better on these than it is, and may be
right on these only. So the two sets have no input in common:

fresh   the task's tests are public; private ones are made by the problem's generator with seeds of its own, first of
        the sizes that tell solutions apart best, and an input counts where up to three human
        solutions all end well on it and agree
split   without a generator, or if it gave too few inputs: half of the tests, among them the first
        of those that tell solutions apart best
none    of a single test: it is both, and the results say so
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from venus_toolkit.core.records import TestCase, digest, from_plain, to_plain
from venus_toolkit.eval.asking.tasks import FEWEST_REFERENCES, EvaluationTask, agreeing
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure, known
from venus_toolkit.execution.judging.held_out import by_power, held_out_tests

FRESH, SPLIT, NONE = "fresh", "split", "none"


class SplitTests(NamedTuple):
    """The tests of a task in two sets, and where the private ones come from."""

    public: tuple[TestCase, ...]
    private: tuple[TestCase, ...]
    origin: str


def split_tests(
    executor: Executor, options: EvalOptions, task: EvaluationTask, worker: Worker
) -> SplitTests:
    """Return the public and private tests of a task; what was made once is kept in the journal.

    Raises:
        SandboxError: The sandbox failed.
    """
    generator, suite = task.generator, task.suite
    if not generator or len(task.references) < FEWEST_REFERENCES:
        return halved(task.tests)
    programs, most = agreeing(task, options.native_figure), 20

    def key() -> str:
        return digest(
            suite.digest,
            generator,
            [executor.identity(program) for program in programs],
            most,
            options.seed,
        )

    def make() -> list[dict[str, Any]] | SandboxFailure:
        near = worker.at(task.name)
        tests = executor.run(
            near, held_out_tests, task.tests, suite.rules, generator, programs, most, options.seed
        )
        return tests if isinstance(tests, SandboxFailure) else to_plain(tests)

    plain = known(
        executor.once("held_out", key, make), f"the private tests of {task.name} cannot be made"
    )
    held_out = tuple(from_plain(TestCase, each) for each in plain)
    # With fewer held-out tests a verdict would say too little: the given tests are split instead.
    return SplitTests(task.tests, held_out, FRESH) if len(held_out) >= 3 else halved(task.tests)


def halved(tests: Sequence[TestCase]) -> SplitTests:
    """Return half of the tests as private ones; both sets have some that tell solutions apart well.

    By that (`by_power`) the first is private, the next two are public, the next two private and so
    on. Equal inputs stay together.
    """
    inputs = list(dict.fromkeys(test.stdin for test in by_power(tests)))
    chosen = (
        {text for number, text in enumerate(inputs) if number % 4 in (0, 3)}
        if len(inputs) > 1
        else set[str]()
    )
    private = tuple(test for test in tests if test.stdin in chosen)
    if not private:
        return SplitTests(tuple(tests), tuple(tests), NONE)
    return SplitTests(tuple(test for test in tests if test.stdin not in chosen), private, SPLIT)
