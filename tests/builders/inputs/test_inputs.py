"""Inputs of a problem: the way they are made, and checks of a model's programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.model_server import Fault, Script, completion, serving
from venus_toolkit.builders.inputs.make_inputs import (
    ENOUGH_GIVEN,
    FEW_CONFIDENCE,
    InputOptions,
    ProblemInputs,
    make_inputs,
)
from venus_toolkit.builders.inputs.model import read_code, try_evaluator, try_validator
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.builders.plan import make_plan
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import Limits, OutputComparison, Problem, TestCase
from venus_toolkit.execution.judging.checker import Answer
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.models import client as llm
from venus_toolkit.models.client import ChatGenerator, ModelOptions

ISOLATION = why_not_isolated()
STATEMENT = """## Input

The first line contains an integer n.

## Constraints

1 <= n <= 50

## Example

Input:

```
7
```

Output:

```
14
```
"""
PROBLEM = Problem(
    "twice", 1, "Twice", STATEMENT, "Easy", (), "stdin", "user", "MIT", Limits(), OutputComparison()
)
GENERATE = """import random
def generate(seed, size):
    low, high = {"small": (1, 9), "boundary": (1, 50)}.get(size, (10, 50))  # large and "worst" are random
    return f"{random.Random(f'{seed} {size}').randint(low, high)}\\n"
"""
UNSEEDED = "import os\ndef generate(seed, size):\n    return f'{os.urandom(1)[0] // 6 + 1}\\n'\n"
VALIDATE = "def validate(stdin):\n    return stdin.strip().isdigit() and 1 <= int(stdin) <= 50\n"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    if ISOLATION:
        pytest.skip(f"programs cannot be isolated: {ISOLATION}")
    with open_sandbox("local") as place:
        yield place


@pytest.fixture(autouse=True)
def no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "FIRST_WAIT_S", 0.01)


def fenced(code: str, language: str = "python") -> str:
    return f"Here it is.\n\n```{language}\n{code}```\n"


class ScriptedBuild:
    """The inputs and the conversations of a build with a scripted model."""

    def __init__(self, sandbox: Sandbox, folder: Path, script: Script, **others: Any) -> None:
        options = InputOptions(tests=10, candidates=40, ways=("own", "model", "derived"))
        with serving(script) as server:
            model_options = ModelOptions(server.base_url, "m", tries=2, timeout_s=10)
            with ChatGenerator(model_options, folder) as model:
                self.inputs: ProblemInputs = make_inputs(
                    sandbox, PROBLEM, (), options, model=model, **others
                )
            self.talks = [body["messages"] for body in server.asked]


# ------------------------------------------------------------------ ways


def test_own_generator_comes_first(sandbox: Sandbox) -> None:
    result = make_inputs(
        sandbox, replace(PROBLEM, generator=GENERATE), (), InputOptions(tests=8, candidates=40)
    )
    assert (result.way, result.confidence, result.generator_source) == ("own", 1.0, GENERATE)
    assert result.tests


def test_generator_is_derived_if_missing(sandbox: Sandbox) -> None:
    result = make_inputs(sandbox, PROBLEM, (), InputOptions(tests=12, candidates=40))
    assert (result.way, result.confidence) == ("derived", 1.0)
    assert result.generator_source
    assert "def generate(" in result.generator_source
    assert all(1 <= int(test.stdin) <= 50 for test in result.tests)
    assert {"1\n", "50\n"} <= {test.stdin for test in result.tests}


def test_given_tests_come_first(sandbox: Sandbox) -> None:
    given_tests = [
        TestCase("one", "1\n", "2\n", kind="given"),
        TestCase("two", "50\n", "100\n", kind="given"),
    ]
    result = make_inputs(sandbox, PROBLEM, given_tests, InputOptions(tests=9, candidates=40))
    assert result.tests[:2] == tuple(given_tests)
    assert len({test.stdin for test in result.tests}) == len(result.tests) > 2
    # Surplus tests stay: a later stage, which can run programs, cuts them.
    assert make_inputs(
        sandbox, PROBLEM, given_tests, InputOptions(tests=1, candidates=40)
    ).tests == tuple(given_tests)


def test_sure_generator_is_published_with_given_tests(sandbox: Sandbox) -> None:
    """It adds no tests, but its inputs distinguish mutants from their parents."""
    given_tests = [TestCase(f"g{n}", f"{n}\n", f"{2 * n}\n", kind="given") for n in range(1, 10)]
    enough = InputOptions(tests=5, candidates=40)
    result = make_inputs(sandbox, PROBLEM, given_tests, enough)
    assert (result.tests, result.way, result.confidence) == (tuple(given_tests), "given", 1.0)
    assert "def generate(" in (result.generator_source or "")
    assert "a generator is derived, confidence 1" in result.reasons
    unsure = replace(
        PROBLEM, statement=STATEMENT.replace("1 <= n <= 50", "1 <= n <= 50\n\nn is a lucky number.")
    )
    for problem, options in [
        (unsure, enough),
        (replace(PROBLEM, generator=GENERATE), enough),
        (PROBLEM, InputOptions(tests=5, candidates=40, ways=("own", "given"))),
    ]:
        assert make_inputs(sandbox, problem, given_tests, options).generator_source is None


def test_unreadable_statement_yields_no_inputs(sandbox: Sandbox) -> None:
    vague = replace(PROBLEM, statement="Read something, print something.")
    given_tests = [TestCase("one", "3\n1 2 9\n", "2\n", kind="given")]
    inputs = make_inputs(sandbox, vague, given_tests, InputOptions(tests=6, candidates=40))
    assert (inputs.tests, inputs.confidence) == ((), FEW_CONFIDENCE)
    assert inputs.reasons[-1] == "1 given tests besides the statement's samples, 6 are enough"
    assert any(reason.startswith("derived: ") for reason in inputs.reasons)
    nothing = make_inputs(sandbox, vague, (), InputOptions(tests=6, candidates=40))
    assert (nothing.tests, nothing.way, nothing.confidence) == ((), "given", 0.0)


def test_broken_own_generator_is_reported_and_skipped(sandbox: Sandbox) -> None:
    result = make_inputs(
        sandbox,
        replace(PROBLEM, generator="def generate(:"),
        (),
        InputOptions(tests=5, candidates=40),
    )
    assert result.way == "derived"
    assert any("own: " in reason and "does not compile" in reason for reason in result.reasons)


def test_validator_drops_inputs_with_a_reason(sandbox: Sandbox) -> None:
    odd = "def validate(stdin):\n    assert int(stdin) % 2, 'even'\n    return True\n"
    result = make_inputs(
        sandbox, replace(PROBLEM, validator=odd), (), InputOptions(tests=12, candidates=40)
    )
    assert all(int(test.stdin) % 2 for test in result.tests)
    assert any(
        "the validator refuses it: AssertionError: even" in reason
        for reason in result.dropped.values()
    )


def test_given_tests_against_the_statement_are_dropped(sandbox: Sandbox) -> None:
    """A correct program may fail on them; a validator that refuses many is not trusted."""
    given_tests = [TestCase(f"g{n}", f"{n}\n", kind="given") for n in (3, 50, 4, 5, 51)]
    result = make_inputs(sandbox, PROBLEM, given_tests, InputOptions(tests=6, candidates=40))
    assert [test.test_id for test in result.tests if test.kind == "given"] == [
        "g3",
        "g50",
        "g4",
        "g5",
    ]
    assert "broken: 1 <= n <= 50" in result.dropped["g51"]
    even = "def validate(stdin):\n    return int(stdin) % 2 == 0\n"
    doubted = make_inputs(
        sandbox,
        replace(PROBLEM, validator=even),
        given_tests,
        InputOptions(tests=5, candidates=40, min_confidence=0.5),
    )
    assert (doubted.tests, doubted.confidence) == (tuple(given_tests), FEW_CONFIDENCE)
    assert "the validator refuses 3 of 5 given tests, which are kept" in doubted.reasons


def test_given_test_that_crashes_the_validator_is_kept(sandbox: Sandbox) -> None:
    code = "import os\ndef validate(stdin):\n    return stdin != '19\\n' or os._exit(3)\n"
    given_tests = [TestCase(f"g{n}", f"{n}\n", kind="given") for n in range(11, 20)]
    result = make_inputs(
        sandbox, replace(PROBLEM, validator=code), given_tests, InputOptions(tests=9, candidates=40)
    )
    assert result.tests == tuple(given_tests)


DOUBT = "It is guaranteed that the numbers are those of the Duke's banquet."


@pytest.mark.parametrize("count", [0, 1, 9, 10, 11])
def test_doubted_problem_keeps_enough_given_tests(sandbox: Sandbox, count: int) -> None:
    doubted = replace(PROBLEM, statement=f"{DOUBT}\n\n{PROBLEM.statement}")
    given_tests = [TestCase(f"g{n}", f"{n}\n", kind="given") for n in range(20, count + 20)]
    result = make_inputs(sandbox, doubted, given_tests, InputOptions(candidates=40))
    assert result.way == "given"
    assert result.tests == (tuple(given_tests) if count >= ENOUGH_GIVEN else ())
    assert result.confidence == (1.0 if count >= ENOUGH_GIVEN else 0.5)
    assert f"derived: confidence 0.5: not understood: {DOUBT}" in result.reasons


def test_samples_do_not_count_as_given_tests(sandbox: Sandbox) -> None:
    doubted = replace(PROBLEM, statement=f"{DOUBT}\n\n{PROBLEM.statement}")
    names = [*(f"sample-{n}" for n in range(6)), *(f"example-{n}" for n in range(6))]
    given_tests = [TestCase(name, f"{n}\n", kind="given") for n, name in enumerate(names, 1)]
    assert make_inputs(sandbox, doubted, given_tests, InputOptions(candidates=40)).tests == ()
    (sample,) = parse_statement(PROBLEM.statement).samples
    same = [TestCase("g", f"  {sample.stdin}", kind="given")]
    result = make_inputs(sandbox, doubted, same, InputOptions(tests=1, candidates=40))
    assert (result.tests, result.confidence) == ((), 0.5)
    own = make_inputs(
        sandbox, replace(doubted, generator=GENERATE), same, InputOptions(tests=1, candidates=40)
    )
    assert (own.way, own.confidence, len(own.tests)) == ("own", 1.0, 2), (
        "they leave room for a generated test"
    )


def test_given_tests_against_own_validator_lower_confidence(sandbox: Sandbox) -> None:
    none = replace(PROBLEM, validator="def validate(stdin):\n    return False\n")
    given_tests = [TestCase(f"g{n}", f"{n}\n", kind="given") for n in range(1, 12)]
    result = make_inputs(sandbox, none, given_tests, InputOptions(tests=11, candidates=40))
    assert (result.tests, result.confidence) == ((), FEW_CONFIDENCE)
    assert "the validator refuses 11 of 11 given tests, which are kept" in result.reasons


@pytest.mark.parametrize("value", [2, -0.1, "high", True])
def test_confidence_outside_0_to_1_is_refused(value: object) -> None:
    with pytest.raises(UsageError, match="min_confidence"):
        make_plan(generation={"min_confidence": value})


@pytest.mark.parametrize("value", [0, 0.5, 1])
def test_confidence_from_0_to_1_is_accepted(value: float) -> None:
    assert make_plan(generation={"min_confidence": value}).generation.min_confidence == value


def test_unknown_ways_are_refused() -> None:
    with pytest.raises(UsageError, match="unknown ways"):
        InputOptions(ways=("own", "guess"))


# ------------------------------------------------------------------ by a model


def test_model_writes_validator_and_generator(sandbox: Sandbox, tmp_path: Path) -> None:
    first = ScriptedBuild(sandbox, tmp_path, [fenced(VALIDATE), fenced(GENERATE)])
    assert first.inputs.way == "model"
    assert (first.inputs.generator_source, first.inputs.validator_source) == (GENERATE, VALIDATE)
    assert "validate(stdin: str)" in first.talks[0][0]["content"]
    assert STATEMENT in first.talks[1][0]["content"]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("no code at all", "0 fenced code blocks"),
        (fenced(GENERATE) + fenced(GENERATE), "2 fenced code blocks"),
        (fenced("int main() {}\n", "cpp"), "the code is cpp, expected Python"),
        (fenced("def generate(:\n"), "not Python"),
        (fenced("def make(seed, size):\n    return ''\n"), "does not define generate()"),
        (fenced("def generate(seed, size):\n    return 1 / 0\n"), "division by zero"),
        (fenced(UNSEEDED), "different inputs"),
        (fenced("def generate(seed, size):\n    return '7\\n'\n"), "inputs are different"),
        (fenced("def generate(seed, size):\n    return f'{seed + 60}{size}\\n'\n"), "the validator refuses it"),
    ],
)  # fmt: skip
def test_model_is_told_the_fault(
    sandbox: Sandbox, tmp_path: Path, wrong: str, complaint: str
) -> None:
    asked = ScriptedBuild(sandbox, tmp_path, [fenced(VALIDATE), wrong, fenced(GENERATE)])
    assert asked.inputs.way == "model"
    repair = asked.talks[2]
    assert [message["role"] for message in repair] == ["user", "assistant", "user"]
    assert complaint in repair[2]["content"]


def test_repair_is_bounded(sandbox: Sandbox, tmp_path: Path) -> None:
    asked = ScriptedBuild(sandbox, tmp_path, [fenced(VALIDATE), "no code"])
    assert len(asked.talks) == 1 + InputOptions().rounds
    assert asked.inputs.way == "derived"
    assert any("no usable generator after 3 answers" in reason for reason in asked.inputs.reasons)


@pytest.mark.parametrize(
    "fault",
    [Fault(500), Fault(429, "{}"), Fault(404, "{}"), Fault(200, "<html>"), Fault(200, '{"cho'), Fault(drop=True),
     Fault(200, completion("def gen", "length"))],
)  # fmt: skip
def test_failing_server_is_skipped(sandbox: Sandbox, tmp_path: Path, fault: Fault) -> None:
    asked = ScriptedBuild(sandbox, tmp_path, [fault])
    assert asked.inputs.way == "derived"
    assert asked.inputs.tests
    assert any(reason.startswith("model: ") for reason in asked.inputs.reasons)


def test_right_solutions_must_accept_the_inputs(sandbox: Sandbox, tmp_path: Path) -> None:
    verdicts = iter([{"small-0": "runtime_error: IndexError"}, {}])
    script = [fenced(VALIDATE), fenced(GENERATE), fenced(GENERATE + "# mended\n")]
    asked = ScriptedBuild(sandbox, tmp_path, script, accepts=lambda tests: next(verdicts))
    assert asked.inputs.way == "model"
    assert "small-0: runtime_error" in asked.talks[2][2]["content"]


# ------------------------------------------------------------------ checks of a model's programs


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("def validate(stdin):\n    return True\n", "allows a text that is not an input"),
        ("def validate(stdin):\n    return False\n", "though it is right"),
        ("def validate(:\n", "does not compile"),
    ],
)
def test_wrong_validator_is_refused(sandbox: Sandbox, code: str, word: str) -> None:
    assert word in try_validator(sandbox, code, ["7\n"])
    assert try_validator(sandbox, VALIDATE, ["7\n"]) == ""


@pytest.mark.parametrize(
    ("code", "word"),
    [
        (
            "def evaluate(expected, actual):\n    return True\n",
            "accepts an empty or malformed answer",
        ),
        ("def evaluate(expected, actual):\n    return False\n", "refuses a right answer"),
        ("def evaluate(:\n", "does not compile"),
        (
            "def evaluate(expected, actual, stdin):\n    return sorted(actual.split()) == "
            "stdin.split()\n",
            "",
        ),
    ],
)
def test_wrong_evaluator_is_refused(sandbox: Sandbox, code: str, word: str) -> None:
    complaint = try_evaluator(sandbox, code, [Answer("2 1\n", "2 1\n", "1 2\n")])
    assert word in complaint
    assert bool(word) == bool(complaint)
    assert "2 1" not in complaint, (
        "an expected output would be in the prompt that asks for a repair"
    )


def test_fence_without_a_language_is_read() -> None:
    assert read_code(fenced(GENERATE, ""), "generate") == (GENERATE, "")


@pytest.mark.parametrize("code", ["[" * 300, "x " * 20_000, "-" * 20_000 + "1", "\0"])
def test_code_that_exhausts_the_parser_is_refused(code: str) -> None:
    """Python's parser raises a MemoryError for some of these."""
    assert "the code is not Python" in read_code(fenced(f"{code}\n"), "generate")[1]


def test_truncated_answer_has_no_code() -> None:
    assert "cut off" in read_code(f"```python\n{GENERATE}", "generate")[1]
