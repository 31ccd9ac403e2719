"""Generators, validators and evaluators written by a language model, tried in the sandbox before they are believed.

The prompts are the files in ``prompts/``. An answer that cannot be used is told to the model with
the reason, a bounded number of times; then the problem goes on without.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from venus_toolkit.builders.inputs.run_generator import generate, refusals
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.records import OutputComparison, Problem, TestCase
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.models.client import Generator, Message, Prompt
from venus_toolkit.models.markdown import blocks, plain_block

FOLDER = Path(__file__).parent / "prompts"
FUNCTIONS = {"generator": "generate", "validator": "validate", "evaluator": "evaluate"}
PYTHON = ("python", "py", "python3", "")
TRIED = 5  # one input of each size class
LONGEST_STATEMENT = 20_000  # characters

Accepts = Callable[[Sequence[TestCase]], dict[str, str]]


class Written(NamedTuple):
    """Code by a model that passed its trial, or None and why.

    Rounds: how many answers were asked for.
    """

    code: str | None
    reason: str
    rounds: int


def write_program(
    kind: str,
    model: Generator,
    problem: Problem,
    samples: Sequence[str],
    trial: Callable[[str], str],
    rounds: int = 3,
) -> Written:
    """Ask the model for a program and for its repair until its trial says nothing.

    Args:
        kind: generator, validator or evaluator.
        model: Who is asked.
        problem: What for.
        samples: Inputs known to be right, shown to the model.
        trial: Says what is wrong with some code, or "".
        rounds: How many answers at most.
    """
    talk: Prompt = (
        Message("user", template(f"{kind}.md.j2").render(**problem_of(problem, samples))),
    )
    error = "no answer was asked for"
    for number in range(1, rounds + 1):
        (answer,) = model.complete([talk])
        if answer.text is None:
            return Written(None, answer.reason, number)
        code, error = read_code(answer.text, FUNCTIONS[kind])
        error = error or trial(code)
        if not error:
            return Written(code, "", number)
        repair = template("repair.md.j2").render(error=error, function=FUNCTIONS[kind])
        talk = (*talk, Message("assistant", answer.text), Message("user", repair))
    return Written(None, f"no usable {kind} after {rounds} answers: {error}", rounds)


def read_code(answer: str, function: str) -> tuple[str, str]:
    """Return the code of an answer, and "" or why it cannot be used.

    Strictly one Python block defining `function`.
    """
    found = blocks(answer)
    if len(found) != 1:
        return "", f"it has {len(found)} fenced code blocks, expected exactly one"
    language, text, closed = found[0][:3]
    code = text + "\n"
    if not closed:
        return "", "the code block is not closed: the answer was cut off"
    if language.lower() not in PYTHON:
        return "", f"the code is {language}, expected Python"
    error = unusable(code, function)
    return "" if error else code, error


def unusable(code: str, function: str) -> str:
    """Return why a text is not Python that defines `function`, or ""."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"the code is not Python: {error}"
    if not any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body):
        return f"the code does not define {function}() at its top level"
    return ""


# ------------------------------------------------------------------ trials


def try_generator(
    sandbox: Sandbox,
    problem: Problem,
    code: str,
    validator: str | None,
    accepts: Accepts | None = None,
) -> str:
    """Return what is wrong with a generator, or "".

    A few inputs of each class are made, validated, and solved.

    accepts: Runs the canonical solutions on inputs and says, by test id, why one is not accepted.
    """
    wanting = replace(problem, generator=code)
    try:
        made = generate(sandbox, wanting, TRIED, 0)
        # A release may leave an input out and name its seed: it has to be the same whenever it is
        # made.
        again = generate(sandbox, wanting, TRIED, 0)
    except SourceError as error:
        return str(error)
    failed = [
        f"generate for {test}: {why}"
        for test, why in made.dropped.items()
        if not why.startswith("the same")
    ]
    if failed or len(made.tests) < TRIED // 2:
        return failed[0] if failed else f"only {len(made.tests)} of {TRIED} inputs are different"
    if made.tests != again.tests:
        return "the same arguments give different inputs"
    if validator:
        refused = refusals(sandbox, validator, [test.stdin for test in made.tests])
        for test, why in zip(made.tests, refused, strict=True):
            if why:
                return f"{why}\nThe input ({test.test_id}) begins: {test.stdin[:300]!r}"
    for test_id, why in (accepts(made.tests) if accepts else {}).items():
        return f"a right solution does not accept the input {test_id}: {why}"
    return ""


def try_validator(sandbox: Sandbox, code: str, samples: Sequence[str]) -> str:
    """Return what is wrong with a validator, or "".

    It allows the given inputs and refuses what is none.
    """
    try:
        # The last two are no inputs of anything: a validator that allows all would make no
        # difference.
        said = refusals(sandbox, code, [*samples, "", "\x00 no input \x00\n"])
    except SourceError as error:
        return str(error)
    for text, why in zip(samples, said, strict=False):
        if why:
            return f"{why}, though it is right: {text[:300]!r}"
    if None in said[len(samples) :]:
        return "it allows a text that is not an input"
    return ""


def try_evaluator(sandbox: Sandbox, code: str, answers: Sequence[Answer]) -> str:
    """Return what is wrong with an evaluator, or "".

    It accepts right answers as their own and refuses nonsense.
    """
    try:
        checker = Checker(OutputComparison("evaluator"), sandbox, code)
    except SourceError as error:
        return str(error)
    for answer in answers:
        # `accepts` asks the evaluator outright; `passes` would not ask about equal texts.
        if not checker.accepts(Answer(answer.expected, answer.expected, answer.stdin)):
            # The output may become that of a test, and no prompt has one.
            return (
                "it refuses a right answer, with the same text as expected and as actual, to the "
                f"input {answer.stdin[:200]!r}"
            )
        if any(
            checker.passes([Answer(answer.expected, wrong, answer.stdin)])[0]
            for wrong in ("", "no such answer\n")
        ):
            return f"it accepts an empty or malformed answer to the input {answer.stdin[:200]!r}"
    return ""


# ------------------------------------------------------------------ prompts


def problem_of(problem: Problem, samples: Sequence[str]) -> dict[str, Any]:
    """Return what a prompt says of a problem.

    Few and short inputs, the statement without the middle of a long one.
    """
    statement, half = problem.statement, LONGEST_STATEMENT // 2
    if len(statement) > LONGEST_STATEMENT:
        left_out = f"[{len(statement) - 2 * half} characters are left out]"
        statement = f"{statement[:half]}\n\n{left_out}\n\n{statement[-half:]}"
    longest_sample = 2_000
    most_samples = 3
    shown = [text for text in samples if len(text) <= longest_sample][:most_samples]
    starter = problem.starter_code.get("python", "").rstrip() if problem.style == "function" else ""
    return {
        "statement": statement,
        "function": problem.style == "function",
        "starter": starter and plain_block(starter, "python"),
        "samples": list(map(plain_block, shown)),
    }


@cache
def template(name: str) -> jinja2.Template:
    """Return a prompt in ``prompts/``."""
    return make_environment(FOLDER, keep_trailing_newline=True, trim_blocks=True).get_template(name)
