"""Does a card say what the data say? Every generated number is compared, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from venus_toolkit.card.header import COMPUTED
from venus_toolkit.card.markup import Card, Piece

NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NOTHING = "\N{EN DASH}"


class Finding(NamedTuple):
    """One place where a card is not what it should be.

    Attributes:
        line: Of the file, from 1.
        said: What stands there, NOTHING where nothing does.
        true: What the data say, NOTHING where nothing should stand there.
        where: The line, or the key of the header.
    """

    line: int
    said: str
    true: str
    where: str

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        return f"line {self.line}: the card says {self.said}, the data say {self.true}: {self.where}"


def compare_cards(card: Card, expected: Card) -> Iterator[Finding]:
    """Yield what differs in the generated blocks of a card."""
    last = card.pieces[-1].start + len(card.pieces[-1].lines) - 1 if card.pieces else 1
    for name, block in expected.blocks.items():
        if name in card.blocks:
            yield from _compare_blocks(card.blocks[name], block)
        else:
            yield Finding(last, NOTHING, f"a section more: {block.lines[1].strip()}", f"the block {name}")
    for name, block in card.blocks.items():
        if name not in expected.blocks:
            yield Finding(block.start, block.lines[0].strip(), NOTHING, "no section of this name is generated")


def _compare_blocks(piece: Piece, expected: Piece) -> Iterator[Finding]:
    said, true = ([line.rstrip() for line in each.lines] for each in (piece, expected))
    old_shape, new_shape = ([NUMBER.sub("0", line) for line in lines] for lines in (said, true))
    for tag, a, a_end, b, b_end in SequenceMatcher(None, old_shape, new_shape, autojunk=False).get_opcodes():
        if tag == "equal":
            for offset in range(a_end - a):
                yield from _compare_numbers(piece.start + a + offset, said[a + offset], true[b + offset])
            continue
        for offset in range(max(a_end - a, b_end - b)):
            old = said[a + offset] if a + offset < a_end else ""
            new = true[b + offset] if b + offset < b_end else ""
            line = piece.start + min(a + offset, len(said) - 1)
            if old != new:
                yield Finding(line, old.strip() or NOTHING, new.strip() or NOTHING, f"the block {piece.name}")


def _compare_numbers(line: int, said: str, true: str) -> Iterator[Finding]:
    for old, new in zip(NUMBER.findall(said), NUMBER.findall(true), strict=True):
        if old != new:
            yield Finding(line, old, new, said.strip())


# ------------------------------------------------------------------ the header


def compare_headers(header: str, expected: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the computed values of a header that differ.

    Args:
        header: The header of the card, YAML that can be read.
        expected: The header as it should be.
    """
    import yaml

    node = yaml.compose(header, Loader=yaml.SafeLoader)
    there = _children(node)
    for key in COMPUTED:
        if key in expected:
            yield from _compare_node(there.get(key), expected[key], key, _line(node))
        elif key in there:
            yield Finding(_line(there[key]), key, NOTHING, "the header")
    for key, value in expected.items():
        if key not in COMPUTED:
            yield from _compare_own(there.get(key), value, key, _line(node))


def _compare_own(node: Any, value: Any, key: str, line: int) -> Iterator[Finding]:
    """Compare what people may write: a key must be there, and a list must hold what the data say."""
    found = _plain(node)
    if node is None:
        yield Finding(line, NOTHING, str(value), key)
    elif isinstance(value, list) and isinstance(found, list):
        yield from (Finding(_line(node), NOTHING, str(item), key) for item in value if item not in found)


def _compare_node(node: Any, value: Any, path: str, line: int) -> Iterator[Finding]:
    """Compare a node with a value, part by part, so that each difference has a line of its own."""
    if node is None:
        yield Finding(line, NOTHING, _short(value), path)
        return
    children = _children(node)
    if isinstance(value, Mapping) and children:
        expected = {str(key): item for key, item in value.items()}
    elif isinstance(value, list) and children:
        expected = {_name(item, place): item for place, item in enumerate(value)}
    else:
        if _plain(node) != value:
            yield Finding(_line(node), _short(_plain(node)), _short(value), path)
        return
    for key, item in expected.items():
        yield from _compare_node(children.get(key), item, f"{path}.{key}", _line(node))
    for key in children.keys() - expected.keys():
        yield Finding(_line(children[key]), _short(_plain(children[key])), NOTHING, f"{path}.{key}")


def _children(node: Any) -> dict[str, Any]:
    """Return the parts of a node by name; those of a list by the name that they have, or their place."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {str(key.value): value for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return {_name(_plain(item), place): item for place, item in enumerate(node.value)}
    return {}


def _name(item: Any, place: int) -> str:
    names = (item.get(key) for key in ("config_name", "name", "split")) if isinstance(item, Mapping) else ()
    return next((str(name) for name in names if name is not None), str(place))


def _plain(node: Any) -> Any:
    import yaml

    return None if node is None else yaml.constructor.SafeConstructor().construct_document(node)


def _line(node: Any) -> int:
    """Return the line of a node in the file: the header begins at its second."""
    return node.start_mark.line + 2 if node is not None else 1


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
