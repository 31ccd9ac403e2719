"""Sanitizes text from outside: answers of models, rows and files of sources, tests of users.

Storable text can be written as UTF-8, JSON and Parquet and passed to a program, and it is read back
unchanged. Each change is reported, so that a row or a card can repeat it.

    lone surrogates      half a character: JSON can express it, UTF-8 cannot        now U+FFFD
    NUL                  ends a text in C, and so in commands, paths and compilers  now U+FFFD
    byte order mark      at the start: a remainder of the encoding of a file        removed
    too many characters  longer than any text that is written on purpose            cut

Not covered: raw bytes (output of programs), which are decoded with replacement characters on
reading, and jobs over HTTP, which are refused with status 422 instead of being changed
(server/schemas.py).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

LONGEST = 4_000_000  # characters of an answer, a statement or a program
REPLACEMENT = "\ufffd"


class StorableText(NamedTuple):
    """Text that can be stored, and descriptions of the changes; none: the original text."""

    text: str
    changes: tuple[str, ...] = ()


def storable(text: str, longest: int | None = None) -> StorableText:
    """Return storable text.

    Args:
        text: Any text.
        longest: The maximum length in characters; None: unlimited.
    """
    changes = []
    try:
        text.encode()
    except UnicodeEncodeError:
        # A stream may deliver the two surrogates of a character separately; a pair is valid.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text, count = re.subn("[\ud800-\udfff]", REPLACEMENT, joined)
        changes += [f"lone surrogates replaced: {count}"] if count else ["surrogate pairs joined"]
    if count := text.count("\0"):
        text = text.replace("\0", REPLACEMENT)
        changes.append(f"NUL characters replaced: {count}")
    if text.startswith("\ufeff"):
        text = text.lstrip("\ufeff")
        changes.append("byte order mark removed")
    if longest is not None and len(text) > longest:
        changes.append(f"cut at {longest} of {len(text)} characters")
        text = text[:longest]
    return StorableText(text, tuple(changes))


def storable_values(value: Any, where: str, changes: dict[str, str]) -> Any:
    """Return a record, list or mapping with storable texts.

    It adds descriptions of the changes to `changes`, by their path in the value, which begins with
    `where`.
    """
    stored = value
    if isinstance(value, str):
        text, descriptions = storable(value)
        if descriptions:
            stored = text
            changes[storable(where).text] = "; ".join(descriptions)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {
            name: new
            for name, old in fields.items()
            if (new := storable_values(old, f"{where}.{name}".lstrip("."), changes)) is not old
        }
        stored = dataclasses.replace(value, **changed) if changed else value
    elif isinstance(value, Mapping):
        pairs = [
            (
                storable(key).text if isinstance(key, str) else key,
                storable_values(item, f"{where}.{key}", changes),
            )
            for key, item in value.items()
        ]
        if any(
            a is not b or c is not d for (a, c), (b, d) in zip(pairs, value.items(), strict=True)
        ):
            stored = dict(pairs)
    elif isinstance(value, (list, tuple)):
        items = [
            storable_values(item, f"{where}[{number}]", changes)
            for number, item in enumerate(value)
        ]
        if any(new is not old for new, old in zip(items, value, strict=True)):
            stored = type(value)(items)
    return stored
