"""The cells of a table, read by type.

If a cell has the wrong type, its accessor raises a ValueError that names the column and shows the
value.

Lists and structs may be native, JSON text or Python literals. ``rest()`` returns the columns that
no accessor has read.
"""

from __future__ import annotations

import ast
import datetime
import io
import json
import math
import re
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

MAX_DIGITS = 4000  # Python refuses to print longer integers
MAX_INT64 = 2**63 - 1


class Digits(str):
    """An integer too long for Python to print, stored as its text.

    ``json_text`` writes it as a number again.
    """

    __slots__ = ()


def parse_json(text: str | bytes) -> Any:
    """Parse JSON into plain values, very long integers into `Digits`.

    Raises:
        ValueError: `text` is not JSON in UTF-8, or is nested too deeply.
    """
    decoder = json.JSONDecoder(
        parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else Digits(digits)
    )
    try:
        # A file may begin with a byte order mark, which JSON does not allow.
        return decoder.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_text(value: Any) -> str:
    """Return plain values as JSON on one line, `Digits` as numbers."""
    # `json.dumps` takes `Digits` for text and would quote them.
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(str(key))}: {json_text(item)}" for key, item in value.items())
            + "}"
        )
    return json.dumps(value, ensure_ascii=False)


def plain(value: Any, levels: int = 100) -> Any:
    """Return a value in the types of JSON: dates become text, bytes are decoded.

    Raises:
        ValueError: Lists and structs are nested deeper than `levels`. Their readers are recursive.
    """
    if levels < 0:
        raise ValueError("nested too deeply")
    if isinstance(value, Mapping):
        return {str(key): plain(item, levels - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, levels - 1) for item in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


def show(value: Any) -> str:
    """Return the type and the first characters of a value, for a message."""
    # Python refuses the `repr` of very long integers.
    text = (
        repr(value)
        if not isinstance(value, int) or abs(value) <= MAX_INT64
        else "a very large number"
    )
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


class Cells:
    """The columns of one row, or the fields of one struct.

    Every accessor takes a column's name. It returns its default if the column is missing or null,
    or if a list or struct is expected and the text is empty; ``text`` without a default refuses a
    missing or blank column. ``in`` and iteration skip null columns. Messages put `path` before the
    names of columns, for structs inside a row.

    Raises:
        ValueError: From every accessor: the cell has another type; the message names the column
            and shows the value.
    """

    def __init__(self, values: Mapping[str, Any], path: str = "") -> None:
        self.path = path
        self._values = values
        self._read: set[str] = set()
        self._inner: dict[str, Cells] = {}

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return (name for name, value in self._values.items() if value is not None)

    @property
    def names(self) -> list[str]:
        """The names of all columns, including null ones."""
        return list(self._values)

    def raw(self, name: str) -> Any:
        """Return a cell unconverted, None if it is missing."""
        self._read.add(name)
        return self._values.get(name)

    def text(self, name: str, default: str | None = None) -> str:
        """Return text; a date is text in ISO format."""
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
        """Return a whole number, also from text or a whole float; None if the cell is missing."""
        value = self.raw(name)
        # Python refuses to parse longer integers.
        if (
            isinstance(value, str)
            and value.strip().lstrip("+-").isdecimal()
            and len(value) <= MAX_DIGITS
        ):
            return int(value)
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        raise ValueError(f"{self.path}{name} must be a whole number, found {show(value)}")

    def number(self, name: str) -> float | None:
        """Return a finite number, also from text; None if the cell is missing."""
        value = self.raw(name)
        try:
            number = None if value is None or isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if isinstance(value, bool) or (number is not None and not math.isfinite(number)):
            raise ValueError(f"{self.path}{name} must be a number, found {show(value)}")
        return number

    def seconds(self, name: str) -> float | None:
        """Return seconds, from a number or text like ``2 seconds``; None if missing or blank."""
        seconds_per_unit = {
            "": 1.0,
            "s": 1.0,
            "sec": 1.0,
            "second": 1.0,
            "ms": 1e-3,
            "millisecond": 1e-3,
        }
        return self._quantity(name, seconds_per_unit, "a time, like 2 seconds")

    def size(self, name: str) -> float | None:
        """Return bytes, from a number or from text like ``256 MB``; None if missing or blank.

        Kilo, mega and giga are powers of 1024, as judges count. Text needs a unit.
        """
        bytes_per_unit = {
            "b": 1, "byte": 1, "kb": 1 << 10, "kib": 1 << 10, "kilobyte": 1 << 10, "mb": 1 << 20, "mib": 1 << 20,
            "megabyte": 1 << 20, "gb": 1 << 30, "gib": 1 << 30, "gigabyte": 1 << 30,
        }  # fmt: skip
        return self._quantity(name, bytes_per_unit, "a size, like 256 MB")

    def _quantity(self, name: str, factors: Mapping[str, float], expectation: str) -> float | None:
        value = self.raw(name)
        if not isinstance(value, str):
            return self.number(name)
        if not value.strip():
            return None
        quantity = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)
        match = quantity.fullmatch(value)
        unit = match[2].lower() if match else ""
        # The exact word first: s and ms are units, not plurals.
        factor = factors.get(unit, factors.get(unit.removesuffix("s")))
        if match is None or factor is None:
            raise ValueError(f"{self.path}{name} must be {expectation}, found {show(value)}")
        return float(match[1]) * factor

    def label(self, name: str, default: str | None = None) -> str:
        """Return the name of a ClassLabel.

        Like ``text``, but the message for a bare number says that the names are missing.
        """
        value = self.raw(name)
        if isinstance(value, int):
            raise ValueError(
                f"{self.path}{name} must be the name of a label, found {value} and no names"
            )
        return self.text(name, default)

    def flag(self, name: str) -> bool:
        """Return a boolean, also from the words true and false; False if the cell is missing."""
        value = self.raw(name)
        if isinstance(value, str) and value.strip().lower() in ("", "true", "false"):
            return value.strip().lower() == "true"
        if value is None or isinstance(value, bool):
            return bool(value)
        raise ValueError(f"{self.path}{name} must be true or false, found {show(value)}")

    def structure(self, name: str) -> Any:
        """Return a list or struct, parsed from JSON or Python; None if missing or blank."""
        value = self.raw(name)
        if not isinstance(value, str):
            return value
        if not value.strip():
            return None
        with suppress(ValueError):
            return parse_json(value)
        try:
            # `literal_eval` runs nothing, but deep nesting exhausts its stack or memory.
            literal = ast.literal_eval(value.strip())
            joined = isinstance(literal, (list, dict)) and _joins_texts(value.strip())
        except (
            ValueError,
            SyntaxError,
            TypeError,
            RecursionError,
            MemoryError,
            tokenize.TokenError,
        ) as error:
            reason = f"{self.path}{name} is neither JSON nor a Python literal, found {show(value)}"
            raise ValueError(reason) from error
        if joined:
            reason = "has two texts without a comma between them, as NumPy prints lists: write JSON"
            raise ValueError(f"{self.path}{name} {reason}")
        return literal

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of text; empty if the cell is missing."""
        value = self.structure(name)
        if not isinstance(value, (list, type(None))):
            raise ValueError(f"{self.path}{name} must be a list of text, found {show(value)}")
        return tuple(
            as_text(item, f"{self.path}{name}[{index}]") for index, item in enumerate(value or ())
        )

    def cells(self, name: str) -> Cells:
        """Return a struct; an empty one if the cell is missing."""
        if name not in self._inner:
            value = self.structure(name)
            if not isinstance(value, (Mapping, type(None))):
                raise ValueError(f"{self.path}{name} must be a struct, found {show(value)}")
            # Stored, so that `rest` knows which fields were read.
            self._inner[name] = Cells(value or {}, f"{self.path}{name}.")
        return self._inner[name]

    def rows(self, name: str) -> list[Cells]:
        """Return a list of structs, also from a struct of lists; empty if the cell is missing."""
        value, where = self.structure(name), self.path + name
        if isinstance(value, Mapping):
            for column, items in value.items():
                if not isinstance(items, list):
                    raise ValueError(f"{where}.{column} must be a list, found {show(items)}")
            lengths = {column: len(items) for column, items in value.items()}
            if len(set(lengths.values())) > 1:
                summary = ", ".join(f"{length} in {column}" for column, length in lengths.items())
                raise ValueError(f"{where} has lists of different lengths: {summary}")
            value = [
                dict(zip(value, items, strict=True)) for items in zip(*value.values(), strict=True)
            ]
        if not isinstance(value, (list, type(None))):
            raise ValueError(f"{where} must be a list of structs, found {show(value)}")
        for index, item in enumerate(value or ()):
            if not isinstance(item, Mapping):
                raise ValueError(f"{where}[{index}] must be a struct, found {show(item)}")
        return [Cells(item, f"{where}[{index}].") for index, item in enumerate(value or ())]

    def keep(self, *names: str) -> None:
        """Mark columns as unread, so that ``rest()`` returns them."""
        self._read -= set(names)

    def rest(self) -> dict[str, Any]:
        """Return the columns that were not read, without nulls, as plain values.

        Raises:
            ValueError: A column is nested too deeply.
        """
        unread = {name: plain(self._values[name]) for name in self if name not in self._read}
        inner = {
            name: rest
            for name, cells in self._inner.items()
            if name in self._read and (rest := cells.rest())
        }
        return unread | inner


class TableRow(Cells):
    """One row of a table; `where` is the file or split and the row number, for messages."""

    def __init__(
        self,
        values: Mapping[str, Any],
        where: str,
        config: str | None = None,
        split: str | None = None,
    ) -> None:
        super().__init__(values)
        self.values = values
        self.where = where
        self.config = config
        self.split = split


def _joins_texts(literal: str) -> bool:
    """Whether a comma is missing between two texts, as in NumPy's output; Python joins them."""
    if not re.search(r"['\"]\s+['\"]", literal):
        return False
    breaks = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT)
    tokens = tokenize.generate_tokens(io.StringIO(literal).readline)
    kinds = [token.type for token in tokens if token.type not in breaks]
    return any(left == right == tokenize.STRING for left, right in pairwise(kinds))


def as_text(value: Any, where: str) -> str:
    """Return `value` if it is text.

    Raises:
        ValueError: It is not text; the message names `where`.
    """
    if not isinstance(value, str):
        raise ValueError(f"{where} must be text, found {show(value)}")
    return value
