"""The reader on the corpus of answers (tests/answers), and on random Markdown around a program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.answers.corpus import PARTS, cases, is_right
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.models.answers import read_answer

CASES = {part: list(cases(part)) for part in PARTS}


def read(text: str, language: Language, starter: str) -> str | None:
    return read_answer(text, language, starter).code


@pytest.mark.parametrize("part", PARTS)
def test_corpus_is_read_correctly(part: str) -> None:
    wrong = [case.name for case in CASES[part] if not is_right(case, read)]
    share = 1 - len(wrong) / len(CASES[part])
    print(f"{part}: {len(CASES[part])} answers, {share:.2%} right")
    assert share >= 0.99, wrong


def test_corpus_rejects_a_last_block_reader() -> None:
    def last_block(text: str, _language: Language, _starter: str) -> str | None:
        parts = text.split("```")
        return parts[-2].partition("\n")[2] if len(parts) > 2 else None

    shares = [
        sum(is_right(case, last_block) for case in part_cases) / len(part_cases)
        for part_cases in CASES.values()
    ]
    assert max(shares) < 0.7


def test_corpus_has_every_shape_in_every_language() -> None:
    for part, part_cases in CASES.items():
        names = [case.name.partition(": ")[2] for case in part_cases]
        assert {names.count(name) for name in names} == {len(load_languages())}, part
    assert sum(map(len, CASES.values())) >= 300 * len(load_languages())


# ------------------------------------------------------------------ any Markdown around a program

PROGRAMS = [
    (case.language, case.starter, case.expected)
    for case in CASES["develop"]
    if case.name.endswith(
        (": one block", ": function", ": bare program that begins and ends with words")
    )
]
SENTENCES = st.sampled_from([
    "", "Here is the solution:", "Sort the values first, then compare neighbours.", "## Approach",
    "**Note:** it is fast.", "- Read the input.\n- Sort it.", "1. Sort\n2. Compare", "> Take care of n = 1.", "---",
    "| a | b |\n|---|---|\n| 1 | 2 |", "It takes O(n log n) time.", "```bash\n./run < input.txt\n```",
    "```text\n3\n1 5 2\n```", "$v_i \\le v_{i+1}$", "Use `sort`.", "<details>\n<summary>More</summary>",
    "\u4ee5\u4e0b\u306f\u89e3\u7b54\u3067\u3059\u3002", "Let me know if anything is unclear!",
])  # fmt: skip
WORDS = st.text(alphabet="abcdefgh ,.'()*_-:\u00e9", max_size=60).map(lambda text: f"Well {text}.")
TEXTS = st.lists(SENTENCES | WORDS, max_size=4).map("\n\n".join)


@given(
    program=st.sampled_from(PROGRAMS),
    before=TEXTS,
    after=TEXTS,
    fence=st.sampled_from(["```", "````", "~~~", "~~~~~"]),
    label=st.sampled_from(["{}", " {}", "{} title=x", "{}3", ""]),
    mark=st.sampled_from(["", "  ", "   ", "    ", "\t", "> ", ">   ", "> > "]),
)
def test_program_in_random_markdown_is_read_exactly(
    program: tuple[Language, str, str], before: str, after: str, fence: str, label: str, mark: str
) -> None:
    language, starter, code = program
    block = f"{fence}{label.format(language.fences[0])}\n{code}\n{fence}"
    text = (
        f"{before}\n\n"
        + "\n".join(f"{mark}{line}" for line in block.split("\n"))
        + f"\n\n{after}\n"
    )
    assert read(text, language, starter) == code
