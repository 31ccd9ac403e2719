"""A generator made from the problem itself: what its statement, starter code and given inputs say about an input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from venus_toolkit.builders.generation import describe, signature
from venus_toolkit.builders.generation.bounds import Bounds
from venus_toolkit.builders.generation.expressions import Range, names_in
from venus_toolkit.builders.generation.layout import Layout, Many, Relation, Seen, Unfit, counts, read_input, scalars
from venus_toolkit.builders.generation.relations import LOST_POWER, find_relations, restore_powers
from venus_toolkit.builders.generation.render import derived_source
from venus_toolkit.builders.generation.shape import lists_of, make_shape
from venus_toolkit.builders.generation.statement import find_samples, plain, section
from venus_toolkit.builders.generation.traits import Names, Traits, find_traits
from venus_toolkit.core.records import Problem

READ = 40  # given inputs that are read for evidence
LONGEST = 2_000_000  # characters of an input that is read
MOST_UNREAD = 3
LONGEST_STATEMENT = 60_000  # characters


class Derived(NamedTuple):
    """A generator made from the statement, how sure it is (0 to 1), and in words why not surer."""

    source: str
    confidence: float
    reasons: tuple[str, ...]
    layout: Layout
    shape: dict[str, Any]


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


def derive(problem: Problem, given: Sequence[str] = ()) -> Derived:
    """Return a generator for `problem`; `given` are inputs that came with it.

    Raises:
        NotDerived: The statement says too little, or what was read does not fit the given inputs.
    """
    # Statements are anybody's text: reading one without end would hold up the build.
    if len(problem.statement) > LONGEST_STATEMENT:
        raise NotDerived(f"its statement has {len(problem.statement)} characters, at most {LONGEST_STATEMENT} are read")
    try:
        return _derive(problem, given)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        # Statements are anybody's text: what looks like a comparison may be nested or large beyond all reading.
        raise NotDerived(f"reading its statement failed: {type(error).__name__}: {error}") from error


def _derive(problem: Problem, given: Sequence[str]) -> Derived:
    doubt = _Doubt()
    samples = [sample.stdin for sample in find_samples(problem.statement)]
    known = [text for text in given if len(text) <= LONGEST][:READ]
    text = _readable(problem.statement, doubt)
    layout = _layout(problem, text, samples, known, doubt)
    names = _names(layout, text)
    traits = find_traits(_told(text, layout), names)
    relations = _relations(text, names, layout.style) + traits.relations
    seen = _evidence(layout, [*samples, *known], relations, len(samples), doubt)
    # Guesses and bounds come last: they fill in only what no comparison that was read right has said.
    relations = [relation for relation in relations if relation not in seen.broken]
    relations += _learnt(layout, [*samples, *known], relations)
    relations += _bounds_from(layout, relations, traits, seen, doubt)
    shape = make_shape(layout, relations, traits, _rectangular(layout, [*samples, *known]))
    for sentence in traits.unread[:MOST_UNREAD]:
        doubt.add(0.7, f"not understood: {sentence}")
    source = derived_source(problem.slug, shape, [*samples, *known])
    return Derived(source, round(doubt.confidence, 3), tuple(doubt.reasons), layout, shape)


def _readable(statement: str, doubt: _Doubt) -> str:
    text = plain(statement)
    if LOST_POWER.search(text) and not re.search(r"10\s*(?:\^|\*\*)|\de\d", text):
        doubt.add(0.95, "powers have lost their superscripts: 105 is read as 10^5")
        return restore_powers(text)
    return text


def _told(text: str, layout: Layout) -> str:
    """Return what a statement says of its input; of its story only that there is a tree, where the input has one."""
    parts = [section(text, "input"), section(text, "constraint", "limit")]
    story = re.split(
        r"^[ \t#*_]*(?:input|examples?|output|constraints?)\b[^\n]{0,20}$", text, maxsplit=1, flags=re.I | re.M
    )[0]
    if not any(parts):
        return story
    branches = any(re.fullmatch(r"\w+ ?- ?1", count) for count in counts(layout.body))
    return "\n\n".join([*parts, "the edges form a tree." if branches and re.search(r"\btree\b", story) else ""])


# ------------------------------------------------------------------ the layout


def _layout(problem: Problem, text: str, samples: Sequence[str], given: Sequence[str], doubt: _Doubt) -> Layout:
    """Return the first layout that every sample fits, or most of the given inputs where there is no sample."""
    complaint = "its input is not described in words that we read"
    for layout in _candidates(problem, text, [*samples, *given]):
        try:
            for sample in samples:
                read_input(layout, sample)
        # A layout that cannot read the statement's own samples is wrong, whatever else it can read.
        except Unfit as unfit:
            complaint = f"the sample does not fit: {unfit}"
            continue
        share = _share(layout, given)
        if given and share < 0.5:
            complaint = f"only {share:.0%} of the given inputs fit"
            continue
        if not samples and not given:
            doubt.add(0.5, "there is no sample to check the layout with")
        if given and share < 1:
            doubt.add(max(0.5, share), f"{share:.0%} of the given inputs fit the layout")
        return layout
    raise NotDerived(complaint)


def _candidates(problem: Problem, text: str, inputs: Sequence[str]) -> Iterator[Layout]:
    if problem.style == "function":
        layout = signature.layout_of(problem.starter_code.get("python", ""), text, inputs)
        if layout:
            yield layout
        return
    description = section(text, "input")
    yield from describe.candidates(description or text)


def _share(layout: Layout, given: Sequence[str]) -> float:
    return sum(_fits(layout, text) for text in given) / len(given) if given else 1.0


def _fits(layout: Layout, text: str) -> bool:
    try:
        read_input(layout, text)
    except Unfit:
        return False
    return True


def _names(layout: Layout, text: str) -> Names:
    found = {node.name: node for node in scalars(layout.body)}
    lists = set(lists_of(layout)) | {
        node.name for line in layout.body for node in getattr(line, "nodes", ()) if isinstance(node, Many)
    }
    aliases = signature.aliases(text) if layout.style == "json" else {}
    if layout.style == "json":
        aliases |= {
            name.removesuffix("_at"): name
            for name in found
            if name.endswith("_at") and name.removesuffix("_at") not in found
        }
    return Names(found, frozenset(lists), layout.style, aliases)


# ------------------------------------------------------------------ what values may be


def _relations(text: str, names: Names, style: str) -> list[Relation]:
    """Return the comparisons in the statement over the names of the layout."""
    told = section(text, "constraint", "limit") + "\n" + section(text, "input")
    found: dict[Relation, None] = {}
    for left, operator, right in find_relations(_sizes_in_words(told if told.strip() else text, names), style):
        for a in _resolved(left, names):
            for b in _resolved(right, names):
                relation = Relation(a, operator, b)
                if a != b and (names_in(a) | names_in(b)):
                    found[relation] = None
    return list(found)


def _sizes_in_words(text: str, names: Names) -> str:
    """Write ``number of rows`` and ``number of columns`` as lengths where the only list of lists is meant."""
    grids = [name for name in names.scalars if name.endswith("_at_at")]
    if len(grids) == 1:
        grid = grids[0].removesuffix("_at_at")
        text = re.sub(r"(?:the\s+)?number\s+of\s+rows", f"{grid}.length", text, flags=re.IGNORECASE)
        text = re.sub(r"(?:the\s+)?number\s+of\s+columns", f"{grid}[i].length", text, flags=re.IGNORECASE)
    named = r"\bwhere\s+(\w+)\s+is\s+the\s+(?:length|size)\s+of\s+(?:the\s+)?(\w+)"
    return text + "".join(f"\n{match[1]} == len_{match[2]}" for match in re.finditer(named, text))


def _resolved(expression: str, names: Names) -> list[str]:
    """Return an expression with the layout's names; several where a name stands for several values."""
    done = [expression]
    for written in sorted(names_in(expression)):
        meant = names.resolve(written) or [written]
        done = [re.sub(rf"\b{re.escape(written)}\b", name, text) for text in done for name in meant]
    return done


def _evidence(
    layout: Layout, inputs: Sequence[str], relations: Sequence[Relation], samples: int, doubt: _Doubt
) -> Seen:
    """Read all inputs; comparisons that a sample or most given inputs break were misread."""
    every = Seen()
    broken: dict[Relation, int] = {}
    for index, text in enumerate(inputs):
        try:
            seen = read_input(layout, text, relations)
        except Unfit:
            continue
        for name, span in seen.ranges.items():
            old = every.ranges.get(name, span)
            every.ranges[name] = Range(min(old.low, span.low), max(old.high, span.high))
        for name, texts in seen.texts.items():
            every.texts.setdefault(name, []).extend(texts)
        for relation in seen.broken:
            # A broken sample alone counts as all inputs: what a sample breaks was misread.
            broken[relation] = broken.get(relation, 0) + (len(inputs) if index < samples else 1)
    every.broken = {relation for relation, times in broken.items() if times > len(inputs) / 2}
    for relation in sorted(every.broken):
        doubt.add(0.7, f"the given inputs break {' '.join(relation)}; it was misread")
    return every


def _learnt(layout: Layout, inputs: Sequence[str], relations: Sequence[Relation]) -> list[Relation]:
    """Return ``len_s == n`` for texts that have that length in all inputs and no bound of their own."""
    texts = [node.name for node in scalars(layout.body) if node.kind == "text"]
    numbers = [node.name for node in scalars(layout.body) if node.kind == "int"]
    unbound = [
        name for name in texts if not any(f"len_{name}" in names_in(r.left) | names_in(r.right) for r in relations)
    ]
    guesses = [
        Relation(f"len_{name}", "==", number) for name in unbound for number in numbers if number != layout.cases
    ]
    # Only what was checked can be said to hold: an input may have none of the values that a guess is about.
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


def _bounds_from(
    layout: Layout, relations: Sequence[Relation], traits: Traits, seen: Seen, doubt: _Doubt
) -> list[Relation]:
    """Return bounds, taken from the given inputs, for values that the statement does not bound."""
    bounded = _bounded(make_shape(layout, relations, traits))
    found: list[Relation] = []
    for node in scalars(layout.body):
        name = f"len_{node.name}" if node.kind == "text" else node.name
        if node.kind == "text":
            _check_letters(node.name, traits, seen, doubt)
        if node.kind == "text" and node.name not in traits.alphabets and node.name not in traits.choices:
            letters = "".join(sorted(set("".join(seen.texts.get(node.name, ())))))
            traits.alphabets[node.name] = letters or "abcdefghijklmnopqrstuvwxyz"
            doubt.add(0.85, f"the letters of {node.name} are those seen")
        if node.kind != "bool" and node.name not in traits.choices and "permutation" not in traits.traits.get(name, ()):
            found += _bound(name, bounded(name), seen, doubt)
    for count in {count for count in counts(layout.body) if count.isidentifier()} - {
        node.name for node in scalars(layout.body)
    }:
        found += _bound(count, bounded(count), seen, doubt)
    return found + _permutations(traits, relations)


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


def _bound(name: str, span: Range, seen: Seen, doubt: _Doubt) -> list[Relation]:
    low, high = span
    if abs(low) != float("inf") and abs(high) != float("inf"):
        return []
    shown = seen.ranges.get(name, Range(1, 10))
    doubt.add(0.8, f"the statement does not bound {name}: {shown.low} to {shown.high} were seen")
    found = [Relation(str(int(shown.low)), "<=", name)] if low == -float("inf") else []
    most = max(int(shown.high), int(low) if low != -float("inf") else 0)
    return found + ([Relation(name, "<=", str(most))] if high == float("inf") else [])


def _permutations(traits: Traits, relations: Sequence[Relation]) -> list[Relation]:
    names = [name for name, found in traits.traits.items() if "permutation" in found]
    return [Relation("1", "<=", name) for name in names if not any(r.right == name for r in relations)]


def _rectangular(layout: Layout, inputs: Sequence[str]) -> bool:
    """Whether the rows of every list of lists in the inputs have one length."""
    if layout.style != "json":
        return True
    for text in inputs:
        for line in text.splitlines():
            value = json.loads(line) if line.strip() else None
            if isinstance(value, list) and len({len(row) for row in value if isinstance(row, list)}) > 1:
                return False
    return True
