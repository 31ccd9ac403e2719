"""A validator compiled from a layout and from what the sentences of a statement promise.

Python that people can read.

Every sentence is compiled whole, or listed as not understood. A validator that refuses a sample of
the statement has misread something: its sentences are tried one by one, and those that refuse it
are left out. Tests that came with the problem are believed less: many were made by varying others,
or by a model, and break what the statement says. So a sentence that the samples keep, and nearly
all of these tests, stands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.promises.constraints import read
from venus_toolkit.builders.inputs.promises.prose import read_prose
from venus_toolkit.builders.inputs.promises.terms import NotUnderstood
from venus_toolkit.builders.inputs.spec.layout import Layout
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Graph, Reading
from venus_toolkit.builders.inputs.validators.check_writer import lines_of
from venus_toolkit.builders.inputs.validators.render import is_ours, validator_text

REACHING = frozenset({"eval", "exec", "compile", "open", "getattr", "setattr", "delattr", "globals", "locals", "vars",
                      "input", "breakpoint"})  # fmt: skip
# the share of given inputs that may be wrong rather than the sentence that they break
MOST_BROKEN = 0.25
# What is said of some tests alone: most keep it, and all are allowed.
PARTIAL = re.compile(
    r"%|\bpercent\b|\bsub-?tasks?\b|\d ?points?\b|\b(?:test|data) ?sets?\b|\bof (?:the |all )?tests?\b|\btest data\b",
    re.IGNORECASE,
)


# ------------------------------------------------------------------ the source


def validator_source(
    slug: str,
    layout: Layout,
    names: Names,
    readings: Sequence[Reading],
    unread: Sequence[str] = (),
    loose: bool = False,
    directed: bool = False,
) -> str:
    """Return the validator of a layout that checks what was read.

    Args:
        slug: The problem, for the comment at the top.
        layout: Where the values stand.
        names: Its names, as the sentences were read with them.
        readings: The sentences that were understood.
        unread: Those that were not, for the same comment.
        loose: Whether white space counts as the layout's reader takes it, and not to the letter.
        directed: Whether the edges of a graph have a direction.

    Raises:
        NotUnderstood: A promise cannot be checked on this layout.
    """
    return validator_text(slug, unread, lines_of(layout, names, readings, loose, directed))


def checkable(
    layout: Layout, names: Names, readings: Sequence[Reading], directed: bool = False
) -> bool:
    """Whether all that was promised can be compiled."""
    try:
        validator_source("", layout, names, readings, directed=directed)
    except (NotUnderstood, SyntaxError, ValueError, RecursionError):
        return False
    return True


def refusal(source: str, stdin: str) -> str:
    """Run a validator of ours, here: return why it refuses an input, or "" where it allows it.

    Only for sources that this module compiled. They are made of anybody's words, so nothing is run
    that has more in it than our checks and one function that does not reach beyond them.

    Raises:
        NotUnderstood: It has.
    """
    tree = ast.parse(source)
    *before, last = tree.body
    plain = isinstance(last, ast.FunctionDef) and ast.unparse(last).startswith(
        "def validate(stdin: str) -> bool:"
    )
    if not plain or not all(map(is_ours, before)) or any(map(_reaches_out, ast.walk(last))):
        raise NotUnderstood("what was read is no plain check")
    scope: dict[str, Any] = {"__name__": "validator"}
    exec(compile(tree, "validator.py", "exec"), scope)
    try:
        return "" if scope["validate"](stdin) else "it returns nothing"
    except Exception as error:  # whatever a validator raises is a refusal, as in the sandbox
        return f"{type(error).__name__}: {error}"


def _reaches_out(node: ast.AST) -> bool:
    name = (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return (
        name.startswith("__")
        or called in REACHING
        or isinstance(node, (ast.Import, ast.ImportFrom, ast.Global))
    )


# ------------------------------------------------------------------ from sentences


class CompiledValidator(NamedTuple):
    """A validator, what it checks, and the sentences that it does not, each with the reason.

    broken has the given inputs that it refuses, by the sentence that they break.
    """

    source: str
    readings: tuple[Reading, ...]
    unread: dict[str, str]
    broken: dict[str, frozenset[str]]


def compile_validator(
    slug: str,
    layout: Layout,
    names: Names,
    told: Sequence[Told],
    samples: Sequence[str],
    given: Sequence[str] = (),
    directed: bool = False,
) -> CompiledValidator:
    """Return the validator for what was told.

    It accepts all samples, for they are known to be allowed, and all but at most `MOST_BROKEN` of
    the given inputs.

    Raises:
        NotUnderstood: It refuses one whatever was told: the layout is not that of these inputs.
    """
    inputs = [*samples, *given]
    readings, unread = _understood(told, layout, names, directed)
    loose = not _accepts(validator_source(slug, layout, names, []), inputs)
    if loose and not _accepts(validator_source(slug, layout, names, [], loose=True), inputs):
        raise NotUnderstood("a known input is not laid out so")

    def source(kept: Sequence[Reading]) -> str:
        return validator_source(slug, layout, names, kept, list(unread), loose, directed)

    if _accepts(source(readings), inputs):
        return CompiledValidator(source(readings), tuple(readings), unread, {})
    restored = {sentence: other for sentence, _, other in told if other != sentence}
    broken: dict[str, frozenset[str]] = {}
    believed: list[Reading] = []
    # What is said of a graph is checked with what other sentences say of its nodes.
    for one in sorted(readings, key=_needs_others):
        kept = [other for other in believed if _needs_others(one) and not _needs_others(other)]
        # Numbers that have lost their superscripts: 27 was 2^7 where it cannot be 27.
        promises = read(restored.get(one.sentence, ""), names)
        other = [Reading(one.sentence, tuple(promises))] if promises else []
        for reading in [
            one,
            *(each for each in other if checkable(layout, names, [*kept, each], directed)),
        ]:
            bad = _broken_by(reading, source([*kept, reading]), samples, given, broken)
            if bad is not None:
                believed.append(reading)
                broken |= {one.sentence: bad} if bad else {}
                break
        else:
            unread[one.sentence] = "misread: a known input breaks it"
    return CompiledValidator(source(believed), tuple(believed), unread, broken)


def _understood(
    told: Sequence[Told], layout: Layout, names: Names, directed: bool
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
        one = Reading(sentence, tuple(promises))
        (readings if checkable(layout, names, [one], directed) else waiting).append(one)
    for one in waiting:
        # What is said of a graph is checked with what another sentence says of its nodes.
        if checkable(layout, names, [*readings, one], directed):
            readings.append(one)
        else:
            unread[one.sentence] = "not understood"
    return readings, unread


def _broken_by(
    one: Reading,
    source: str,
    samples: Sequence[str],
    given: Sequence[str],
    broken: Mapping[str, frozenset[str]],
) -> frozenset[str] | None:
    """Return the given inputs that break a sentence, by the validator that checks it.

    None where it was misread.
    """
    if not _accepts(source, samples):
        return None
    bad = frozenset(text for text in given if refusal(source, text))
    few = bool(samples) and len(bad.union(*broken.values())) <= MOST_BROKEN * len(given)
    return bad if not bad or (few and not PARTIAL.search(one.sentence)) else None


def _needs_others(reading: Reading) -> bool:
    return any(isinstance(promise, Graph) for promise in reading.promises)


def _accepts(source: str, inputs: Sequence[str]) -> bool:
    return not any(refusal(source, text) for text in inputs)


class Told(NamedTuple):
    """A sentence, and whether it is a constraint, all of which must be understood, or one of a description.

    restored is the sentence with the powers of two that it may have lost.
    """

    sentence: str
    must: bool
    restored: str = ""
