"""Generators: untrusted Python programs that make test inputs in the sandbox.

A generator defines ``generate(seed, size)`` and is deterministic, so that a release can contain the
generator, the seed and the SHA-256 of a large input instead of the input. `materialise` makes such
inputs again and checks their SHA-256.

A size is one of a few size classes (``small``, ``large``), or a family if the generator lists
families at its top level (``FAMILIES = ("tiny", …)``): such a generator makes thousands of small
inputs, many in one process. A generator that lists ``SIZES = {"": 200000, "n": 200000}`` also
takes a number, for all sizes (``"1000"``) or for one name (``"n=1000"``).
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
OPTIONAL = ("size", "seed", "role", "adds")  # fields of a test, in the order of its record
# sizes that may be as large as the statement allows
LARGE = frozenset({"large", "worst", "max"})
DEATHS = 3  # failed processes after which a generator of many inputs is stopped
FIX = "download the release again, or ask who published it for one with --large-inputs embed"


class Request(NamedTuple):
    """The arguments of a generator."""

    size: str
    seed: int


class GeneratedInput(NamedTuple):
    """The text of an input, or None and the reason for the failure."""

    text: str | None
    reason: str = ""


def families(code: str | None) -> tuple[str, ...]:
    """Return the families that a generator lists; empty if it takes size classes."""
    literal = top_level_literal(code, "FAMILIES")
    valid = isinstance(literal, (tuple, list)) and all(isinstance(name, str) for name in literal)
    return tuple(literal) if valid else ()


def sizes(code: str | None) -> dict[str, int]:
    """Return the numeric sizes that a generator lists, with their maxima; "" stands for all."""
    literal = top_level_literal(code, "SIZES")
    valid = isinstance(literal, dict) and all(
        isinstance(k, str) and type(v) is int and v > 0 for k, v in literal.items()
    )
    return dict(literal) if valid else {}


def run_generator(
    sandbox: Sandbox,
    code: str | None,
    requests: Iterable[Request],
    cores: Cores | None = None,
    together: int = 1,
) -> Generator[GeneratedInput]:
    """Yield the input that the generator `code` makes for each request, in order.

    Each request has its own process, or `together` requests share one, for small inputs of
    generators without state. Then the generator is stopped after `DEATHS` failed processes.

    Raises:
        SourceError: The generator is missing, or it does not compile.
        SandboxError: The sandbox failed.
    """
    compiled = host_program(sandbox, "generator.py.txt", code)
    with fair(sandbox).session(compiled, LIMITS, cores) as session:
        if together == 1:
            questions = [json.dumps(request._asdict()).encode() + b"\n" for request in requests]
            yield from map(_read_input, session.run(questions))
            return
        waiting, deaths = list(requests), 0
        while waiting and deaths < DEATHS:
            batch = waiting[:together]
            (run,) = list(session.run([json.dumps(batch).encode() + b"\n"]))
            inputs = list(_read_inputs(run))[: len(batch)]
            yield from inputs
            if len(inputs) < len(batch):
                # The process failed on the next request; the ones after it go to another process.
                deaths += 1
                reason = _read_input(run).reason
                inputs.append(
                    GeneratedInput(
                        None, reason or "the generator made fewer inputs than it was asked for"
                    )
                )
                yield inputs[-1]
            waiting = waiting[len(inputs) :]


def _read_inputs(run: Run) -> Iterator[GeneratedInput]:
    """Yield the inputs that a process printed before it ended, one a line."""
    for line in run.stdout.split(b"\n")[:-1]:
        try:
            text, reason = json.loads(line)
        except (ValueError, TypeError):
            return
        if isinstance(text, str) and text:
            yield GeneratedInput(text)
        else:
            yield GeneratedInput(
                None,
                f"the generator crashed: {str(reason)[:200]}"
                if reason
                else "the generator gave nothing",
            )


def _read_input(run: Run) -> GeneratedInput:
    if run.limit:
        return GeneratedInput(None, f"the generator ran into its {run.limit} limit")
    if not run.clean:
        lines = run.stderr.decode("utf-8", "replace").strip().splitlines()
        message = lines[-1][:200] if lines else "no message"
        return GeneratedInput(None, f"the generator crashed: {message}")
    if not run.stdout:
        return GeneratedInput(None, "the generator gave nothing")
    try:
        return GeneratedInput(run.stdout.decode("utf-8"))
    except UnicodeDecodeError:
        return GeneratedInput(None, "the generator printed bytes that are not UTF-8")


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal digits; the text may contain lone surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def reproducible(
    sandbox: Sandbox, tests: Iterable[TestCase], generator: str | None, cores: Cores | None = None
) -> frozenset[str]:
    """Return the ids of the tests whose input `generator` reproduces exactly.

    Raises:
        SandboxError: The sandbox failed.
    """
    requests = [
        (test, Request(test.size, test.seed))
        for test in tests
        if test.size and test.seed is not None
    ]
    if not requests or not generator:
        return frozenset()
    try:
        inputs = list(
            run_generator(sandbox, generator, [request for _, request in requests], cores)
        )
    except SourceError:
        return frozenset()
    return frozenset(
        test.test_id
        for (test, _), generated in zip(requests, inputs, strict=False)
        if generated.text == test.stdin
    )


def materialise(
    tests: Sequence[Mapping[str, Any]],
    generator: str | None,
    sandbox: Sandbox | None,
    cores: Cores | None = None,
) -> list[dict[str, Any]]:
    """Return tests of one problem with every input in full.

    Args:
        tests: Entries of ``test_cases``, or rows of the config ``tests``. Those whose ``input`` is
            null have ``size``, ``seed`` and ``input_sha256``; the others are returned unchanged.
        generator: The problem's ``test_case_generator``, which is untrusted.
        sandbox: Runs the generator; may be None if no input is missing.
        cores: The cores of the generator.

    Raises:
        ReleaseError: The generator or the sandbox is missing, or the generator fails or makes
            another input.
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
    inputs = iter([_verify(test, result) for test, result in zip(missing, results, strict=True)])
    return [
        {**test, "input": next(inputs)} if test["input"] is None else dict(test) for test in tests
    ]


def read_tests(
    test_cases: str | Sequence[Mapping[str, Any]],
    generator: str | None = None,
    sandbox: Sandbox | None = None,
    cores: Cores | None = None,
) -> list[TestCase]:
    """Return the tests of a release with every input in full, like `materialise`.

    `test_cases` is the column of that name, or a list of its entries.

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


def _verify(test: Mapping[str, Any], result: GeneratedInput) -> str:
    message = f"the input of {_name(test)} cannot be made again"
    if result.text is None:
        raise ReleaseError(message, result.reason, FIX)
    if sha256(result.text) != test.get("input_sha256"):
        reason = f"the generator makes one of {len(result.text)} characters with another SHA-256"
        raise ReleaseError(message, reason, FIX)
    return result.text
