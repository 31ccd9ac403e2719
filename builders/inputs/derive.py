"""Derives the specification of a problem's inputs from its statement, inputs and programs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.believe import LayoutMismatch, StatementSentence, believe
from venus_toolkit.builders.inputs.constants import constants_of, words_of
from venus_toolkit.builders.inputs.guesses import guesses, rectangular
from venus_toolkit.builders.inputs.invariants import invariants
from venus_toolkit.builders.inputs.layouts import signature
from venus_toolkit.builders.inputs.layouts.find_layout import (
    Evidence,
    NoLayout,
    find_layout,
    fits,
    rate_layout,
)
from venus_toolkit.builders.inputs.promises.constraints import (
    LOST_POWER,
    restore_powers,
    restore_powers_of_2,
    sentences,
)
from venus_toolkit.builders.inputs.promises.outside import (
    copied_bounds,
    story_bounds,
    table_of_groups,
    widest,
)
from venus_toolkit.builders.inputs.promises.prose import (
    kinds_of_readings,
    story_promises,
    unread_promises,
)
from venus_toolkit.builders.inputs.spec.layout import (
    Layout,
    Loop,
    scalars,
)
from venus_toolkit.builders.inputs.spec.names import Names, names_of
from venus_toolkit.builders.inputs.spec.specification import Spec, SpecError
from venus_toolkit.builders.inputs.statements import Statement, parse_statement
from venus_toolkit.core.records import Problem, Solution

LONGEST_DESCRIPTION = 60_000  # characters
READ = 40  # given inputs to read for evidence
LONGEST = 2_000_000  # characters of an input; longer ones are not read
LONGEST_STORY = 10_000  # characters to search for definitions
LONGEST_SAMPLE, MOST_SAMPLES = 4_000, 16  # characters and number of the inputs to vary
DIRECTED = re.compile(r"(?<!un)\bdirected (?:graph|edge|simple|acyclic)", re.IGNORECASE)
UNREAD = ("not understood", "misread")  # how the reasons for unchecked constraints begin
MOST_UNREAD = 0.5  # highest confidence if a constraint was not understood


class DerivedSpec(NamedTuple):
    """A specification, its confidence (0 to 1), and the reasons that lower the confidence."""

    spec: Spec
    confidence: float
    reasons: tuple[str, ...]


class NotDerived(Exception):
    """No specification that fits the examples could be derived; the text gives the reason."""


@dataclass(slots=True)
class _Doubt:
    """The confidence so far, and the reasons that lowered it."""

    confidence: float = 1.0
    reasons: list[str] = field(default_factory=list)

    def add(self, factor: float, reason: str) -> None:
        self.confidence *= factor
        self.reasons.append(reason)

    def cap(self, most: float, reason: str) -> None:
        self.confidence = min(self.confidence, most)
        self.reasons.append(reason)


def derive(
    problem: Problem,
    given_inputs: Sequence[str] = (),
    programs: Sequence[Solution] = (),
    page: Statement | None = None,
    implied_kinds: Collection[str] = (),
) -> DerivedSpec:
    """Return the specification of the inputs of `problem`.

    Args:
        problem: Its statement and starter code are read.
        given_inputs: Inputs that came with it.
        programs: Accepted solutions.
        page: The text to search for promises outside the description of the input; None: the
            problem's own statement.
        implied_kinds: The kinds of promises (promise_words.py) that structures ensure.

    Raises:
        NotDerived: The statement says too little, or its reading does not fit the given inputs.
    """
    statement = parse_statement(problem.statement)
    if statement.interactive:
        raise NotDerived("it is interactive: its input depends on the output of the program")
    # Statements are untrusted text: an endless one would hold up the build.
    length = len(statement.input + statement.constraints) or len(statement.text)
    if length > LONGEST_DESCRIPTION:
        raise NotDerived(
            f"its description has {length} characters, at most {LONGEST_DESCRIPTION} are read"
        )
    try:
        return _derive_spec(
            problem, statement, given_inputs, programs, page or statement, implied_kinds
        )
    except (
        SyntaxError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        # Statements are untrusted text: a comparison in one may be too deep or too large to read.
        raise NotDerived(
            f"reading its statement failed: {type(error).__name__}: {error}"
        ) from error


def _derive_spec(
    problem: Problem,
    statement: Statement,
    given_inputs: Sequence[str],
    programs: Sequence[Solution],
    page: Statement,
    implied_kinds: Collection[str],
) -> DerivedSpec:
    doubt = _Doubt()
    samples = [sample.stdin for sample in statement.samples]
    short = [text for text in given_inputs if len(text) <= LONGEST]
    count = min(READ, len(short))
    # Take them evenly spread, as the last ones are often the largest.
    known = [short[at * len(short) // count] for at in range(count)]
    layout = _layout(problem, statement, samples, known, doubt)
    known = [text for text in known if fits(layout, text)]
    names = names_of(layout, _aliases(statement, layout), _first_indices(statement, layout))
    directed = bool(DIRECTED.search(statement.text))
    try:
        believed = believe(
            layout,
            names,
            _sentences_about_input(statement, layout, names, doubt),
            samples,
            known,
            directed,
        )
    except LayoutMismatch as error:
        raise NotDerived(f"no validator: {error}") from error
    for sentence, reason in believed.unread.items():
        doubt.cap(MOST_UNREAD, f"{reason}: {sentence}")
    for sentence, texts in believed.broken.items():
        doubt.add(0.95, f"{len(texts)} of {len(known)} given inputs break it: {sentence}")
    wrong = frozenset().union(*believed.broken.values())
    inputs = [*samples, *(text for text in known if text not in wrong)]
    promises = [promise for reading in believed.readings for promise in reading.promises]
    unconstrained = 0.2  # highest confidence without any constraint
    if not promises and layout.style == "lines":
        doubt.cap(unconstrained, "the statement has no constraints on values")
    kinds = kinds_of_readings(believed.readings) | set(implied_kinds)
    # Without a description of the input, the story was already read as one.
    elsewhere = page if statement.input or statement.constraints else replace(page, story="")
    unread = list(unread_promises(elsewhere, names, promises, kinds))
    for sentence in unread:
        doubt.cap(MOST_UNREAD, f"{UNREAD[0]}: {sentence}")
    spec = Spec(
        problem.slug,
        layout,
        believed.readings,
        first=dict(names.first),
        directed=directed,
        loose=believed.loose,
        rectangular=rectangular(layout, inputs),
        constants=tuple(constants_of(statement, programs)),
        words=tuple(words_of(problem.statement, statement, programs)),
        samples=tuple(
            [text for text in dict.fromkeys(inputs) if len(text) <= LONGEST_SAMPLE][:MOST_SAMPLES]
        ),
        unread=(*believed.unread, *unread),
    )
    try:
        suspected = invariants(spec, inputs, page.text)
        spec = replace(spec, readings=(*spec.readings, *suspected))
        # Guesses come last: they only add bounds that the statement lacks.
        for guess in guesses(spec, names, statement, inputs):
            spec = replace(spec, readings=(*spec.readings, guess.reading))
            if guess.factor < 1:
                doubt.add(guess.factor, guess.reading.sentence)
    except SpecError as error:
        raise NotDerived(str(error)) from error
    return DerivedSpec(spec, round(doubt.confidence, 3), tuple(doubt.reasons))


# ------------------------------------------------------------------ sentences


def _sentences_about_input(
    statement: Statement, layout: Layout, names: Names, doubt: _Doubt
) -> list[StatementSentence]:
    """Return the sentences of a statement about its input, the constraints first."""
    table = table_of_groups(statement.text)
    sections = [
        "\n".join(line for line in section.splitlines() if line not in table)
        for section in (statement.constraints, statement.input)
    ]
    text = "\n".join(sections)
    if LOST_POWER.search(text) and not re.search(r"10\s*(?:\^|\*\*)|\de\d", text):
        doubt.add(0.95, "powers have lost their superscripts: 105 is read as 10^5")
        sections = [restore_powers(section) for section in sections]
    # If the statement has no sections, its story is read as the description of the input.
    prose = sections[1] if any(sections) else statement.story
    # A spelt-out power shows that no superscript was lost.
    restored = str if re.search(r"\^|\*\*|\de\d", text) else restore_powers_of_2
    result = [
        StatementSentence(sentence, True, restored(sentence)) for sentence in sentences(sections[0])
    ]
    result += [
        StatementSentence(sentence, False, restored(sentence)) for sentence in sentences(prose)
    ]
    result += [StatementSentence(sentence, True) for sentence in widest(table, names)]
    result += [
        StatementSentence(sentence, True)
        for sentence in copied_bounds([known.text for known in result], names)
    ]
    if prose is not statement.story and layout.style == "lines":
        story = story_bounds(
            statement.story[:LONGEST_STORY], names, [known.text for known in result]
        )
        result += [StatementSentence(sentence, True) for sentence in story]
    if prose is not statement.story:
        story = story_promises(statement.story[:LONGEST_STORY], names)
        result += [
            StatementSentence(sentence, False)
            for sentence in story
            if sentence not in {known.text for known in result}
        ]
    branches = any(
        isinstance(item, Loop)
        and re.fullmatch(r"\w+ ?- ?1", item.count)
        and len(list(scalars(item.body))) > 1
        for item in layout.body
    )
    # A story about a tree is trusted if the input has one edge fewer than it has nodes.
    if (
        branches
        and re.search(r"\btree\b", statement.story)
        and not any("tree" in known.text for known in result)
    ):
        result.append(StatementSentence("the edges form a tree", False))
    places = [
        [node.name for node in scalars(item.body)] for item in layout.body if isinstance(item, Loop)
    ]
    pairs = [names for names in places if len(names) == 2]
    if len(pairs) == 1:
        apart = "({0}_i, {1}_i) != ({0}_j, {1}_j) (i != j)".format(*pairs[0])
        result = [
            sentence._replace(text=apart, restored=apart)
            if SAME_PLACE.search(sentence.text)
            else sentence
            for sentence in result
        ]
    return result


# A promise about rows of two coordinates: ``no two hydrants occupy the same cell``.
SAME_PLACE = re.compile(
    r"^(?:it(?: is|'s) guaranteed that )?no two (?:\w+ ){1,3}(?:will |can )?"
    r"(?:have|occupy|share|are (?:at|in|on)|lie (?:at|on)) (?:exactly )?(?:the|a) same "
    r"(?:cell|square|position|location|place|point|coordinates?|pair of coordinates)\.?$",
    re.IGNORECASE,
)
PLACES = re.compile(
    r"\b(?P<of>[A-Za-z]\w{0,30}) ==? \[(?P<names>[A-Za-z]\w{0,30}(?:\s*,\s*[A-Za-z]\w{0,30}){1,5})\]"
)
MATRIX = r"\b(?:matrix|grid|array|board|map|image|maze)\b"
SIDES = re.compile(
    rf"\b([a-z]) ?[x\u00d7*] ?([a-z])\b[^.\n]{{0,60}}{MATRIX}"
    rf"|{MATRIX}[^.\n]{{0,40}}\b(?:size|dimensions?) ([a-z]) ?[x\u00d7*] ?([a-z])\b"
)
LENGTH = r"(?P<of>[A-Za-z]\w{0,30})(?P<row>\[i\])?\.(?:length|size\(\))"
DEFINED = tuple(
    (re.compile(pattern), meant)
    for pattern, meant in (
        (rf"(?<![*+/-] )\b(?P<name>[A-Za-z]\w{{0,15}}) ==? {LENGTH}(?! [-+*/])", "{}"),
        (rf"\b{LENGTH} ==? (?P<name>[A-Za-z]\w{{0,15}})\b(?! ?[-+*/.\[])", "{}"),
        (rf"\b{LENGTH} == (?P<name>[A-Za-z]\w{{0,15}}) - (?P<by>\d)\b", "({} + {by})"),
        (rf"\b{LENGTH} == (?P<name>[A-Za-z]\w{{0,15}}) \+ (?P<by>\d)\b", "({} - {by})"),
        (rf"\b2 \* (?P<name>[A-Za-z]\w{{0,15}}) == {LENGTH}", "({} // 2)"),
        (rf"\b{LENGTH} == 2 \* (?P<name>[A-Za-z]\w{{0,15}})", "({} // 2)"),
        (
            r"\b(?P<name>[A-Za-z]\w{0,15}) (?:is|denotes) the (?:length|size) of (?:the )?(?:array |string )?"
            r"(?P<of>[A-Za-z]\w*)(?P<row>\[i\])?",
            "{}",
        ),
    )
)


def _aliases(statement: Statement, layout: Layout) -> dict[str, str]:
    """Return other names of values: ``u_i`` is ``edges[i][0]``, ``n`` is ``len(nums)``."""
    aliases: dict[str, str] = {}
    if layout.style != "json":
        return aliases
    for spelt, flat in signature.aliases(statement.text).items():
        base, _, place = flat.rpartition("_at_")
        aliases[spelt] = f"{base}[i][{place}]"
    known = names_of(layout).places
    text = f"{statement.constraints}\n{statement.story[:LONGEST_STORY]}"
    for match, meaning in (
        (match, meaning) for pattern, meaning in DEFINED for match in pattern.finditer(text)
    ):
        if match["of"] in known:
            length = f"len({match['of']}{'[0]' if match['row'] else ''})"
            aliases.setdefault(match["name"], meaning.format(length, **match.groupdict()))
    # ``newInterval = [start, end]``
    for match in PLACES.finditer(text):
        for index, name in enumerate(re.split(r"\s*,\s*", match["names"])):
            if match["of"] in known and known[match["of"]].depth and name not in known:
                aliases.setdefault(name, f"{match['of']}[{index}]")
    # ``an m x n matrix``, if the input has only one.
    matrices = [name for name, place in known.items() if place.depth == 2]
    sides = SIDES.search(text)
    if len(matrices) == 1 and sides:
        rows, columns = filter(None, sides.groups())
        if not {rows, columns} & set(known):
            aliases.setdefault(rows, f"len({matrices[0]})")
            aliases.setdefault(columns, f"len({matrices[0]}[0])")
    return aliases


def _first_indices(statement: Statement, layout: Layout) -> dict[str, int]:
    """Return the first index of each list that does not begin with 1: 2 for ``p_2 p_3 ... p_N``."""
    firsts: dict[str, int] = {}
    for name in names_of(layout).places if layout.style == "lines" else ():
        shown = re.findall(
            rf"(?<![\w]){re.escape(name)}_\{{?(\d)\b",
            "\n".join(statement.formats or [statement.input]),
        )
        if shown and min(shown) in ("0", "2"):
            firsts[name] = int(min(shown))
    return firsts


# ------------------------------------------------------------------ the layout


def _layout(
    problem: Problem,
    statement: Statement,
    samples: Sequence[str],
    given_inputs: Sequence[str],
    doubt: _Doubt,
) -> Layout:
    """Return the layout of the inputs; for a function, the layout is its parameters."""
    evidence = Evidence(statement, samples, given_inputs)
    try:
        if problem.style == "function":
            starter = problem.starter_code.get("python", "")
            rated = rate_layout(
                signature.layout_of(starter, statement.text, [*samples, *given_inputs]), evidence
            )
        else:
            rated = find_layout(evidence)
    except NoLayout as error:
        raise NotDerived(str(error)) from error
    if rated.reason:
        doubt.add(rated.factor, rated.reason)
    return rated.layout
