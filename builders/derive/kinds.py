"""The kinds of derived sets: which solutions make a row, and what the row is.

    sft         a solution with what it costs in the prompt, one that costs less as the answer
    dpo         three solutions: the middle one in the prompt, the best one chosen, the worst one rejected
    grpo        one prompt a problem and objective, and where its tests are; no test, and no answer, is in the row.
                Other states than the paper's begin from no solution or from one that fails, too
    cold-start  as grpo, with what a model answered (cold_start.py)

A kind says how many choices of solutions a matrix of `costlier` programs leaves, and which
solutions are the n-th choice. The original solution of grpo and cold-start is one than which a more
efficient one is known, so that there is something to find.
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
    """How many choices there are, and which solutions the n-th consists of."""

    total: int
    pick: Callable[[int], tuple[int, ...]]


class RowSource(NamedTuple):
    """What a row is made from.

    problem has the columns of a problem; chosen are its solutions in the order of the kind's roles.

    revision is the version of the release, empty where it has none yet. The prompts in the folder
    templates replace those of the toolkit. feedback is what they say of a solution that fails.
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
        choices: Which solutions make a row, given which are costlier than which.
        columns: The columns of a problem that its rows need.
        solution_columns: The columns of a solution that its rows need.
        per_problem: Maximum number of rows of a problem in one objective, unless the options say
            another one.
        most: The same, whatever the options say; None: what they say.
        states: Whether its prompts may begin from no solution, or from one that fails.
        row: Makes a row; None where rows do not follow from the release alone.
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
    """Return the choices of a solution and one that costs less."""
    left, right = np.nonzero(matrix)
    return Choices(len(left), lambda number: (int(left[number]), int(right[number])))


def triples(matrix: Matrix) -> Choices:
    """Return the choices of a middle solution, one that costs less and one that costs more, each apart from it."""
    # Hundreds of solutions make millions of triples: the n-th is computed, and none is listed.
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
    """Return the choices of one solution than which another costs less."""
    (found,) = np.nonzero(matrix.any(axis=1))
    return Choices(len(found), lambda number: (int(found[number]),))


def schema_of(fields: Mapping[str, pa.DataType], *roles: str, **more: pa.DataType) -> pa.Schema:
    """Return the columns of a kind.

    They are its own, the names and costs of the solutions in their roles, and `more`.
    """
    columns: dict[str, pa.DataType] = {"problem_id": pa.int64(), "type": TEXT, **fields}
    for role in roles:
        for name in ROLE_COLUMNS:
            columns[f"{role}_{name}"] = NUMBER if name in ("time", "memory", "integral") else TEXT
    return pa.schema({**columns, **more, "title": TEXT, "language": TEXT, "license": TEXT})


def row_of(
    source: RowSource, form: str, roles: Mapping[str, Mapping[str, Any]], **values: Any
) -> dict[str, Any]:
    """Return a row: the prompt that asks to improve the first role, what `schema_of` adds, and `values`.

    `form` is that of the answer, ``block`` or ``thinking``; `roles` are the solutions in the row by
    their roles.
    """
    problem = source.problem
    return {
        "problem_id": problem["problem_id"],
        "type": source.objective,
        **prompt_columns(source, next(iter(roles.values())), form),
        **values,
        **{f"{role}_{name}": each[name] for role, each in roles.items() for name in ROLE_COLUMNS},
        "title": problem["title"],
        "language": source.language.id,
        "license": problem["license"],
    }


def prompt_columns(source: RowSource, original: Mapping[str, Any], form: str) -> dict[str, Any]:
    """Return the prompt that asks for something better than `original`, as TRL reads it and as plain text.

    An original without code is none at all: then the prompt asks for a first solution.
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


def says(text: str) -> list[dict[str, str]]:
    """Return an answer as TRL reads it."""
    return [{"role": "assistant", "content": text}]


def _sft_row(source: RowSource) -> dict[str, Any]:
    given, answer = source.chosen
    response = fenced(answer["code"], source.language)
    return row_of(
        source,
        "block",
        {"input": given, "answer": answer},
        completion=says(response),
        response=response,
        performance=answer[source.objective],
        input_performance=given[source.objective],
    )


def _dpo_row(source: RowSource) -> dict[str, Any]:
    given, best, worst = source.chosen
    chosen, rejected = (fenced(each["code"], source.language) for each in (best, worst))
    return row_of(
        source,
        "block",
        {"input": given, "chosen": best, "rejected": worst},
        chosen=says(chosen),
        rejected=says(rejected),
        chosen_text=chosen,
        rejected_text=rejected,
        chosen_performance=best[source.objective],
        rejected_performance=worst[source.objective],
        input_performance=given[source.objective],
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


# Those whose rows follow from the release alone, by name. TRL finds prompt, completion, chosen and
# rejected by name. A column messages would be ambiguous beside prompt.
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
    # Many answers are drawn to one prompt: one prompt of a problem will do where all begin from the
    # same state.
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
