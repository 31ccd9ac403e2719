"""Variations of given inputs, where their form is not known: numbers change within what was seen, lines stay lines.

The text of this module ends up in every generator that varies inputs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBER = re.compile(r"(?<![\w.])-?\d+(?![\w.])")
CHANGES = {"small": 1, "boundary": 2, "random": 4, "large": 8, "worst": 8}
Lines = list[list[str]]


def vary(inputs: Sequence[str], seed: int, size: str) -> str:
    """Return a variation of one of `inputs`: of short ones for the class small, of long ones for large and worst."""
    draw = random.Random(f"{seed} {size}")
    ordered = sorted(inputs, key=len)
    half = max(1, len(ordered) // 2)
    chosen = draw.choice(
        ordered[:half] if size == "small" else ordered[-half:] if size in ("large", "worst") else ordered
    )
    # In JSON only numbers change: a word that is moved would break it.
    if chosen.lstrip().startswith(("[", '"', "{")):
        return NUMBER.sub(
            lambda match: _other(match[0], chosen, size, draw) if draw.random() < 0.3 else match[0], chosen
        )
    lines = [line.split(" ") for line in chosen.rstrip("\n").split("\n")]
    for _ in range(CHANGES.get(size, 4)):
        draw.choice(WAYS)(lines, size, draw)
    return "\n".join(" ".join(words) for words in lines) + "\n"


def _rows(lines: Lines) -> list[int]:
    """Return the lines that look like values: all but the first, which often counts; all, where there is one."""
    return list(range(1, len(lines))) or [0]


def change_number(lines: Lines, size: str, draw: random.Random) -> None:
    """Put another number of those seen at its place into one word."""
    words = lines[draw.choice(_rows(lines))]
    place = draw.randrange(len(words))
    if NUMBER.fullmatch(words[place]):
        words[place] = _other(words[place], " ".join(words), size, draw)


def shuffle_words(lines: Lines, size: str, draw: random.Random) -> None:
    """Shuffle the words of a line that is long enough to be a list."""
    words = lines[draw.choice(_rows(lines))]
    if len(words) > 3:
        draw.shuffle(words)


def sort_words(lines: Lines, size: str, draw: random.Random) -> None:
    """Sort the numbers of a list, one way or the other."""
    words = lines[draw.choice(_rows(lines))]
    if len(words) > 3 and all(NUMBER.fullmatch(word) for word in words):
        words.sort(key=int, reverse=draw.random() < 0.5)


def repeat_word(lines: Lines, size: str, draw: random.Random) -> None:
    """Put one value of a list in many places."""
    words = lines[draw.choice(_rows(lines))]
    if len(words) > 3:
        word = draw.choice(words)
        for place in draw.sample(range(len(words)), len(words) // 2):
            words[place] = word


def change_length(lines: Lines, size: str, draw: random.Random) -> None:
    """Grow or shrink a list whose length stands alone, or first, in the line before it."""
    for at in _rows(lines):
        before, words = lines[at - 1], lines[at]
        if at and before[0] == str(len(words)) and len(words) > 2:
            if size in ("small", "boundary"):
                del words[draw.randrange(len(words))]
            else:
                words += draw.choices(words, k=draw.randint(1, len(words)))
            before[0] = str(len(words))
            return


def shuffle_letters(lines: Lines, size: str, draw: random.Random) -> None:
    """Put the letters of one word in another order."""
    words = lines[draw.choice(_rows(lines))]
    place = draw.randrange(len(words))
    if words[place].isalpha():
        words[place] = "".join(draw.sample(words[place], len(words[place])))


WAYS: tuple[Callable[[Lines, str, random.Random], None], ...] = (
    change_number, change_number, shuffle_words, sort_words, repeat_word, change_length, shuffle_letters,
)  # fmt: skip


def _other(word: str, among: str, size: str, draw: random.Random) -> str:
    """Return another number between the smallest and the largest of those it stands among."""
    seen = [int(number) for number in NUMBER.findall(among)] or [int(word)]
    low, high = min(seen), max(seen)
    if size == "boundary":
        return str(draw.choice((low, high)))
    return str(draw.randint(low, high))
