"""Mutants: accepted solutions with one small change each, of the kind that people make by mistake.

The changes are data: ``mutations.toml`` in this folder for every language, and ``[mutation]`` in
``languages/<id>/language.toml`` for a single one. The operators are the usual ones of mutation
testing (Jia and Harman, "An Analysis and Survey of the Development of Mutation Testing", 2011,
section III): relational, arithmetic and logical operator replacement, constant replacement and
statement deletion; and two that matter in contests: bounds, and integer types of half the width.
"""

from __future__ import annotations

import functools
import random
import re
import tomllib
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.quality.lexer import HIDDEN, NAME, masked, tokens, without_comments
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Solution, digest

ENTRIES = {"main", "init"}  # entry points, which the program itself need not call


class Change(NamedTuple):
    """A text that replaces code[start:end], and the mutation operator behind it."""

    operator: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant: `before` is the changed line of its parent, `after` that line in the mutant."""

    mutant_id: str
    parent: str
    language: str
    operator: str
    line: int
    before: str
    after: str
    code: str


class _MutationSource(NamedTuple):
    """A program to mutate: its code, the masked text, and the tokens of the masked text."""

    code: str
    text: str
    words: tuple[re.Match[str], ...]
    language: Language


@functools.cache
def shared() -> Mapping[str, Any]:
    """Return the mutations of every language."""
    mutations_file = Path(__file__).parent / "mutations.toml"
    return tomllib.loads(mutations_file.read_text())


def replacements(language: Language) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the pairs (token, replacement) of each operator in `language`."""
    own = language.mutation.operators
    both = {**shared()["operators"], **own}
    return {
        name: (*map(tuple, shared()["operators"].get(name, ())), *own.get(name, ()))
        for name in both
    }


def changes(code: str, language: Language, called: Collection[str] = ()) -> list[Change]:
    """Return every small change of a program, in the order of their positions.

    Unused definitions stay unchanged; `called` are the names that code outside the program uses.
    """
    text = masked(code, language)
    signs = [before for pairs in replacements(language).values() for before, _ in pairs]
    source = _MutationSource(code, text, tuple(tokens(text, signs)), language)
    skip = language.mutation.skip
    skipped = {number for number, line in enumerate(code.split("\n")) if skip and skip.search(line)}
    candidates = [
        *_token_changes(source),
        *_constant_changes(source),
        *_bound_changes(source),
        *_swapped_arguments(source),
        *_dropped_statements(source),
    ]
    idle = unused(code, language, called)
    allowed = {
        change
        for change in candidates
        if code.count("\n", 0, change.start) not in skipped
        and not any(definition.start <= change.start < definition.end for definition in idle)
    }
    # A type changes everywhere at once, including lines that other operators skip.
    return sorted({*allowed, *_type_changes(source)}, key=lambda change: change[1:] + change[:1])


def _token_changes(source: _MutationSource) -> Iterator[Change]:
    binary = set(shared()["binary"])
    for operator, pairs in replacements(source.language).items():
        for (before, after), (index, token) in product(pairs, enumerate(source.words)):
            if token.group() == before and (before not in binary or _is_binary(source, index)):
                yield Change(operator, token.start(), token.end(), after)


def _is_binary(source: _MutationSource, index: int) -> bool:
    """Whether an operator has an operand and equal spacing on both sides.

    If not, it may be a sign, a pointer, a reference or part of a type.
    """
    words, text = source.words, source.text
    if not 0 < index < len(words) - 1:
        return False
    token, left, right = words[index], words[index - 1], words[index + 1]
    before, after = text[token.start() - 1], text[token.end()]
    # After a keyword (``return -1``) the sign belongs to the next token.
    ends_operand = left.group() in (")", "]") or (
        re.fullmatch(rf"{NAME}|\d.*", left.group()) and left.group() not in shared()["keywords"]
    )
    return (
        bool(ends_operand)
        and bool(re.match(r"[\w$(\[!~-]", right.group()))
        and before.isspace() == after.isspace()
        and HIDDEN not in before + after
        and HIDDEN not in text[left.end() : right.start()]
    )


def _constant_changes(source: _MutationSource) -> Iterator[Change]:
    integer = re.compile(r"([0-9][0-9_]*)([uUlLnN]*|[iuf](?:8|16|32|64|128|size))")
    for token in source.words:
        match = integer.fullmatch(token.group())
        if not match or source.text[token.start() - 1 : token.start()] == ".":
            continue
        value, suffix = int(match.group(1).replace("_", "")), match.group(2)
        for other in (value + 1, value - 1)[: 2 if value else 1]:
            yield Change("constant", token.start(), token.end(), f"{other}{suffix}")


def _bound_changes(source: _MutationSource) -> Iterator[Change]:
    patterns = [
        *source.language.mutation.bounds,
        *(re.compile(regex, re.MULTILINE) for regex in shared()["bounds"]),
    ]
    for pattern in patterns:
        for match in pattern.finditer(source.text):
            start, end = match.span(match.lastindex or 0)
            name = source.code[start:end]
            yield from (Change("bound", start, end, f"{name} {sign} 1") for sign in "+-")


def _swapped_arguments(source: _MutationSource) -> Iterator[Change]:
    for match in re.finditer(shared()["call"], source.text):
        function, first, second = match.groups()
        if (
            first != second
            and function.lower() not in shared()["commutative"]
            and function not in shared()["keywords"]
        ):
            yield Change("arguments", match.start(2), match.end(3), f"{second}, {first}")


def _dropped_statements(source: _MutationSource) -> Iterator[Change]:
    start = 0
    for line in source.text.split("\n"):
        # A line that leaves a bracket open is part of a longer statement.
        balanced = all(
            line.count(opening) == line.count(closing) for opening, closing in ("()", "[]", "{}")
        )
        if balanced and re.match(shared()["statement"], line):
            first = start + len(line) - len(line.lstrip())
            yield Change(
                "statement", first, start + len(line.rstrip()), source.language.mutation.dropped
            )
        start += len(line) + 1


def _type_changes(source: _MutationSource) -> Iterator[Change]:
    """Replace a type everywhere at once, as one change from its first to its last occurrence."""
    # Type arguments, which `masked` hides, have to change too: ``Vec<i64>``.
    text = source.code
    for pattern in (source.language.comments, source.language.strings):
        text = pattern.sub(lambda match: HIDDEN * len(match.group()), text)
    all_tokens = list(tokens(text))
    for before, after in source.language.mutation.types:
        places = [token for token in all_tokens if token.group() == before]
        if places:
            start, end = places[0].start(), places[-1].end()
            gaps = [source.code[left.end() : right.start()] for left, right in pairwise(places)]
            yield Change("integer_type", start, end, after + "".join(gap + after for gap in gaps))


def apply(solution: Solution, change: Change) -> Mutant:
    """Return the mutant that results from one change to a solution."""
    code = solution.code[: change.start] + change.text + solution.code[change.end :]
    number = solution.code.count("\n", 0, change.start)
    before, after = solution.code.split("\n")[number], code.split("\n")[number]
    name = f"{solution.solution_id}~{change.operator}-{number + 1}-{digest(code)[:8]}"
    return Mutant(
        name,
        solution.solution_id,
        solution.language,
        change.operator,
        number + 1,
        before.strip(),
        after.strip(),
        code,
    )


def sample_mutants(
    solutions: Iterable[Solution],
    language: Language,
    count: int,
    seed: int,
    called: Collection[str] = (),
) -> list[Mutant]:
    """Return up to `count` mutants in one language, spread over operators, solutions and lines.

    The operators alternate; each picks the change whose solution, then whose line, was changed
    least often so far. The same arguments give the same mutants, and the mutants of a smaller
    `count` are the first ones of a larger one. `called` are the names that code outside a solution
    uses.
    """
    mine = {
        solution.solution_id: solution for solution in solutions if solution.language == language.id
    }
    rng = random.Random(f"{seed}/{language.id}")
    piles: dict[str, list[tuple[str, int, Change]]] = {}
    # Sorted before the shuffle: a sample must not depend on the order of the solutions.
    for name in sorted(mine):
        for change in changes(mine[name].code, language, called):
            line = mine[name].code.count("\n", 0, change.start)
            piles.setdefault(change.operator, []).append((name, line, change))
    order = sorted(piles)
    for operator in order:
        rng.shuffle(piles[operator])
    rng.shuffle(order)
    # uses by (solution, line), and by (solution, None) for a whole solution
    used: Counter[tuple[str, int | None]] = Counter()
    mutants_by_code: dict[str, Mutant] = {}
    while len(mutants_by_code) < count and any(piles.values()):
        for operator in order:
            pile = piles[operator]
            if pile and len(mutants_by_code) < count:
                least = min(
                    range(len(pile)), key=lambda at: (used[pile[at][0], None], used[pile[at][:2]])
                )
                name, line, change = pile.pop(least)
                used.update([(name, None), (name, line)])
                mutant = apply(mine[name], change)
                # Two changes may result in the same program.
                mutants_by_code.setdefault(digest(mutant.code), mutant)
    return list(mutants_by_code.values())


class Definition(NamedTuple):
    """A function or a type: its name, and the range of its text."""

    name: str
    start: int
    end: int


def unused(code: str, language: Language, called: Collection[str] = ()) -> list[Definition]:
    """Return the definitions that a program does not use: pasted helpers, remains of a template.

    A mutant of such a definition is equivalent to its parent. Used definitions are those reachable
    from the statements outside all definitions, from ``main``, and from `called`, the names that
    code outside the program uses. The language describes the form of a definition; in doubt a
    definition counts as used.
    """
    left = set(_definitions(masked(code, language), language))
    following, around = (
        deque(sorted(left, key=lambda definition: definition.start)),
        list[Definition](),
    )
    uses: dict[Definition | None, set[str]] = defaultdict(set)
    # Strings contain names too: ``f"{total(x)}"``.
    for word in re.finditer(NAME, without_comments(code, language)):
        while following and following[0].start <= word.start():
            around.append(following.popleft())
        while around and around[-1].end <= word.start():
            around.pop()
        owner = around[-1] if around else None
        # A definition's own name inside it is its head or a recursive call.
        if not (owner and word.group() == owner.name):
            uses[owner].add(word.group())
    reached = {*called, *uses[None]}
    while used := {
        definition
        for definition in left
        if definition.name in reached or ENTRIES & uses[definition]
    }:
        left -= used
        reached |= {name for definition in used for name in uses[definition]}
    return sorted(left, key=lambda definition: definition.start)


def _definitions(text: str, language: Language) -> Iterator[Definition]:
    if language.mutation.definition is None:
        return
    # Position after the closing brace, by the position of the opening one.
    closed, opened = dict[int, int](), list[int]()
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            opened.append(brace.start())
        elif opened:
            closed[opened.pop()] = brace.end()
    for match in re.finditer(language.mutation.definition.pattern, text, re.MULTILINE):
        name = match[match.lastindex or 0]
        end = _end(text, match.start(), match.start(match.lastindex or 0), closed)
        before = text[text.rfind("\n", 0, max(0, match.start() - 1)) + 1 : match.start()]
        # A decorator may register the function somewhere.
        if name not in ENTRIES and end is not None and not before.lstrip().startswith("@"):
            yield Definition(name, match.start(), end)


def _end(text: str, start: int, name: int, closed: Mapping[int, int]) -> int | None:
    """Return the end of a definition: its closing brace, or the next line at its indentation.

    None if the definition declares a variable of its type at once, or if it is not closed.
    """
    line = text.find("\n", name)
    line = len(text) if line < 0 else line
    opened = text.find("{", name)
    declared = re.compile(rf"[ \t]*(?:{NAME}|[&*(])")  # ``struct Start { … } start;``
    if opened >= 0 and not text[line:opened].strip():
        end = closed.get(opened)
        return None if end is None or declared.match(text, end) else end
    margin = len(text[start:name]) - len(text[start:name].lstrip())
    for following in re.compile(r"^([ \t]*)(\S+)", re.MULTILINE).finditer(text, line):
        if len(following[1]) <= margin and following[2] not in ("end", "}"):
            return following.start()
    return len(text)
