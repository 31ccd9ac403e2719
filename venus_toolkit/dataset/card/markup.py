"""Parses cards into generated blocks between markers, and other text around them.

A block begins with the line ``<!-- venus:NAME -->`` and ends with ``<!-- /venus:NAME -->``. An
update of a card replaces its blocks and leaves everything else unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

from venus_toolkit.core.errors import UsageError

FENCE = "---"
SEE = "see docs/card.md"


class CardSection(NamedTuple):
    """Lines of a card from line `start` on.

    `name` is the name of a block, or None for other text.
    """

    name: str | None
    start: int
    lines: tuple[str, ...]


class Card(NamedTuple):
    """A card: its header as YAML text (without its delimiters) and its pieces in order."""

    header: str
    pieces: tuple[CardSection, ...]

    @property
    def blocks(self) -> dict[str, CardSection]:
        """The generated blocks by name, in order."""
        return {piece.name: piece for piece in self.pieces if piece.name}

    @property
    def has_text(self) -> bool:
        """Whether there is anything below the header."""
        return any(line.strip() for piece in self.pieces for line in piece.lines)

    @property
    def text(self) -> str:
        """The whole card."""
        body = "\n".join(line for piece in self.pieces for line in piece.lines)
        return f"{FENCE}\n{self.header.rstrip()}\n{FENCE}\n{body.rstrip()}\n"


def parse_card(text: str, name: str) -> Card:
    """Return the pieces of a card; `name` is its name in messages.

    Raises:
        UsageError: The header does not end, or a block does not begin and end exactly once.
    """
    # str.splitlines would also split at form feeds and U+2028, which a line of Markdown may
    # contain.
    lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
    first = 0
    if lines and lines[0].rstrip() == FENCE:
        end = next(
            (number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None
        )
        if end is None:
            raise UsageError(
                f"the header of {name} does not end", "the second line --- is missing", "add it"
            )
        first = end + 1
    return Card(
        "\n".join(lines[1 : max(1, first - 1)]), tuple(_pieces(lines[first:], first + 1, name))
    )


def _pieces(lines: Sequence[str], start: int, name: str) -> list[CardSection]:
    pieces: list[CardSection] = []
    inside: str | None = None
    current: list[str] = []
    for number, line in enumerate(lines, start):
        marker = re.fullmatch(r"\s*<!--\s*(/?)venus:([\w-]+)\s*-->\s*", line)
        if marker is None:
            current.append(line)
            continue
        closing, block = bool(marker[1]), marker[2]
        reason = ""
        if closing and inside != block:
            reason = f"<!-- venus:{block} --> is missing above it"
        elif not closing and inside:
            reason = f"<!-- /venus:{inside} --> is missing above it"
        elif not closing and any(piece.name == block for piece in pieces):
            reason = "this block exists already"
        if reason:
            message = f"line {number} of {name}: {line.strip()} does not fit"
            raise UsageError(message, reason, f"put it back, or delete this block; {SEE}")
        if closing:
            pieces.append(CardSection(block, number - len(current), (*current, line)))
        elif current:
            pieces.append(CardSection(None, number - len(current), tuple(current)))
        inside, current = (None, []) if closing else (block, [line])
    if inside:
        raise UsageError(
            f"the block {inside} of {name} does not end",
            f"<!-- /venus:{inside} --> is missing",
            SEE,
        )
    return (
        [*pieces, CardSection(None, start + len(lines) - len(current), tuple(current))]
        if current
        else pieces
    )


def load_header(header: str, name: str) -> dict[str, Any]:
    """Return the header of a card as a mapping.

    Raises:
        UsageError: It is not YAML, or not a mapping.
    """
    message, fix = (
        f"the header of {name} cannot be read",
        "repair the YAML between the two lines ---, or delete it",
    )
    try:
        # The C loader, if PyYAML has it, is ten times faster.
        keys = yaml.load(header, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        # Marks count from 0, and the first line of the file is the delimiter.
        line = f"line {error.problem_mark.line + 2}: " if error.problem_mark else ""
        raise UsageError(message, f"{line}{error.problem or error}", fix) from error
    except yaml.YAMLError as error:
        raise UsageError(message, str(error).split("\n")[0], fix) from error
    if keys is not None and not isinstance(keys, dict):
        raise UsageError(message, "it is not a list of keys with values", fix)
    return keys or {}


def dump_header(keys: dict[str, Any]) -> str:
    """Return a header as YAML text: keys in their order, lines not folded."""

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]  # PyYAML has no types
        def ignore_aliases(self, data: Any) -> bool:
            return True  # write equal values in full, without YAML aliases

    text: str = yaml.dump(keys, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=10_000)
    return text


def join_cards(old: Card, new: Card, name: str) -> Card:
    """Return `old` with the blocks of `new`, and with the header of `old`.

    A block that is missing in `old` is inserted after its predecessor in `new`. A block that is
    missing in `new` is kept.

    Raises:
        UsageError: The heading of a block is outside of its markers, which were deleted.
    """
    text_lines = [
        (number, line.strip())
        for piece in old.pieces
        if not piece.name
        for number, line in enumerate(piece.lines, piece.start)
    ]
    for missing in new.blocks.keys() - old.blocks.keys():
        heading = next(
            (
                line.strip()
                for line in new.blocks[missing].lines
                if re.fullmatch(r"#{1,6} .*\S", line)
            ),
            None,
        )
        number = next((number for number, line in text_lines if line == heading), None)
        if number is not None:
            raise UsageError(
                f"line {number} of {name}: {heading!r} is outside of its markers",
                "the markers of this generated section were deleted, or it is a section of "
                "your own",
                f"put <!-- venus:{missing} --> above and <!-- /venus:{missing} --> below "
                "the generated section, "
                f"delete it, or choose another heading; {SEE}",
            )
    pieces = [new.blocks.get(piece.name, piece) if piece.name else piece for piece in old.pieces]
    # A block without a predecessor goes before the first block.
    place = next((number for number, piece in enumerate(pieces) if piece.name), len(pieces))
    for block, piece in new.blocks.items():
        if block not in old.blocks:
            pieces[place:place] = [CardSection(None, 0, ("",)), piece]
        place = [section.name for section in pieces].index(block) + 1
    return Card(old.header, tuple(pieces))
