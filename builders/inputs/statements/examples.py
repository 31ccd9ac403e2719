"""Examples of function-style problems: ``Input: nums = [1,2], k = 3`` and ``Output: 5``.

Examples of a class to design show two lists instead, its operations and their arguments, and the
list of results.
"""

from __future__ import annotations

import json
import re

from venus_toolkit.builders.inputs.statements.blocks import Block
from venus_toolkit.builders.inputs.statements.samples import Sample

LONGEST_EXAMPLE = 20_000
"""Characters of one example's input."""
SIDE = re.compile(
    r"[^\w\n]{0,10}+(?P<side>Input|Output|Explanation|Example|Constraints|Note)\b[ \t*_]*+:?[ \t*_]*+"
)
NAMED_VALUE = re.compile(r"(?:^|,)\s*([A-Za-z_]\w*)\s*=\s*")


def named_examples(page: list[Block]) -> tuple[Sample, ...]:
    """Return the examples that name their arguments, one JSON value a line."""
    samples = []
    side, arguments, shown = "", "", ""
    for line in _lines(page):
        match = SIDE.match(line)
        if match:
            if side == "Output":
                samples.append(_sample(arguments, shown))
            side, arguments, shown = (
                match["side"],
                arguments if match["side"] == "Output" else "",
                "",
            )
            line = line[match.end() :]
        if side == "Input" and len(arguments) < LONGEST_EXAMPLE:
            arguments += line + "\n"
        elif side == "Output" and (not shown.strip() or not _is_whole(shown)):
            shown += line + "\n"
    if side == "Output":
        samples.append(_sample(arguments, shown))
    return tuple(sample for sample in samples if sample)


def named_values(text: str) -> dict[str, object]:
    """Return the values in ``nums = [1,2], k = 3`` by name; nothing if one of them is not JSON."""
    values: dict[str, object] = {}
    decoder, at = json.JSONDecoder(), 0
    text = text.strip()
    while at < len(text):
        match = NAMED_VALUE.match(text, at)
        if not match:
            return {}
        try:
            values[match[1]], at = decoder.raw_decode(text, match.end())
        except (ValueError, RecursionError):
            return {}
        while at < len(text) and text[at].isspace():
            at += 1
    return values


def _lines(page: list[Block]) -> list[str]:
    text = "\n".join(block.text for block in page)
    return [
        line.replace("**", "").replace("`", "").replace("\u00a0", " ").strip()
        for line in text.split("\n")
    ]


def _sample(arguments: str, shown: str) -> Sample | None:
    values = list(named_values(arguments).values()) or _operations(arguments)
    return (
        Sample("".join(json.dumps(value) + "\n" for value in values), shown.strip() + "\n")
        if values
        else None
    )


def _operations(text: str) -> list[object]:
    """Return the lists of operations and of their arguments; nothing for any other text."""
    values: list[object] = []
    decoder, rest = json.JSONDecoder(), text.strip()
    while rest.startswith("[") and len(values) < 2:
        try:
            value, end = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        values.append(value)
        rest = rest[end:].lstrip(", \n")
    match values:
        case [[str(), *_] as calls, [*arguments]] if not rest and len(calls) == len(arguments):
            return values
    return []


def _is_whole(text: str) -> bool:
    return text.count("[") <= text.count("]") or len(text) > LONGEST_EXAMPLE
