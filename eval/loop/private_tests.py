"""Public tests of a task for the loop, and private tests that score its programs.

A program selected by its time on some tests looks faster on them than it is, and may be correct on
them only. The two sets therefore have no input in common:

fresh   the task's tests are public, and the problem's generator makes the private ones with other
        seeds, beginning with the sizes that separate solutions best; an input counts if up to three
        human solutions agree on its output
split   without a generator, or if it makes too few inputs: half of the tests, including the one
        that separates solutions best
none    a single test is both public and private, and the results say so
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from venus_toolkit.core.records import TestCase, digest, from_plain, to_plain
from venus_toolkit.eval.asking.tasks import FEWEST_REFERENCES, EvaluationTask, voting_references
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import Executor, SandboxFailure, known
from venus_toolkit.execution.judging.held_out import by_power, held_out_tests

FRESH, SPLIT, NONE = "fresh", "split", "none"


class SplitTests(NamedTuple):
    """The public and private tests of a task, and the origin of the private ones."""

    public: tuple[TestCase, ...]
    private: tuple[TestCase, ...]
    origin: str


def split_tests(
    executor: Executor, options: EvalOptions, task: EvaluationTask, worker: Worker
) -> SplitTests:
    """Return the public and private tests of a task; the journal keeps new private tests.

    Raises:
        SandboxError: The sandbox failed.
    """
    generator, suite = task.generator, task.suite
    if not generator or len(task.references) < FEWEST_REFERENCES:
        return halved(task.tests)
    programs, most = voting_references(task, options.native_figure), 20

    def key() -> str:
        return digest(
            suite.digest,
            generator,
            [executor.identity(program) for program in programs],
            most,
            options.seed,
        )

    def make_tests() -> list[dict[str, Any]] | SandboxFailure:
        near = worker.at(task.name)
        tests = executor.run(
            near, held_out_tests, task.tests, suite.rules, generator, programs, most, options.seed
        )
        return tests if isinstance(tests, SandboxFailure) else to_plain(tests)

    records = known(
        executor.once("held_out", key, make_tests),
        f"the private tests of {task.name} cannot be made",
    )
    held_out = tuple(from_plain(TestCase, record) for record in records)
    # Fewer than 3 tests would make a verdict too weak, so the task's tests are split instead.
    return SplitTests(task.tests, held_out, FRESH) if len(held_out) >= 3 else halved(task.tests)


def halved(tests: Sequence[TestCase]) -> SplitTests:
    """Split the tests into public and private halves that separate solutions about equally well.

    In the order of `by_power`, the first input is private, the next two are public, the next two
    private, and so on. Tests with equal inputs stay in one half.
    """
    inputs = list(dict.fromkeys(test.stdin for test in by_power(tests)))
    private_inputs = (
        {text for number, text in enumerate(inputs) if number % 4 in (0, 3)}
        if len(inputs) > 1
        else set[str]()
    )
    private = tuple(test for test in tests if test.stdin in private_inputs)
    if not private:
        return SplitTests(tuple(tests), tuple(tests), NONE)
    public = tuple(test for test in tests if test.stdin not in private_inputs)
    return SplitTests(public, private, SPLIT)
