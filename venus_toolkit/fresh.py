"""Tests that nobody has seen: a problem's own generator, asked with new seeds, and what human solutions agree on.

A program that knows the published tests by heart, or was chosen by its time on them, is worth what it does on these.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from venus_toolkit.errors import SourceError
from venus_toolkit.generators import Request, run_generator
from venus_toolkit.judge import Answer, Checker
from venus_toolkit.records import Limits, TestCase, to_plain
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores

FIRST_SEED = 7_000_000  # far from what builds ask for
SIZES = ("small", "random", "large")
SEEDS = 1000  # apart from one seed of a caller to the next


def fresh_inputs(
    sandbox: Sandbox, generator: str | None, tests: Sequence[TestCase], most: int, seed: int, cores: Cores | None = None
) -> list[TestCase]:
    """Return inputs of the sizes that a problem's tests have, none of which it has; outputs are not known yet.

    Args:
        sandbox: Where the generator runs.
        generator: Its source.
        tests: Those of the problem.
        most: Inputs at most.
        seed: Others are made for another seed.
        cores: Where to run it.

    Returns:
        The inputs; none where the generator does not compile or gives nothing new.

    Raises:
        SandboxError: The sandbox failed.
    """
    sizes = [test.size for test in tests if test.size and test.seed is not None] or [*SIZES] * 3
    step = max(1, len(sizes) / most)
    first = FIRST_SEED + SEEDS * seed
    asked = [Request(sizes[int(n * step)], first + n) for n in range(min(most, len(sizes)))]
    known = {test.stdin for test in tests}
    found = []
    try:
        answers = list(run_generator(sandbox, generator, asked, cores))
    except SourceError:  # it does not compile
        return []
    for request, made in zip(asked, answers, strict=False):
        if made.text is not None and made.text not in known:
            known.add(made.text)
            test_id = f"private-{request.size}-{request.seed}"
            found.append(TestCase(test_id, made.text, None, "generated", request.size, request.seed))
    return found


def agreed(
    sandbox: Sandbox,
    programs: Sequence[Program],
    inputs: Sequence[TestCase],
    checker: Checker,
    limits: Limits,
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return the inputs on which all these programs end well and agree, with the output of the first.

    Raises:
        SandboxError: The sandbox failed.
    """
    outputs = [_outputs(sandbox, program, inputs, limits, cores) for program in programs]
    kept = []
    for test, (first, *others) in zip(inputs, zip(*outputs, strict=True), strict=True):
        if first is None or None in others:
            continue
        if all(checker.passes([Answer(first, other, test.stdin) for other in others])):
            kept.append(dataclasses.replace(test, stdout=first))
    return kept


def _outputs(
    sandbox: Sandbox, program: Program, inputs: Sequence[TestCase], limits: Limits, cores: Cores | None
) -> list[str | None]:
    compiled = sandbox.compile(program, cores)
    if not compiled.ok:
        return [None] * len(inputs)
    with sandbox.session(compiled, limits, cores) as session:
        runs = session.run([test.stdin.encode() for test in inputs])
        return [run.stdout.decode("utf-8", "replace") if run.clean and not run.stdout_cut else None for run in runs]


def kept(path: Path, make: Callable[[], Sequence[TestCase]]) -> tuple[TestCase, ...]:
    """Return the tests in a file; where it is not there or cannot be read, those that `make` makes are written."""
    try:
        return tuple(TestCase(**each) for each in json.loads(gzip.decompress(path.read_bytes())))
    except (OSError, EOFError, ValueError, TypeError):
        tests = tuple(make())
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    draft.write_bytes(gzip.compress(json.dumps(to_plain(list(tests))).encode("utf-8", "surrogatepass"), mtime=0))
    draft.replace(path)
    return tests
