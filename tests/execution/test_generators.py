"""Missing inputs are generated again in the sandbox and checked against their SHA-256."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from venus_toolkit.core.errors import ReleaseError
from venus_toolkit.core.records import TestCase
from venus_toolkit.execution.judging.generators import (
    Request,
    materialise,
    read_tests,
    reproducible,
    run_generator,
    sha256,
)
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

REASON = why_not_isolated()
LARGE = "def generate(seed, size):\n    return f'{size} {seed}\\n' * 10_000\n"
COUNTING = "import time\ndef generate(seed, size):\n    return f'{time.time_ns()}\\n'\n"
SPYING = "import os\ndef generate(seed, size):\n    return f'{os.listdir(\"/\")}{os.getpid()}\\n'\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if REASON:
        pytest.skip(f"programs cannot be isolated: {REASON}")
    with open_sandbox("local") as place:
        yield place


def text(size: str, seed: int) -> str:
    """Return the output of LARGE."""
    return f"{size} {seed}\n" * 10_000


def left_out(size: str = "large", seed: int | None = 3, **changes: Any) -> dict[str, Any]:
    """Return an entry of `test_cases` without its input."""
    digest = sha256(text(size, seed or 0))
    row = {
        "input": None,
        "output": "1\n",
        "id": f"{size}-{seed}",
        "kind": "generated",
        "size": size,
        "seed": seed,
    }
    return {**row, "input_sha256": digest, **changes}


def embedded() -> dict[str, Any]:
    return {
        "input": "5\n",
        "output": "6\n",
        "id": "given-0",
        "kind": "given",
        "size": None,
        "seed": None,
    }


# ------------------------------------------------------------------ generating


@pytest.mark.isolation
def test_missing_inputs_are_generated(sandbox: Sandbox) -> None:
    tests = [left_out(), embedded(), left_out("worst", 4)]
    rows = materialise(tests, LARGE, sandbox)
    assert [test["input"] for test in rows] == [text("large", 3), "5\n", text("worst", 4)]
    assert [test["output"] for test in rows] == ["1\n", "6\n", "1\n"]
    assert tests[0]["input"] is None, "the arguments are unchanged"


@pytest.mark.isolation
def test_a_column_of_tests_becomes_tests(sandbox: Sandbox) -> None:
    tests = read_tests(json.dumps([left_out(), embedded()]), LARGE, sandbox)
    assert tests == [
        TestCase("large-3", text("large", 3), "1\n", "generated", "large", 3),
        TestCase("given-0", "5\n", "6\n", "given"),
    ]


def test_complete_tests_run_no_generator() -> None:
    assert materialise([embedded()], None, None) == [embedded()]
    ancestors = json.dumps([{"input": "5\n", "output": "6\n", "id": "a"}])
    assert read_tests(ancestors) == [TestCase("a", "5\n", "6\n", "given")]


@pytest.mark.isolation
@pytest.mark.parametrize(
    ("row", "generator", "reason"),
    [
        (left_out(), None, "the problem has no generator"),
        (left_out(), "", "the problem has no generator"),
        (left_out(), "def generate(:\n", "the generator does not compile"),
        (
            left_out(),
            "def generate(seed, size):\n    return 1 / 0\n",
            "the generator crashed: ZeroDivisionError",
        ),
        (left_out(), "def generate(seed, size):\n    return ''\n", "the generator gave nothing"),
        (
            left_out(),
            "def generate(seed, size):\n    return '\\udcff'\n",
            "the generator crashed: UnicodeEncodeError",
        ),
        (
            left_out(),
            LARGE.replace("10_000", "9_999"),
            "the generator makes one of 79992 characters with another",
        ),
        (left_out(), SPYING, "with another SHA-256"),
        (left_out(input_sha256=None), LARGE, "with another SHA-256"),
        (left_out(seed=None), LARGE, "it has neither an input nor the size and seed"),
        (
            left_out(size="large", seed="3; import os"),
            LARGE,
            "it has neither an input nor the size and seed",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_failed_inputs_have_a_reason(
    sandbox: Sandbox, row: dict[str, Any], generator: str | None, reason: str
) -> None:
    with pytest.raises(ReleaseError) as caught:
        materialise([embedded(), row], generator, sandbox)
    assert reason in caught.value.why
    assert row["id"] in caught.value.what
    assert caught.value.fix


def test_without_a_sandbox_no_generator_runs() -> None:
    with pytest.raises(ReleaseError, match="its generator runs in a sandbox only"):
        materialise([left_out()], "raise SystemExit", None)


def test_rows_are_named_by_their_problem() -> None:
    row = {**left_out(), "title": "twice", "test_id": "large-3"}
    with pytest.raises(ReleaseError, match="the input of twice/large-3 cannot be made again"):
        materialise([row], None, None)


# ------------------------------------------------------------------ reproducible inputs


@pytest.mark.isolation
def test_only_reproducible_inputs_are_left_out(sandbox: Sandbox) -> None:
    tests = [
        TestCase("same", text("large", 1), size="large", seed=1),
        TestCase("edited", text("large", 2) + "\n", size="large", seed=2),
        TestCase("no-seed", text("large", 3), size="large"),
        TestCase("given", "5\n", kind="given"),
    ]
    assert reproducible(sandbox, tests, LARGE) == {"same"}
    assert reproducible(sandbox, tests, None) == frozenset()
    assert reproducible(sandbox, tests, "def generate(:\n") == frozenset()
    assert reproducible(sandbox, [], LARGE) == frozenset()


@pytest.mark.isolation
def test_generator_that_uses_the_clock_is_detected(sandbox: Sandbox) -> None:
    (generated,) = run_generator(sandbox, COUNTING, [Request("large", 1)])
    assert generated.text
    assert (
        reproducible(sandbox, [TestCase("t", generated.text, size="large", seed=1)], COUNTING)
        == frozenset()
    )
