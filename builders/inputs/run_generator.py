"""Runs generators and validators, which are untrusted Python programs, in the sandbox.

A generator is ``generate(seed, size)`` and replayable; a validator is ``validate(stdin)``, true for
an allowed input. A generator with families makes a pool of thousands of candidates, from which
tests are chosen later; one without families makes the requested number of tests.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from venus_toolkit.core.records import Problem, Run, TestCase
from venus_toolkit.dataset.funnel import REFUSED
from venus_toolkit.execution.judging.generators import (
    DEATHS,
    LARGE,
    LIMITS,
    GeneratedInput,
    Request,
    families,
    run_generator,
    sizes,
)
from venus_toolkit.execution.judging.host_programs import host_program
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

SHARES = {"small": 0.3, "boundary": 0.25, "random": 0.3, "large": 0.1, "worst": 0.05}
SIZES = tuple(SHARES)
FEW = ("small", "boundary", "random", "large")
# Shares of the inputs. In a pool, CORNERS and LARGEST limit the corner and the largest inputs.
FAMILY_SHARES = {
    "tiny": 0.33,
    "multiscale": 0.42,
    "middle": 0.04,
    "replay": 0.21,
    "unsure": 0.05,
    "corner": 0.1,
    "max": 0.1,
}
CORNERS, LARGEST = 16, 36
# Inputs that one process makes: few enough to stay well within its limits.
TOGETHER = {
    "tiny": 200,
    "multiscale": 200,
    "middle": 25,
    "replay": 200,
    "unsure": 200,
    "corner": 3,
    "max": 3,
}
WORTH_ASKING = 0.1  # share of new, and of allowed, candidates below which no more are requested
MOST_HELD = 96_000_000  # characters of a pool; a larger pool gets no more large inputs
MOST_CHECKED = 200  # inputs that one process of a validator checks
KNOWS_WORST = re.compile(r"""['"]worst['"]""")
PATIENCE = 3  # failures in a row before the generator is given up
INSTEAD_OF_WORST = 1_000_000  # added to the seed of a large input that replaces a worst-case one


class GeneratedTests(NamedTuple):
    """The generated tests, and by test id the reason why each other one is missing."""

    tests: tuple[TestCase, ...]
    dropped: dict[str, str]


def requests(count: int, seed: int, names: Sequence[str] = ()) -> list[Request]:
    """Return `count` requests (size class or family, seed), cheap ones first.

    Every class gets at least one; when `count` is too small for that, only the last classes do.
    """
    shares = {name: FAMILY_SHARES.get(name, 0.1) for name in names} or SHARES
    counts = {size: max(1, int(share * count)) for size, share in shares.items()}
    # The first class gets the remainder of rounding down.
    counts[next(iter(counts))] += max(0, count - sum(counts.values()))
    listed = [
        Request(size, seed + index) for size, number in counts.items() for index in range(number)
    ]
    few = tuple(names) or FEW
    return (
        listed[:count] if count >= len(shares) else [Request(size, seed) for size in few[-count:]]
    )


def generate(
    sandbox: Sandbox, problem: Problem, count: int, seed: int, cores: Cores | None = None
) -> GeneratedTests:
    """Run the generator of `problem` `count` times; give up after three failures in a row.

    A generator whose source does not mention ``worst`` gets ``large`` instead, with another seed.

    Raises:
        SourceError: The problem has no generator, or it does not compile.
        SandboxError: The sandbox failed.
    """
    tests: list[TestCase] = []
    dropped: dict[str, str] = {}
    seen: dict[str, str] = {}
    failures = 0
    names = families(problem.generator)
    planned = requests(count, seed, names)
    if not names and not KNOWS_WORST.search(problem.generator or ""):
        planned = [
            Request("large", number + INSTEAD_OF_WORST)
            if size == "worst"
            else Request(size, number)
            for size, number in planned
        ]
    # Repeated failures close it at once: each may take the whole time limit.
    with closing(run_generator(sandbox, problem.generator, planned, cores)) as answers:
        for (size, number), (text, reason) in zip(planned, answers, strict=False):
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
    return GeneratedTests(tuple(tests), dropped)


def generate_pool(
    sandbox: Sandbox,
    code: str,
    validator: str | None,
    count: int,
    seed: int,
    known: Collection[str] = (),
    cores: Cores | None = None,
) -> GeneratedTests:
    """Return about `count` different candidates of a generator that a validator allows.

    The generator has families. No candidate is among `known`. Further seeds replace duplicate and
    refused candidates while the share of good ones is at least WORTH_ASKING. Large inputs come
    last, up to MOST_HELD characters in total. Within a family, the inputs that were drawn most
    often come first: a generator repeats the ends of ranges, and the constants of the statement.
    `dropped` counts the candidates of a family that each reason cost.

    Raises:
        SourceError: The generator or the validator does not compile.
        SandboxError: The sandbox failed.
    """
    tests: list[TestCase] = []
    dropped: dict[str, str] = {}
    draws, held = Counter(list(known)), 0
    rounds = 4  # rounds of requests, each for the candidates still missing
    check_every = 200  # candidates between checks that enough of them are new
    targets = pool_counts(count, families(code))
    for family, target in targets.items():
        allowed, number, reasons = 0, seed, Counter[str]()
        for _ in range(rounds):
            # Enough to reach the target if the share of allowed candidates stays the same.
            share = max(0.25, allowed / (number - seed)) if number > seed else 1
            asked = [
                Request(family, number + index)
                for index in range(math.ceil((target - allowed) / share))
            ]
            number += len(asked)
            fresh: list[TestCase] = []
            # Closed at once when there are enough, or after repeated failures.
            with closing(
                run_generator(sandbox, code, asked, cores, TOGETHER.get(family, 1))
            ) as answers:
                for place, (request, candidate) in enumerate(
                    _stop_after_failures(answers, asked, reasons), 1
                ):
                    if place % check_every == 0 and len(fresh) < WORTH_ASKING * place:
                        break
                    if candidate.text is None:
                        continue
                    draws[candidate.text] += 1
                    if draws[candidate.text] > 1:
                        continue
                    held += len(candidate.text)
                    fresh.append(
                        TestCase(
                            f"{family}-{request.seed}", candidate.text, None, "generated", *request
                        )
                    )
                    if held > MOST_HELD:
                        break
            verdicts = (
                refusals(sandbox, validator, [test.stdin for test in fresh], cores)
                if validator
                else []
            )
            reasons.update(reason for reason in verdicts if reason)
            good = (
                [test for test, reason in zip(fresh, verdicts, strict=True) if not reason]
                if validator
                else fresh
            )
            good = good[: target - allowed]
            tests += good
            allowed += len(good)
            if allowed >= target or len(good) < WORTH_ASKING * len(asked) or held > MOST_HELD:
                break
        for place, (reason, times) in enumerate(reasons.most_common(3)):
            dropped[f"{family}-{place}"] = f"{times} of {number - seed} candidates: {reason}"
    places = {family: place for place, family in enumerate(targets)}
    tests.sort(key=lambda test: (places[test.size or ""], -draws[test.stdin]))
    return GeneratedTests(tuple(tests), dropped)


def large_sizes(code: str | None) -> list[str]:
    """Return the large sizes of a generator: families or classes, and ``name=largest``."""
    if not code:
        return []
    known = families(code) or (SIZES if KNOWS_WORST.search(code) else FEW)
    return [name for name in known if name in LARGE] + [
        f"{name}={most}" for name, most in sizes(code).items() if name
    ]


def more_inputs(
    sandbox: Sandbox,
    code: str | None,
    validator: str | None,
    asked: Sequence[Request],
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return inputs by a generator, one for each request that it can make and `validator` allows.

    Raises:
        SourceError: The generator is missing, or it or the validator does not compile.
        SandboxError: The sandbox failed.
    """
    with closing(run_generator(sandbox, code, asked, cores)) as answers:
        tests = [
            TestCase(f"{size}-{seed}", answer.text, kind="generated", size=size, seed=seed)
            for (size, seed), answer in zip(asked, answers, strict=False)
            if answer.text is not None
        ]
    reasons = (
        refusals(sandbox, validator, [test.stdin for test in tests], cores)
        if validator and tests
        else [None] * len(tests)
    )
    return [test for test, reason in zip(tests, reasons, strict=True) if reason is None]


def pool_counts(count: int, names: Sequence[str]) -> dict[str, int]:
    """Return how many candidates of each family a pool of `count` has."""
    fixed = {"corner": min(CORNERS, count // 8 + 1), "max": min(LARGEST, count // 6 + 1)}
    small = {name: FAMILY_SHARES.get(name, 0.1) for name in names if name not in fixed}
    left = max(0, count - sum(number for name, number in fixed.items() if name in names))
    return {
        name: fixed.get(name) or max(1, round(left * small[name] / sum(small.values())))
        for name in sorted(names, key=lambda name: name in fixed)
    }


def _stop_after_failures(
    answers: Iterator[GeneratedInput], asked: Sequence[Request], reasons: Counter[str]
) -> Iterator[tuple[Request, GeneratedInput]]:
    """Yield requests with their answers, until PATIENCE in a row failed."""
    failures = 0
    for request, answer in zip(asked, answers, strict=False):
        failures = failures + 1 if answer.text is None else 0
        if answer.text is None:
            reasons[answer.reason] += 1
        yield request, answer
        if failures == PATIENCE:
            return


def refusals(
    sandbox: Sandbox, validator: str, inputs: Sequence[str], cores: Cores | None = None
) -> list[str | None]:
    """Return for each input why `validator` refuses it, or None.

    One process checks many inputs. A validator that crashes, or does not reply, refuses the input
    that it was checking; another process checks the rest.

    Raises:
        SourceError: The validator does not compile.
        SandboxError: The sandbox failed.
    """
    compiled = host_program(sandbox, "validator.py.txt", validator)
    reasons: list[str | None] = []
    deaths = 0
    with sandbox.session(compiled, LIMITS, cores) as session:
        while len(reasons) < len(inputs):
            asked = _first_batch(inputs[len(reasons) :])
            (run,) = list(
                session.run([b"".join(json.dumps(text).encode() + b"\n" for text in asked)])
            )
            replies = list(_replies(run))[: len(asked)]
            reasons += replies
            if len(replies) < len(asked):
                deaths += 1
                reason = (
                    f"the validator ran into its {run.limit} limit"
                    if run.limit
                    else "the validator crashed"
                )
                # After DEATHS crashes, all remaining inputs are refused.
                reasons += [reason] * (1 if deaths < DEATHS else len(inputs) - len(reasons))
    return reasons


def _first_batch(inputs: Sequence[str]) -> Sequence[str]:
    """Return the first inputs, as many as one process checks."""
    characters = 0
    checked_characters = 4_000_000
    for place, text in enumerate(inputs[:MOST_CHECKED]):
        characters += len(text)
        if characters > checked_characters:
            return inputs[: max(1, place)]
    return inputs[:MOST_CHECKED]


def _replies(run: Run) -> Iterator[str | None]:
    for line in run.stdout.split(b"\n")[:-1]:
        try:
            # The reply of validator.py.txt: ``[allowed, reason]``.
            allowed, reason = json.loads(line)
        except (ValueError, TypeError):
            return
        yield None if allowed is True else f"{REFUSED}: {reason}".rstrip(": ")
