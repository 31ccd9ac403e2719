"""Options as frozen records that a table of TOML fills: unknown keys and values of the wrong kind are refused."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar, get_args, get_type_hints

from venus_toolkit.errors import UsageError

Options = TypeVar("Options")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


KINDS: dict[object, tuple[str, Callable[[Any], bool]]] = {
    int: ("a whole number", _is_whole),
    float: ("a number", lambda value: _is_whole(value) or (isinstance(value, float) and math.isfinite(value))),
    str: ("text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    tuple[str, ...]: (
        "a list of names",
        lambda value: isinstance(value, tuple) and all(isinstance(item, str) for item in value),
    ),
}


def fill(
    kind: type[Options], table: Mapping[str, Any], where: str, see: str, set_above: Collection[str] = ()
) -> Options:
    """Return a record of dataclass `kind` with the values of a table; lists become tuples.

    Args:
        kind: The dataclass; its annotations say what fits.
        table: Values by their keys.
        where: What to call the table in a message.
        see: The page that explains it.
        set_above: Keys that the plan itself holds, so that the table must not.

    Raises:
        UsageError: An unknown key, a missing one, or a value of another kind.
    """
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    unknown = sorted(set(table) - (set(fields) - set(set_above)))
    if unknown:
        above = sorted(set(unknown) & set(set_above))
        why = (
            f"{', '.join(above)} is said at the top of the plan" if above else "known are " + ", ".join(sorted(fields))
        )
        raise UsageError(f"{where} has unknown keys: {', '.join(unknown)}", why, see)
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    missing = [
        name
        for name, field in fields.items()
        if name not in values and field.default is field.default_factory is dataclasses.MISSING
    ]
    if missing:
        raise UsageError(f"{where} is incomplete", f"it does not say {', '.join(missing)}", see)
    for key, value in values.items():
        _check(key, value, hints[key], see)
    return kind(**values)


def _check(key: str, value: Any, hint: Any, see: str) -> None:
    optional = isinstance(hint, types.UnionType) and type(None) in get_args(hint)
    inner = next(each for each in get_args(hint) if each is not type(None)) if optional else hint
    if inner not in KINDS or (optional and value is None):
        return
    words, fits = KINDS[inner]
    if not fits(value):
        raise UsageError(f"{key} must be {words}", f"got {value!r}", see)
