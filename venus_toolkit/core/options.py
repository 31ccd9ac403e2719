"""Checks values from users against type annotations.

`fill` makes a record of options from a TOML table. `take` makes one from a table of a data file
such as language.toml, whose values may be patterns, pairs or lists of commands. `check_value` is
the check itself, also for arguments of the Python API. `nearest` suggests the known name most like
a misspelt one.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
import reprlib
import tomllib
import types
from collections import abc
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from venus_toolkit.core.errors import UsageError

Options = TypeVar("Options")


class Bound(NamedTuple):
    """A condition on a value, in words and as a function.

    It is part of the annotation of a field (see `check_value`), or derived from the annotation (see
    `kind_of`, and `KINDS` for TOML values).

    known: the accepted words, if there are only some. convert: turns a TOML value into that of the
    field.
    """

    words: str
    holds: Callable[[Any], bool]
    known: tuple[str, ...] = ()
    convert: Callable[[Any], Any] = lambda value: value


POSITIVE = Bound("greater than 0", lambda value: value > 0)
NOT_NEGATIVE = Bound("at least 0", lambda value: value >= 0)
AT_LEAST_1 = Bound("at least 1", lambda value: value >= 1)
SHARE = Bound("greater than 0 and at most 1", lambda value: 0 < value <= 1)
FROM_0_TO_1 = Bound("from 0 to 1", lambda value: 0 <= value <= 1)
BELOW_1 = Bound("at least 0 and less than 1", lambda value: 0 <= value < 1)


def one_of(*names: str) -> Bound:
    """Return the bound of a text, or of a list of texts, that accepts these words only."""
    return Bound(
        f"one of {', '.join(names)}",
        lambda value: {*([value] if isinstance(value, str) else value)} <= {*names},
        names,
    )


def nearest(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean NAME? `` for the known name most like `name`; empty if none is similar.

    It ignores case and the difference between - and _. Names that begin with the typed word, or
    with its singular, come first.
    """
    plain = {word.lower().replace("-", "_"): word for word in known}
    typed = name[:100].lower().replace("-", "_")  # the search takes quadratic time
    stem = typed.rstrip("s")
    begun = [word for word in plain if word.startswith(stem)] if len(stem) >= 4 else []
    cutoff = 0.0 if begun else 0.66 if len(typed) < 4 else 0.7  # one letter of three may differ
    near = difflib.get_close_matches(typed, begun or plain, n=1, cutoff=cutoff)
    return f"did you mean {plain[near[0]]}? " if near else ""


def check_bounds(options: Any, see: str) -> None:
    """Check the fields of a dataclass against their annotations.

    Raises:
        UsageError: A value has another type, or is out of its bounds.
    """
    for name, hint in get_type_hints(type(options), include_extras=True).items():
        check_value(name, hint, getattr(options, name), see)


def check_value(name: str, hint: Any, value: Any, see: str) -> None:
    """Check a value against an annotation such as ``Annotated[int | None, POSITIVE]``.

    Args:
        name: The name of the value in messages.
        hint: The annotation; None is within all bounds, since it stands for a missing value.
        value: The value.
        see: The last part of the message: what to read or type.

    Raises:
        UsageError: The value has another type, or is out of its bounds.
    """
    annotation, *bounds = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    kind = kind_of(annotation)
    if not kind.holds(value):
        words = kind.words.removesuffix(" or None")
        if " or " in words and bounds:  # the bound names the accepted texts
            words = bounds[0].words
        raise UsageError(f"{name} must be {words}", f"got {reprlib.repr(value)}", see)
    for bound in () if value is None else bounds:
        if bound.holds(value):
            continue
        if bound.known:
            listed = [value] if isinstance(value, str) else value
            wrong = next(word for word in listed if word not in bound.known)
            known = f"expected one of {', '.join(bound.known)}"
            raise UsageError(f"unknown {name} {wrong!r}", known, nearest(wrong, bound.known) + see)
        raise UsageError(f"{name} must be {bound.words}", f"got {reprlib.repr(value)}", see)


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)


def _are_pairs(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        _are_texts(pair) and len(pair) == 2 for pair in value
    )


def _is_table(value: Any, holds: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and all(map(holds, value.values()))


def _tuples(value: Any) -> Any:
    return tuple(map(tuple, value))


SCALARS = (int, float, str, bool)
KINDS: dict[object, Bound] = {
    # Not isinstance: in Python true is an integer, and in a recipe it is a mistake.
    int: Bound("a whole number", lambda value: type(value) is int),
    float: Bound(
        "a number",
        lambda value: type(value) is int or (isinstance(value, float) and math.isfinite(value)),
    ),
    str: Bound("text", lambda value: isinstance(value, str)),
    bool: Bound("true or false", lambda value: isinstance(value, bool)),
    tuple[str, ...]: Bound("a list of names", _are_texts, convert=tuple),
    tuple[tuple[str, str], ...]: Bound("a list of pairs of texts", _are_pairs, convert=_tuples),
    tuple[tuple[str, ...], ...]: Bound(
        "a list of lists of texts",
        lambda value: isinstance(value, list) and all(map(_are_texts, value)),
        convert=_tuples,
    ),
    Mapping[str, str]: Bound(
        "a table of texts", lambda value: _is_table(value, lambda item: isinstance(item, str))
    ),
    Mapping[str, tuple[tuple[str, str], ...]]: Bound(
        "a table of lists of pairs of texts",
        lambda value: _is_table(value, _are_pairs),
        convert=lambda value: {name: _tuples(pairs) for name, pairs in value.items()},
    ),
    re.Pattern[str]: Bound(
        "a regular expression", lambda value: isinstance(value, str), convert=re.compile
    ),
    tuple[re.Pattern[str], ...]: Bound(
        "a list of regular expressions",
        _are_texts,
        convert=lambda value: tuple(map(re.compile, value)),
    ),
}


@cache
def kind_of(annotation: Any) -> Bound:
    """Return the condition that an annotation sets for a value from Python code.

    A text does not count as a list, nor true as a number; a list counts as a tuple.
    """
    if annotation in SCALARS:
        return KINDS[annotation]
    if annotation in (Any, object):
        return Bound("anything", lambda value: True)
    if annotation is type(None):
        return Bound("None", lambda value: value is None)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (types.UnionType, Union):
        several = [kind_of(part) for part in parts]
        *most, last = dict.fromkeys(kind.words for kind in several if kind.words != "None")
        words = f"{', '.join(most)} or {last}" if most else last
        return Bound(
            f"{words} or None" if type(None) in parts else words,
            lambda value: any(kind.holds(value) for kind in several),
        )
    if origin is abc.Callable:
        return Bound("a function", callable)
    if origin is tuple and Ellipsis not in parts:
        fields = [kind_of(part) for part in parts]
        return Bound(
            f"({', '.join(field.words for field in fields)})",
            lambda value: (
                isinstance(value, (list, tuple))
                and len(value) == len(fields)
                and all(field.holds(item) for field, item in zip(fields, value, strict=True))
            ),
        )
    if origin in (tuple, list, abc.Sequence):
        item = kind_of(parts[0])
        return Bound(
            "a list of texts" if item.words == "text" else f"a list of {item.words}",
            lambda value: isinstance(value, (list, tuple)) and all(map(item.holds, value)),
        )
    if origin in (dict, abc.Mapping):
        key, item = map(kind_of, parts)
        return Bound(
            f"a mapping from {key.words} to {item.words}",
            lambda value: (
                isinstance(value, abc.Mapping)
                and all(key.holds(name) and item.holds(entry) for name, entry in value.items())
            ),
        )
    article = "an" if annotation.__name__[0] in "AEIOU" else "a"
    words = {Path: "a path", bytes: "bytes"}.get(annotation, f"{article} {annotation.__name__}")
    return Bound(words, lambda value: isinstance(value, origin or annotation))


def take(kind: type[Options], table: dict[str, Any], where: str, **fields: Any) -> Options:
    """Return a named tuple `kind` with values from a table, and remove them from the table.

    Keys that remain in the table are unknown.

    Args:
        kind: Its annotations are checked and may have bounds; fields with a default may be missing.
        table: Values by their keys, which are the names of the fields.
        where: The name of the table in messages.
        fields: Fields that are not in the table, or not under their names.

    Raises:
        KeyError: A key is missing.
        TypeError: A value has another type, or is out of its bounds.
        re.error: A pattern is not a regular expression.
    """
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name not in fields and (name in table or name not in vars(kind)["_field_defaults"]):
            fields[name] = take_value(hint, table, name, where=where)
    return kind(**fields)


def take_value(hint: Any, table: dict[str, Any], key: str, *default: Any, where: str = "") -> Any:
    """Remove one value from a table, check it against the annotation `hint`, and return it.

    It raises the errors of `take`.
    """
    value = table.pop(key, *default)
    annotation, *bounds = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    kind = KINDS[_without_none(annotation)]
    for bound in (kind, *bounds):
        if not bound.holds(value):
            raise TypeError(
                f"{f'{where}.' if where else ''}{key} must be {bound.words}, got {value!r}"
            )
    return kind.convert(value)


def _without_none(annotation: Any) -> Any:
    """Return the X of the annotation ``X | None``, and any other annotation unchanged."""
    if isinstance(annotation, types.UnionType) and type(None) in get_args(annotation):
        return next(part for part in get_args(annotation) if part is not type(None))
    return annotation


def read_toml(kind: str, name: str, folder: Path) -> dict[str, Any]:
    """Return the table in the TOML file `name`, or in the file ``name.toml`` of `folder`.

    Messages call it `kind`.

    Raises:
        UsageError: The file does not exist or cannot be read.
    """
    path = Path(name) if name.endswith(".toml") else folder / f"{name}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason, known = getattr(error, "strerror", None) or str(error), named_files(folder)
        near = nearest(name, known) if isinstance(error, FileNotFoundError) else ""
        fix = f"{near}give a TOML file or one of: {', '.join(known)}"
        raise UsageError(f"the {kind} {name} cannot be read", reason, fix) from error


def named_files(folder: Path) -> list[str]:
    """Return the names of the TOML files in a folder."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def fill(
    kind: type[Options],
    table: Mapping[str, Any],
    where: str,
    see: str,
    set_above: Collection[str] = (),
) -> Options:
    """Return a record of dataclass `kind` with the values of a table; lists become tuples.

    Args:
        kind: The dataclass; its annotations are checked.
        table: Values by their keys.
        where: The name of the table in messages.
        see: The last part of messages: the page that explains the keys.
        set_above: Keys that belong to the top of the plan, not into this table.

    Raises:
        UsageError: A key is unknown or missing, or a value has another type.
    """
    # With `from __future__ import annotations`, annotations are text until they are resolved.
    hints = get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if unknown := sorted(set(table) - (set(fields) - set(set_above))):
        above = ", ".join(sorted(set(unknown) & set(set_above)))
        reason = (
            f"{above} belongs at the top of the plan"
            if above
            else "expected one of " + ", ".join(sorted(fields))
        )
        near = "" if above else nearest(unknown[0], fields)
        raise UsageError(f"{where} has unknown keys: {', '.join(unknown)}", reason, near + see)
    values = {
        key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
    }
    required = [
        name
        for name, field in fields.items()
        if field.default is field.default_factory is dataclasses.MISSING
    ]
    if missing := [name for name in required if name not in values]:
        raise UsageError(f"{where} is incomplete", f"it does not say {', '.join(missing)}", see)
    for key, value in values.items():
        bound = KINDS.get(_without_none(hints[key]))  # the record checks other types itself
        optional = hints[key] != _without_none(hints[key])
        if bound and not (value is None and optional) and not bound.holds(value):
            raise UsageError(f"{key} must be {bound.words}", f"got {reprlib.repr(value)}", see)
    return kind(**values)
