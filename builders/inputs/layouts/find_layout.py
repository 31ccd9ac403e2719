"""Finds the layout of a problem from all its evidence: format blocks first, sentences last.

Candidates come from the format block of the statement, from its sentences, and from a search over
the inputs, which also continues a format block that breaks off (``query_1`` to ``query_Q``).
Samples and given tests decide: a layout must read them all, and together they show which values
are numbers and which are words.
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

MOST_CANDIDATES = 40  # layouts to try from format blocks, and as many from sentences
MOST_BEGINNINGS = 3  # beginnings, taken from format blocks, that a search continues
MOST_SEARCHED = 12  # layouts to try from each search
LEAST_SHARE = 0.5  # share of the given inputs that must fit a layout
ALONE = 0.8  # factor on the confidence in a layout that the statement does not confirm


class Evidence(NamedTuple):
    """The evidence for the layout of a problem's inputs."""

    statement: Statement
    samples: Sequence[str]
    given_inputs: Sequence[str]


class RatedLayout(NamedTuple):
    """A layout, and its doubt: a factor of the confidence, and the reason."""

    layout: Layout
    factor: float = 1.0
    reason: str = ""


class NoLayout(Exception):
    """No layout reads all samples; the text gives the reason."""


def find_layout(evidence: Evidence) -> RatedLayout:
    """Return the layout of inputs of lines that the evidence supports.

    Raises:
        NoLayout: No layout reads every sample.
    """
    inputs = [*evidence.samples, *evidence.given_inputs]
    if not inputs:
        return _rate_without_samples(evidence)
    shown: list[Layout] = []
    complaint = "its description of the input was not understood"
    for layout in _stated_layouts(evidence):
        shown.append(layout)
        try:
            return RatedLayout(_decide_texts(resolve_kinds(layout, inputs), evidence))
        except InputError as unfit:
            complaint = f"the sample does not fit: {unfit}"
    # Published tests are not always allowed inputs. A layout that the statement shows, and that the
    # samples and most tests fit, is better than one from the inputs alone.
    try:
        return _rated_by_most(shown, evidence, complaint)
    except NoLayout:
        searched = _search_layout(inputs, evidence)
    if searched:
        return searched
    raise NoLayout(complaint)


def _search_layout(inputs: list[str], evidence: Evidence) -> RatedLayout | None:
    """Search the inputs for a layout, which continues the first format block or starts anew."""
    blocks = itertools.islice(format_block.layouts(evidence.statement.formats), MOST_BEGINNINGS)
    prefixes = [layout.body[:end] for layout in blocks for end in _prefix_lengths(layout)]
    for prefix in [*prefixes[:MOST_BEGINNINGS], ()]:
        for layout in itertools.islice(search.layouts(inputs, prefix), MOST_SEARCHED):
            try:
                layout_with_names = describe.name_values(
                    resolve_kinds(layout, inputs), _description(evidence)
                )
            except InputError:
                continue
            reason = "the layout comes from the inputs alone"
            return RatedLayout(_decide_texts(layout_with_names, evidence), ALONE, reason)
    return None


def rate_layout(layout: Layout | None, evidence: Evidence) -> RatedLayout:
    """Rate a layout from another source by the samples and the given tests.

    Raises:
        NoLayout: The layout is None, or a sample or most given tests do not fit.
    """
    if layout is None:
        raise NoLayout("the types of its arguments were not understood")
    if not evidence.samples and not evidence.given_inputs:
        return RatedLayout(layout, 0.5, "the layout was not checked, as the problem has no sample")
    return _rated_by_most([layout], evidence, "")


def _stated_layouts(evidence: Evidence) -> Iterator[Layout]:
    yield from itertools.islice(format_block.layouts(evidence.statement.formats), MOST_CANDIDATES)
    yield from itertools.islice(describe.candidates(_description(evidence)), MOST_CANDIDATES)


def _description(evidence: Evidence) -> str:
    return evidence.statement.input or evidence.statement.text


def _prefix_lengths(layout: Layout) -> Iterator[int]:
    """Yield lengths of prefixes of a layout that may be right: those that end before a repeat."""
    return (end for end in range(len(layout.body) - 1, 0, -1) if isinstance(layout.body[end], Loop))


def _rate_without_samples(evidence: Evidence) -> RatedLayout:
    for layout in _stated_layouts(evidence):
        kinds = {
            node.name: "text" if _is_text(node.name, evidence.statement) else "int"
            for node in scalars(layout.body)
        }
        return RatedLayout(
            _with_kinds(layout, kinds),
            0.5,
            "the layout was not checked, as the problem has no sample",
        )
    raise NoLayout("its description of the input was not understood")


def resolve_kinds(layout: Layout, inputs: list[str]) -> Layout:
    """Return a layout with the kinds that its values have in all inputs.

    The kind ``digits`` (words like ``0110``) is left for the caller to resolve to numbers or texts.
    An input that does not fit moves to the front of `inputs`, as it likely rules out the next
    layout too.

    Raises:
        InputError: An input does not fit the layout, or the layout contradicts itself.
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
    widest_first = ("text", "real", "digits", "int")  # the widest kind in the inputs counts
    resolved = {
        name: "int" if name in sizes else next(kind for kind in widest_first if kind in seen)
        for name, seen in kinds.items()
    }
    return _with_kinds(layout, resolved)


def _with_kinds(layout: Layout, kinds: Mapping[str, str]) -> Layout:
    """Return a layout with these kinds of its open values; values in no input are numbers."""

    def change(node: Node) -> Node:
        if isinstance(node, Scalar) and node.kind == "word":
            return replace(node, kind=kinds.get(node.name, "int"))
        return node

    return replace(layout, body=changed(layout.body, change))


def _rated_by_most(shown: Sequence[Layout], evidence: Evidence, complaint: str) -> RatedLayout:
    """Return a layout from the statement that reads all samples and most given tests."""
    for layout in shown:
        try:
            fitting = resolve_kinds(layout, list(evidence.samples))
        except InputError as unfit:
            complaint = f"the sample does not fit: {unfit}"
            continue
        share = (
            sum(fits(fitting, text) for text in evidence.given_inputs) / len(evidence.given_inputs)
            if evidence.given_inputs
            else 1
        )
        if share >= LEAST_SHARE:
            reason = f"{share:.0%} of the given inputs fit the layout" if share < 1 else ""
            return RatedLayout(_decide_texts(fitting, evidence), max(LEAST_SHARE, share), reason)
        complaint = f"only {share:.0%} of the given inputs fit"
    raise NoLayout(complaint)


def fits(layout: Layout, text: str) -> bool:
    """Whether an input fits a layout."""
    try:
        Reader(layout, loose=True).read(text)
    except (InputError, SpecError):
        return False
    return True


def _decide_texts(layout: Layout, evidence: Evidence) -> Layout:
    """Return a layout whose words of digits are numbers or texts, as the statement says."""
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


def _is_text(name: str, statement: Statement, looks_like_text: bool = False) -> bool:
    """Whether a value is a string.

    It looks like one or is called one, and is neither called an integer nor compared like a number.
    """
    spelt = re.escape(name) + r"(?:_\w|_\{\w\})?"
    # ``a string of length N`` does not call N a string.
    after = rf"\bstrings?\s(?:(?!of\b|length\b)[a-z]\w*\s){{0,2}}{spelt}(?!\w)"
    others = r"(?:(?:,|,?\sand)\s[A-Za-z]\w*(?:_\{\w+\})?)*"
    called = rf"(?<!\w){spelt}{others}\s(?:is|are)\s(?:each\s)?(?:an?\s)?(?:[\w-]+\s){{0,3}}"
    strings, integers = rf"{called}strings?\b", rf"{called}integers?\b"
    made_of = rf"(?<!\w){spelt}\sconsists?\s(?:only\s)?of\b"
    compared = rf"(?:<=|<)\s?{spelt}(?![\w|])|(?<![\w|]){spelt}\s?(?:<=|<)"
    text = statement.text
    suggested = looks_like_text or re.search(rf"{after}|{strings}|{made_of}", text)
    return bool(suggested) and not re.search(rf"{compared}|{integers}", text)
