"""The columns of a release as a card explains them: types from the files, meanings from cards/columns.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from venus_toolkit.card.facts import Facts
from venus_toolkit.card.layout import Table
from venus_toolkit.release.folder import TESTS

SOLUTIONS = "solutions"


class Column(NamedTuple):
    """A column; unit is empty where it has none, text where nobody wrote down what it means."""

    name: str
    kind: str
    unit: str
    text: str


@cache
def _meanings() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((resources.files("venus_toolkit.cards") / "columns.toml").read_text(encoding="utf-8"))


def explain_columns(facts: Facts) -> dict[str, list[Column]]:
    """Return the columns of a problem, of a solution, of a test and of derived sets; a list is empty without such."""
    first = facts.languages[0].name if facts.languages else ""
    problem = _fields(facts.tables.get(first, {}))
    known = {first, TESTS, "default", *(language.name for language in facts.languages)}
    derived = [table for name, splits in facts.tables.items() if name not in known for table in splits.values()]
    return {
        "problem": [_column("problem", field) for field in problem],
        "solution": [_column("solution", field) for field in _solution_fields(problem)],
        "tests": [_column("tests", field) for field in _fields(facts.tables.get(TESTS, {}))],
        "derived": [_column("derived", field) for field in _distinct(table.schema for table in derived)],
    }


def _fields(splits: Mapping[str, Table]) -> list[Any]:
    return list(next(iter(splits.values())).schema) if splits else []


def _solution_fields(fields: Iterable[Any]) -> list[Any]:
    import pyarrow as pa

    for field in fields:
        if field.name == SOLUTIONS and pa.types.is_list(field.type) and pa.types.is_struct(field.type.value_type):
            return list(field.type.value_type)
    return []


def _distinct(schemas: Iterable[Any]) -> list[Any]:
    found: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            found.setdefault(field.name, field)
    return list(found.values())


def _column(section: str, field: Any) -> Column:
    unit, text = _meaning(_meanings().get(section, {}), field.name)
    return Column(field.name, _kind(field.type), unit, text)


def _meaning(known: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Return unit and meaning. In derived sets ``chosen_time`` is the time of the solution that is chosen."""
    role, _, rest = name.partition("_")
    roles = known.get("roles", {})
    if name not in known and role in roles and rest in known.get("of_a_role", {}):
        each = known["of_a_role"][rest]
        return each.get("unit", ""), f"{each['text']} of {roles[role]}"
    each = known.get(name, {})
    return each.get("unit", ""), each.get("text", "")


def _kind(kind: Any) -> str:
    import pyarrow as pa

    if pa.types.is_list(kind):
        return f"list of {_kind(kind.value_type)}"
    if pa.types.is_struct(kind):
        fields = list(kind)
        return f"struct of {', '.join(field.name for field in fields)}" if len(fields) < 4 else "struct, see below"
    return {"double": "float64"}.get(str(kind), str(kind))
