"""The one door for text from outside: answers of models, rows and files of sources, given tests.

Text that passed can be written as UTF-8, JSON and Parquet, handed to a program, and is read back
equal. What had to be changed is said, so that a row or a card can repeat it.

    lone surrogates      half of a character: JSON can name it, UTF-8 cannot hold it    U+FFFD in its place
    NUL                  ends a text in C, and so in commands, paths and compilers      U+FFFD in its place
    byte order mark      at the start: left by the encoding of a file                   removed
    too many characters  nothing that a person or a model writes on purpose             cut

Not covered: raw bytes, which are decoded with replacement characters where they are read (output of
programs), and jobs over HTTP, which are refused with status 422 instead of being changed
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
    """Text that can be stored, and what was changed for it.

    No changes: it is the text that was given.
    """

    text: str
    changes: tuple[str, ...] = ()


def storable(text: str, longest: int | None = None) -> StorableText:
    """Return text as it can be stored.

    Args:
        text: Any text.
        longest: How many characters are kept; None: all.
    """
    changes = []
    try:
        text.encode()
    except UnicodeEncodeError:
        # A stream may deliver the two halves of a character in two pieces: together they are no
        # lone ones.
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
    """Return a record, list or mapping with storable texts in it.

    `changes` gets what was changed, by its place.
    """
    stored = value
    if isinstance(value, str):
        text, said = storable(value)
        if said:
            stored = text
            changes[storable(where).text] = "; ".join(said)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        changed = {
            name: other
            for name, each in fields.items()
            if (other := storable_values(each, f"{where}.{name}".lstrip("."), changes)) is not each
        }
        stored = dataclasses.replace(value, **changed) if changed else value
    elif isinstance(value, Mapping):
        pairs = [
            (
                storable(key).text if isinstance(key, str) else key,
                storable_values(each, f"{where}.{key}", changes),
            )
            for key, each in value.items()
        ]
        if any(
            a is not b or c is not d for (a, c), (b, d) in zip(pairs, value.items(), strict=True)
        ):
            stored = dict(pairs)
    elif isinstance(value, (list, tuple)):
        items = [
            storable_values(each, f"{where}[{number}]", changes)
            for number, each in enumerate(value)
        ]
        if any(new is not old for new, old in zip(items, value, strict=True)):
            stored = type(value)(items)
    return stored
