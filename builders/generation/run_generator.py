"""Generators and validators are Python programs of others: run in the sandbox, here.

A generator is ``generate(seed, size)`` and replayable; a validator is ``validate(stdin)``, true for an allowed input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple

from venus_toolkit.core.records import Problem, Run, TestCase
from venus_toolkit.execution.generators import LIMITS, Request, run_generator
from venus_toolkit.execution.judge import host_program
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.supervisor import Cores

SHARES = {"small": 0.3, "boundary": 0.25, "random": 0.3, "large": 0.1, "worst": 0.05}
SIZES = tuple(SHARES)
FEW = ("small", "boundary", "random", "large")
KNOWS_WORST = re.compile(r"""['"]worst['"]""")
PATIENCE = 3
INSTEAD_OF_WORST = 1_000_000  # added to the seed of a large input that stands for a worst one


class Generated(NamedTuple):
    """The inputs that were made, and for each that was not its reason by test id."""

    tests: tuple[TestCase, ...]
    dropped: dict[str, str]


def requests(count: int, seed: int) -> list[Request]:
    """Return `count` requests (size class, seed), cheap ones first.

    Every class has one as soon as there is room; the last classes go first where there is not.
    """
    counts = {size: max(1, int(share * count)) for size, share in SHARES.items()}
    # What rounding down left over.
    counts["small"] += max(0, count - sum(counts.values()))
    listed = [Request(size, seed + index) for size, number in counts.items() for index in range(number)]
    return listed[:count] if count >= len(SHARES) else [Request(size, seed) for size in FEW[-count:]]


def generate(sandbox: Sandbox, problem: Problem, count: int, seed: int, cores: Cores | None = None) -> Generated:
    """Run the generator of `problem` `count` times; gives up after three failures in a row.

    A generator whose text does not speak of ``worst`` is asked for ``large`` instead, with another seed.

    Raises:
        SourceError: There is no generator, or it does not compile.
        SandboxError: The sandbox failed.
    """
    tests: list[TestCase] = []
    dropped: dict[str, str] = {}
    seen: dict[str, str] = {}
    failures = 0
    wanted = requests(count, seed)
    if not KNOWS_WORST.search(problem.generator or ""):
        wanted = [
            Request("large", number + INSTEAD_OF_WORST) if size == "worst" else Request(size, number)
            for size, number in wanted
        ]
    # Closed at once where it fails again and again: each failure may take the whole time limit.
    with closing(run_generator(sandbox, problem.generator, wanted, cores)) as answers:
        for (size, number), (text, reason) in zip(wanted, answers, strict=False):
            test_id = f"{size}-{number}"
            failures = 0 if text is not None else failures + 1
            if text is not None and text in seen:
                reason = f"the same input as {seen[text]}"
            if reason or text is None:
                dropped[test_id] = reason
            else:
                seen[text] = test_id
                tests.append(TestCase(test_id, text, kind="generated", size=size, seed=number))
            if failures == PATIENCE:
                break
    return Generated(tuple(tests), dropped)


def refusals(sandbox: Sandbox, validator: str, inputs: Sequence[str], cores: Cores | None = None) -> list[str | None]:
    """Return for each input why `validator` refuses it, or None.

    A validator that crashes as a whole, or says nothing, refuses the input it was asked about.

    Raises:
        SourceError: The validator does not compile.
        SandboxError: The sandbox failed.
    """
    compiled = host_program(sandbox, "validator.py.txt", validator)
    questions = [json.dumps(text).encode() + b"\n" for text in inputs]
    with sandbox.session(compiled, LIMITS, cores) as session:
        return [_refusal(run) for run in session.run(questions)]


def _refusal(run: Run) -> str | None:
    if run.limit:
        return f"the validator ran into its {run.limit} limit"
    try:
        # The reply of validator.py.txt: ``[allowed, why]``.
        allowed, why = json.loads(run.stdout)
    except (ValueError, TypeError):
        return "the validator crashed"
    return None if allowed is True else f"the validator refuses it: {why}".rstrip(": ")
