"""Held-out tests: made by a problem's own generator with new seeds, with outputs that human solutions agree on.

A program that has memorised the published tests, or was selected by its time on them, is worth what
it does on these. Reseeded tests are of the same kind, a set for each repeat of a measurement: what
a program remembers of its earlier runs, by whatever channel, answers none of them.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import EFFICIENCY, Run, TestCase, to_plain
from venus_toolkit.core.store import write_whole
from venus_toolkit.execution.judging.checker import Answer, Rules
from venus_toolkit.execution.judging.generators import LARGE, Request, families, run_generator
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.sandbox import Program, Sandbox
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores

FIRST_SEED = 7_000_000  # far from what builds ask for
SIZES = ("small", "random", "large")
SEEDS = 1000  # apart from one seed of a caller to the next
LAST_SEED = 2**31 - 1  # generators may pass it on to what takes 32 bits
FEWEST_REFERENCES = 2  # solutions that agree; what one alone prints would be believed


def held_out_inputs(
    sandbox: Sandbox,
    generator: str | None,
    tests: Sequence[TestCase],
    most: int,
    seed: int,
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return at most so many inputs of the sizes that a problem's tests have, none of which it has, without outputs.

    The sizes are those of the tests that tell solutions apart best, by `by_power`; a quarter is
    left to the other sizes, one of each in turn, for programs that are wrong. Others are made for
    another seed, and none where the generator does not compile or gives nothing new.

    Raises:
        SandboxError: The sandbox failed.
    """
    generated = [
        (test.size, test.role) for test in by_power(tests) if test.size and test.seed is not None
    ]
    listed = families(generator) or SIZES
    sizes = sorted(listed, key=lambda size: (size not in LARGE, -listed.index(size)))
    kinds = generated or [(size, None) for size in sizes for _ in range(3)]
    first = FIRST_SEED + SEEDS * seed
    chosen = _best_and_others(kinds, most)
    asked = [Request(size, first + n) for n, (size, _) in enumerate(chosen)]
    candidates = zip(
        asked, chosen, _new_inputs(sandbox, generator, asked, tests, cores), strict=True
    )
    return [
        TestCase(f"private-{size}-{number}", text, None, "generated", size, number, role)
        for (size, number), (_, role), text in candidates
        if text is not None
    ]


def by_power(tests: Iterable[TestCase]) -> list[TestCase]:
    """Return tests by how well they tell solutions apart, the best first.

    Those that a build chose for efficiency have been measured to do so
    (builders/quality/choose.py). Of the others, and among those, the larger input comes first: what
    a costly program needs grows with it.
    """
    return sorted(
        tests,
        key=lambda test: (
            test.role != EFFICIENCY,
            test.size not in LARGE,
            -len(test.stdin),
            test.stdin,
            test.test_id,
        ),
    )


def _best_and_others(
    kinds: Sequence[tuple[str, str | None]], most: int
) -> list[tuple[str, str | None]]:
    """Return the first of the kinds, and for a quarter of the places one of each size that has none among them."""
    best = list(kinds[: most - most // 4])
    rest = list(kinds[len(best) :])
    others = list(
        {size: (size, role) for size, role in reversed(rest) if size not in dict(best)}.values()
    )[::-1]
    chosen = best + others[: most - len(best)]
    for kind in others[: most - len(best)]:
        rest.remove(kind)
    return chosen + rest[: most - len(chosen)]


def _new_inputs(
    sandbox: Sandbox,
    generator: str | None,
    asked: Sequence[Request],
    tests: Sequence[TestCase],
    cores: Cores | None,
) -> list[str | None]:
    """Return an input for each request.

    None where there is none, or where a test or another request has it.
    """
    known = {test.stdin for test in tests}
    try:
        answers = list(run_generator(sandbox, generator, asked, cores))
    except SourceError:  # it does not compile
        return [None] * len(asked)
    fresh: list[str | None] = []
    for answer in answers:
        fresh.append(None if answer.text in known else answer.text)
        known.add(answer.text or "")
    return fresh + [None] * (len(asked) - len(fresh))


def held_out_tests(
    sandbox: Sandbox,
    cores: Cores,
    tests: Sequence[TestCase],
    rules: Rules,
    generator: str | None,
    programs: Sequence[Program],
    most: int,
    seed: int,
) -> list[TestCase]:
    """Return tests that a problem does not have.

    New inputs on which reference solutions end well and agree.

    There are at most so many of them, and others for another seed. `programs` are the reference
    solutions, at least two to mean anything; the output of the first is the expected one.

    Raises:
        SandboxError: The sandbox failed.
    """
    return _agreed(
        sandbox,
        cores,
        held_out_inputs(sandbox, generator, tests, most, seed, cores),
        rules,
        programs,
    )


def reseeded_tests(
    sandbox: Sandbox,
    cores: Cores,
    tests: Sequence[TestCase],
    rules: Rules,
    generator: str | None,
    programs: Sequence[Program],
    seed: str,
) -> list[TestCase]:
    """Return the tests with other inputs of the same sizes, for one repeat of a measurement.

    A test stays as it is where no generator made it, where the generator makes nothing new, or
    where the reference solutions `programs`, at least two of them, do not agree. Another `seed`
    makes other inputs.

    Raises:
        SandboxError: The sandbox failed.
    """
    if len(programs) < FEWEST_REFERENCES:
        return list(tests)
    generated = [test for test in tests if test.size and test.seed is not None]
    draw = random.Random(seed)
    asked = [Request(test.size or "", draw.randint(FIRST_SEED, LAST_SEED)) for test in generated]
    inputs = [
        dataclasses.replace(test, stdin=text, stdout=None, seed=request.seed)
        for test, request, text in zip(
            generated, asked, _new_inputs(sandbox, generator, asked, tests, cores), strict=True
        )
        if text is not None
    ]
    agreed = {test.test_id: test for test in _agreed(sandbox, cores, inputs, rules, programs)}
    return [agreed.get(test.test_id, test) for test in tests]


def _agreed(
    sandbox: Sandbox,
    cores: Cores,
    inputs: Sequence[TestCase],
    rules: Rules,
    programs: Sequence[Program],
) -> list[TestCase]:
    """Return those of the inputs on which all programs end well and agree, with the output of the first."""
    if not inputs:
        return []
    checker, stdins = rules.checker(sandbox), EncodedInputs(inputs)
    outputs: list[list[str | None]] = []
    for program in programs:
        compiled = sandbox.compile(program, cores)
        if not compiled.ok:
            return []  # it agrees on nothing
        with fair(sandbox).session(compiled, rules.limits, cores) as session:
            outputs.append([_text(run) for run in session.run(stdins)])
    agreed = []
    for test, (first, *others) in zip(inputs, zip(*outputs, strict=True), strict=True):
        if first is None or None in others:
            continue
        if all(checker.passes([Answer(first, other, test.stdin) for other in others])):
            agreed.append(dataclasses.replace(test, stdout=first))
    return agreed


def _text(run: Run) -> str | None:
    if not run.clean or run.stdout_cut:
        return None
    try:
        return run.stdout.decode()
    except UnicodeDecodeError:
        return None


def kept(path: Path, make: Callable[[], Sequence[TestCase]]) -> tuple[TestCase, ...]:
    """Return the tests in a file.

    Where it is not there or cannot be read, those that `make` makes are written.
    """
    try:
        return tuple(
            TestCase(**fields) for fields in json.loads(gzip.decompress(path.read_bytes()))
        )
    except (OSError, EOFError, ValueError, TypeError):
        tests = tuple(make())
    text = json.dumps(to_plain(list(tests))).encode("utf-8", "surrogatepass")
    write_whole(path, gzip.compress(text, mtime=0), shared=True)
    return tests
