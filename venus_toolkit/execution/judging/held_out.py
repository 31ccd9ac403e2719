"""Held-out tests: new inputs from a problem's generator, with outputs that its solutions agree on.

They show the real value of a program that has memorised the published tests, or that was selected
by its time on them. Reseeded tests are similar: each repeat of a measurement has its own set, so
that nothing a program stores in an earlier run helps it in a later one.
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

FIRST_SEED = 7_000_000  # far from the seeds of builds
SIZES = ("small", "random", "large")
SEEDS = 1000  # generator seeds that are reserved for each seed of a caller
LAST_SEED = 2**31 - 1  # generators may pass it to functions that take 32 bits
FEWEST_REFERENCES = 2  # solutions that must agree; one alone would not be checked


def held_out_inputs(
    sandbox: Sandbox,
    generator: str | None,
    tests: Sequence[TestCase],
    most: int,
    seed: int,
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return at most `most` new inputs for a problem, without outputs.

    Three quarters have the sizes of the tests that discriminate best between solutions
    (`by_power`); the others have one of each remaining size, to detect wrong programs. The inputs
    depend on `seed`. There are none if the generator does not compile or makes nothing new.

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
    requests = [Request(size, first + n) for n, (size, _) in enumerate(chosen)]
    candidates = zip(
        requests, chosen, _new_inputs(sandbox, generator, requests, tests, cores), strict=True
    )
    return [
        TestCase(f"private-{size}-{number}", text, None, "generated", size, number, role)
        for (size, number), (_, role), text in candidates
        if text is not None
    ]


def by_power(tests: Iterable[TestCase]) -> list[TestCase]:
    """Return tests in descending order of their power to discriminate between solutions.

    Efficiency tests come first: a build has measured their power (builders/quality/choose.py).
    Within each group, larger inputs come first, since the cost of slow programs grows with them.
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
    """Return `most` of the kinds: the first ones, and a quarter with one of each other size."""
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
    requests: Sequence[Request],
    tests: Sequence[TestCase],
    cores: Cores | None,
) -> list[str | None]:
    """Return an input for each request; None: it failed, or a test or earlier request has it."""
    known = {test.stdin for test in tests}
    try:
        answers = list(run_generator(sandbox, generator, requests, cores))
    except SourceError:  # it does not compile
        return [None] * len(requests)
    inputs: list[str | None] = []
    for answer in answers:
        inputs.append(None if answer.text in known else answer.text)
        known.add(answer.text or "")
    return inputs + [None] * (len(requests) - len(inputs))


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
    """Return new tests for a problem: inputs on which all reference solutions agree.

    Args:
        sandbox: Runs the programs.
        cores: The cores of the programs.
        tests: The existing tests.
        rules: The limits and the comparison.
        generator: The problem's generator.
        programs: The reference solutions, at least two for a meaningful result; the output of the
            first is the expected one.
        most: The maximum number of tests.
        seed: Another seed gives other inputs.

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

    A test stays unchanged if no generator made it, if the generator makes nothing new, or if the
    reference solutions `programs` disagree or are fewer than two. Another `seed` gives other
    inputs.

    Raises:
        SandboxError: The sandbox failed.
    """
    if len(programs) < FEWEST_REFERENCES:
        return list(tests)
    generated = [test for test in tests if test.size and test.seed is not None]
    draw = random.Random(seed)
    requests = [Request(test.size or "", draw.randint(FIRST_SEED, LAST_SEED)) for test in generated]
    texts = _new_inputs(sandbox, generator, requests, tests, cores)
    inputs = [
        dataclasses.replace(test, stdin=text, stdout=None, seed=request.seed)
        for test, request, text in zip(generated, requests, texts, strict=True)
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
    """Return the inputs on which all programs succeed and agree, with the first one's output."""
    if not inputs:
        return []
    checker, stdins = rules.checker(sandbox), EncodedInputs(inputs)
    outputs: list[list[str | None]] = []
    for program in programs:
        compiled = sandbox.compile(program, cores)
        if not compiled.ok:
            return []
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
    """Return the tests in a file; if it cannot be read, write those of `make` to it."""
    try:
        return tuple(
            TestCase(**fields) for fields in json.loads(gzip.decompress(path.read_bytes()))
        )
    except (OSError, EOFError, ValueError, TypeError):
        tests = tuple(make())
    text = json.dumps(to_plain(list(tests))).encode("utf-8", "surrogatepass")
    write_whole(path, gzip.compress(text, mtime=0), shared=True)
    return tests
