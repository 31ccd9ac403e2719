"""A specification of a problem's inputs, read from its statement, starter code, given inputs and programs."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from venus_toolkit.builders.inputs.believe import Misplaced, Told, believe
from venus_toolkit.builders.inputs.constants import constants_of, words_of
from venus_toolkit.builders.inputs.guesses import guesses, rectangular
from venus_toolkit.builders.inputs.invariants import invariants
from venus_toolkit.builders.inputs.layouts import signature
from venus_toolkit.builders.inputs.layouts.find_layout import (
    Evidence,
    NoLayout,
    checked,
    find_layout,
    fits,
)
from venus_toolkit.builders.inputs.promises.constraints import (
    LOST_POWER,
    restore_powers,
    restore_powers_of_2,
    sentences,
)
from venus_toolkit.builders.inputs.promises.outside import (
    table_of_groups,
    told_in_story,
    told_of_copies,
    widest,
)
from venus_toolkit.builders.inputs.promises.prose import (
    kept_kinds,
    promised_in_story,
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
READ = 40  # given inputs that are read for evidence
LONGEST = 2_000_000  # characters of an input that is read
LONGEST_STORY = 10_000  # characters that are searched for definitions
LONGEST_SAMPLE, MOST_SAMPLES = 4_000, 16  # of the inputs that are varied
DIRECTED = re.compile(r"(?<!un)\bdirected (?:graph|edge|simple|acyclic)", re.IGNORECASE)
UNREAD = ("not understood", "misread")  # begins the reason of a constraint that is not checked
MOST_UNREAD = 0.5  # the confidence, at most, where a constraint was not understood


class Derived(NamedTuple):
    """A specification read from a problem, how sure it is (0 to 1), and the reasons why not surer."""

    spec: Spec
    confidence: float
    reasons: tuple[str, ...]


class NotDerived(Exception):
    """Nothing that fits the examples could be read from the problem; the text says why."""


@dataclass(slots=True)
class _Doubt:
    """Collects what lowers the confidence."""

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
    given: Sequence[str] = (),
    programs: Sequence[Solution] = (),
    page: Statement | None = None,
    kept: Collection[str] = (),
) -> Derived:
    """Return the specification of the inputs of `problem`.

    Args:
        problem: Its statement and starter code are read.
        given: Inputs that came with it.
        programs: Accepted solutions.
        page: What is searched for promises outside the description of the input; None: the
            problem's own statement.
        kept: The kinds of promises (promise_words.py) that inputs keep by how they are made.

    Raises:
        NotDerived: The statement says too little, or what was read does not fit the given inputs.
    """
    statement = parse_statement(problem.statement)
    if statement.interactive:
        raise NotDerived("it is interactive: what its program reads depends on what it writes")
    # Statements are anybody's text: reading one without end would hold up the build.
    length = len(statement.input + statement.constraints) or len(statement.text)
    if length > LONGEST_DESCRIPTION:
        raise NotDerived(
            f"its description has {length} characters, at most {LONGEST_DESCRIPTION} are read"
        )
    try:
        return _derive(problem, statement, given, programs, page or statement, kept)
    except (
        SyntaxError,
        ValueError,
        TypeError,
        LookupError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        # Statements are anybody's text: what looks like a comparison may be nested or large beyond
        # all reading.
        raise NotDerived(
            f"reading its statement failed: {type(error).__name__}: {error}"
        ) from error


def _derive(
    problem: Problem,
    statement: Statement,
    given: Sequence[str],
    programs: Sequence[Solution],
    page: Statement,
    kept: Collection[str],
) -> Derived:
    doubt = _Doubt()
    samples = [sample.stdin for sample in statement.samples]
    short = [text for text in given if len(text) <= LONGEST]
    count = min(READ, len(short))
    # the last ones are often the largest
    known = [short[at * len(short) // count] for at in range(count)]
    layout = _layout(problem, statement, samples, known, doubt)
    known = [text for text in known if fits(layout, text)]
    names = names_of(layout, _aliases(statement, layout), _first_indices(statement, layout))
    directed = bool(DIRECTED.search(statement.text))
    try:
        believed = believe(
            layout, names, _told(statement, layout, names, doubt), samples, known, directed
        )
    except Misplaced as error:
        raise NotDerived(f"no validator: {error}") from error
    for sentence, reason in believed.unread.items():
        doubt.cap(MOST_UNREAD, f"{reason}: {sentence}")
    for sentence, texts in believed.broken.items():
        doubt.add(0.95, f"{len(texts)} of {len(known)} given inputs break it: {sentence}")
    wrong = frozenset().union(*believed.broken.values())
    inputs = [*samples, *(text for text in known if text not in wrong)]
    promises = [promise for reading in believed.readings for promise in reading.promises]
    nothing_said = 0.2  # the confidence, at most, where no constraint was found at all
    if not promises and layout.style == "lines":
        doubt.cap(nothing_said, "the statement says nothing of its values")
    kinds = kept_kinds(believed.readings) | set(kept)
    # Without a description of the input the story is read as one.
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
        # They come last: they fill in only what the statement does not say.
        for guess in guesses(spec, names, statement, inputs):
            spec = replace(spec, readings=(*spec.readings, guess.reading))
            if guess.factor < 1:
                doubt.add(guess.factor, guess.reading.sentence)
    except SpecError as error:
        raise NotDerived(str(error)) from error
    return Derived(spec, round(doubt.confidence, 3), tuple(doubt.reasons))


# ------------------------------------------------------------------ what the statement says


def _told(statement: Statement, layout: Layout, names: Names, doubt: _Doubt) -> list[Told]:
    """Return the sentences of a statement that speak of its input, the constraints first."""
    table = table_of_groups(statement.text)
    said = [
        "\n".join(line for line in section.splitlines() if line not in table)
        for section in (statement.constraints, statement.input)
    ]
    text = "\n".join(said)
    if LOST_POWER.search(text) and not re.search(r"10\s*(?:\^|\*\*)|\de\d", text):
        doubt.add(0.95, "powers have lost their superscripts: 105 is read as 10^5")
        said = [restore_powers(one) for one in said]
    # Without any section the whole text is read as a description of the input.
    prose = said[1] if any(said) else statement.story
    # A power that is spelt out says that no superscript was lost.
    restored = str if re.search(r"\^|\*\*|\de\d", text) else restore_powers_of_2
    told = [Told(one, True, restored(one)) for one in sentences(said[0])]
    told += [Told(one, False, restored(one)) for one in sentences(prose)]
    told += [Told(one, True) for one in widest(table, names)]
    told += [Told(one, True) for one in told_of_copies([one.sentence for one in told], names)]
    if prose is not statement.story and layout.style == "lines":
        story = told_in_story(
            statement.story[:LONGEST_STORY], names, [one.sentence for one in told]
        )
        told += [Told(one, True) for one in story]
    if prose is not statement.story:
        story = promised_in_story(statement.story[:LONGEST_STORY], names)
        told += [Told(one, False) for one in story if one not in {each.sentence for each in told}]
    branches = any(
        isinstance(item, Loop)
        and re.fullmatch(r"\w+ ?- ?1", item.count)
        and len(list(scalars(item.body))) > 1
        for item in layout.body
    )
    # A story of trees is believed where the input has one edge less than nodes.
    if (
        branches
        and re.search(r"\btree\b", statement.story)
        and not any("tree" in one.sentence for one in told)
    ):
        told.append(Told("the edges form a tree", False))
    places = [
        [node.name for node in scalars(item.body)] for item in layout.body if isinstance(item, Loop)
    ]
    pairs = [names for names in places if len(names) == 2]
    if len(pairs) == 1:
        apart = "({0}_i, {1}_i) != ({0}_j, {1}_j) (i != j)".format(*pairs[0])
        told = [
            one._replace(sentence=apart, restored=apart) if SAME_PLACE.search(one.sentence) else one
            for one in told
        ]
    return told


# Of rows of two coordinates: ``no two hydrants occupy the same cell``.
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
    """Return what values are called besides: ``u_i`` is ``edges[i][0]``, ``n`` is ``len(nums)``."""
    found: dict[str, str] = {}
    if layout.style != "json":
        return found
    for spelt, flat in signature.aliases(statement.text).items():
        base, _, place = flat.rpartition("_at_")
        found[spelt] = f"{base}[i][{place}]"
    known = names_of(layout).places
    text = f"{statement.constraints}\n{statement.story[:LONGEST_STORY]}"
    for match, meant in (
        (match, meant) for pattern, meant in DEFINED for match in pattern.finditer(text)
    ):
        if match["of"] in known:
            length = f"len({match['of']}{'[0]' if match['row'] else ''})"
            found.setdefault(match["name"], meant.format(length, **match.groupdict()))
    # ``newInterval = [start, end]``
    for match in PLACES.finditer(text):
        for index, name in enumerate(re.split(r"\s*,\s*", match["names"])):
            if match["of"] in known and known[match["of"]].depth and name not in known:
                found.setdefault(name, f"{match['of']}[{index}]")
    # ``an m x n matrix``, where there is only one.
    matrices = [name for name, place in known.items() if place.depth == 2]
    sides = SIDES.search(text)
    if len(matrices) == 1 and sides:
        rows, columns = filter(None, sides.groups())
        if not {rows, columns} & set(known):
            found.setdefault(rows, f"len({matrices[0]})")
            found.setdefault(columns, f"len({matrices[0]}[0])")
    return found


def _first_indices(statement: Statement, layout: Layout) -> dict[str, int]:
    """Return where lists begin that do not begin with 1: ``p_2 p_3 ... p_N`` with 2."""
    found: dict[str, int] = {}
    for name in names_of(layout).places if layout.style == "lines" else ():
        shown = re.findall(
            rf"(?<![\w]){re.escape(name)}_\{{?(\d)\b",
            "\n".join(statement.formats or [statement.input]),
        )
        if shown and min(shown) in ("0", "2"):
            found[name] = int(min(shown))
    return found


# ------------------------------------------------------------------ the layout


def _layout(
    problem: Problem,
    statement: Statement,
    samples: Sequence[str],
    given: Sequence[str],
    doubt: _Doubt,
) -> Layout:
    """Return the layout of the inputs; of a function its parameters are the layout."""
    evidence = Evidence(statement, samples, given)
    try:
        if problem.style == "function":
            starter = problem.starter_code.get("python", "")
            found = checked(
                signature.layout_of(starter, statement.text, [*samples, *given]), evidence
            )
        else:
            found = find_layout(evidence)
    except NoLayout as error:
        raise NotDerived(str(error)) from error
    if found.reason:
        doubt.add(found.factor, found.reason)
    return found.layout
