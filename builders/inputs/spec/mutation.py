"""Variations of given inputs, where their form is not known.

Numbers change within what was seen, lines stay lines.

An input is taken as lines, each of which is a list of values: words in plain text, the values of a
list in JSON. A number that says how many values the next line has, or how many lines follow,
changes with what it counts. The text of this module ends up in every generator that varies inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

FAMILIES = ("tiny", "multiscale", "replay", "corner", "max")
FAMILY_OF = {
    "small": "tiny",
    "boundary": "corner",
    "random": "multiscale",
    "large": "max",
    "worst": "max",
}
# at most, of one variation
CHANGES = {"tiny": 6, "multiscale": 8, "replay": 2, "corner": 6, "max": 8}
MOST = 5_000_000  # characters: what is grown is not grown further
NUMBER = re.compile(r"-?[0-9]{1,30}")
Lines = list[Any]  # lists of values; in JSON a line may be one value


def vary(inputs: Sequence[str], seed: int, family: str) -> str:
    """Return a variation of one of `inputs`.

    Of short ones where it is to be small, of long ones for the family max.
    """
    family = FAMILY_OF.get(family, family if family in FAMILIES else "multiscale")
    draw = Random(f"{seed} {family}")
    ordered = sorted(inputs, key=len)
    half = max(1, len(ordered) // 2)
    among = ordered[:half] if family == "tiny" else ordered[-half:] if family == "max" else ordered
    chosen = draw.choice(among)
    read = _json_lines(chosen)
    lines: Lines = (
        read if read is not None else [_values(line) for line in chosen.rstrip("\n").split("\n")]
    )
    # Asked before anything changes: a number may come to be the number of lines by chance.
    counters = [] if read is not None else _line_counters(lines)
    for _ in range(draw.randint(1, CHANGES[family])):
        change = draw.choice(WAYS[family])
        if counters and draw.random() < 0.3:
            _change_lines(lines, counters[0], family, draw)
        else:
            _change_one(lines, change, family, draw, read is not None)
    if read is not None:
        return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in lines)
    return "\n".join(" ".join(map(str, values)) for values in lines) + "\n"


def _json_lines(text: str) -> Lines | None:
    if not text.lstrip().startswith(("[", '"', "{")) and "[" not in text:
        return None
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _values(line: str) -> list[Any]:
    # Digits that are no number, like 007, stay a word.
    return [
        int(word) if NUMBER.fullmatch(word) and str(int(word)) == word else word
        for word in line.split(" ")
    ]


# ------------------------------------------------------------------ which list is changed


def _change_one(
    lines: Lines,
    change: Callable[[list[Any], str, Random], None],
    family: str,
    draw: Random,
    free: bool,
) -> None:
    """Change one list; a number in the line before it that counted its values counts them afterwards.

    free: A list may have another length though nothing counts it, as in JSON.
    """
    at = (
        draw.randrange(len(lines))
        if len(lines) < 2 or draw.random() < 0.1
        else draw.randrange(1, len(lines))
    )
    values = lines[at]
    if not isinstance(values, list):
        alone = [values]
        change_value(alone, family, draw)
        lines[at] = alone[0]
        return
    # Of a list of lists one value changes, or the rows change as wholes.
    inner = [row for row in values if isinstance(row, list) and row]
    if inner and draw.random() < 0.7:
        row, other = draw.choice(inner), draw.choice(inner)
        row[draw.randrange(len(row))] = draw.choice(other)
        (draw.choice((change_value, shuffle, order)))(row, family, draw)
        return
    before = lines[at - 1] if at and isinstance(lines[at - 1], list) else []
    # One value alone is a number, not a list that could have any length.
    counters = (
        [place for place, value in enumerate(before) if value == len(values)]
        if len(values) > 1
        else []
    )
    old = list(values)
    change(values, family, draw)
    if len(values) != len(old) and not counters and not free:
        values[:] = old
    for place in counters[:1]:
        before[place] = len(values)


def _line_counters(lines: Lines) -> list[int]:
    """Return the places in the first line that count the lines after it, where those are alike."""
    rows = lines[1:]
    alike = len({len(line) for line in rows}) == 1
    return (
        [place for place, value in enumerate(lines[0]) if value == len(rows)]
        if alike and len(rows) > 1
        else []
    )


def _change_lines(lines: Lines, counter: int, family: str, draw: Random) -> None:
    """Take a line out, or put some in again."""
    if len(lines) < 3:
        return
    if family in ("tiny", "replay") or draw.random() < 0.4:
        del lines[draw.randrange(1, len(lines))]
    else:
        more = lines[1:] * (4 if family == "max" and _size(lines) < MOST else 1)
        lines += [list(line) for line in draw.sample(more, draw.randint(1, len(more)))]
    lines[0][counter] = len(lines) - 1


def _size(lines: Lines) -> int:
    return sum(8 * len(line) for line in lines if isinstance(line, list))


# ------------------------------------------------------------------ what is changed


def change_value(values: list[Any], family: str, draw: Random) -> None:
    """Put another value at one place.

    A number of those seen around it or beside it, a word with two letters moved.
    """
    place = draw.randrange(len(values)) if values else -1
    value = values[place] if values else None
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int):
        seen = [each for each in values if isinstance(each, int)]
        low, high = min(seen), max(seen)
        beside = max(low, min(high, value + draw.choice((-1, 1)))) if len(seen) > 1 else value
        values[place] = draw.choice(
            (low, high)
            if family == "corner"
            else (beside, draw.choice(seen), draw.randint(low, high))
        )
    elif isinstance(value, str) and len(value) > 1:
        letters = list(value)
        a, b = draw.randrange(len(letters)), draw.randrange(len(letters))
        if draw.random() < 0.5:
            letters[a], letters[b] = letters[b], letters[a]
        elif value.isalpha():
            letters[a] = letters[b]
        values[place] = "".join(letters)


def few_values(values: list[Any], family: str, draw: Random) -> None:
    """Leave one to three different values of a list."""
    kept = [draw.choice(values) for _ in range(draw.randint(1, 3))] if len(values) > 3 else values
    values[:] = [draw.choice(kept) if value not in kept else value for value in values]


def shuffle(values: list[Any], family: str, draw: Random) -> None:
    """Shuffle a list that is long enough to be one."""
    if len(values) > 3:
        draw.shuffle(values)


def order(values: list[Any], family: str, draw: Random) -> None:
    """Sort the numbers of a list, one way or the other, or turn it round."""
    if len(values) > 3 and all(isinstance(value, int) for value in values):
        values.sort(reverse=draw.random() < 0.5)
    elif len(values) > 3:
        values.reverse()


def repeat_value(values: list[Any], family: str, draw: Random) -> None:
    """Put one value of a list in many places."""
    if len(values) > 3:
        value = draw.choice(values)
        for place in draw.sample(range(len(values)), len(values) // 2):
            values[place] = value


def shorten(values: list[Any], family: str, draw: Random) -> None:
    """Take values out of a list: one, or all but a few."""
    if len(values) > 2:
        left = draw.randint(2, len(values) - 1) if draw.random() < 0.5 else len(values) - 1
        first = draw.randrange(len(values) - left + 1)
        values[:] = values[first : first + left]


def lengthen(values: list[Any], family: str, draw: Random) -> None:
    """Put values of a list into it again."""
    if len(values) > 2 and 8 * len(values) < MOST:
        times = 4 if family == "max" else 1
        values += draw.choices(values, k=draw.randint(1, times * len(values)))


SAME = (change_value, change_value, shuffle, order, repeat_value, few_values)
WAYS: dict[str, tuple[Callable[[list[Any], str, Random], None], ...]] = {
    "tiny": (*SAME, shorten, shorten, shorten),
    "multiscale": (*SAME, shorten, lengthen),
    "replay": (*SAME, shorten, lengthen),
    "corner": (change_value, change_value, order, repeat_value, few_values),
    "max": (*SAME, lengthen, lengthen, lengthen),
}
