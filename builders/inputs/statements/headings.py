"""The roles of headings, in English, Japanese, Swedish and Icelandic."""

from __future__ import annotations

import re
from typing import NamedTuple

EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
ROLES = {
    "story": (
        "problem", "problem statement", "problem description", "statement", "description", "story", "task",
        "background", "問題文", "問題", "ストーリー",
    ),
    "input": (
        "input", "inputs", "input format", "input specification", "input description", "input data", "input file",
        "input formatting", "format of input", "input and output",
        "input output", "入力", "入力形式", "入出力", "入出力形式", "indata", "inntak",
    ),
    "output": (
        "output", "outputs", "output format", "output specification", "output description", "output data",
        "output file", "format of output", "print", "出力", "出力形式", "utdata", "úttak",
    ),
    "interaction": (
        "interaction", "interactions", "interaction protocol", "interaction format", "interactivity",
        "communication protocol", "interaktion", "interaktivitet", "gagnvirkni",
    ),
    "constraints": (
        "constraints", "constraint", "constrains", "limits", "limitations", "restrictions", "bounds",
        "constraints and notes", "input constraints", "制約", "begränsningar", "takmarkanir",
    ),
    "notes": (
        "note", "notes", "notices", "explanation", "explanations", "hint", "hints", "remark", "remarks", "scoring",
        "partial score", "partial scores", "subscores", "subtasks", "subtask", "points", "grading", "judging",
        "judgement", "follow up", "source", "credits", "solution", "solutions", "testing tool",
        "部分点", "注意", "注釈", "注記", "ヒント", "補足", "poängsättning", "stigagjöf", "förklaring", "útskýring",
        "útskýringar", "explanation of sample", "explanation of samples",
    ),
}  # fmt: skip
ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
SAMPLES = {
    "sample": "", "samples": "", "example": "", "examples": "", "exempel": "", "exempelfall": "", "sýnidæmi": "",
    "入力例": "input", "出力例": "output", "入出力例": "", "サンプル": "", "例": "",
}  # fmt: skip
SAMPLE_WORDS = {
    "input": "input", "inputs": "input", "output": "output", "outputs": "output", "test": "", "tests": "", "case": "",
    "cases": "", "testcase": "", "testcases": "", "and": "", "the": "", "data": "", "of": "", "interaction": "",
    "run": "", "入力": "input", "出力": "output", "no": "", "corresponding": "", "for": "", "file": "", "session": "",
}  # fmt: skip


# These words are too common to count as a heading without markup.
MARKED_ONLY = {
    "print", "points", "source", "credits", "task", "story", "background", "solution", "solutions", "judgement",
    "judging", "grading", "problem", "statement", "description", "remark", "remarks", "bounds", "問題", "例", "exempel",
}  # fmt: skip
LINE = re.compile(
    r"[\s#*_=\-【■●◆]*+(?P<words>[^\W\d_]++(?:(?:[ \t/&-]++#?|(?=\d))(?:[^\W\d_]++|\d{1,3}+))*+)[\s#*_:\uff1a.=\-】]*+"
)


class Heading(NamedTuple):
    """The meaning of a heading.

    `role` is ``sample`` for any example. `part` is ``input`` or ``output`` if the heading announces
    one side of a sample, else "". `foreign` is whether it has Japanese or Chinese characters.
    """

    role: str
    part: str
    foreign: bool


def heading_of(text: str, marked: bool = False) -> Heading | None:
    """Return the heading in a line, or None; `marked` is whether it has heading markup."""
    longest_heading = 60
    match = LINE.fullmatch(text) if len(text) <= longest_heading else None
    if not match:
        return None
    words = re.findall(r"[^\W\d_]+", match["words"].lower())
    if words[0] == "the" and len(words) > 1:
        words = words[1:]
    name, foreign = " ".join(words), bool(EAST_ASIAN.search(text))
    if name in MARKED_ONLY and not marked:
        return None
    if name in ROLE_OF:
        return Heading(ROLE_OF[name], "", foreign)
    if any(word in SAMPLES for word in words) and all(
        word in SAMPLES or word in SAMPLE_WORDS for word in words
    ):
        parts = {SAMPLES.get(word) or SAMPLE_WORDS.get(word) for word in words} - {"", None}
        return Heading("sample", (parts.pop() or "") if len(parts) == 1 else "", foreign)
    return None
