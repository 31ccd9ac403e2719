"""Answer templates, filled with programs in seven languages, and the code that a person would read in each.

The templates are in the files of `PARTS`, the programs in one file per language. In a text,
``@name@`` stands for a program, and ``@name:style@`` for an indented, quoted or numbered one. The
reader was developed on `develop`. Each other part was written before the reader was tried on it,
and then kept as a test; docs/eval.md has the figures of the first try. `tools/answers` prints the
share of answers that are read correctly.
"""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.core.language import Language, load_languages

FOLDER = Path(__file__).parent
PLACE = re.compile(r"@(\w+)(?::(\w+))?@")


class Case(NamedTuple):
    """A text, and the code that a person would read in it, or None if there is none.

    `starter` is as in `read_answer`.
    """

    name: str
    language: Language
    text: str
    starter: str
    expected: str | None


PARTS = ("develop", "report", "fresh", "last")
Read = Callable[[str, Language, str], str | None]


def is_right(case: Case, read: Read) -> bool:
    """Return whether a reader finds the expected code.

    Leading and trailing line breaks do not count.
    """
    code = read(case.text, case.language, case.starter)
    return (code and code.strip("\r\n")) == (case.expected and case.expected.strip("\r\n"))


def cases(part: str) -> Iterator[Case]:
    """Yield the cases of one of `PARTS`."""
    shapes = tomllib.loads((FOLDER / f"{part}.toml").read_text())["shape"]
    for language in load_languages().values():
        programs = tomllib.loads((FOLDER / f"{language.id}.toml").read_text())
        for shape in shapes:
            text = _filled(shape["text"].removesuffix("\n"), programs)
            expected = _filled(shape.get("expect", "@program@"), programs)
            if "@crlf@" in shape["text"]:
                text, expected = text.replace("\n", "\r\n"), expected.replace("\n", "\r\n")
            starter = programs["starter"] if shape.get("task") == "function" else ""
            yield Case(f"{language.id}: {shape['name']}", language, text, starter, expected or None)


def _filled(text: str, programs: dict[str, Any]) -> str:
    def program(match: re.Match[str]) -> str:
        name, style = match.groups()
        if name in ("crlf", "nul"):
            return "" if name == "crlf" else "\x00"
        if name == "FENCE":
            return str(programs["fence"]).upper()
        if name.startswith("label"):
            return str(programs["labels"][int(name.removeprefix("label"))])
        if name in ("first", "others"):
            first, _, others = programs[style].strip("\n").partition("\n")
            return str(first if name == "first" else others)
        code = str(programs[name]).strip("\n")
        return STYLES[style](code) if style and style != "crlf" else code

    return PLACE.sub(program, text)


def _lines(form: Callable[[int, str], str], blank: bool = False) -> Callable[[str], str]:
    def styled(code: str) -> str:
        lines = enumerate(code.split("\n"), 1)
        return "\n".join(form(number, line) if line or blank else "" for number, line in lines)

    return styled


STYLES: dict[str, Callable[[str], str]] = {
    "2": _lines(lambda _, line: f"  {line}"),
    "3": _lines(lambda _, line: f"   {line}"),
    "4": _lines(lambda _, line: f"    {line}"),
    "6": _lines(lambda _, line: f"      {line}"),
    "quotebars": _lines(lambda number, line: f"> {number:3} | {line}", True),
    "tab": _lines(lambda _, line: f"\t{line}"),
    "quote": _lines(lambda _, line: f"> {line}".rstrip(), True),
    "quote0": _lines(lambda _, line: f">{line}", True),
    "quote2": _lines(lambda _, line: f"> > {line}", True),
    "quote3": _lines(lambda _, line: f">    {line}", True),
    "2quote": _lines(lambda _, line: f"  > {line}", True),
    "html": lambda code: html.escape(code, quote=True),
    "json": lambda code: json.dumps(code, ensure_ascii=False),
    "jsonblock": lambda code: json.dumps(f"```\n{code}\n```"),
    "numbers": _lines(lambda number, line: f"{number}: {line}", True),
    "bars": _lines(lambda number, line: f"{number:3} | {line}", True),
    "plus": _lines(lambda _, line: f"+{line}", True),
    "nbsp": _lines(lambda _, line: "\xa0" * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ")),
}
