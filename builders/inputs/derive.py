"""A generator made from the problem itself.

What its statement, starter code and given inputs say about an input.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.generators.constants import constants_of, words_of
from venus_toolkit.builders.inputs.generators.render import derived_source
from venus_toolkit.builders.inputs.layouts import signature
from venus_toolkit.builders.inputs.layouts.find_layout import (
    Evidence,
    NoLayout,
    checked,
    find_layout,
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
from venus_toolkit.builders.inputs.promises.terms import NotUnderstood
from venus_toolkit.builders.inputs.spec.bounds import Bounds, last
from venus_toolkit.builders.inputs.spec.expressions import Range, infinite, interval, names_in
from venus_toolkit.builders.inputs.spec.layout import (
    Choice,
    Layout,
    Line,
    Loop,
    Many,
    Relation,
    Scalar,
    Seen,
    Unfit,
    counts,
    read_input,
    scalars,
)
from venus_toolkit.builders.inputs.spec.names import Names, names_of
from venus_toolkit.builders.inputs.spec.shape import make_shape
from venus_toolkit.builders.inputs.spec.traits import Traits, traits_of
from venus_toolkit.builders.inputs.statements import Statement, parse_statement
from venus_toolkit.builders.inputs.validators.validator import (
    CompiledValidator,
    Told,
    compile_validator,
)
from venus_toolkit.core.records import Problem, Solution

LONGEST_DESCRIPTION = 60_000  # characters
READ = 40  # given inputs that are read for evidence
LONGEST = 2_000_000  # characters of an input that is read
LONGEST_STORY = 10_000  # characters that are searched for definitions
UNREAD = ("not understood", "misread")  # begins the reason of a constraint that is not checked
MOST_UNREAD = 0.5  # the confidence, at most, where a constraint was not understood


class Derived(NamedTuple):
    """A generator and a validator made from the statement, how sure they are (0 to 1), and in words why not surer."""

    source: str
    confidence: float
    reasons: tuple[str, ...]
    layout: Layout
    shape: dict[str, Any]
    validator: str


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
    """Return a generator for `problem`.

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
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
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
    layout = _layout(problem, statement, samples, known, programs, doubt)
    known = [text for text in known if _fits(layout, text)]
    layout = _with_texts(layout, statement, [*samples, *known])
    names = names_of(layout, _aliases(statement, layout), _first_indices(statement, layout))
    compiled = _compiled(problem.slug, layout, names, statement, samples, known, doubt)
    wrong = frozenset().union(*compiled.broken.values())
    inputs = [*samples, *(text for text in known if text not in wrong)]
    promises = [promise for reading in compiled.readings for promise in reading.promises]
    nothing_said = 0.2  # the confidence, at most, where no constraint was found at all
    if not promises and layout.style == "lines":
        doubt.cap(nothing_said, "the statement says nothing of its values")
    kinds = kept_kinds(compiled.readings) | set(kept)
    # Without a description of the input the story is read as one.
    elsewhere = page if statement.input or statement.constraints else replace(page, story="")
    for sentence in unread_promises(elsewhere, names, promises, kinds):
        doubt.cap(MOST_UNREAD, f"{UNREAD[0]}: {sentence}")
    traits = traits_of(promises, names, layout)
    seen = _evidence(layout, inputs)
    # Guesses and bounds come last: they fill in only what the statement does not say.
    relations = list(dict.fromkeys(traits.relations))
    relations += _learnt(layout, inputs, relations)
    relations += _numbered(statement, layout, inputs, make_shape(layout, relations, traits), doubt)
    relations += _bounds_from(layout, relations, traits, seen, doubt)
    spelt_out = constants_of(statement, programs), words_of(problem.statement, statement, programs)
    shape = make_shape(
        layout, relations, traits, _rectangular(layout, inputs), *spelt_out, names.first
    )
    _refuse_contradictions(shape)
    source = derived_source(problem.slug, shape, inputs)
    return Derived(
        source, round(doubt.confidence, 3), tuple(doubt.reasons), layout, shape, compiled.source
    )


# ------------------------------------------------------------------ what the statement says


def _compiled(
    slug: str,
    layout: Layout,
    names: Names,
    statement: Statement,
    samples: Sequence[str],
    given: Sequence[str],
    doubt: _Doubt,
) -> CompiledValidator:
    """Return the validator; a sentence that is not checked caps the confidence, and is listed by its words."""
    directed = bool(
        re.search(r"(?<!un)\bdirected (?:graph|edge|simple|acyclic)", statement.text, re.IGNORECASE)
    )
    try:
        found = compile_validator(
            slug, layout, names, _told(statement, layout, names, doubt), samples, given, directed
        )
    except NotUnderstood as error:
        raise NotDerived(f"no validator: {error}") from error
    for sentence, reason in found.unread.items():
        doubt.cap(MOST_UNREAD, f"{reason}: {sentence}")
    for sentence, texts in found.broken.items():
        doubt.add(0.95, f"{len(texts)} of {len(given)} given inputs break it: {sentence}")
    return found


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
LENGTH = r"(?P<of>[A-Za-z]\w{0,30})(?P<row>\[i\])?\.(?:length|size\(\))"
DEFINED = tuple(
    (re.compile(pattern), meant)
    for pattern, meant in (
        (rf"(?<![*+/-] )\b(?P<name>[A-Za-z]\w{{0,15}}) == {LENGTH}(?! [-+*/])", "{}"),
        (rf"\b{LENGTH} == (?P<name>[A-Za-z]\w{{0,15}})\b(?! ?[-+*/.\[])", "{}"),
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


def _with_texts(layout: Layout, statement: Statement, inputs: Sequence[str]) -> Layout:
    """Return the layout with those values as texts that the constraints call strings.

    ``0110`` reads like a number.
    """
    said = (
        r"(?:is|are)(?: each)?(?: an?)? (?:[a-z-]+ )?strings?\b"
        r"|consists? (?:only )?of\b|of (?:the )?(?:string|digits)"
    )
    # What stands before the verb is called so; a length may stand behind it.
    subjects = [
        one[: found.start()]
        for one in sentences(statement.constraints)
        if (found := re.search(said, one))
    ]
    called = {
        word
        for one in subjects
        for word in re.findall(r"\b([A-Za-z]\w*?)(?:_\{?\w+\}?)?(?![\w{])", one)
    }
    called &= {node.name for node in scalars(layout.body) if node.kind == "int"} - set(
        counts(layout.body)
    )

    def within(item: Any) -> Any:
        if isinstance(item, Scalar):
            return replace(item, kind="text") if item.name in called else item
        if isinstance(item, tuple):
            return tuple(within(one) for one in item)
        parts = {Line: "nodes", Loop: "body", Many: "item", Choice: "kinds"}
        part = parts.get(type(item))
        return replace(item, **{part: within(getattr(item, part))}) if part else item

    changed = (
        replace(layout, body=within(layout.body)) if called and layout.style == "lines" else layout
    )
    return changed if all(_fits(changed, text) for text in inputs) else layout


def _refuse_contradictions(shape: dict[str, Any]) -> None:
    """Give up where the constraints leave no value for a name."""
    bounded = _bounded(shape)
    for name in sorted(
        {name for left, _, right in shape["relations"] for name in names_in(left) | names_in(right)}
    ):
        low, high = bounded(name)
        if low > high:
            raise NotDerived(f"its constraints contradict each other: {low} <= {name} <= {high}")


# ------------------------------------------------------------------ the layout


def _layout(
    problem: Problem,
    statement: Statement,
    samples: Sequence[str],
    given: Sequence[str],
    programs: Sequence[Solution],
    doubt: _Doubt,
) -> Layout:
    """Return the layout of the inputs; of a function its parameters are the layout."""
    evidence = Evidence(statement, samples, given, programs)
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


def _fits(layout: Layout, text: str) -> bool:
    try:
        read_input(layout, text)
    except Unfit:
        return False
    return True


# ------------------------------------------------------------------ what values may be


def _evidence(layout: Layout, inputs: Sequence[str]) -> Seen:
    """Return the smallest and largest values that the inputs show, and the texts."""
    every = Seen()
    for text in inputs:
        seen = read_input(layout, text)
        for name, span in seen.ranges.items():
            old = every.ranges.get(name, span)
            every.ranges[name] = Range(min(old.low, span.low), max(old.high, span.high))
        for name, texts in seen.texts.items():
            every.texts.setdefault(name, []).extend(texts)
    return every


def _learnt(layout: Layout, inputs: Sequence[str], relations: Sequence[Relation]) -> list[Relation]:
    """Return ``len_s == n`` for texts that have that length in all inputs and no bound of their own."""
    texts = [node.name for node in scalars(layout.body) if node.kind == "text"]
    numbers = [node.name for node in scalars(layout.body) if node.kind == "int"]
    unbound = [
        name
        for name in texts
        if not any(f"len_{name}" in names_in(r.left) | names_in(r.right) for r in relations)
    ]
    guesses = [
        Relation(f"len_{name}", "==", number)
        for name in unbound
        for number in numbers
        if number != layout.cases
    ]
    # Only what was checked can be said to hold: an input may have none of the values that a guess
    # is about.
    checked, broken = set[Relation](), set[Relation]()
    for text in inputs if guesses and layout.style == "lines" else ():
        try:
            seen = read_input(layout, text, guesses)
        except Unfit:
            continue
        checked |= seen.checked
        broken |= seen.broken
    held = [guess for guess in guesses if guess in checked - broken]
    return [
        next(guess for guess in held if guess.left == f"len_{name}")
        for name in unbound
        if any(g.left == f"len_{name}" for g in held)
    ]


# ``The nodes are numbered from 1 to N.``
NUMBERED = re.compile(
    r"\b(?:numbered|indexed|labell?ed)(?: with| by)?(?: the)?(?: integers| numbers)?(?: from)? (?P<low>[01]) "
    r"(?:to|through|up to) (?P<high>[A-Za-z]\w?(?: ?- ?1)?)(?![\w^])"
)


def _numbered(
    statement: Statement,
    layout: Layout,
    inputs: Sequence[str],
    shape: dict[str, Any],
    doubt: _Doubt,
) -> list[Relation]:
    """Return bounds of lists that the statement does not bound, where all values are numbers of what it numbers."""
    said = NUMBERED.search(statement.text[: 2 * LONGEST_STORY]) if layout.style == "lines" else None
    single = {
        node.name
        for item in layout.body
        if isinstance(item, Line)
        for node in item.nodes
        if isinstance(node, Scalar)
    }
    if said is None or not {re.split(r"\W", said["high"])[0]} <= single:
        return []
    bounded = _bounded(shape)
    found: list[Relation] = []
    for node in scalars(layout.body):
        if node.kind != "int" or node.name in single or not any(map(infinite, bounded(node.name))):
            continue
        guess = [Relation(said["low"], "<=", node.name), Relation(node.name, "<=", said["high"])]
        seen = [read_input(layout, text, guess) for text in inputs]
        if (
            seen
            and not any(one.broken for one in seen)
            and all(set(guess) <= one.checked for one in seen)
        ):
            doubt.add(
                0.85, f"{node.name} is taken for a number from {said['low']} to {said['high']}"
            )
            found += guess
    return found


def _bounds_from(
    layout: Layout, relations: Sequence[Relation], traits: Traits, seen: Seen, doubt: _Doubt
) -> list[Relation]:
    """Return bounds, taken from the given inputs, for values that the statement does not bound."""
    bounded = _bounded(make_shape(layout, relations, traits))
    found = _implied(layout, relations, traits, bounded)
    bounded = _bounded(make_shape(layout, [*relations, *found], traits))
    for node in scalars(layout.body):
        name = f"len_{node.name}" if node.kind == "text" else node.name
        if node.kind == "text":
            _check_letters(node.name, traits, seen, doubt)
        if (
            node.kind == "text"
            and node.name not in traits.alphabets
            and node.name not in traits.choices
        ):
            letters = "".join(sorted(set("".join(seen.texts.get(node.name, ())))))
            traits.alphabets[node.name] = letters or "abcdefghijklmnopqrstuvwxyz"
            doubt.add(0.85, f"the letters of {node.name} are those seen")
        if (
            node.kind != "bool"
            and node.name not in traits.choices
            and "permutation" not in traits.traits.get(name, ())
        ):
            found += _bound(name, bounded(name), seen, doubt, name in counts(layout.body))
    for count in {count for count in counts(layout.body) if count.isidentifier()} - {
        node.name for node in scalars(layout.body)
    }:
        found += _bound(count, bounded(count), seen, doubt)
    return found + _permutations(traits, relations)


def _implied(
    layout: Layout, relations: Sequence[Relation], traits: Traits, bounded: Callable[[str], Range]
) -> list[Relation]:
    """Return the upper bounds that sums and products imply.

    Of values that are not negative, of factors from 1 on.
    """
    found: list[Relation] = []
    for node in scalars(layout.body):
        name = f"len_{node.name}" if node.kind == "text" else node.name
        low, high = bounded(name)
        if high != float("inf") or (low < 0 and node.kind != "text"):
            continue
        if name in traits.sums:
            found.append(Relation(name, "<=", traits.sums[name][1]))
            continue
        limits = (_factor(name, relation, bounded) for relation in relations)
        found += [Relation(name, "<=", str(limit)) for limit in limits if limit][:1]
    return found


def _factor(name: str, relation: Relation, bounded: Callable[[str], Range]) -> int:
    """Return the largest value of a name in a product or sum that is bounded, the others at their least; 0 for none."""
    left, sign, right = relation
    if sign not in ("<", "<=") or left == name or name not in names_in(left) - names_in(right):
        return 0
    most = interval(right, bounded).high

    def holds(value: int) -> bool:
        return (
            interval(
                left, lambda other: Range(value, value) if other == name else bounded(other)
            ).low
            <= most
        )

    return last(1, 10**18, holds) if not infinite(most) and holds(1) and not holds(10**18) else 0


def _check_letters(name: str, traits: Traits, seen: Seen, doubt: _Doubt) -> None:
    """Letters that are seen are allowed, whatever was read."""
    shown = set("".join(seen.texts.get(name, ())))
    if name in traits.alphabets and shown - set(traits.alphabets[name]):
        traits.alphabets[name] = "".join(sorted(shown | set(traits.alphabets[name])))
        doubt.add(0.85, f"{name} has other letters than those read")
    if name in traits.choices and set(seen.texts.get(name, ())) - set(traits.choices[name]):
        del traits.choices[name]
        doubt.add(0.85, f"{name} has other values than those read")


def _bounded(shape: dict[str, Any]) -> Callable[[str], Range]:
    # Asked of the code that will draw the values, so that both mean the same by a bound.
    return Bounds(shape["relations"]).open_range


def _bound(
    name: str, span: Range, seen: Seen, doubt: _Doubt, counts_values: bool = False
) -> list[Relation]:
    low, high = span
    if abs(low) != float("inf") and abs(high) != float("inf"):
        return []
    shown = seen.ranges.get(name, Range(1, 10))
    if counts_values and high != float("inf") and shown.low > 0:
        doubt.add(0.9, f"the statement has no lower bound for {name}: 1 is taken")
        return [Relation("1", "<=", name)]
    doubt.add(0.8, f"the statement does not bound {name}: {shown.low} to {shown.high} were seen")
    found = [Relation(str(int(shown.low)), "<=", name)] if low == -float("inf") else []
    most = max(int(shown.high), int(low) if low != -float("inf") else 0)
    return found + ([Relation(name, "<=", str(most))] if high == float("inf") else [])


def _permutations(traits: Traits, relations: Sequence[Relation]) -> list[Relation]:
    names = [name for name, found in traits.traits.items() if "permutation" in found]
    return [
        Relation("1", "<=", name) for name in names if not any(r.right == name for r in relations)
    ]


def _rectangular(layout: Layout, inputs: Sequence[str]) -> bool:
    """Whether the rows of every list of lists in the inputs have one length."""
    if layout.style != "json":
        return True
    for text in inputs:
        for line in text.splitlines():
            value = json.loads(line) if line.strip() else None
            if (
                isinstance(value, list)
                and len({len(row) for row in value if isinstance(row, list)}) > 1
            ):
                return False
    return True
