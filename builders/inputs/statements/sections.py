"""Divides pages into sections by the roles of their headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.builders.inputs.statements.blocks import Block
from venus_toolkit.builders.inputs.statements.headings import Heading, heading_of
from venus_toolkit.builders.inputs.statements.samples import (
    Part,
    Sample,
    bare_text,
    is_prose,
    labelled_part,
    pair_parts,
    with_line_break,
)

SHOWS_FORMAT = re.compile(r"(?:\bformat\b|standard\s+input|形式)[^\n]{0,60}$", re.IGNORECASE)


class Section(NamedTuple):
    """A heading and the blocks below it; a role of "" means an unknown heading."""

    heading: Heading
    blocks: list[Block]


@dataclass
class Sections:
    """The contents of a page: blocks by role, formats, samples, and the roles of its headings."""

    parts: dict[str, list[Block]] = field(default_factory=dict)
    formats: list[Block] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    roles: set[str] = field(default_factory=set)


def divide(page: list[Block]) -> Sections:
    """Return the sections of a page, with each block in one of them."""
    result = Sections()
    parts: list[Part] = []
    announced: list[str] = []
    sections = list(_sections(page))
    # If the page marks its samples, ``Input`` and ``Output`` before them are descriptions.
    shown = any(
        heading.role == "sample" or any(map(labelled_part, blocks)) for heading, blocks in sections
    )
    in_samples = False
    described: set[str] = set()
    last = ""
    for heading, blocks in sections:
        role = heading.role
        result.roles.add(role)
        in_samples |= role == "sample"
        part = heading.part
        if role in ("input", "output") and (in_samples or not shown):
            expected = in_samples or role in described or (role == "output" and last == "input")
            part = role if _is_sample(role, blocks, expected) else ""
        last = part
        rest = blocks
        if part:
            announced.append(part)
            if blocks:
                sample_parts, rest = _extract_samples(blocks, announced)
                parts += sample_parts
                announced = []
        else:
            described.add(role)
        _add_blocks(result, parts, "notes" if part or role == "sample" else role, rest)
    result.samples = pair_parts(parts)
    return result


def _sections(page: list[Block]) -> Iterator[Section]:
    """Yield the section of each known heading; only English ones if a page has two languages."""
    known = [
        heading_of(block.text, marked=block.level < 7) for block in page if block.kind == "heading"
    ]
    english = any(
        head and not head.foreign and head.role in ("input", "output", "constraints")
        for head in known
    )
    section, level, skipping, before = Section(Heading("story", "", False), []), 0, False, True
    heads = iter(known)
    for block in page:
        if block.kind != "heading":
            if not skipping:
                section.blocks.append(block)
            continue
        head = next(heads)
        if head is None and level and block.level <= level:
            # An unknown heading of the same rank ends the section.
            head = Heading("story" if before else "notes", "", False)
        if head is None:
            if not skipping:
                section.blocks.append(block._replace(kind="text"))
            continue
        yield section
        skipping = english and head.foreign
        section, level = Section(head, []), block.level
        before &= head.role == "story"
    yield section


def _is_sample(role: str, blocks: list[Block], expected: bool) -> bool:
    """Whether a section headed ``Input`` or ``Output`` is a sample, not a description."""
    if not blocks or (not expected and role == "output"):
        return expected
    first = blocks[0]
    if first.kind != "code" and is_prose(first.text):
        return False
    return expected or bool(
        re.search(r"\d", first.text) and not re.search(r"_|[.:\u3002]\s*$|\.\s+\w\w", first.text)
    )


def _extract_samples(blocks: list[Block], announced: list[str]) -> tuple[list[Part], list[Block]]:
    """Return the parts of samples that a section holds, and its other blocks.

    `announced` has the parts that headings have named so far, such as ``input``.
    """
    codes = [block for block in blocks if block.kind == "code"][: len(announced)]
    if codes:
        parts = [
            Part(part, with_line_break(code.text))
            for part, code in zip(announced, codes, strict=False)
        ]
        return parts, [block for block in blocks if not any(block is code for code in codes)]
    text = bare_text(blocks)
    return (
        ([], blocks)
        if text is None
        else ([Part(announced[-1], text)], [b for b in blocks if is_prose(b.text)])
    )


def _add_blocks(sections: Sections, parts: list[Part], role: str, blocks: list[Block]) -> None:
    """Add labelled blocks to the samples, the others to a role, and layouts also to the formats."""
    role = role or "story"
    sampled, announced = False, False
    for block in blocks:
        part = labelled_part(block)
        if part:
            parts.append(part)
            sampled = True
            continue
        # Text after a sample explains it.
        place = "notes" if sampled else "input" if role == "interaction" else role
        sections.parts.setdefault(place, []).append(block)
        if place != "input":
            continue
        if block.kind in ("code", "quote") or (announced and not is_prose(block.text)):
            sections.formats.append(block)
        head, _, below = block.text.partition("\n")
        announced = block.kind == "text" and bool(SHOWS_FORMAT.search(block.text))
        if block.kind == "text" and below and SHOWS_FORMAT.search(head) and not is_prose(below):
            sections.formats.append(block._replace(text=below))
            announced = False
