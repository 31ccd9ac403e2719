"""Which sentences of a statement its known inputs bear out.

A sentence is understood whole, or listed as not understood. One that refuses a sample was misread
and is left out. Given tests are believed less than samples: many were made by varying others, or by
a model, and break what the statement says. So a sentence that all samples keep, and nearly all
given tests, stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import read
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.promises.terms import NotUnderstood
from venus_toolkit.builders.inputs.spec import Spec, SpecError, Validator
from venus_toolkit.builders.inputs.spec.checks import Refused
from venus_toolkit.builders.inputs.spec.layout import Layout
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Graph, Reading
from venus_toolkit.builders.inputs.spec.values import Values

# the share of given inputs that may be wrong rather than the sentence that they break
MOST_BROKEN = 0.25
# What is said of some tests alone: most keep it, and all are allowed.
PARTIAL = re.compile(
    r"%|\bpercent\b|\bsub-?tasks?\b|\d ?points?\b|\b(?:test|data) ?sets?\b|\bof (?:the |all )?tests?\b|\btest data\b",
    re.IGNORECASE,
)


class Told(NamedTuple):
    """A sentence, and whether it is a constraint, all of which must be understood, or one of a description.

    restored is the sentence with the powers of two that it may have lost.
    """

    sentence: str
    must: bool
    restored: str = ""


class Believed(NamedTuple):
    """What of a statement stands.

    readings: the sentences that stand. unread: the others, with the reason. broken: the given
    inputs that a sentence refuses, by the sentence. loose: whether known inputs have more white
    space than their layout.
    """

    readings: tuple[Reading, ...]
    unread: dict[str, str]
    broken: dict[str, frozenset[str]]
    loose: bool


def believe(
    layout: Layout,
    names: Names,
    told: Sequence[Told],
    samples: Sequence[str],
    given: Sequence[str] = (),
    directed: bool = False,
) -> Believed:
    """Return which sentences stand beside the known inputs.

    Args:
        layout: Where the values stand.
        names: Its names, and what the statement calls them.
        told: The sentences that may speak of inputs.
        samples: Inputs that are known to be allowed.
        given: Inputs of which a few may be wrong.
        directed: Whether the edges of graphs have a direction.

    Raises:
        NotUnderstood: A known input is not laid out so.
    """
    spec = Spec("", layout, first=dict(names.first), directed=directed)
    values, loose = _parsed(spec, [*samples, *given])
    spec = replace(spec, loose=loose)
    readings, unread = _understood(told, names, spec)
    believed: list[Reading] = []
    broken: dict[str, frozenset[str]] = {}
    restored = {
        one.sentence: one.restored for one in told if one.restored not in ("", one.sentence)
    }
    # What is said of a graph is checked with what other sentences say of its nodes.
    for reading in sorted(readings, key=_is_of_graph):
        # Numbers that have lost their superscripts: 27 was 2^7 where it cannot be 27.
        other = read(restored.get(reading.sentence, ""), names)
        for candidate in [reading, *([reading._replace(promises=tuple(other))] if other else [])]:
            try:
                validator = Validator(replace(spec, readings=(*believed, candidate)))
            except SpecError:
                continue
            bad = {
                text
                for text, parsed in values.items()
                if any(validator.breaks(parsed, promise) for promise in candidate.promises)
            }
            few = samples and len(bad.union(*broken.values())) <= MOST_BROKEN * len(given)
            if bad and (bad & set(samples) or not few or PARTIAL.search(candidate.sentence)):
                continue
            believed.append(candidate)
            broken |= {candidate.sentence: frozenset(bad)} if bad else {}
            break
        else:
            unread[reading.sentence] = "misread: a known input breaks it"
    return Believed(tuple(believed), unread, broken, loose)


def _parsed(spec: Spec, inputs: Sequence[str]) -> tuple[dict[str, Values], bool]:
    """Return the values of each input, and whether one of them has more white space than the layout."""
    for loose in (False, True):
        validator = Validator(replace(spec, loose=loose))
        try:
            return {text: validator.parse(text) for text in inputs}, loose
        except Refused as error:
            reason = str(error)
    raise NotUnderstood(f"a known input is not laid out so: {reason}")


def _understood(
    told: Sequence[Told], names: Names, spec: Spec
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
        (readings if _is_checkable(spec, [reading]) else waiting).append(reading)
    for reading in waiting:
        # What is said of a graph is checked with what another sentence says of its nodes.
        if _is_checkable(spec, [*readings, reading]):
            readings.append(reading)
        else:
            unread[reading.sentence] = "not understood"
    return readings, unread


def _is_checkable(spec: Spec, readings: Sequence[Reading]) -> bool:
    try:
        Validator(replace(spec, readings=tuple(readings)))
    except SpecError:
        return False
    return True


def _is_of_graph(reading: Reading) -> bool:
    return any(isinstance(promise, Graph) for promise in reading.promises)
