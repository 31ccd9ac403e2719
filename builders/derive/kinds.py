"""What the kinds of derived sets have in common: which solutions make a row, and what the row is.

A kind says how many choices of solutions a matrix of `dearer` programs leaves, and which solutions are the n-th choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.derive.separation import Matrix
from venus_toolkit.language import Language
from venus_toolkit.prompts import Performance, Request, conversation, render_prompt

MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
HEAD = [("problem_id", pa.int64()), ("type", pa.string())]


class Choices(NamedTuple):
    """How many choices there are, and which solutions the n-th consists of."""

    total: int
    pick: Callable[[int], tuple[int, ...]]


class Source(NamedTuple):
    """What a row is made from: the columns of a problem, the chosen solutions in the order of the kind's roles.

    revision is the version of the release, empty where it has none yet. templates is a folder whose prompts replace
    those of the toolkit.
    """

    language: Language
    revision: str
    objective: str
    problem: Mapping[str, Any]
    chosen: Sequence[Mapping[str, Any]]
    templates: Path | None = None


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of derived set.

    Attributes:
        name: What it is called in a config: ``cpp-NAME``.
        schema: The columns of its rows.
        columns: The columns of a problem that its rows need.
        choices: Which solutions make a row, given which are dearer than which.
        most: Rows of a problem in one objective, whatever the options say; None: what they say.
    """

    name: str
    schema: pa.Schema
    columns: tuple[str, ...]
    choices: Callable[[Matrix], Choices]
    most: int | None = None


class Recipe(NamedTuple):
    """A kind whose rows follow from the release alone."""

    kind: Kind
    row: Callable[[Source], dict[str, Any]]


PROBLEM_COLUMNS = ("problem_id", "title", "question_content", "code_prompt", "style", "license")


def pairs(matrix: Matrix) -> Choices:
    """Return the choices of a dearer and a cheaper solution."""
    left, right = np.nonzero(matrix)
    return Choices(len(left), lambda number: (int(left[number]), int(right[number])))


def triples(matrix: Matrix) -> Choices:
    """Return the choices of a middle solution, a cheaper and a dearer one, each apart from the middle one."""
    dearer_ones, cheaper_ones = matrix.sum(axis=0, dtype=np.int64), matrix.sum(axis=1, dtype=np.int64)
    ends = np.cumsum(dearer_ones * cheaper_ones)

    def pick(number: int) -> tuple[int, ...]:
        middle = int(np.searchsorted(ends, number, side="right"))
        rest = number - int(ends[middle - 1] if middle else 0)
        best, worst = divmod(rest, int(dearer_ones[middle]))
        return middle, int(np.nonzero(matrix[middle])[0][best]), int(np.nonzero(matrix[:, middle])[0][worst])

    return Choices(int(ends[-1]) if len(ends) else 0, pick)


def improvable(matrix: Matrix) -> Choices:
    """Return the choices of one solution than which another is cheaper."""
    (found,) = np.nonzero(matrix.any(axis=1))
    return Choices(len(found), lambda number: (int(found[number]),))


# ------------------------------------------------------------------ what rows share


def improve_request(source: Source, original: Mapping[str, Any], form: str = "block") -> Request:
    """Return what asks for something better than `original`."""
    problem = source.problem
    return Request(
        source.language,
        problem["question_content"],
        source.objective,
        starter_code=problem["code_prompt"] or "",
        style=problem["style"] or "stdin",
        original=original["code"],
        performance=Performance(True, original["time"], original["memory"], original["integral"]),
        form=form,
        templates=source.templates,
    )


def prompt_columns(request: Request) -> dict[str, Any]:
    """Return the prompt as TRL reads it, and as plain text."""
    prompt = render_prompt(request)
    return {"prompt": conversation(prompt), "prompt_text": prompt[-1].content}


def says(text: str) -> list[dict[str, str]]:
    """Return an answer as TRL reads it."""
    return [{"role": "assistant", "content": text}]


def role_fields(role: str) -> list[tuple[str, pa.DataType]]:
    """Return the columns that say who a solution in a row is and what it costs, in the units of published data."""
    figures = [(f"{role}_{name}", pa.float64()) for name in ("time", "memory", "integral")]
    return [(f"{role}_solution_id", pa.string()), *figures, (f"{role}_license", pa.string())]


def role_columns(role: str, solution: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of `role_fields`."""
    names = ("solution_id", "time", "memory", "integral", "license")
    return {f"{role}_{name}": solution[name] for name in names}


TAIL = [("title", pa.string()), ("language", pa.string()), ("license", pa.string())]


def tail_columns(source: Source) -> dict[str, Any]:
    """Return the columns every row ends with."""
    return {
        "title": source.problem["title"],
        "language": source.language.id,
        "license": source.problem["license"],
    }


def head_columns(source: Source) -> dict[str, Any]:
    """Return the columns every row begins with."""
    return {"problem_id": source.problem["problem_id"], "type": source.objective}
