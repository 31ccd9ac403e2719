"""Options as frozen records that a table of TOML fills: unknown keys and values of the wrong kind are refused."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from venus_toolkit.core.errors import UsageError

Options = TypeVar("Options")


class Bound(NamedTuple):
    """What a value has to be, in words and as a check; it stands in the annotation of a field: see `check_bounds`.

    known: where only some words will do, these.
    """

    words: str
    holds: Callable[[Any], bool]
    known: tuple[str, ...] = ()


POSITIVE = Bound("greater than 0", lambda value: value > 0)
NOT_NEGATIVE = Bound("at least 0", lambda value: value >= 0)
AT_LEAST_1 = Bound("at least 1", lambda value: value >= 1)
SHARE = Bound("greater than 0 and at most 1", lambda value: 0 < value <= 1)
FROM_0_TO_1 = Bound("from 0 to 1", lambda value: 0 <= value <= 1)
BELOW_1 = Bound("at least 0 and less than 1", lambda value: 0 <= value < 1)


def one_of(*names: str) -> Bound:
    """Return the bound of a text, or of a list of texts, that takes these words only."""
    return Bound("", lambda value: {*([value] if isinstance(value, str) else value)} <= {*names}, names)


def check_bounds(options: Any, see: str) -> None:
    """Check each field of a dataclass against the bounds in its annotation, ``Annotated[int, POSITIVE]``.

    None is within all bounds: it stands for what is not said.

    Raises:
        UsageError: A value is out of its bounds.
    """
    for name, hint in get_type_hints(type(options), include_extras=True).items():
        value = getattr(options, name)
        for bound in getattr(hint, "__metadata__", ()):
            if value is None or bound.holds(value):
                continue
            if bound.known:
                raise UsageError(f"unknown {name} {value!r}", f"known are {', '.join(bound.known)}", see)
            raise UsageError(f"{name} must be {bound.words}", f"got {value!r}", see)


KINDS: dict[object, tuple[str, Callable[[Any], bool]]] = {
    # Not by isinstance: in Python true is an integer, and in a recipe it is a mistake.
    int: ("a whole number", lambda value: type(value) is int),
    float: ("a number", lambda value: type(value) is int or (isinstance(value, float) and math.isfinite(value))),
    str: ("text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    tuple[str, ...]: (
        "a list of names",
        lambda value: isinstance(value, tuple) and all(isinstance(item, str) for item in value),
    ),
}


def read_toml(kind: str, name: str, folder: Path) -> dict[str, Any]:
    """Return the table in the TOML file `name`, or in the file of `folder` that is called so; `kind` says what it is.

    Raises:
        UsageError: There is no such file, or it cannot be read.
    """
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        why, known = getattr(error, "strerror", None) or str(error), ", ".join(named_files(folder))
        raise UsageError(f"the {kind} {name} cannot be read", why, f"give a TOML file or one of: {known}") from error


def named_files(folder: Path) -> list[str]:
    """Return the names of the TOML files in a folder."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def fill(
    kind: type[Options], table: Mapping[str, Any], where: str, see: str, set_above: Collection[str] = ()
) -> Options:
    """Return a record of dataclass `kind` with the values of a table; lists become tuples.

    Args:
        kind: The dataclass; its annotations say what fits.
        table: Values by their keys.
        where: The name of the table in messages.
        see: The page that explains it, for messages.
        set_above: Keys that belong to the top of the plan, not into this table.

    Raises:
        UsageError: An unknown key, a missing one, or a value of another kind.
    """
    # The annotations of a module with `from __future__ import annotations` are text; this resolves them.
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if unknown := sorted(set(table) - (set(fields) - set(set_above))):
        above = ", ".join(sorted(set(unknown) & set(set_above)))
        why = f"{above} belongs at the top of the plan" if above else "known are " + ", ".join(sorted(fields))
        raise UsageError(f"{where} has unknown keys: {', '.join(unknown)}", why, see)
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    required = [name for name, each in fields.items() if each.default is each.default_factory is dataclasses.MISSING]
    if missing := [name for name in required if name not in values]:
        raise UsageError(f"{where} is incomplete", f"it does not say {', '.join(missing)}", see)
    for key, value in values.items():
        hint = hints[key]  # one that is not in KINDS is checked by the record itself
        if isinstance(hint, types.UnionType) and type(None) in get_args(hint):
            # Of `X | None` the X is checked, unless the value is None.
            hint = type(None) if value is None else next(each for each in get_args(hint) if each is not type(None))
        if hint in KINDS and not KINDS[hint][1](value):
            raise UsageError(f"{key} must be {KINDS[hint][0]}", f"got {value!r}", see)
    return kind(**values)
