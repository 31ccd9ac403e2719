"""Generators and validators are Python programs of others: run in the sandbox, here.

A generator is ``generate(seed, size)`` and replayable; a validator is ``validate(stdin)``, true for
an allowed input. A generator with families makes a pool of thousands of candidates, of which tests
are chosen later; one without makes as many tests as are wanted.
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
    Made,
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
# Of the inputs that a generator with families makes; corners and the largest are so many in every
# pool.
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
# Inputs that one process makes: what they take together stays well inside its limits.
TOGETHER = {
    "tiny": 200,
    "multiscale": 200,
    "middle": 25,
    "replay": 200,
    "unsure": 200,
    "corner": 3,
    "max": 3,
}
WORTH_ASKING = 0.1  # of the candidates have to be new, or to be kept, for more to be asked for
MOST_HELD = 96_000_000  # characters of a pool: beyond it no more large inputs are made
MOST_CHECKED = 200  # inputs, or so many characters of them, in one process of a validator
KNOWS_WORST = re.compile(r"""['"]worst['"]""")
PATIENCE = 3
INSTEAD_OF_WORST = 1_000_000  # added to the seed of a large input that stands for a worst one


class Generated(NamedTuple):
    """The inputs that were made, and for each that was not its reason by test id."""

    tests: tuple[TestCase, ...]
    dropped: dict[str, str]


def requests(count: int, seed: int, names: Sequence[str] = ()) -> list[Request]:
    """Return `count` requests (size class or family, seed), cheap ones first.

    Every class has one as soon as there is room; the last classes go first where there is not.
    """
    shares = {name: FAMILY_SHARES.get(name, 0.1) for name in names} or SHARES
    counts = {size: max(1, int(share * count)) for size, share in shares.items()}
    # What rounding down left over.
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
) -> Generated:
    """Run the generator of `problem` `count` times; gives up after three failures in a row.

    A generator whose text does not speak of ``worst`` is asked for ``large`` instead, with another
    seed.

    Raises:
        SourceError: There is no generator, or it does not compile.
        SandboxError: The sandbox failed.
    """
    tests: list[TestCase] = []
    dropped: dict[str, str] = {}
    seen: dict[str, str] = {}
    failures = 0
    names = families(problem.generator)
    wanted = requests(count, seed, names)
    if not names and not KNOWS_WORST.search(problem.generator or ""):
        wanted = [
            Request("large", number + INSTEAD_OF_WORST)
            if size == "worst"
            else Request(size, number)
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


def generate_pool(
    sandbox: Sandbox,
    code: str,
    validator: str | None,
    count: int,
    seed: int,
    known: Collection[str] = (),
    cores: Cores | None = None,
) -> Generated:
    """Return about `count` different candidates that a generator with families makes and a validator allows.

    None is among `known`. Duplicates and refused ones are replaced by those of further seeds as
    long as that is worth it. Large inputs come last, up to MOST_HELD characters in all. `dropped`
    says by family, not for each candidate, how many a reason has cost.

    Raises:
        SourceError: The generator or the validator does not compile.
        SandboxError: The sandbox failed.
    """
    tests: list[TestCase] = []
    dropped: dict[str, str] = {}
    seen, held = set(known), 0
    rounds = 4  # of asking for what is missing: duplicates and refused candidates are replaced
    judged = 200  # candidates of which so many have to be new
    for family, wanted in pool_counts(count, families(code)).items():
        kept, number, reasons = 0, seed, Counter[str]()
        for _ in range(rounds):
            # As many more as the share that was kept so far lets expect to be needed.
            share = max(0.25, kept / (number - seed)) if number > seed else 1
            asked = [
                Request(family, number + index)
                for index in range(math.ceil((wanted - kept) / share))
            ]
            number += len(asked)
            fresh: list[TestCase] = []
            # Closed at once where it is enough, or fails again and again.
            with closing(
                run_generator(sandbox, code, asked, cores, TOGETHER.get(family, 1))
            ) as answers:
                for place, (request, made) in enumerate(_until(answers, asked, reasons), 1):
                    if place % judged == 0 and len(fresh) < WORTH_ASKING * place:
                        break
                    if made.text is None or made.text in seen:
                        continue
                    seen.add(made.text)
                    held += len(made.text)
                    fresh.append(
                        TestCase(f"{family}-{request.seed}", made.text, None, "generated", *request)
                    )
                    if held > MOST_HELD:
                        break
            said = (
                refusals(sandbox, validator, [test.stdin for test in fresh], cores)
                if validator
                else []
            )
            reasons.update(why for why in said if why)
            good = (
                [test for test, why in zip(fresh, said, strict=True) if not why]
                if validator
                else fresh
            )
            good = good[: wanted - kept]
            tests += good
            kept += len(good)
            if kept >= wanted or len(good) < WORTH_ASKING * len(asked) or held > MOST_HELD:
                break
        for place, (why, times) in enumerate(reasons.most_common(3)):
            dropped[f"{family}-{place}"] = f"{times} of {number - seed} candidates: {why}"
    return Generated(tuple(tests), dropped)


def large_sizes(code: str | None) -> list[str]:
    """Return the sizes of large inputs that a generator takes.

    Families or size classes, and names at their largest.
    """
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
        SourceError: There is no generator, or it or the validator does not compile.
        SandboxError: The sandbox failed.
    """
    with closing(run_generator(sandbox, code, asked, cores)) as answers:
        made = [
            TestCase(f"{size}-{seed}", each.text, kind="generated", size=size, seed=seed)
            for (size, seed), each in zip(asked, answers, strict=False)
            if each.text is not None
        ]
    said = (
        refusals(sandbox, validator, [test.stdin for test in made], cores)
        if validator and made
        else [None] * len(made)
    )
    return [test for test, why in zip(made, said, strict=True) if why is None]


def pool_counts(count: int, names: Sequence[str]) -> dict[str, int]:
    """Return how many candidates of each family a pool of `count` has."""
    fixed = {"corner": min(CORNERS, count // 8 + 1), "max": min(LARGEST, count // 6 + 1)}
    small = {name: FAMILY_SHARES.get(name, 0.1) for name in names if name not in fixed}
    left = max(0, count - sum(number for name, number in fixed.items() if name in names))
    return {
        name: fixed.get(name) or max(1, round(left * small[name] / sum(small.values())))
        for name in sorted(names, key=lambda name: name in fixed)
    }


def _until(
    answers: Iterator[Made], asked: Sequence[Request], reasons: Counter[str]
) -> Iterator[tuple[Request, Made]]:
    """Yield requests with what came of them, until it failed PATIENCE times in a row."""
    failures = 0
    for request, made in zip(asked, answers, strict=False):
        failures = failures + 1 if made.text is None else 0
        if made.text is None:
            reasons[made.reason] += 1
        yield request, made
        if failures == PATIENCE:
            return


def refusals(
    sandbox: Sandbox, validator: str, inputs: Sequence[str], cores: Cores | None = None
) -> list[str | None]:
    """Return for each input why `validator` refuses it, or None.

    Many inputs are asked about in one process. A validator that crashes as a whole, or says
    nothing, refuses the input it was asked about; the next ones are asked about again.

    Raises:
        SourceError: The validator does not compile.
        SandboxError: The sandbox failed.
    """
    compiled = host_program(sandbox, "validator.py.txt", validator)
    found: list[str | None] = []
    deaths = 0
    with sandbox.session(compiled, LIMITS, cores) as session:
        while len(found) < len(inputs):
            asked = _portion(inputs[len(found) :])
            (run,) = list(
                session.run([b"".join(json.dumps(text).encode() + b"\n" for text in asked)])
            )
            said = list(_replies(run))[: len(asked)]
            found += said
            if len(said) < len(asked):
                deaths += 1
                why = (
                    f"the validator ran into its {run.limit} limit"
                    if run.limit
                    else "the validator crashed"
                )
                # One that dies again and again has nothing more to say.
                found += [why] * (1 if deaths < DEATHS else len(inputs) - len(found))
    return found


def _portion(inputs: Sequence[str]) -> Sequence[str]:
    """Return the first inputs, as many as one process is asked about."""
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
            # The reply of validator.py.txt: ``[allowed, why]``.
            allowed, why = json.loads(line)
        except (ValueError, TypeError):
            return
        yield None if allowed is True else f"{REFUSED}: {why}".rstrip(": ")
