"""Which sentences of a statement are believed: those that its samples and nearly all given tests keep.

A sample that breaks a sentence shows that it was misread, and so do given tests, which are
believed less: many were made by varying others, or by a model, and break what the statement says.
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

# the share of given inputs that may be wrong rather than the sentence that they break
MOST_BROKEN = 0.25
# What is said of some tests alone: most keep it, and all are allowed.
PARTIAL = re.compile(
    r"%|\bpercent\b|\bsub-?tasks?\b|\d ?points?\b|\b(?:test|data) ?sets?\b|\bof (?:the |all )?tests?\b|\btest data\b",
    re.IGNORECASE,
)


class Told(NamedTuple):
    """A sentence of a statement.

    must: Whether it is a constraint, of which all must be understood.
    restored: The sentence with the powers of two that it may have lost.
    """

    sentence: str
    must: bool
    restored: str = ""


class Believed(NamedTuple):
    """What is believed of a statement.

    Attributes:
        readings: The sentences that inputs keep.
        unread: Why other sentences are not among them.
        broken: The given inputs that break a believed sentence.
        loose: Whether white space counts as programs read it, not to the letter.
    """

    readings: tuple[Reading, ...]
    unread: Mapping[str, str]
    broken: Mapping[str, frozenset[str]]
    loose: bool


class Misplaced(Exception):
    """A known input is not laid out so."""


def believe(
    layout: Layout,
    names: Names,
    told: Sequence[Told],
    samples: Sequence[str],
    given: Sequence[str] = (),
    directed: bool = False,
) -> Believed:
    """Return what the sentences of a statement are believed to promise.

    Args:
        layout: Where the values of an input stand.
        names: What the statement calls them.
        told: Its sentences.
        samples: Inputs that are allowed.
        given: Inputs that came with the problem, of which few may not be.
        directed: Whether the edges of graphs have a direction.

    Raises:
        Misplaced: A sample or given input is not laid out so.
    """
    spec = Spec("", layout, first=names.first, directed=directed)
    inputs = [*samples, *given]
    try:
        loose = _refused(spec, inputs)
        if loose and _refused(replace(spec, loose=True), inputs):
            raise Misplaced("a known input is not laid out so")
    except SpecError as error:
        raise Misplaced(str(error)) from error
    spec = replace(spec, loose=bool(loose))
    readings, unread = _understood(spec, told, names)
    if not _refused(replace(spec, readings=tuple(readings)), inputs):
        return Believed(tuple(readings), unread, {}, spec.loose)
    restored = {sentence: other for sentence, _, other in told if other != sentence}
    broken: dict[str, frozenset[str]] = {}
    believed: list[Reading] = []
    for reading in sorted(readings, key=_is_of_graph):
        choices = [reading]
        # Numbers that have lost their superscripts: 27 was 2^7 where it cannot be 27.
        if promises := read(restored.get(reading.sentence, ""), names):
            choices.append(Reading(reading.sentence, tuple(promises)))
        for choice in choices:
            others = [one for one in believed if _is_of_graph(choice) and not _is_of_graph(one)]
            alone = replace(spec, readings=(*others, choice))
            if not _is_checkable(alone) or _refused(alone, samples):
                continue
            bad = _refused(alone, given)
            few = samples and len(bad.union(*broken.values())) <= MOST_BROKEN * len(given)
            if not bad or (few and not PARTIAL.search(reading.sentence)):
                believed.append(choice)
                broken |= {reading.sentence: bad} if bad else {}
                break
        else:
            unread[reading.sentence] = "misread: a known input breaks it"
    return Believed(tuple(believed), unread, broken, spec.loose)


def _understood(
    spec: Spec, told: Sequence[Told], names: Names
) -> tuple[list[Reading], dict[str, str]]:
    """Return the sentences that can be checked, and why the others cannot."""
    unread: dict[str, str] = {}
    readings: list[Reading] = []
    waiting: list[Reading] = []
    for sentence, must, _ in told:
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
        (readings if checkable else waiting).append(reading)
    for reading in waiting:
        if _is_checkable(replace(spec, readings=(*readings, reading))):
            readings.append(reading)
        else:
            unread[reading.sentence] = "not understood"
    return readings, unread


def _is_of_graph(reading: Reading) -> bool:
    # What is said of a graph is checked with what other sentences say of its nodes.
    return any(isinstance(promise, Graph) for promise in reading.promises)


def _is_checkable(spec: Spec) -> bool:
    try:
        Validator(spec)
    except SpecError:
        return False
    return True


def _refused(spec: Spec, inputs: Sequence[str]) -> frozenset[str]:
    validator = Validator(spec)
    return frozenset(text for text in inputs if validator.reasons(text))
