"""The layout of a problem from all evidence there is: what is shown first, words last.

Candidates come from the format block of the statement, from its sentences, and from a search over
the inputs, which also continues a format block that breaks off (``query_1`` to ``query_Q``).
Samples and given tests are the truth: a layout counts once it reads them all, and all of them
together say which values are numbers and which are words.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.layouts import describe, format_block, search
from venus_toolkit.builders.inputs.spec.checking.checks import InputError
from venus_toolkit.builders.inputs.spec.checking.values import Reader
from venus_toolkit.builders.inputs.spec.expressions import names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Layout,
    Loop,
    Node,
    Scalar,
    changed,
    counts,
    scalars,
)
from venus_toolkit.builders.inputs.spec.specification import SpecError
from venus_toolkit.builders.inputs.statements import Statement

MOST_CANDIDATES = 40  # of one kind of evidence
MOST_BEGINNINGS = 3
MOST_SEARCHED = 12
LEAST_SHARE = 0.5
ALONE = 0.8  # the factor of the confidence in a layout that no word confirms


class Evidence(NamedTuple):
    """What is known of a problem's inputs."""

    statement: Statement
    samples: Sequence[str]
    given: Sequence[str]


class RatedLayout(NamedTuple):
    """A layout, and what remains doubtful about it: a factor of the confidence, and why."""

    layout: Layout
    factor: float = 1.0
    reason: str = ""


class NoLayout(Exception):
    """No layout reads all samples; the text says why."""


def find_layout(evidence: Evidence) -> RatedLayout:
    """Return the layout of the inputs of lines that the evidence speaks for.

    Raises:
        NoLayout: None reads every sample.
    """
    inputs = [*evidence.samples, *evidence.given]
    if not inputs:
        return _unchecked(evidence)
    shown: list[Layout] = []
    complaint = "its input is not described in a way that we read"
    for layout in _shown(evidence):
        shown.append(layout)
        try:
            return RatedLayout(_decided(settled(layout, inputs), evidence))
        except InputError as unfit:
            complaint = f"the sample does not fit: {unfit}"
    # Given tests that others made at random are not always allowed ones: a layout that the statement
    # shows, and that the samples and most tests fit, is better than one that nothing shows.
    try:
        return _most(shown, evidence, complaint)
    except NoLayout:
        found = _searched(inputs, evidence)
    if found:
        return found
    raise NoLayout(complaint)


def _searched(inputs: list[str], evidence: Evidence) -> RatedLayout | None:
    """Return a layout found in the inputs, after what the first format block shows of it or from the start."""
    blocks = itertools.islice(format_block.layouts(evidence.statement.formats), MOST_BEGINNINGS)
    begun = [layout.body[:end] for layout in blocks for end in _beginnings(layout)]
    for prefix in [*begun[:MOST_BEGINNINGS], ()]:
        for layout in itertools.islice(search.layouts(inputs, prefix), MOST_SEARCHED):
            try:
                found = describe.named(settled(layout, inputs), _description(evidence))
            except InputError:
                continue
            reason = "the layout is read off the inputs alone"
            return RatedLayout(_decided(found, evidence), ALONE, reason)
    return None


def checked(layout: Layout | None, evidence: Evidence) -> RatedLayout:
    """Return a layout that is known from elsewhere, held against the samples and the given tests.

    Raises:
        NoLayout: There is none, or a sample or most given tests do not fit.
    """
    if layout is None:
        raise NoLayout("its input is not described in words that we read")
    if not evidence.samples and not evidence.given:
        return RatedLayout(layout, 0.5, "there is no sample to check the layout with")
    return _most([layout], evidence, "")


def _shown(evidence: Evidence) -> Iterator[Layout]:
    yield from itertools.islice(format_block.layouts(evidence.statement.formats), MOST_CANDIDATES)
    yield from itertools.islice(describe.candidates(_description(evidence)), MOST_CANDIDATES)


def _description(evidence: Evidence) -> str:
    return evidence.statement.input or evidence.statement.text


def _beginnings(layout: Layout) -> Iterator[int]:
    """Yield how many items of a layout may be right though the whole is not.

    All but those from a repeat on.
    """
    return (end for end in range(len(layout.body) - 1, 0, -1) if isinstance(layout.body[end], Loop))


def _unchecked(evidence: Evidence) -> RatedLayout:
    for layout in _shown(evidence):
        kinds = {
            node.name: "text" if _is_text(node.name, evidence.statement) else "int"
            for node in scalars(layout.body)
        }
        return RatedLayout(
            _with_kinds(layout, kinds), 0.5, "there is no sample to check the layout with"
        )
    raise NoLayout("its input is not described in a way that we read")


def settled(layout: Layout, inputs: list[str]) -> Layout:
    """Return a layout with the kinds that its values have in all inputs.

    The kind ``digits`` is left for the caller to decide: words like ``0110``, which are numbers or
    texts. An input that does not fit becomes the first of them: it is likely to rule out the next
    layout too.

    Raises:
        InputError: An input is not laid out so, or the layout contradicts itself.
    """
    kinds: dict[str, set[str]] = {}
    try:
        reader = Reader(layout, loose=True)
    except SpecError as error:
        raise InputError(str(error)) from None
    for at, text in enumerate(inputs):
        try:
            shown = reader.read(text).kinds
        except InputError:
            inputs.insert(0, inputs.pop(at))
            raise
        for name, seen in shown.items():
            kinds.setdefault(name, set()).update(seen)
    sizes = {name for count in counts(layout.body) for name in names_in(count)}
    widest_first = ("text", "real", "digits", "int")  # the kinds of words
    found = {
        name: "int" if name in sizes else next(kind for kind in widest_first if kind in seen)
        for name, seen in kinds.items()
    }
    return _with_kinds(layout, found)


def _with_kinds(layout: Layout, kinds: Mapping[str, str]) -> Layout:
    """Return a layout whose open values have the kinds named.

    Those that no input shows are numbers.
    """

    def change(node: Node) -> Node:
        if isinstance(node, Scalar) and node.kind == "word":
            return replace(node, kind=kinds.get(node.name, "int"))
        return node

    return replace(layout, body=changed(layout.body, change))


def _most(shown: Sequence[Layout], evidence: Evidence, complaint: str) -> RatedLayout:
    """Return a layout from the statement that reads all samples and most given tests."""
    for layout in shown:
        try:
            fitting = settled(layout, list(evidence.samples))
        except InputError as unfit:
            complaint = f"the sample does not fit: {unfit}"
            continue
        share = (
            sum(fits(fitting, text) for text in evidence.given) / len(evidence.given)
            if evidence.given
            else 1
        )
        if share >= LEAST_SHARE:
            reason = f"{share:.0%} of the given inputs fit the layout" if share < 1 else ""
            return RatedLayout(_decided(fitting, evidence), max(LEAST_SHARE, share), reason)
        complaint = f"only {share:.0%} of the given inputs fit"
    raise NoLayout(complaint)


def fits(layout: Layout, text: str) -> bool:
    """Whether an input is laid out so."""
    try:
        Reader(layout, loose=True).read(text)
    except (InputError, SpecError):
        return False
    return True


def _decided(layout: Layout, evidence: Evidence) -> Layout:
    """Return a layout with words like ``0110`` as texts, and numbers that the statement calls strings."""
    digits = {
        node.name: node.kind for node in scalars(layout.body) if node.kind in ("int", "digits")
    }
    sizes = {name for count in counts(layout.body) for name in names_in(count)}
    kinds = {
        name: "text"
        if name not in sizes and _is_text(name, evidence.statement, kind == "digits")
        else "int"
        for name, kind in digits.items()
    }

    def change(node: Node) -> Node:
        return (
            replace(node, kind=kinds.get(node.name, node.kind))
            if isinstance(node, Scalar)
            else node
        )

    return replace(layout, body=changed(layout.body, change))


def _is_text(name: str, statement: Statement, looks_so: bool = False) -> bool:
    """Whether a value is a string.

    It `looks_so` or is called so, and is neither called an integer nor compared as a number is.
    """
    spelt = re.escape(name) + r"(?:_\w|_\{\w\})?"
    # ``a string of length N`` calls N nothing.
    after = rf"\bstrings?\s(?:(?!of\b|length\b)[a-z]\w*\s){{0,2}}{spelt}(?!\w)"
    others = r"(?:(?:,|,?\sand)\s[A-Za-z]\w*(?:_\{\w+\})?)*"
    called = rf"(?<!\w){spelt}{others}\s(?:is|are)\s(?:each\s)?(?:an?\s)?(?:[\w-]+\s){{0,3}}"
    strings, integers = rf"{called}strings?\b", rf"{called}integers?\b"
    made_of = rf"(?<!\w){spelt}\sconsists?\s(?:only\s)?of\b"
    compared = rf"(?:<=|<)\s?{spelt}(?![\w|])|(?<![\w|]){spelt}\s?(?:<=|<)"
    text = statement.text
    told = looks_so or re.search(rf"{after}|{strings}|{made_of}", text)
    return bool(told) and not re.search(rf"{compared}|{integers}", text)
