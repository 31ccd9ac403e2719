"""Draws words over the alphabets of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .bounds import KnownNumbers
from .numbers import number
from .patterns import matrix, neighbours_differ, nested, with_words, word
from .replay import edited_word, resized
from .state import MOST_EARLIER, DrawError, Drawing

WORDS = 0.25  # share of texts that contain words of the statement or programs
BRACKETS = ("()", "[]", "{}", "<>")
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def texts(
    state: Drawing,
    name: str,
    count: int,
    known: KnownNumbers,
    old: Sequence[Any] = (),
    plain: bool = False,
) -> list[str]:
    """Return `count` words; `plain` ones have independent letters.

    Raises:
        DrawError: No such words exist.
    """
    draw, traits, length = state.random, state.traits(name), f"len_{name}"
    every = state.plan.alphabets.get(name) or LETTERS
    few = "".join(draw.sample(every, min(len(every), draw.randint(1, 3))))
    some = few if draw.random() < 0.75 else every
    if state.is_dull and every:
        # One letter, and characters that may be wildcards.
        if not state.letter or state.letter not in every:
            state.letter = draw.choice(every)
        some = state.letter + "".join(sign for sign in every if not sign.isalnum())
    span = state.bounds.range(length, known)
    if "of one length" in traits and length not in known:
        if name not in state.one_length:
            state.one_length[name] = number(state, length, known)
        known = {**known, length: state.one_length[name]}
    if count > 1:
        cost = max(1, state.room // count - 1)
        state.caps[length] = min(cost, state.caps.get(length, cost))
    chance = draw.random() if count > 1 and span.low == span.high > 0 and not old else 1
    if chance < 0.4 and state.family != "corner" and not plain:
        rows = matrix(draw, count, int(span.low), 0, len(some) - 1)
        words = ["".join(some[value] for value in row) for row in rows]
    elif plain:
        words = [
            "".join(
                draw.choices(some if state.is_dull else every, k=_letters(state, length, known))
            )
            for _ in range(count)
        ]
    else:
        words = [
            _word(state, name, every, some, known, old[at] if at < len(old) else None)
            for at in range(count)
        ]
    return [_with_traits(state, traits, text, every) for text in words] if traits else words


def _letters(state: Drawing, length: str, known: KnownNumbers) -> int:
    count = known[length] if length in known else number(state, length, known)
    # Spaces separate the words of a line, so a word cannot be empty.
    return max(1, count) if state.plan.layout.style == "lines" else count


def _with_traits(
    state: Drawing, traits: Mapping[str, tuple[str, ...]], text: str, every: str
) -> str:
    """Return a word changed to have the traits of its name."""
    draw, count = state.random, len(text)
    if "distinct letters" in traits and len(set(text)) < count:
        if count > len(every):
            raise DrawError("different letters")
        text = "".join(draw.sample(every, count))
    if "permutation of" in traits and (other := state.drawn.get(traits["permutation of"][0])):
        if len(other[0]) != count:
            raise DrawError("a text of the length of its permutation")
        text = "".join(draw.sample(other[0], count))
    if "brackets" in traits:
        pairs = [pair for pair in BRACKETS if set(pair) <= set(every)]
        if count % 2 or not pairs:
            raise DrawError("brackets of an even length")
        text = nested(draw, count, pairs, False)
    if "neighbours differ" in traits and count > 1:
        if len(every) < 2:
            raise DrawError("neighbours that differ from one letter")
        text = "".join(neighbours_differ(draw, list(text), every))
    inner = [letter for letter in every if letter != " "] or ["a"]
    if "single spaces" in traits:
        while "  " in text:
            text = text.replace("  ", " " + draw.choice(inner), 1)
    if "trimmed" in traits and text != text.strip():
        text = "".join(
            draw.choice(inner) if place in (0, count - 1) and letter == " " else letter
            for place, letter in enumerate(text)
        )
    if "no leading zero" in traits and count > 1 and text[0] == "0":
        text = draw.choice([letter for letter in every if letter != "0"] or ["0"]) + text[1:]
    if "not all alike" in traits and count > 1 and len(set(text)) == 1 and len(every) > 1:
        text = text[:-1] + draw.choice([letter for letter in every if letter != text[0]])
    if "palindrome" in traits:
        text = text[: (count + 1) // 2] + text[: count // 2][::-1]
    return text


def _word(state: Drawing, name: str, every: str, some: str, known: KnownNumbers, old: Any) -> str:
    """Return a word with a pattern, or a variation of an earlier word or of one in a sample.

    every: all letters that it may have; some: those that random words use.
    """
    draw = state.random
    count = _letters(state, f"len_{name}", known)
    if state.family == "corner":
        return (every[-1] if state.end(name, 0, 1) else every[0]) * count
    if not count:
        return ""
    if state.is_dull:
        end = draw.choice((state.letter, draw.choice(every)))
        return (draw.choice((some[:1], some)) * count)[: count - 1] + end
    if old and state.family == "replay":
        text = "".join(resized(draw, old, count))
        return edited_word(draw, text, every) if draw.random() < state.rate + 0.2 else text
    same = [earlier for earlier in state.words if len(earlier) == count]
    if state.words and draw.random() < 0.33:
        text = draw.choice(same) if same else (draw.choice(state.words) * count)[:count]
        if set(text) <= set(every):
            return draw.choice(
                (text, text[::-1], edited_word(draw, text, every), text[1:] + text[:1])
            )
    pairs = [pair for pair in BRACKETS if set(pair) <= set(every)]
    text = (
        nested(draw, count, [draw.choice(pairs)], draw.random() < 0.5)
        if pairs and draw.random() < 0.5
        else word(draw, count, some)
    )
    if state.plan.spec.words and draw.random() < WORDS:
        fitting = [w for w in state.plan.spec.words if len(w) <= count and set(w) <= set(every)]
        text = with_words(draw, text, fitting) if fitting else text
    if len(state.words) < MOST_EARLIER:
        state.words.append(text)
    return text
