"""Statements as plain text: one spelling for comparisons and powers, sections by their headings, sample inputs."""

from __future__ import annotations

import html
import json
import re
from typing import NamedTuple

# Characters. Statements are anybody's text: no pattern may go over all that follows from every place in it.
LONGEST_INDEX = 100
LONGEST_GAP = 100
LONGEST_SENTENCE = 1_000
LONGEST_SAMPLE = 3_000

# LaTeX, HTML and typography, each with the one spelling that the other modules read.
# The order matters: what a tag or a command means is read before the others are removed.
SPELLINGS = (
    (rf"<sup>(.{{0,{LONGEST_INDEX}}}?)</sup>", lambda m: f"^{{{m[1].strip()}}}"),
    (rf"<sub>(.{{0,{LONGEST_INDEX}}}?)</sub>", lambda m: f"_{{{m[1].strip()}}}"),
    (r"<(?:br|/p|/li|/div|/h\d|/tr)\s*/?>", "\n"),
    (r"<(?:p|li|div|h\d|ul|ol|em|i|b|strong|code|pre|span|var|tt|tr|td|th|table|img)\b[^<>]*>", ""),
    (r"</\w+>", ""),
    (r"\\(?:leqslant|leq|le)(?![a-z])", "<="),
    (r"\\(?:geqslant|geq|ge)(?![a-z])", ">="),
    (r"\\(?:neq|ne)(?![a-z])", "!="),
    (r"\\lt(?![a-z])", "<"),
    (r"\\gt(?![a-z])", ">"),
    (r"\\(?:cdot|times)(?![a-z])", "*"),
    (r"\\(?:ldots|dots|cdots|dotsc)(?![a-z])", "..."),
    (r"\\(?:texttt|text|mathrm|mathit|mathtt|textit|textbf)\{([^{}]*)\}", r"\1"),
    (r"\\[lr]?(?:vert|mid)(?![a-z])", "|"),
    (r"\\(?:left|right|,|;|!|quad)", ""),
    (r"\\([{}_#%&$])", r"\1"),
    (r"\{,\}", ","),
    (r"\$+", ""),
    (r"[`\u200b\ufeff]", ""),
    (r"\*\*", ""),
    (r"(?m)^[ \t]*[-*+•][ \t]+", "\n"),
    ("[≤⩽]|=<", "<="),
    ("[≥⩾]", ">="),
    ("≠", "!="),
    ("[⋅·\u00d7∙]", "*"),
    ("…", "..."),
    ("[\u2212\u2013\u2014]", "-"),
    ("[⌊⌋]", ""),
    ("[\u2018\u2019]", "'"),
    ("[\u201c\u201d]", '"'),
    ("[\u00a0\u2009\u202f]", " "),
    # Thousands, ``100 000`` or ``100,000``; what a bracket closes are the values of a list.
    (r"(?<![\d.^_])(\d{1,3})((?:[ ,]\d{3})+)(?![\d.]|\s*[,\d]*\])", lambda m: m[1] + re.sub("[ ,]", "", m[2])),
)
HEADING = re.compile(
    r"^[ \t#*_=-]*(?:the\s+)?(?P<name>input(?: format| specification| description)?|output(?: format| specification)?"
    r"|constraints?|limits|examples?|samples?(?: (?:input|output))?|notes?|explanation|scoring|follow[- ]?up)"
    r"[ \t]*#?\d*[ \t*_:.#=-]*$",
    re.IGNORECASE | re.MULTILINE,
)
FENCE = re.compile(r"```[^\n]*\n(.*?)\n?```", re.DOTALL)
# Possessive: of a long number every cut into several would be tried.
SAMPLE_HEADS = r"(?:sample[ \t]+|example[ \t]+)?{}(?:[ \t]*+(?:example|#?[ \t]*+\d++))*+"
NAMED_VALUE = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=\s*")


class Sample(NamedTuple):
    """An input and output shown in a statement; the input as a program would read it, where that is known."""

    stdin: str
    stdout: str


def plain(statement: str) -> str:
    """Return a statement with HTML, LaTeX and typography spelt in one way: ``1 <= n <= 2 * 10^{5}``."""
    text = html.unescape(statement) if re.search(r"&\w+;", statement) else statement
    for pattern, spelling in SPELLINGS:
        # Tags have any case, and what they enclose may go over several lines.
        text = re.sub(pattern, spelling, text, flags=re.IGNORECASE | re.DOTALL if "<" in pattern else 0)
    return re.sub(rf"\s{{{LONGEST_GAP},}}", lambda m: "\n\n" if "\n" in m[0] else " ", text)


def section(statement: str, *names: str) -> str:
    """Return the text below the first heading that starts with one of `names`, up to the next heading; else ""."""
    marks = list(HEADING.finditer(statement))
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        if mark["name"].lower().startswith(names):
            return statement[mark.end() : after.start() if after else len(statement)].strip("\n")
    return ""


# ------------------------------------------------------------------ samples


def find_samples(statement: str) -> list[Sample]:
    """Return the sample inputs and outputs of a statement, in their order.

    Read are headings ``Input`` and ``Output`` with a code block or with lines after them, one pair or several, and
    ``Input: nums = [1,2], k = 3`` as function-style problems have it, which becomes one JSON value a line.
    """
    return _named_samples(statement) or _headed_samples(statement)


def _named_samples(statement: str) -> list[Sample]:
    text = plain(statement)
    pattern = (
        rf"^[^\w\n]*Input[^\w\n]*?:\s*(?P<input>[A-Za-z_]\w*\s*=.{{0,{LONGEST_SAMPLE}}}?)"
        r"\n(?:[^\w\n]*\n){0,3}[^\w\n]*Output[^\w\n]*?:[ \t]*(?P<output>[^\n]*)"
    )
    found = []
    for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        values = named_values(match["input"])
        if values:
            found.append(Sample("".join(json.dumps(v) + "\n" for v in values.values()), match["output"].strip() + "\n"))
    return found


def named_values(text: str) -> dict[str, object]:
    """Return the values in ``nums = [1,2], k = 3`` by name; nothing where one of them is not JSON."""
    values: dict[str, object] = {}
    decoder, at = json.JSONDecoder(), 0
    text = text.strip()
    while at < len(text):
        match = NAMED_VALUE.match(text, at)
        if not match:
            return {}
        try:
            values[match[1]], at = decoder.raw_decode(text, match.end())
        except ValueError:
            return {}
    return values


def _headed_samples(statement: str) -> list[Sample]:
    """Read sections that alternate between input and output after the two that describe them."""
    pairs: list[Sample] = []
    given: str | None = None
    for kind, body in _sample_sections(statement):
        if kind == "input":
            given = body
        elif given is not None:
            pairs.append(Sample(given, body))
            given = None
    return pairs


def _sample_sections(statement: str) -> list[tuple[str, str]]:
    """Return (input or output, its text) for every section that holds a sample and not a description."""
    head = re.compile(
        rf"^[ \t#*_]*(?P<kind>{SAMPLE_HEADS.format('input')}|{SAMPLE_HEADS.format('output')})[ \t*_:]*$"
        r"|^[ \t#*_=]*(?:examples?|samples?|notes?|explanations?|constraints?|limits)\b[^\n]{0,12}$",
        re.IGNORECASE | re.MULTILINE,
    )
    marks = list(head.finditer(statement))
    found = []
    # Before the first heading of examples, ``Input`` and ``Output`` are headings of descriptions.
    shown = next(
        (index for index, mark in enumerate(marks) if not mark["kind"] and re.search("exa|sam", mark[0], re.I)), 0
    )
    marks = marks[shown:]
    for mark, after in zip(marks, [*marks[1:], None], strict=False):
        body = statement[mark.end() : after.start() if after else len(statement)]
        if mark["kind"]:
            found.append(("input" if "input" in mark["kind"].lower() else "output", body))
    numbered = [(kind, text) for kind, body in found if (text := _sample_text(body)) is not None]
    return numbered


def _sample_text(body: str) -> str | None:
    fenced = FENCE.search(body)
    if fenced:
        return None if body[: fenced.start()].strip() else fenced[1].rstrip() + "\n"
    text = body.strip("\n")
    block = re.split(r"\n\s*\n", text.strip())[0] if "\n\n" in text and _is_prose(text) else text
    if not block.strip() or _is_prose(block):
        return None
    return "\n".join(line.strip() for line in block.strip().splitlines()) + "\n"


def _is_prose(text: str) -> bool:
    """Whether a text reads like a description: sentences, with the words that descriptions are made of."""
    words = re.findall(r"[A-Za-z]{2,}", text)
    common = {"the", "of", "is", "are", "contains", "print", "line", "integer", "each", "input", "output", "an", "one"}
    return len(words) >= 4 and len(common & {word.lower() for word in words}) >= 2
