"""Selects the sentences of a statement that hold for its samples and nearly all given tests.

A sample that breaks a sentence shows that the sentence was misread. A given test is weaker
evidence: many were made by varying other tests, or by a model, and break the statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import read
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.spec.checking.validate import Validator
from venus_toolkit.builders.inputs.spec.layout import Layout
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Graph, Reading
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError

# The largest share of given inputs that may break a believed sentence.
MOST_BROKEN = 0.25
# Matches sentences about only some of the tests; other inputs may break them.
PARTIAL = re.compile(
    r"%|\bpercent\b|\bsub-?tasks?\b|\d ?points?\b|\b(?:test|data) ?sets?\b|\bof (?:the |all )?tests?\b|\btest data\b",
    re.IGNORECASE,
)


class StatementSentence(NamedTuple):
    """A sentence of a statement.

    must: Whether it is a constraint; each constraint must be understood.
    restored: The sentence with superscripts of powers of two put back, in case they were lost.
    """

    text: str
    must: bool
    restored: str = ""


class BelievedReadings(NamedTuple):
    """The believed sentences of a statement.

    Attributes:
        readings: The sentences that hold for the inputs.
        unread: The other sentences, each with the reason why it is not believed.
        broken: The given inputs that break a believed sentence.
        loose: Whether the validator ignores extra white space, as programs do.
    """

    readings: tuple[Reading, ...]
    unread: Mapping[str, str]
    broken: Mapping[str, frozenset[str]]
    loose: bool


class LayoutMismatch(Exception):
    """A known input does not have the layout."""


def believe(
    layout: Layout,
    names: Names,
    statement_sentences: Sequence[StatementSentence],
    samples: Sequence[str],
    given_inputs: Sequence[str] = (),
    directed: bool = False,
) -> BelievedReadings:
    """Return the promises of a statement's sentences that the known inputs support.

    Args:
        layout: The places of values in an input.
        names: The statement's names for these values.
        statement_sentences: Its sentences.
        samples: Inputs that are allowed.
        given_inputs: Inputs that came with the problem; a few may not be allowed.
        directed: Whether the edges of graphs have a direction.

    Raises:
        LayoutMismatch: A sample or given input does not have the layout.
    """
    spec = Spec("", layout, first=names.first, directed=directed)
    inputs = [*samples, *given_inputs]
    try:
        loose = _refused_inputs(spec, inputs)
        if loose and _refused_inputs(replace(spec, loose=True), inputs):
            raise LayoutMismatch("a known input does not fit the layout")
    except SpecError as error:
        raise LayoutMismatch(str(error)) from error
    spec = replace(spec, loose=bool(loose))
    readings, unread = _read_sentences(spec, statement_sentences, names)
    if not _refused_inputs(replace(spec, readings=tuple(readings)), inputs):
        return BelievedReadings(tuple(readings), unread, {}, spec.loose)
    restored = {sentence: other for sentence, _, other in statement_sentences if other != sentence}
    broken: dict[str, frozenset[str]] = {}
    believed: list[Reading] = []
    for reading in sorted(readings, key=_is_of_graph):
        choices = [reading]
        # A number may have lost its superscript: if it cannot be 27, it was 2^7.
        if promises := read(restored.get(reading.sentence, ""), names):
            choices.append(Reading(reading.sentence, tuple(promises)))
        for choice in choices:
            others = [
                earlier
                for earlier in believed
                if _is_of_graph(choice) and not _is_of_graph(earlier)
            ]
            alone = replace(spec, readings=(*others, choice))
            if not _is_checkable(alone) or _refused_inputs(alone, samples):
                continue
            breaking = _refused_inputs(alone, given_inputs)
            few_broken = samples and len(breaking.union(*broken.values())) <= MOST_BROKEN * len(
                given_inputs
            )
            if not breaking or (few_broken and not PARTIAL.search(reading.sentence)):
                believed.append(choice)
                broken |= {reading.sentence: breaking} if breaking else {}
                break
        else:
            unread[reading.sentence] = "misread: a known input breaks it"
    return BelievedReadings(tuple(believed), unread, broken, spec.loose)


def _read_sentences(
    spec: Spec, statement_sentences: Sequence[StatementSentence], names: Names
) -> tuple[list[Reading], dict[str, str]]:
    """Return the sentences that can be checked, and the reasons why others cannot."""
    unread: dict[str, str] = {}
    readings: list[Reading] = []
    dependent: list[Reading] = []
    for sentence, must, _ in statement_sentences:
        promises = read(sentence, names)
        if promises is None and not must:
            promises, more = read_prose(sentence, names)
            if more:
                unread[sentence] = "not understood"
        if promises is None:
            unread[sentence] = "not understood"
            continue
        reading = Reading(sentence, tuple(promises))
        checkable = _is_checkable(replace(spec, readings=(reading,)))
        (readings if checkable else dependent).append(reading)
    for reading in dependent:
        if _is_checkable(replace(spec, readings=(*readings, reading))):
            readings.append(reading)
        else:
            unread[reading.sentence] = "not understood"
    return readings, unread


def _is_of_graph(reading: Reading) -> bool:
    # The check of a graph needs the bounds of its nodes, which other sentences give.
    return any(isinstance(promise, Graph) for promise in reading.promises)


def _is_checkable(spec: Spec) -> bool:
    try:
        Validator(spec)
    except SpecError:
        return False
    return True


def _refused_inputs(spec: Spec, inputs: Sequence[str]) -> frozenset[str]:
    validator = Validator(spec)
    return frozenset(text for text in inputs if validator.reasons(text))
