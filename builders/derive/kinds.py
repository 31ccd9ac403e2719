"""The kinds of derived sets: the solutions and the columns of a row.

    sft         prompt: a solution and its cost; answer: a cheaper one
    dpo         prompt: the middle one of three solutions; chosen: the best; rejected: the worst
    grpo        one prompt for each problem and objective, and a reference to its tests; no tests or
                answers. States other than the paper's also begin with no or a failing solution
    cold-start  like grpo, with a model's answer (cold_start.py)

A kind counts the choices of solutions in a matrix of `costlier` programs, and computes the n-th
choice. For the original solution of grpo and cold-start a more efficient one is known, so that an
improvement exists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.curation.placement import TRAIN
from venus_toolkit.builders.derive.derive_options import FAILING, NEW, PASSING
from venus_toolkit.builders.derive.separation import Matrix
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Verdict
from venus_toolkit.dataset.test_cases import digest_of_tests
from venus_toolkit.models.answers import fenced
from venus_toolkit.models.client import conversation
from venus_toolkit.models.prompts import VERDICT, Performance, render_prompt, request_of_row

TEXT, NUMBER = pa.string(), pa.float64()
MESSAGES = pa.list_(pa.struct([("role", TEXT), ("content", TEXT)]))
PROBLEM_COLUMNS = ("problem_id", "title", "question_content", "code_prompt", "style", "license")
ROLE_COLUMNS = ("solution_id", "time", "memory", "integral", "license")


class Choices(NamedTuple):
    """The number of choices, and a function from a number below it to the solutions of a choice."""

    total: int
    pick: Callable[[int], tuple[int, ...]]


class RowSource(NamedTuple):
    """The source of a row.

    Attributes:
        language: The language of the solutions.
        revision: The version of the release; empty before its first version.
        objective: time, memory or integral.
        problem: The columns of the problem.
        chosen: The chosen solutions in the order of the kind's roles.
        templates: A folder with prompts that replace the toolkit's.
        feedback: The feedback of prompts on a failing solution.
    """

    language: Language
    revision: str
    objective: str
    problem: Mapping[str, Any]
    chosen: Sequence[Mapping[str, Any]]
    templates: Path | None = None
    feedback: str = VERDICT


@dataclass(frozen=True, slots=True)
class SetKind:
    """One kind of derived set, called NAME in a config ``cpp-NAME``.

    Attributes:
        name: Its name.
        schema: The columns of its rows.
        choices: Returns the choices of solutions for a row from a matrix of costlier ones.
        columns: The columns of a problem that its rows need.
        solution_columns: The columns of a solution that its rows need.
        per_problem: Default maximum number of rows of a problem in one objective.
        most: Maximum that the options cannot exceed; None: unlimited.
        states: Whether its prompts may begin with no solution, or with a failing one.
        row: Makes a row; None if rows need more than the release.
    """

    name: str
    schema: pa.Schema
    choices: Callable[[Matrix], Choices]
    columns: tuple[str, ...] = PROBLEM_COLUMNS
    solution_columns: tuple[str, ...] = ("code", *ROLE_COLUMNS)
    per_problem: int = 3
    most: int | None = None
    row: Callable[[RowSource], dict[str, Any]] | None = None
    states: bool = False


def pairs(matrix: Matrix) -> Choices:
    """Return the choices of a solution and a cheaper one."""
    left, right = np.nonzero(matrix)
    return Choices(len(left), lambda number: (int(left[number]), int(right[number])))


def triples(matrix: Matrix) -> Choices:
    """Return the choices of a middle solution, a cheaper and a costlier one."""
    # Hundreds of solutions make millions of triples, so the n-th is computed without a list.
    costlier, better = matrix.sum(axis=0, dtype=np.int64), matrix.sum(axis=1, dtype=np.int64)
    ends = np.cumsum(costlier * better)

    def pick(number: int) -> tuple[int, ...]:
        middle = int(np.searchsorted(ends, number, side="right"))
        rest = number - int(ends[middle - 1] if middle else 0)
        best, worst = divmod(rest, int(costlier[middle]))
        return (
            middle,
            int(np.nonzero(matrix[middle])[0][best]),
            int(np.nonzero(matrix[:, middle])[0][worst]),
        )

    return Choices(int(ends[-1]) if len(ends) else 0, pick)


def improvable(matrix: Matrix) -> Choices:
    """Return the choices of one solution for which a cheaper one exists."""
    (originals,) = np.nonzero(matrix.any(axis=1))
    return Choices(len(originals), lambda number: (int(originals[number]),))


def schema_of(fields: Mapping[str, pa.DataType], *roles: str, **more: pa.DataType) -> pa.Schema:
    """Return the columns of a kind: `fields`, ids and costs of solutions by role, and `more`."""
    columns: dict[str, pa.DataType] = {"problem_id": pa.int64(), "type": TEXT, **fields}
    for role in roles:
        for name in ROLE_COLUMNS:
            columns[f"{role}_{name}"] = NUMBER if name in ("time", "memory", "integral") else TEXT
    return pa.schema({**columns, **more, "title": TEXT, "language": TEXT, "license": TEXT})


def row_of(
    source: RowSource, form: str, roles: Mapping[str, Mapping[str, Any]], **values: Any
) -> dict[str, Any]:
    """Return a row: a prompt to improve the first solution, columns of `schema_of`, and `values`.

    `form` is the form of the answer, ``block`` or ``thinking``; `roles` are the solutions by role.
    """
    problem = source.problem
    return {
        "problem_id": problem["problem_id"],
        "type": source.objective,
        **prompt_columns(source, next(iter(roles.values())), form),
        **values,
        **{
            f"{role}_{name}": solution[name]
            for role, solution in roles.items()
            for name in ROLE_COLUMNS
        },
        "title": problem["title"],
        "language": source.language.id,
        "license": problem["license"],
    }


def prompt_columns(source: RowSource, original: Mapping[str, Any], form: str) -> dict[str, Any]:
    """Return a prompt to improve `original`, in TRL's form and as plain text.

    If `original` has no code, the prompt asks for a first solution.
    """
    request = request_of_row(
        source.problem, source.language, source.objective, form, source.templates
    )
    if original["code"] is not None:
        fails = original.get("passed") is False
        verdict = original["status"] or "" if fails else Verdict.ACCEPTED
        costs = Performance(True, original["time"], original["memory"], original["integral"])
        reason = original.get("reason") or ""
        request = request.after(original["code"], verdict, reason, costs, source.feedback)
    prompt = render_prompt(request)
    return {"prompt": conversation(prompt), "prompt_text": prompt[-1].content}


def assistant_message(text: str) -> list[dict[str, str]]:
    """Return an answer in TRL's form."""
    return [{"role": "assistant", "content": text}]


def _sft_row(source: RowSource) -> dict[str, Any]:
    original, answer = source.chosen
    response = fenced(answer["code"], source.language)
    return row_of(
        source,
        "block",
        {"input": original, "answer": answer},
        completion=assistant_message(response),
        response=response,
        performance=answer[source.objective],
        input_performance=original[source.objective],
    )


def _dpo_row(source: RowSource) -> dict[str, Any]:
    original, best, worst = source.chosen
    chosen, rejected = (fenced(solution["code"], source.language) for solution in (best, worst))
    return row_of(
        source,
        "block",
        {"input": original, "chosen": best, "rejected": worst},
        chosen=assistant_message(chosen),
        rejected=assistant_message(rejected),
        chosen_text=chosen,
        rejected_text=rejected,
        chosen_performance=best[source.objective],
        rejected_performance=worst[source.objective],
        input_performance=original[source.objective],
    )


def _grpo_row(source: RowSource) -> dict[str, Any]:
    none: Mapping[str, Any] = {**dict.fromkeys(("code", *ROLE_COLUMNS)), "solution_id": ""}
    original = source.chosen[0] if source.chosen else none
    return row_of(
        source,
        "thinking",
        {"original": original},
        state=(PASSING if original["passed"] else FAILING) if source.chosen else NEW,
        config=source.language.id,
        split=TRAIN,
        revision=source.revision,
        tests_sha256=digest_of_tests(source.problem),
    )


# The kinds whose rows need only the release, by name. TRL finds prompt, completion, chosen and
# rejected by name; an additional column messages would be ambiguous.
KINDS = {
    "sft": SetKind(
        "sft",
        schema_of(
            {
                "prompt": MESSAGES, "completion": MESSAGES, "prompt_text": TEXT, "response": TEXT,
                "performance": NUMBER, "input_performance": NUMBER,
            },
            "input", "answer",
        ),
        pairs, per_problem=9, row=_sft_row,  # about as many as in the paper
    ),
    "dpo": SetKind(
        "dpo",
        schema_of(
            {
                "prompt": MESSAGES, "chosen": MESSAGES, "rejected": MESSAGES,
                "prompt_text": TEXT, "chosen_text": TEXT, "rejected_text": TEXT,
                "chosen_performance": NUMBER, "rejected_performance": NUMBER,
                "input_performance": NUMBER,
            },
            "input", "chosen", "rejected",
        ),
        triples, row=_dpo_row,
    ),
    # One prompt a problem suffices if all begin from the same state, because training samples many
    # answers to it.
    "grpo": SetKind(
        "grpo",
        schema_of(
            {
                "prompt": MESSAGES, "prompt_text": TEXT,
                "config": TEXT, "split": TEXT, "revision": TEXT, "tests_sha256": TEXT,
                "state": TEXT,
            },
            "original",
        ),
        improvable, (*PROBLEM_COLUMNS, "test_cases", "tests_sha256"),
        ("code", *ROLE_COLUMNS, "passed", "status", "reason"), most=1, row=_grpo_row, states=True,
    ),
}  # fmt: skip
