"""Has a language model write generators, validators and evaluators; tries them in the sandbox.

The prompts are the files in ``prompts/``. If an answer is unusable, the model is told why and may
answer again, a bounded number of times; then the problem continues without the program.
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
TRIED = 5  # inputs in a trial: one of each size class
LONGEST_STATEMENT = 20_000  # characters

Accepts = Callable[[Sequence[TestCase]], dict[str, str]]


class ModelProgram(NamedTuple):
    """Code by a model that passed its trial, or None and the reason.

    rounds is the number of answers that were requested.
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
) -> ModelProgram:
    """Ask the model for a program, and for repairs until its trial passes.

    Args:
        kind: generator, validator or evaluator.
        model: The model to ask.
        problem: The problem that the program is for.
        samples: Inputs that are known to be allowed, shown to the model.
        trial: Returns the fault of some code, or "".
        rounds: Maximum number of answers.
    """
    talk: Prompt = (
        Message("user", template(f"{kind}.md.j2").render(**problem_of(problem, samples))),
    )
    error = "no answer was asked for"
    for number in range(1, rounds + 1):
        (answer,) = model.complete([talk])
        if answer.text is None:
            return ModelProgram(None, answer.reason, number)
        code, error = read_code(answer.text, FUNCTIONS[kind])
        error = error or trial(code)
        if not error:
            return ModelProgram(code, "", number)
        repair = template("repair.md.j2").render(error=error, function=FUNCTIONS[kind])
        talk = (*talk, Message("assistant", answer.text), Message("user", repair))
    return ModelProgram(None, f"no usable {kind} after {rounds} answers: {error}", rounds)


def read_code(answer: str, function: str) -> tuple[str, str]:
    """Return the code of an answer, and "" or the reason why it is unusable.

    The answer must have exactly one Python block, which defines `function`.
    """
    code_blocks = blocks(answer)
    if len(code_blocks) != 1:
        return "", f"it has {len(code_blocks)} fenced code blocks, expected exactly one"
    language, text, closed = code_blocks[0][:3]
    code = text + "\n"
    if not closed:
        return "", "the code block is not closed: the answer was cut off"
    if language.lower() not in PYTHON:
        return "", f"the code is {language}, expected Python"
    error = unusable(code, function)
    return "" if error else code, error


def unusable(code: str, function: str) -> str:
    """Return the reason why a text is not Python that defines `function`, or ""."""
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
    """Return the fault of a generator, or "".

    `TRIED` inputs, one of each size class, are generated, validated, and solved.

    accepts: Runs the canonical solutions on inputs; returns the reasons for refused inputs by id.
    """
    candidate = replace(problem, generator=code)
    try:
        inputs = generate(sandbox, candidate, TRIED, 0)
        # A release may store the seed instead of the input, so a rerun must give the same text.
        repeated = generate(sandbox, candidate, TRIED, 0)
    except SourceError as error:
        return str(error)
    failed = [
        f"generate for {test}: {reason}"
        for test, reason in inputs.dropped.items()
        if not reason.startswith("the same")
    ]
    if failed or len(inputs.tests) < TRIED // 2:
        return failed[0] if failed else f"only {len(inputs.tests)} of {TRIED} inputs are different"
    if inputs.tests != repeated.tests:
        return "the same arguments give different inputs"
    if validator:
        refusal_reasons = refusals(sandbox, validator, [test.stdin for test in inputs.tests])
        for test, reason in zip(inputs.tests, refusal_reasons, strict=True):
            if reason:
                return f"{reason}\nThe input ({test.test_id}) begins: {test.stdin[:300]!r}"
    for test_id, reason in (accepts(inputs.tests) if accepts else {}).items():
        return f"a right solution does not accept the input {test_id}: {reason}"
    return ""


def try_validator(sandbox: Sandbox, code: str, samples: Sequence[str]) -> str:
    """Return the fault of a validator, or "".

    It must allow the samples and refuse texts that are not inputs.
    """
    try:
        # The last two are not inputs of any problem: a validator that allows everything is useless.
        reasons = refusals(sandbox, code, [*samples, "", "\x00 no input \x00\n"])
    except SourceError as error:
        return str(error)
    for text, reason in zip(samples, reasons, strict=False):
        if reason:
            return f"{reason}, though it is right: {text[:300]!r}"
    if None in reasons[len(samples) :]:
        return "it allows a text that is not an input"
    return ""


def try_evaluator(sandbox: Sandbox, code: str, answers: Sequence[Answer]) -> str:
    """Return the fault of an evaluator, or "".

    It must accept right answers compared with themselves, and refuse nonsense.
    """
    try:
        checker = Checker(OutputComparison("evaluator"), sandbox, code)
    except SourceError as error:
        return str(error)
    for answer in answers:
        # `accepts` always calls the evaluator; `passes` skips it for equal texts.
        if not checker.accepts(Answer(answer.expected, answer.expected, answer.stdin)):
            # The message omits the output: it may become that of a test, which prompts never show.
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
    """Return the values of a problem for a prompt.

    The prompt shows only a few short inputs, and omits the middle of a long statement.
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
