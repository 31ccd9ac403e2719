"""Marks the terms of a sentence, for the grammar.

A sentence first gets one standard spelling, then its names are marked: ``1 <= A_i <= N`` becomes
``1 <= ⟨nA_i⟩ <= ⟨nN⟩``, where the letter after the bracket is the kind of the values. Terms are
spelt as Python: ``A[i]`` for ``A_i``, ``len(S)`` for ``|S|`` and ``length of S``, ``edges[i][0]``
for the ``a_i`` of ``edges[i] = [a_i, b_i]``. Indices start where the statement starts them: at 1 in
inputs of lines, at 0 in JSON.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from venus_toolkit.builders.inputs.spec.names import Names


class NotUnderstood(Exception):
    """A sentence has no meaning for this input, or one that the toolkit does not know."""


# Removes words that change nothing, and gives other expressions one spelling.
SPELLINGS = (
    ("≦", "<="),
    ("≧", ">="),
    (r"\bfloor(?=\()", ""),  # for whole numbers, ``n <= floor(x)`` means ``n <= x``
    (r"\\?(?:text)?color\{\w{1,20}\}\{((?:[^{}]|\{[^{}]{0,40}\}){1,200})\}", r"\1"),
    (r"\^?\{\s*\}", ""),
    (r"(?i)\s*\(defined in (?:the )?problem statement\)", ""),
    (r"\s*\(i\.e\.[^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,60})?\)", ""),
    (r"(?i)\bis a length[- ](\w{1,8}) string\b", r"is a string of length \1"),
    (r"(?<=\s)([#.*@?])s\b", r"\1"),
    (r"^\s*([i-l])\s*!=\s*([i-l])\s*(?:implies|Rightarrow)\s*(.{1,200})$", r"\3 (\1 != \2)"),
    (r"(?<=\b[A-Za-z]) ?_ ?(?=[\w{])", "_"),
    (r"(?<=,)\s*\.\.\s*(?=,)", "..."),
    (r"(?<=\w) (?=\.\.\.,)", ", "),
    (r"(?<![\w^])([A-Z]) ([A-Z])(?![\w'])", r"\1 * \2"),
    (r"(?:\\[dt]?|\b)frac ?\{([^{}]{1,60})\}\{([^{}]{1,60})\}", r"((\1) // (\2))"),
    (r"[\u200b\ufeff⟨⟩]", ""),
    (r",? ?\(?(?:both |all )?inclusive(?:ly)?\)?(?=[\s,.;)]|$)", ""),
    (
        r"[,(]? ?(?:where|here),? [^,.;()]{1,20} (?:denotes?|is|represents?|means?) (?:the )?(?:length|"
        r"size|number|absolute)[^().;]{0,60}\)?",
        "",
    ),
    (
        r"\([^()]{1,20} (?:denotes?|is|represents?) (?:the )?(?:length|size|number|absolute)[^()]{0,60}\)",
        "",
    ),
    (r"\(\d\d:\d\d,[^()]{0,80}\)", ""),
    (
        r"\b([i-l])\s*=\s*([\w+-]{1,8})\s*,\s*(?:\w{1,8}\s*,\s*)?\.\.\.\s*,\s*([\w+ -]{1,12})",
        r"\2 <= \1 <= \3",
    ),
    (
        r"\b(?:sum|Σ|∑)_?\{?\s*[i-l]'?\s*=\s*[01]\s*\}?\s*\^\s*(?:\{[\w -]{1,10}\}|\w)",
        "sum of ",
    ),
    (r"\s+", " "),
)
WRITTEN = re.compile(
    r"""(?P<quoted>'[^'\n]{1,12}'|"[^"\n]{1,12}")
    |(?P<number>\d+(?:\.\d+)?[eE]\d+(?!\w))
    |(?P<name>[A-Za-z]\w*?(?:_(?:\{[^{}\n]{0,40}\}|[A-Za-z0-9]+)|\[[^\[\]\n]{0,40}\])*
      (?:\.(?:length|size)(?:\(\))?)?(?![A-Za-z0-9]))""",
    re.VERBOSE,
)
NAME = re.compile(r"([A-Za-z][A-Za-z0-9]*)(.*?)((?:\.(?:length|size)(?:\(\))?)?)$", re.DOTALL)
SUBSCRIPT = re.compile(r"_\{([^{}]*)\}|_([A-Za-z0-9]+)|\[([^\[\]]*)\]")
# Other letters that statements use as an index, and the index that replaces each.
ROLES = {**dict.fromkeys("urxqpth", "i"), **dict.fromkeys("vcyw", "j")}
# What may follow the name ``A`` but not the article ``A``.
VERB = re.compile(
    r"\s+(?:is|are|has|have|and|consists?|contains?|will|must|does|do)\b|\s*[^\sa-z]|\s*$"
)
KINDS = {"text": "t", "letter": "l"}


class MarkedSentence(NamedTuple):
    """A sentence with marked names, and the term of each name by its spelling."""

    text: str
    terms: dict[str, str]


def normalize(text: str) -> str:
    """Return a text in one spelling, without words that change nothing."""
    text = html.unescape(html.unescape(text)) if "&" in text else text
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    return text


def mark_names(
    text: str, names: Names, words: Collection[str], as_words: bool = False
) -> MarkedSentence:
    """Return a text with the names of the input marked by their kinds.

    Args:
        text: As `normalize` returns it.
        names: Those of the input.
        words: The words of the grammar, in lower case.
        as_words: Whether a spelling that may be a word or a name is read as the word.
    """
    terms: dict[str, str] = {}

    def mark(match: re.Match[str]) -> str:
        written = match["name"]
        if written is None:
            return match[0]
        if written.lower() in words and (
            as_words or written not in names.places or not _is_name_here(match)
        ):
            return written
        try:
            python_term = term(written, names)
        except NotUnderstood:
            return written
        place = names.places.get(python_term)
        if (
            python_term in "ijkl"
            and place
            and place.depth
            and re.search(rf"(?:_{{?|\[){python_term}\b", text)
        ):
            python_term, place = _index(python_term, names), None
        if len(python_term) == 1 and place is None:
            kind = "x"
        else:
            kind = (
                "n" if python_term.startswith("len(") else KINDS.get(names.kind(python_term), "n")
            )
        terms[written] = python_term
        # ``2N`` and ``N(N - 1)`` are products.
        times = (
            "*" if re.search(r"[\d)}\w]$", text[max(0, match.start() - 1) : match.start()]) else ""
        )
        return f"{times}⟨{kind}{written}⟩"

    text = WRITTEN.sub(mark, text)
    text = re.sub(
        r"(?<=[\d⟩])\((?![^()]*[<>=])|(?<=\w\))\((?![^()]*[<>=])|(?<=\d)(?=\|)",
        lambda m: "*" + m[0],
        text,
    )
    return MarkedSentence(text, terms)


def _is_name_here(match: re.Match[str]) -> bool:
    """Whether a word that is also a name of the input is a name in this place."""
    after = match.string[match.end() :]
    if match[0] in ("a", "A"):
        return VERB.match(after) is not None
    return re.match(r" (?:of|in)\b", after) is None


def term(written: str, names: Names) -> str:
    """Return the term for the spelling of a name: ``A_{i+1}``, ``nums[i].length``.

    Raises:
        NotUnderstood: The input has no such value.
    """
    match = NAME.match(written)
    if not match:
        raise NotUnderstood(written)
    base, tail, size = match.groups()
    whole = re.match(r"\w*", written)
    if whole and whole[0] in names.places:  # ``put_id[i]``: the underscore does not begin an index
        base, tail = whole[0], written[whole.end() : len(written) - len(size)]
    shown = [next(filter(None, match.groups()), "") for match in SUBSCRIPT.finditer(tail)]
    subscripts = [part for one in shown for part in _subscripts(one, base, names)]
    if tail.startswith("[") and shown[0] == "0" and names.base(base) == 1:
        subscripts[0] = "1"  # ``A[0]`` is the first value even if the list counts from 1
    # The x of a value called S_x is not an index.
    called = base + tail.replace("{", "").replace("}", "")
    python_term = called if called in names.places else names.find(base, subscripts)
    if python_term is None and not subscripts and not size:
        if base in names.indices or base in ROLES:
            return ROLES.get(base, base)
        # ``HW`` is H times W if the input has both.
        if 2 <= len(base) <= 3 and all(letter in names.places for letter in base):
            return " * ".join(base)
    if python_term is None:
        raise NotUnderstood(f"the input has no {written}")
    return f"len({python_term})" if size else python_term


def _subscripts(text: str, base: str, names: Names) -> list[str]:
    """Return the indices in a subscript: ``i,j`` and ``ij`` are two."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) == 1 and re.fullmatch(r"[i-l]{2,3}", text):
        parts = list(text)
    place = names.places.get(base)
    known = {*names.places, *names.aliases, *"ijkl"}
    if place and place.depth + (place.kind == "text"):
        # A_i means any A even if a value is also called i.
        parts = [re.sub(r"\b[i-l]\b", lambda m: _index(m[0], names), part) for part in parts]
    parts = [part if part in names.places else ROLES.get(part, part) for part in parts]
    # In brackets, any letter that is not a value is an index.
    parts = [
        "i" if re.fullmatch(r"[a-z]", part) and place and not {part} & known else part
        for part in parts
    ]
    for part in parts:
        if not re.fullmatch(r"\*|\w+(?:\s*[-+]\s*\w+)?", part):
            raise NotUnderstood(f"the index {text!r}")
    spelt_parts = [re.sub(r"\s*([-+])\s*", r" \1 ", part) for part in parts]
    return [
        re.sub(r"[A-Za-z]\w*", lambda m: names.aliases.get(m[0], m[0]), part)
        for part in spelt_parts
    ]


def _index(letter: str, names: Names) -> str:
    """Return the index for a letter; it is another letter if a value is also called i."""
    free, at = names.indices, "ijkl".index(letter)
    return letter if letter in free or not free else free[min(at, len(free) - 1)]


def size_term(names: Names, inner: str) -> str:
    """Return the meaning of ``|term|``: a length, or the absolute value of a number."""
    number = names.kind(inner) in ("int", "real", "") and names.whole(inner) == inner
    return f"abs({inner})" if number else f"len({inner})"


def matrices(names: Names) -> Iterator[str]:
    """Yield the lists that have rows: lists of lists, and of texts."""
    yield from (
        name for name, place in names.places.items() if place.depth + (place.kind == "text") == 2
    )


def only_list(names: Names, kind: str) -> tuple[str, ...]:
    """Return the name of the only list of a kind; nothing if the input has several."""
    lists = [name for name, place in names.places.items() if place.kind == kind and place.depth]
    return tuple(lists) if len(lists) == 1 else ()


def list_of(term: str) -> str:
    """Return the list of a term: ``A`` for ``A[i]``."""
    return re.sub(r"\[[i-l*]\]$", "", term)


def enclosed(text: str) -> bool:
    """Whether one pair of brackets encloses a whole text."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if not depth and place < len(text) - 1:
            return False
    return text.startswith("(")


def in_brackets(text: str) -> str:
    """Return an expression as a factor, in brackets if it needs them."""
    return f"({text})" if " " in text and not enclosed(text) else text


def series_of(first: str, last: str) -> str:
    """Return ``A[*]`` for ``A[1]`` and ``A[N]``.

    Raises:
        NotUnderstood: They do not belong to one list.
    """
    base, _, index = last.rpartition("[")
    if not index or base != first.rpartition("[")[0]:
        raise NotUnderstood(f"from {first} to {last}")
    return f"{base}[*]"
