"""Public and private tests of a task: the loop sees the ones, the others say what its programs are worth.

A program that was chosen by its time on some tests looks better on these than it is, and may be right on these only.
So the two sets have no input in common:

fresh   the task's tests are public; private ones are made by the problem's generator with seeds of its own, and an
        input counts where up to three human solutions all end well on it and agree
split   where there is no generator, or too little came of it: of the tests by length of input every second one
none    where there is one test only: it is both, and the results say so
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.engine import Seat
from venus_toolkit.errors import SourceError
from venus_toolkit.eval.tasks import FEWEST_REFERENCES, Task, spread_out
from venus_toolkit.eval.work import agreed_outputs
from venus_toolkit.eval.workplace import Workplace, tests_digest
from venus_toolkit.generators import Request, run_generator
from venus_toolkit.judge import Rules
from venus_toolkit.records import TestCase, digest, to_plain
from venus_toolkit.store import WORK

FRESH, SPLIT, NONE = "fresh", "split", "none"
FIRST_SEED = 7_000_000  # far from what builds ask for
MOST = 20
FEWEST = 3
WITNESSES = 3
SIZES = ("small", "random", "large")


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
    kept = _read(path)
    if kept is None:
        inputs = _inputs(place, task, seat)
        kept = tuple(_agreed(place, task, [each.code for each in witnesses], inputs, seat)) if inputs else ()
        _keep(path, kept)
    return kept


def _inputs(place: Workplace, task: Task, seat: Seat) -> list[TestCase]:
    """Return inputs of the sizes that the task's tests have, none of which it has."""
    sizes = [test.size for test in task.tests if test.size and test.seed is not None] or [*SIZES] * 3
    step = max(1, len(sizes) / MOST)
    first = FIRST_SEED + 1000 * place.options.seed
    asked = [Request(sizes[int(n * step)], first + n) for n in range(min(MOST, len(sizes)))]
    known = {test.stdin for test in task.tests}
    found = []
    try:
        answers = list(run_generator(place.sandbox, task.problem.generator, asked, seat.cores))
    except SourceError:  # it does not compile
        return []
    for request, made in zip(asked, answers, strict=False):
        if made.text is not None and made.text not in known:
            known.add(made.text)
            test_id = f"private-{request.size}-{request.seed}"
            found.append(TestCase(test_id, made.text, None, "generated", request.size, request.seed))
    return found


def _agreed(
    place: Workplace, task: Task, codes: Sequence[str], inputs: Sequence[TestCase], seat: Seat
) -> list[TestCase]:
    """Return the inputs on which all these solutions end well and agree, with the output of the first."""
    problem, programs = task.problem, tuple(map(task.program, codes))
    rules = Rules(problem.limits, problem.comparison, problem.evaluator)
    outputs = seat.at(task.name).run(agreed_outputs, programs, inputs, rules)
    return [replace(test, stdout=text) for test, text in zip(inputs, outputs, strict=True) if text is not None]


def _read(path: Path) -> tuple[TestCase, ...] | None:
    try:
        kept = json.loads(gzip.decompress(path.read_bytes()))
        return tuple(TestCase(**each) for each in kept)
    except (OSError, EOFError, ValueError, TypeError):
        return None


def _keep(path: Path, tests: Sequence[TestCase]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    draft.write_bytes(gzip.compress(json.dumps(to_plain(list(tests))).encode("utf-8", "surrogatepass"), mtime=0))
    draft.replace(path)
