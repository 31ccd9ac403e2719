"""Finds checkers by agreement: properties that differing answers of accepted programs share.

Where a statement allows several answers, accepted programs may print different ones. A view of an
answer (`signatures.views`) that is equal for all of them, on every input, and that the statement
asks for, is a condition of a right answer. Views make a checker if they also refuse deliberately
spoiled answers. If all programs use one algorithm and print the same answer, no answer contradicts
a view; a comparison by it still refuses less than an exact one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.answers import compile_pattern, table
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.signatures.views import alike, read, show

FEWEST = 5  # inputs needed to make a checker
MOST = 60  # inputs to compare
LONGEST = 100_000  # characters of an input with its answers; longer ones are skipped
PASSED = 1 / 3  # share of spoiled answers of one kind that may pass: some are right by chance


class AcceptedAnswers(NamedTuple):
    """The different outputs of accepted programs for one input."""

    stdin: str
    outputs: Sequence[str]


class _Case(NamedTuple):
    inputs: list[Any]
    values: list[Any]

    def first(self, view: str) -> object:
        return show(view, self.values[0], self.inputs)

    def agrees(self, view: str) -> bool:
        first = self.first(view)
        return all(show(view, value, self.inputs) == first for value in self.values[1:])


def agreed_views(
    statement: str, answers: Sequence[AcceptedAnswers], words: bool
) -> tuple[str, ...]:
    """Return the views that check the answers to a problem; nothing if none do.

    Args:
        statement: Only views that it asks for are tried.
        answers: The inputs with several outputs first.
        words: Whether the outputs are lines of words, not JSON values.
    """
    short = [
        answer for answer in answers if sum(map(len, (answer.stdin, *answer.outputs))) <= LONGEST
    ]
    try:
        cases = [
            _Case(read(stdin, words), [_value(output, words) for output in outputs])
            for stdin, outputs in short[:MOST]
        ]
    except (ValueError, RecursionError):
        return ()
    parts = parse_statement(statement)
    text = f"{parts.story}\n{parts.output}"  # not the notes, which explain samples
    views = [
        name for name, asked in table()["words"].items() if compile_pattern(asked).search(text)
    ]
    views = [name for name in views if all(case.agrees(name) for case in cases)]
    views = [name for name in views if any(case.first(name) is not None for case in cases)]
    if len(cases) < FEWEST:
        return ()
    passed: dict[str, list[bool]] = {}
    for number, case in enumerate(cases):
        spoiled = [
            *_spoil(case.values[0], Random(number)),
            ("value", cases[number - 1].values[0]),
        ]
        for way, value in spoiled:
            if value not in case.values:
                right = alike(case.values[0], value) and all(
                    show(name, value, case.inputs) == case.first(name) for name in views
                )
                passed.setdefault(way, []).append(right)
    if not compile_pattern(table()["place"]["words"]).search(text):
        passed.pop("order", None)
    fails = all(sum(verdicts) <= PASSED * len(verdicts) for verdicts in passed.values())
    return tuple(views) if fails else ()


def _value(output: str, words: bool) -> Any:
    lines = read(output, words)
    return lines if words else lines[0]


def _spoil(value: Any, random: Random) -> Iterator[tuple[str, Any]]:
    """Yield pairs of a kind of small change and the answer after it, which is likely wrong."""
    if isinstance(value, bool):
        yield "value", not value
    elif isinstance(value, int | float):
        yield from (("value", other) for other in (value + 1, value - 1, -value - 1, value + 1000))
    elif isinstance(value, str):
        yield from ((way, "".join(letters)) for way, letters in _spoil(list(value), random))
    elif isinstance(value, list):
        yield from (("size", other) for other in ([], value[1:], value[:-1], value + value[-1:]))
        for _ in range(3):
            yield "order", random.sample(value, len(value))
        for place in random.sample(range(len(value)), min(3, len(value))):
            before, item, after = value[:place], value[place], value[place + 1 :]
            letter = isinstance(item, str) and len(item) == 1
            changed = random.choice("abyz019") if letter else _spoil(item, random)
            for other in [
                random.choice(value),
                *(variant if letter else variant[1] for variant in changed),
            ][:4]:
                yield "value", [*before, other, *after]
