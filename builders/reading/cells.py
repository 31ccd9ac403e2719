"""The cells of somebody's table, read by type: a wrong one is a ValueError that names its column and what was found.

Lists and structs may be native, JSON text or Python literals. A column that nobody asks for ends up in ``rest()``.
"""

from __future__ import annotations

import ast
import datetime
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from venus_toolkit.builders.reading import units

MAX_DIGITS = 4000  # Python refuses to print longer integers
MAX_INT64 = 2**63 - 1


class Digits(str):
    """An integer too long for Python to print, kept as the text it was; ``json_text`` writes it as a number again."""

    __slots__ = ()


def _integer(digits: str) -> int | Digits:
    return int(digits) if len(digits) <= MAX_DIGITS else Digits(digits)


_DECODER = json.JSONDecoder(parse_int=_integer)


def parse_json(text: str | bytes) -> Any:
    """Return JSON as plain values, very long integers as `Digits`.

    Raises:
        ValueError: It is not JSON in UTF-8, or is nested deeper than anybody would.
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_text(value: Any) -> str:
    """Return plain values as JSON on one line, `Digits` as the numbers they are."""
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {json_text(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return a value with nothing in it but what JSON has: dates become text, bytes are decoded."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


def show(value: Any) -> str:
    """Return a value as it is shown in a reason: its type and its beginning."""
    text = repr(value) if not isinstance(value, int) or abs(value) <= MAX_INT64 else "a very large number"
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


class Cells:
    """The columns of one row, or the fields of one struct.

    Every accessor takes a column's name. A column that is missing, null or (where text is wanted as a list or struct)
    empty has the accessor's default; ``text`` without a default wants one that is there and not blank.

    Args:
        values: The columns by name.
        path: What comes before the names in reasons, for structs inside a row.
    """

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self.path = path
        self._values = values
        self._asked: set[str] = set()
        self._inner: dict[str, Cells] = {}

    def __contains__(self, name: str) -> bool:
        """Whether there is such a column and it is not null."""
        return self._values.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the columns that are not null."""
        return (name for name, value in self._values.items() if value is not None)

    @property
    def names(self) -> list[str]:
        """The names of all columns, of null ones too."""
        return list(self._values)

    def raw(self, name: str) -> Any:
        """Return a cell as it is, None where there is none."""
        self._asked.add(name)
        return self._values.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return text; a date is text in ISO format.

        Raises:
            ValueError: It is missing or blank and there is no default, or it is not text.
        """
        value = self.raw(name)
        if isinstance(value, datetime.date):
            return value.isoformat()
        if value is None and default is not None:
            return default
        if value is None:
            raise ValueError(f"{self.path}{name} is missing")
        if default is None and isinstance(value, str) and not value.strip():
            raise ValueError(f"{self.path}{name} is empty")
        return as_text(value, self.path + name)

    def whole(self, name: str) -> int | None:
        """Return a whole number, also from text or a float that is one; None where there is none.

        Raises:
            ValueError: It is something else.
        """
        value = self.raw(name)
        if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() and len(value) <= MAX_DIGITS:
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise ValueError(f"{self.path}{name} is a whole number, found {show(value)}")

    def number(self, name: str) -> float | None:
        """Return a finite number, also from text; None where there is none.

        Raises:
            ValueError: It is something else.
        """
        value = self.raw(name)
        try:
            found = None if value is None or isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            found = math.nan
        if isinstance(value, bool) or (found is not None and not math.isfinite(found)):
            raise ValueError(f"{self.path}{name} is a number, found {show(value)}")
        return found

    def seconds(self, name: str) -> float | None:
        """Return a time in seconds, from a number of them or from text like ``2 seconds``; None where there is none.

        Raises:
            ValueError: It is something else.
        """
        return self._quantity(name, units.seconds, "a time, like 2 seconds")

    def size(self, name: str) -> float | None:
        """Return a size in bytes, from a number of them or from text like ``256 MB``; None where there is none.

        Raises:
            ValueError: It is something else.
        """
        return self._quantity(name, units.size, "a size, like 256 MB")

    def _quantity(self, name: str, parse: Callable[[str], float], wanted: str) -> float | None:
        value = self.raw(name)
        if not isinstance(value, str):
            return self.number(name)
        try:
            return parse(value) if value.strip() else None
        except ValueError as error:
            raise ValueError(f"{self.path}{name} is {wanted}, found {show(value)}") from error

    def label(self, name: str, default: str | None = None) -> str:
        """Return the name of a ClassLabel: like ``text``, but says what is missing where there is only its number.

        Raises:
            ValueError: It is missing and there is no default, or it is no text.
        """
        value = self.raw(name)
        if isinstance(value, int):
            raise ValueError(f"{self.path}{name} is the name of a label, found {value} and no names")
        return self.text(name, default)

    def flag(self, name: str) -> bool:
        """Return whether a column is true; false where there is none.

        Raises:
            ValueError: It is neither.
        """
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return bool(value)
        raise ValueError(f"{self.path}{name} is true or false, found {show(value)}")

    def structure(self, name: str) -> Any:
        """Return a list or struct, parsed where it is text; None where there is none.

        Raises:
            ValueError: It is text that is neither JSON nor a Python literal.
        """
        return _structure(self.raw(name), self.path + name)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of text; empty where there is none.

        Raises:
            ValueError: It is not a list, or something in it is not text.
        """
        value = self.structure(name)
        if not isinstance(value, (list, type(None))):
            raise ValueError(f"{self.path}{name} is a list of text, found {show(value)}")
        return tuple(as_text(item, f"{self.path}{name}[{index}]") for index, item in enumerate(value or ()))

    def cells(self, name: str) -> Cells:
        """Return a struct; an empty one where there is none.

        Raises:
            ValueError: It is something else.
        """
        if name not in self._inner:
            value = self.structure(name)
            if not isinstance(value, (Mapping, type(None))):
                raise ValueError(f"{self.path}{name} is a struct, found {show(value)}")
            self._inner[name] = Cells(value or {}, f"{self.path}{name}.")
        return self._inner[name]

    def rows(self, name: str) -> list[Cells]:
        """Return a list of structs, also from a struct of lists; empty where there is none.

        Raises:
            ValueError: It is neither.
        """
        value, where = self.structure(name), self.path + name
        if isinstance(value, Mapping):
            value = _transposed(value, where)
        if not isinstance(value, (list, type(None))):
            raise ValueError(f"{where} is a list of structs, found {show(value)}")
        for index, item in enumerate(value or ()):
            if not isinstance(item, Mapping):
                raise ValueError(f"{where}[{index}] is a struct, found {show(item)}")
        return [Cells(item, f"{where}[{index}].") for index, item in enumerate(value or ())]

    def keep(self, *names: str) -> None:
        """Have columns in ``rest()`` although they were asked for."""
        self._asked -= set(names)

    def rest(self) -> dict[str, Any]:
        """Return what nobody asked for, as plain values; nulls are left out."""
        found = {name: plain(self._values[name]) for name in self if name not in self._asked}
        inner = {name: rest for name, cells in self._inner.items() if name in self._asked and (rest := cells.rest())}
        return found | inner


class Row(Cells):
    """One row of a table.

    Args:
        values: Its columns.
        where: The file or split and the number of the row, for reasons.
        config: The config of the data set it is in, if known.
        split: Its split, if known.
    """

    def __init__(
        self, values: Mapping[str, Any], where: str, config: str | None = None, split: str | None = None
    ) -> None:
        super().__init__(values)
        self.where = where
        self.config = config
        self.split = split

    @property
    def values(self) -> Mapping[str, Any]:
        """Its columns as they are."""
        return self._values


def as_text(value: Any, where: str) -> str:
    """Return text that can be encoded.

    Raises:
        ValueError: It is something else, which stands at `where`.
    """
    if not isinstance(value, str):
        raise ValueError(f"{where} is text, found {show(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{where} is text, found half a character (a lone surrogate) at {error.start}") from error
    return value


def _structure(value: Any, where: str) -> Any:
    if not isinstance(value, str):
        return value
    if not value.strip():
        return None
    try:
        return parse_json(value)
    except ValueError:
        pass
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{where} is neither JSON nor a Python literal, found {show(value)}") from error


def _transposed(value: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Turn a struct of lists into a list of structs."""
    for name, column in value.items():
        if not isinstance(column, list):
            raise ValueError(f"{where}.{name} is a list, found {show(column)}")
    lengths = {name: len(column) for name, column in value.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{length} in {name}" for name, length in lengths.items())
        raise ValueError(f"{where} has lists of different lengths: {said}")
    return [dict(zip(value, items, strict=True)) for items in zip(*value.values(), strict=True)]
