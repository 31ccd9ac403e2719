"""Checks every generated number of a card against the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, NamedTuple

import yaml

from venus_toolkit.dataset.card.header import COMPUTED
from venus_toolkit.dataset.card.markup import Card, CardSection

NOTHING = "\N{EN DASH}"


class CardFinding(NamedTuple):
    """A place where a card disagrees with the data."""

    line: int  # of the file, from 1
    said: str  # the text of the card; NOTHING if it is missing
    true: str  # the text according to the data; NOTHING if there should be none
    where: str  # the line, or the key of the header

    def __str__(self) -> str:
        """Return the finding as a sentence."""
        return (
            f"line {self.line}: the card says {self.said}, the data say {self.true}: {self.where}"
        )


def compare_cards(card: Card, expected: Card) -> Iterator[CardFinding]:
    """Yield the differences in the generated blocks of a card."""
    last = card.pieces[-1].start + len(card.pieces[-1].lines) - 1 if card.pieces else 1
    for name, block in expected.blocks.items():
        if name in card.blocks:
            yield from _compare_blocks(card.blocks[name], block)
        else:
            yield CardFinding(
                last, NOTHING, f"a section more: {block.lines[1].strip()}", f"the block {name}"
            )
    for name, block in card.blocks.items():
        if name not in expected.blocks:
            yield CardFinding(
                block.start, block.lines[0].strip(), NOTHING, "no section of this name is generated"
            )


def _compare_blocks(piece: CardSection, expected: CardSection) -> Iterator[CardFinding]:
    actual, true = ([line.rstrip() for line in section.lines] for section in (piece, expected))
    number = re.compile(r"\d+(?:[.,]\d+)*")
    # Lines are aligned without their numbers, so that numbers in the same place are compared.
    old_shape, new_shape = ([number.sub("0", line) for line in lines] for lines in (actual, true))
    # autojunk would ignore the rows of long tables, because they are equal without their numbers.
    for tag, a, a_end, b, b_end in SequenceMatcher(
        None, old_shape, new_shape, autojunk=False
    ).get_opcodes():
        for offset, (old, new) in enumerate(
            zip_longest(actual[a:a_end], true[b:b_end], fillvalue="")
        ):
            line = piece.start + min(a + offset, len(actual) - 1)
            if tag == "equal":  # except for the numbers
                numbers = zip(number.findall(old), number.findall(new), strict=True)
                yield from (
                    CardFinding(line, old_number, new_number, old.strip())
                    for old_number, new_number in numbers
                    if old_number != new_number
                )
            elif old != new:
                yield CardFinding(
                    line, old.strip() or NOTHING, new.strip() or NOTHING, f"the block {piece.name}"
                )


def compare_headers(header: str, expected: Mapping[str, Any]) -> Iterator[CardFinding]:
    """Yield the differences between a card's header, which is valid YAML, and the computed values."""
    node = yaml.compose(header, Loader=yaml.SafeLoader)
    nodes = _children(node)
    for key in COMPUTED:
        if key in expected:
            yield from _compare_node(nodes.get(key), expected[key], key, _line(node))
        elif key in nodes:
            yield CardFinding(_line(nodes[key]), key, NOTHING, "the header")
    # People may edit the other keys, but a key must exist, and a list must contain the data's
    # items.
    for key, value in expected.items():
        current = _plain(nodes.get(key))
        if key in COMPUTED:
            continue
        if key not in nodes:
            yield CardFinding(_line(node), NOTHING, str(value), key)
        elif isinstance(value, list) and isinstance(current, list):
            yield from (
                CardFinding(_line(nodes[key]), NOTHING, str(item), key)
                for item in value
                if item not in current
            )


def _compare_node(node: Any, value: Any, path: str, line: int) -> Iterator[CardFinding]:
    """Compare a node with a value part by part, so that each difference has its own line."""
    if node is None:
        yield CardFinding(line, NOTHING, _short(value), path)
        return
    children = _children(node)
    if isinstance(value, Mapping) and children:
        expected = {str(key): item for key, item in value.items()}
    elif isinstance(value, list) and children:
        expected = {_name(item, place): item for place, item in enumerate(value)}
    else:
        if _plain(node) != value:
            yield CardFinding(_line(node), _short(_plain(node)), _short(value), path)
        return
    for key, item in expected.items():
        yield from _compare_node(children.get(key), item, f"{path}.{key}", _line(node))
    for key in children.keys() - expected.keys():
        yield CardFinding(
            _line(children[key]), _short(_plain(children[key])), NOTHING, f"{path}.{key}"
        )


def _children(node: Any) -> dict[str, Any]:
    """Return the parts of a node by name; items of a list without a name go by their index."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): value for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return {_name(_plain(item), place): item for place, item in enumerate(node.value)}
    return {}


def _name(item: Any, place: int) -> str:
    names = (
        (item.get(key) for key in ("config_name", "name", "split"))
        if isinstance(item, Mapping)
        else ()
    )
    return next((str(name) for name in names if name is not None), str(place))


def _plain(node: Any) -> Any:
    return None if node is None else yaml.constructor.SafeConstructor().construct_document(node)


def _line(node: Any) -> int:
    """Return the line of a node in the file, whose second line begins the header."""
    return node.start_mark.line + 2 if node is not None else 1


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"
