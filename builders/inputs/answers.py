"""Reads from a statement which answers are right besides the expected one.

The table of its sentences is ``answers.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.core.records import OutputComparison, Problem
from venus_toolkit.signatures import Kind, Signature, Type, evaluator_for, result_type

LONGEST_SENTENCE = 1_000  # characters; statements are untrusted, and the patterns can be slow


class Freedom(NamedTuple):
    """How a right answer may differ from the expected one.

    order has the depths of lists with items in any order, 0 for the outermost; case says whether
    the case of letters is ignored; absolute and relative are the tolerances of numbers. several
    says that right answers may differ in other ways; sure that the statement says so, rather than
    only showing another answer. sentences are the sentences that allow this.
    """

    order: tuple[int, ...] = ()
    case: bool = False
    absolute: float = 0.0
    relative: float = 0.0
    several: bool = False
    sure: bool = True
    sentences: tuple[str, ...] = ()


class Phrase(NamedTuple):
    """A row of ``answers.toml``, which explains the fields, with compiled patterns."""

    allows: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str]
    details: Mapping[str, re.Pattern[str]]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]

    def match(self, sentence: str) -> re.Match[str] | None:
        """Return the match of a sentence that allows this."""
        return None if self.unless.search(sentence) else self.pattern.search(sentence)


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the table."""
    return re.compile(pattern, re.IGNORECASE)


@cache
def table() -> dict[str, dict[str, Any]]:
    """Return ``answers.toml``."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def phrases() -> dict[str, Phrase]:
    """Return the phrases of the table by their names."""
    return {
        name: Phrase(
            row["allows"],
            compile_pattern(row["pattern"]),
            compile_pattern(row["unless"]),
            {
                key: compile_pattern(row[key])
                for key in ("each_item", "both", "kinds")
                if key in row
            },
            tuple(row["examples"]),
            tuple(row["counterexamples"]),
        )
        for name, row in table().items()
        if "allows" in row
    }


def freedom_of(statement: str) -> Freedom:
    """Return how the answers to a statement may differ."""
    order: set[int] = set()
    distances: dict[str, float] = {}
    allowed: dict[str, list[str]] = {}
    for sentence in _sentences(parse_statement(statement).text):
        for phrase in phrases().values():
            match = phrase.match(sentence)
            if match is None:
                continue
            allowed.setdefault(phrase.allows, []).append(sentence)
            if phrase.allows == "order":
                inner = bool(phrase.details["each_item"].search(sentence))
                order |= (
                    {0, 1} if inner and phrase.details["both"].search(sentence) else {int(inner)}
                )
            elif phrase.allows == "tolerance":
                power = match["power"] or match["exponent"] or len(match["zeros"]) + 1
                kinds = {
                    kind.group().lower() for kind in phrase.details["kinds"].finditer(sentence)
                }
                distances |= dict.fromkeys(kinds or ("absolute", "relative"), 10.0 ** -int(power))
    if len(allowed) > 1:
        allowed.pop("shown", None)  # another sentence already explains the answer in the note
    return Freedom(
        tuple(sorted(order)),
        "case" in allowed,
        **distances,
        several=bool({"several", "shown"} & set(allowed)),
        sure="shown" not in allowed,
        sentences=tuple(dict.fromkeys(one for group in allowed.values() for one in group)),
    )


def compared(problem: Problem, signature: Signature | None = None) -> Problem:
    """Return the problem with the comparison of its statement, unless its source sets one.

    Args:
        problem: Its comparison is replaced only if it is an exact one.
        signature: The signature of a function, if it is known.
    """
    if problem.comparison.kind != "exact":
        return problem
    results = [result_type(function) for function in signature.functions] if signature else []
    freedom = freedom_of(problem.statement)
    kinds = {kind for result in results for kind in _kinds(result)}
    depth = max(map(_depth, results), default=2)
    order = tuple(level for level in freedom.order if level < depth)
    # A function that returns a truth value has one right answer.
    several = freedom.several and (signature is None or kinds != {Kind.BOOL})
    absolute, relative = freedom.absolute, freedom.relative
    # The tolerance on the sites that publish function problems
    site_tolerance = 1e-5
    if Kind.FLOAT in kinds and not absolute and not relative:
        absolute = relative = site_tolerance
    elif signature and Kind.FLOAT not in kinds:
        absolute = relative = 0.0
    evaluator = None
    if order or freedom.case or (signature and (absolute or relative)):
        calls = signature is not None and signature.design
        # A class to design has one answer: the list of results, in the order of the calls.
        evaluator = evaluator_for(
            order,
            absolute,
            relative,
            case=freedom.case,
            calls=calls,
            words=problem.style != "function",
        )
        comparison = OutputComparison("evaluator")
    elif absolute or relative:
        comparison = OutputComparison("float", absolute, relative, real=True)
    else:
        comparison = OutputComparison()
    comparison = replace(comparison, several=several, source=" ".join(freedom.sentences))
    return replace(problem, evaluator=evaluator, comparison=comparison)


def _kinds(outer: Type) -> Iterator[Kind]:
    yield outer.kind
    if outer.element:
        yield from _kinds(outer.element)


def _depth(outer: Type) -> int:
    """Return the depth of the lists of a type; a text counts as a list if it is the whole value."""
    if outer.kind in (Kind.LIST, Kind.LINKED_LIST):
        inner = outer.element
        return 1 + (_depth(inner) if inner and inner.kind == Kind.LIST else 0)
    return int(outer.kind == Kind.STRING)


def _sentences(text: str) -> list[str]:
    plain = re.sub(r"[*_`]{1,2}(?=\S)|(?<=\S)[*_`]{1,2}", "", text).replace("\u2019", "'")
    return [
        sentence.strip()
        for sentence in re.split(r"(?<=[.!?;])\s+|\n", plain)
        if sentence.strip() and len(sentence) <= LONGEST_SENTENCE
    ]
