"""Generators: Python programs of others that make test inputs, run in the sandbox, here.

A generator is ``generate(seed, size)`` and replayable, so that a release may hold a large input as
generator, seed and SHA-256 instead of in full. `materialise` makes such inputs again and believes
nothing but their SHA-256.

A size is one of a few size classes (``small``, ``large``), or a family where the generator lists
those at its top level (``FAMILIES = ("tiny", …)``): such a generator makes thousands of small
inputs, many in one process. One that lists ``SIZES = {"": 200000, "n": 200000}`` also takes a
number (``"1000"``, ``"n=1000"``): how large everything, or one name, is to be.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.core.errors import ReleaseError, SourceError
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Run, TestCase
from venus_toolkit.execution.judging.host_programs import host_program, top_level_literal
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores

LIMITS = Limits(
    wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S, memory_bytes=1024 * MIB, output_bytes=64 * MIB
)
OPTIONAL = ("size", "seed", "role", "adds")  # of a test, in the order of its record
# sizes of which an input may be as large as the statement allows
LARGE = frozenset({"large", "worst", "max"})
DEATHS = 3  # of processes that make many inputs, until no more are asked for
FIX = "download the release again, or ask who published it for one with --large-inputs embed"


class Request(NamedTuple):
    """What a generator is asked for."""

    size: str
    seed: int


class Made(NamedTuple):
    """An input, or None with the reason why there is none."""

    text: str | None
    reason: str = ""


def families(code: str | None) -> tuple[str, ...]:
    """Return the families that a generator says it takes; none where it takes size classes."""
    literal = top_level_literal(code, "FAMILIES")
    named = isinstance(literal, (tuple, list)) and all(isinstance(name, str) for name in literal)
    return tuple(literal) if named else ()


def sizes(code: str | None) -> dict[str, int]:
    """Return the sizes that a generator says it takes as numbers, each with the largest.

    "" is all of them at once.
    """
    literal = top_level_literal(code, "SIZES")
    named = isinstance(literal, dict) and all(
        isinstance(k, str) and type(v) is int and v > 0 for k, v in literal.items()
    )
    return dict(literal) if named else {}


def run_generator(
    sandbox: Sandbox,
    code: str | None,
    requests: Iterable[Request],
    cores: Cores | None = None,
    together: int = 1,
) -> Generator[Made]:
    """Yield what the generator `code` makes of each request, in order.

    Every request has a process of its own, or so many `together` share one: for small inputs of
    generators that are known to remember nothing. After DEATHS processes that did not end well
    these yield no more.

    Raises:
        SourceError: There is no generator, or it does not compile.
        SandboxError: The sandbox failed.
    """
    compiled = host_program(sandbox, "generator.py.txt", code)
    with fair(sandbox).session(compiled, LIMITS, cores) as session:
        if together == 1:
            questions = [json.dumps(request._asdict()).encode() + b"\n" for request in requests]
            yield from map(_made, session.run(questions))
            return
        waiting, deaths = list(requests), 0
        while waiting and deaths < DEATHS:
            asked = waiting[:together]
            (run,) = list(session.run([json.dumps(asked).encode() + b"\n"]))
            answers = list(_answers(run))[: len(asked)]
            yield from answers
            if len(answers) < len(asked):
                # The request that it died of; those after it are asked again.
                deaths += 1
                answers.append(
                    Made(
                        None,
                        _made(run).reason
                        or "the generator made fewer inputs than it was asked for",
                    )
                )
                yield answers[-1]
            waiting = waiting[len(answers) :]


def _answers(run: Run) -> Iterator[Made]:
    """Yield the inputs that a process made before it ended."""
    for line in run.stdout.split(b"\n")[:-1]:
        try:
            text, reason = json.loads(line)
        except (ValueError, TypeError):
            return
        if isinstance(text, str) and text:
            yield Made(text)
        else:
            yield Made(
                None,
                f"the generator crashed: {str(reason)[:200]}"
                if reason
                else "the generator gave nothing",
            )


def _made(run: Run) -> Made:
    if run.limit:
        return Made(None, f"the generator ran into its {run.limit} limit")
    if not run.clean:
        last = run.stderr.decode("utf-8", "replace").strip().splitlines()
        return Made(None, f"the generator crashed: {last[-1][:200] if last else 'no message'}")
    if not run.stdout:
        return Made(None, "the generator gave nothing")
    try:
        return Made(run.stdout.decode("utf-8"))
    except UnicodeDecodeError:
        return Made(None, "the generator printed bytes that are not UTF-8")


def sha256(text: str) -> str:
    """Return the SHA-256 of a text, which may hold half a character, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def reproducible(
    sandbox: Sandbox, tests: Iterable[TestCase], generator: str | None, cores: Cores | None = None
) -> frozenset[str]:
    """Return the ids of the tests whose input `generator` makes again to the byte.

    Raises:
        SandboxError: The sandbox failed.
    """
    asked = [
        (test, Request(test.size, test.seed))
        for test in tests
        if test.size and test.seed is not None
    ]
    if not asked or not generator:
        return frozenset()
    try:
        texts = list(run_generator(sandbox, generator, [request for _, request in asked], cores))
    except SourceError:
        return frozenset()
    return frozenset(
        test.test_id
        for (test, _), again in zip(asked, texts, strict=False)
        if again.text == test.stdin
    )


def materialise(
    tests: Sequence[Mapping[str, Any]],
    generator: str | None,
    sandbox: Sandbox | None,
    cores: Cores | None = None,
) -> list[dict[str, Any]]:
    """Return tests of one problem with every input in full.

    Args:
        tests: Entries of ``test_cases``, or rows of the config ``tests``: those whose ``input`` is
            null have ``size``, ``seed`` and ``input_sha256``. The others are returned as they are.
        generator: The problem's ``test_case_generator``. Nobody has checked what it does: it runs
            in the sandbox.
        sandbox: Where; None will do as long as no input is missing.
        cores: Where to run.

    Raises:
        ReleaseError: There is no generator or no sandbox, it fails, or it makes something else.
        SandboxError: The sandbox failed.
    """
    missing = [test for test in tests if test["input"] is None]
    if not missing:
        return [dict(test) for test in tests]
    first = _name(missing[0])
    if not generator:
        raise ReleaseError(
            f"the input of {first} cannot be made again", "the problem has no generator", FIX
        )
    if sandbox is None:
        fix = "run venus doctor to see what a sandbox needs"
        raise ReleaseError(
            f"the input of {first} cannot be made", "its generator runs in a sandbox only", fix
        )
    try:
        results = list(run_generator(sandbox, generator, map(_request, missing), cores))
    except SourceError as error:
        raise ReleaseError(
            f"the input of {first} cannot be made again", f"{error.what}: {error.why}", FIX
        ) from error
    again = iter([_verified(test, result) for test, result in zip(missing, results, strict=True)])
    return [
        {**test, "input": next(again)} if test["input"] is None else dict(test) for test in tests
    ]


def read_tests(
    test_cases: str | Sequence[Mapping[str, Any]],
    generator: str | None = None,
    sandbox: Sandbox | None = None,
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return the tests of a release, every input in full; otherwise as `materialise`.

    `test_cases` is the column of that name, or a list of such cases.

    Raises:
        ReleaseError: An input cannot be made again.
        SandboxError: The sandbox failed.
    """
    listed = json.loads(test_cases) if isinstance(test_cases, str) else test_cases
    rows = materialise(listed, generator, sandbox, cores)
    return [
        TestCase(
            r["id"],
            r["input"],
            r["output"],
            r.get("kind", "given"),
            *(r.get(name) for name in OPTIONAL),
        )
        for r in rows
    ]


def _name(test: Mapping[str, Any]) -> str:
    test_id = test.get("test_id") or test.get("id") or "a test"
    return f"{test['title']}/{test_id}" if test.get("title") else f"test {test_id}"


def _request(test: Mapping[str, Any]) -> Request:
    size, seed = test.get("size"), test.get("seed")
    if not isinstance(size, str) or not isinstance(seed, int):
        reason = "it has neither an input nor the size and seed to make it from"
        raise ReleaseError(f"the input of {_name(test)} cannot be made", reason, FIX)
    return Request(size, seed)


def _verified(test: Mapping[str, Any], result: Made) -> str:
    problem = f"the input of {_name(test)} cannot be made again"
    if result.text is None:
        raise ReleaseError(problem, result.reason, FIX)
    if sha256(result.text) != test.get("input_sha256"):
        reason = f"the generator makes one of {len(result.text)} characters with another SHA-256"
        raise ReleaseError(problem, reason, FIX)
    return result.text
