"""Reads formats that number lines: ``line 1: N K``, ``line 2: A[0] A[1] .. A[N - 1]``.

``lines 2 to N + 1: X[i] Y[i]`` stands for one line for each number from the first to the last.
"""

from __future__ import annotations

import re

LINE = re.compile(
    r"^[ \t]*lines? (?:[i-l] ?= ?)?(?P<first>[\w+ -]{1,20}?)(?: ?(?:to|-|\.{2,3}) ?(?P<last>[\w+ -]{1,30}?))? ?: *"
    r"(?P<shown>[A-Za-z][^:\n]{0,200}?)(?: ?:.*| - (?=[a-z]{2}).*)?$",
    re.IGNORECASE | re.MULTILINE,
)
WORD = re.compile(r"\.{2,3}|[A-Za-z]\w?(?P<places>(?:\[[^\[\]\n]{1,20}\])*)(?!\w)")
ROW_INDEX = re.compile(r"\b[i-l]\b")


def numbered_format(text: str) -> str:
    """Return the format in the numbered lines of a description; "" if one of them is prose."""
    rows: list[str] = []
    for match in LINE.finditer(text):
        if (not rows and match["first"] != "1") or WORD.sub("", match["shown"]).strip():
            return ""
        if match["last"]:
            ends = ("1", "", _count(match["first"], match["last"]))
            rows += [_row(match["shown"], end) if end else ":" for end in ends]
        else:
            rows.append(_row(match["shown"]))
    return "\n".join(rows)


def _row(shown: str, at: str = "") -> str:
    """Return a line in the spelling of formats: ``A_{0} A_{1} .. A_{N-1}``.

    `at` is its number if the line repeats.
    """
    words = []
    for match in WORD.finditer(shown):
        places = [
            one.replace(" ", "") for one in re.findall(r"\[([^\[\]]*)\]", match["places"] or "")
        ]
        if at and not match[0].startswith("."):
            places = [at, *(one for one in places if not ROW_INDEX.search(one))]
        base = match[0].partition("[")[0]
        words.append(f"{base}_{{{','.join(places)}}}" if places else base)
    return " ".join(words)


def _count(first: str, last: str) -> str:
    """Return the number of lines from the first to the last: ``N`` from ``2`` to ``N + 1``."""
    terms = _terms(last)
    for name, times in _terms(first).items():
        terms[name] = terms.get(name, 0) - times
    terms[""] = terms.get("", 0) + 1
    signed = [
        (name or str(abs(times)), times)
        for name, times in sorted(terms.items(), reverse=True)
        if times
    ]
    return "".join(f"{'+' if times > 0 else '-'}{name}" for name, times in signed).removeprefix("+")


def _terms(text: str) -> dict[str, int]:
    """Return the coefficient of each name in a sum, and the sum of its numbers under ""."""
    coefficients: dict[str, int] = {}
    for sign, word in re.findall(r"([+-]?) ?(\w+)", text):
        name, times = ("", int(word)) if word.isdigit() else (word, 1)
        coefficients[name] = coefficients.get(name, 0) + (-times if sign == "-" else times)
    return coefficients
