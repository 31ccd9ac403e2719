"""The code in a model's answer: how it is chosen, why it is missing, and the required forms."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.building import thought
from venus_toolkit.core.language import load_languages
from venus_toolkit.models.answers import (
    block_complaint,
    fenced,
    read_answer,
    read_code,
    tags_complaint,
    thinking_complaint,
)
from venus_toolkit.models.markdown import blocks

LANGUAGES = load_languages()
CPP, PYTHON = LANGUAGES["cpp"], LANGUAGES["python"]
MAIN = "int main() { return 0; }"
BLOCK = f"```cpp\n{MAIN}\n```"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BLOCK, MAIN),
        (f"Here it is:\n\n{BLOCK}\n\nIt is fast.", MAIN),
        (f"```c++\nint x;\n```\nBetter:\n{BLOCK}", MAIN),
        (f"```python\nprint()\n```\n{BLOCK}", MAIN),
        (f"```\n{MAIN}\n```", MAIN),
        (f"```bash\ng++ a.cpp\n```\n```\n{MAIN}\n```", MAIN),
        (f"~~~~cpp\n```\n{MAIN}\n~~~~", f"```\n{MAIN}"),
        (f"```cpp\r\n{MAIN}\r\n```\r\n", MAIN),
        (f"```cpp\n{MAIN}", MAIN),
        (
            f"<thinking>\n```cpp\nint slow;\n```\n</thinking>\n<solution>\n{BLOCK}\n</solution>",
            MAIN,
        ),
        (f"<thinking>short</thinking><solution>{MAIN}</solution>", MAIN),
        (f"<thinking>short</thinking>\n{BLOCK}", MAIN),
        (f"<solution>int draft;</solution> No: <solution>{BLOCK}</solution>", MAIN),
        (f"#include <cstdio>\n{MAIN}\n", f"#include <cstdio>\n{MAIN}"),
    ],
)
def test_code_is_extracted(text: str, code: str) -> None:
    assert read_answer(text, CPP).code == code


@pytest.mark.parametrize("key", ["code", "solution", "program", "answer"])
def test_code_in_a_json_value(key: str) -> None:
    extracted = read_answer(json.dumps({"language": "C++17", key: MAIN}), CPP)
    assert (extracted.code, extracted.reason) == (MAIN, f'the value of "{key}" in a JSON object')


@pytest.mark.parametrize(
    "answer",
    [
        {"solution": {"code": MAIN, "complexity": "O(n)"}},
        {"answer": {"language": "cpp", "code": MAIN}},
        {"language": "cpp", "explanation": {"code": "int other;"}, "answer": {"program": MAIN}},
    ],
)
def test_code_in_a_nested_json_object(answer: Any) -> None:
    text = json.dumps(answer)
    assert read_answer(text, CPP).code == MAIN
    assert read_answer(f"Here it is:\n```json\n{text}\n```", CPP).code == MAIN


@pytest.mark.parametrize(
    "answer",
    [
        {"explanation": MAIN},
        {"explanation": {"code": MAIN}},
        {"solution": {"language": "rust", "code": "int helper;"}},
        {"code": "It is fast."},
        {"code": MAIN[:-1]},
        {"code": ["int", MAIN]},
        {"language": "rust", "code": "int helper;"},
        [MAIN],
    ],
)
def test_other_json_values_are_not_code(answer: Any) -> None:
    assert read_answer(json.dumps(answer), CPP).code is None


def test_block_wins_over_a_json_object() -> None:
    text = f"{BLOCK}\n```json\n{json.dumps({'code': 'int other() { return 1; }'})}\n```"
    assert read_answer(text, CPP).code == MAIN


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "empty"),
        ("I am sorry, but I cannot help with that", "the text is not C++"),
        (
            "The answer is to use x = y, which is fast:\nuse a hash table there\n",
            "the text is not C++",
        ),
        ("```python\nprint()\n```", "the code is python, expected cpp"),
        (f"```cpp\n{MAIN[:-1]}", "cut off"),
        ("<thinking>a</thinking><solution>```cpp\nint main() {", "cut off"),
        ("```cpp\n\n```", "empty"),
        ('```json\n{"code": "It is fast."}\n```', "the code is json, expected cpp"),
    ],
)
def test_reason_without_code(text: str, word: str) -> None:
    extracted = read_answer(text, CPP)
    assert extracted.code is None
    assert word in extracted.reason


def test_thinking_is_returned() -> None:
    assert (
        read_answer(thought("count, do not sort", MAIN, CPP), CPP).thinking
        == "\ncount, do not sort\n"
    )
    assert read_answer(BLOCK, CPP).thinking is None


# ------------------------------------------------------------------ thoughts

# A draft in the right language, an open fence, and a block of another language: none is an answer.
THOUGHT = (
    "First a draft:\n```cpp\nint draft;\n```\nIn Python:\n```python\nprint()\n```\nThen "
    "again\n```cpp\nint open() {"
)
FINAL = f"The answer:\n\n{BLOCK}\n\nIt takes no time."
# Answers in the forms of these models: the thought, then the answer.
FAMILIES = {
    "DeepSeek R1": f"<think>\n{THOUGHT}\n</think>\n\n{FINAL}",
    "DeepSeek R1, opening mark in the prompt": f"{THOUGHT}\n</think>\n\n{FINAL}",
    "QwQ": f"{THOUGHT}</think>\n\n{FINAL}<|im_end|>",
    "Qwen 3": f"<think>\n{THOUGHT}\n</think>\n\n{BLOCK}<|im_end|>\n",
    "GLM 4.5": f"\n<think>{THOUGHT}</think>\n{FINAL}<|user|>",
    "MiniMax M1": f"<think>\n{THOUGHT}\n</think>\n<answer>\n{BLOCK}\n</answer>",
    "Magistral": f"[THINK]{THOUGHT}[/THINK]{FINAL}</s>",
    "Kimi": f"◁think▷{THOUGHT}◁/think▷{FINAL}",
    "gpt-oss": (
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{FINAL}<|return|>"
    ),
    "gpt-oss with a constraint": (
        f"<|start|>assistant<|channel|>analysis<|message|>{THOUGHT}<|end|>"
        f"<|start|>assistant<|channel|>final <|constrain|>md<|message|>{BLOCK}<|return|>"
    ),
    "gpt-oss without its marks": f"analysis{THOUGHT}assistantfinal{FINAL}",
    "Seed-OSS": f"<seed:think>\n{THOUGHT}\n</seed:think>{FINAL}<seed:eos>",
    "EXAONE Deep": f"<thought>\n{THOUGHT}\n</thought>\n\n{FINAL}",
    "Command A": f"<|START_THINKING|>{THOUGHT}<|END_THINKING|><|START_RESPONSE|>\n{FINAL}<|END_RESPONSE|>",
    "OpenThinker": (
        f"<|begin_of_thought|>\n\n{THOUGHT}\n\n<|end_of_thought|>\n\n"
        f"<|begin_of_solution|>\n\n{FINAL}\n\n<|end_of_solution|>"
    ),
    "Granite 3.2": f"Here is my thought process:\n\n{THOUGHT}\n\nHere is my response:\n\n{FINAL}",
    "Granite 3.3": f"<think>{THOUGHT}</think><response>{FINAL}</response>",
    "Claude with tags": f"<thinking>\n{THOUGHT}\n</thinking>\n\n{FINAL}",
    "Afterburner": f"<thinking>\n{THOUGHT}\n</thinking>\n<solution>\n{BLOCK}\n</solution>",
    "reasoning tags": f"<reasoning>\n{THOUGHT}\n</reasoning>\n{FINAL}",
    "Llama, after a sentence": f"Let me think.\n<think>\n{THOUGHT}\n</think>\n{FINAL}<|eot_id|>",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_thoughts_are_removed_first(family: str) -> None:
    extracted = read_answer(FAMILIES[family], CPP)
    assert extracted.code == MAIN, extracted.reason
    assert extracted.thinking
    assert "int draft;" in extracted.thinking


# Without an opening mark, a cut text cannot be recognised as a thought.
UNMARKED = ("DeepSeek R1, opening mark in the prompt", "QwQ", "gpt-oss without its marks")


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in UNMARKED])
def test_unfinished_thought_is_not_an_answer(family: str) -> None:
    """A draft inside the thought is not the answer."""
    cut = FAMILIES[family].partition("int open")[0] + "int open() {\n```"
    extracted = read_answer(cut, CPP)
    assert extracted.code is None, family
    assert "does not end" in extracted.reason


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # Thoughts that are empty, consecutive, or mention their own marks.
        (f"<think>\n\n</think>\n\n{BLOCK}", MAIN),
        (f"<think>\na\n</think>\n<think>\n```cpp\nb\n</think>\n{BLOCK}", MAIN),
        (
            "<think>\nI must write </think> at the end.\n```cpp\nint draft;\n```\n</think>\n"
            f"{BLOCK}",
            MAIN,
        ),
        # Marks in the answer itself are code.
        ('```cpp\nauto s = "</think>";\n```', 'auto s = "</think>";'),
        ('<think>\nhm\n</think>\n```cpp\nauto s = "</think>";\n```', 'auto s = "</think>";'),
        ('```cpp\nauto s = "<think>";\n```', 'auto s = "<think>";'),
        (f"The model's <think> tag is not needed here.\n{BLOCK}", MAIN),
        (f"Here is my response:\n{BLOCK}\n</reasoning>", MAIN),
        # Two final blocks: the last one is the answer.
        (f"<think>x</think>\n```cpp\nint first;\n```\nOr, faster:\n{BLOCK}", MAIN),
        # </thinking> is missing, but the answer is in <solution>.
        (f"<thinking>\nshort\n<solution>\n{BLOCK}\n</solution>", MAIN),
        (f"{BLOCK}<|im_end|>", MAIN),
        (f"{BLOCK}<\uff5cend\u2581of\u2581sentence\uff5c>", MAIN),
    ],
)
def test_marks_of_thoughts_in_answers(text: str, code: str) -> None:
    assert read_answer(text, CPP).code == code


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("<think>\nshort\n</think>\n```python\nprint()\n```", "the code is python, expected cpp"),
        (f"<think>\n{BLOCK}\n</think>\nI cannot do that, I am sorry.", "the text is not C++"),
        (f"<think>\n{BLOCK}\n</think>", "empty"),
        (f"{BLOCK}\n</think>", "empty"),
        ("<think>\nshort\n</think>\n```cpp\nint main() {", "cut off"),
        (f"<|channel|>analysis<|message|>{BLOCK}", "does not end"),
    ],
)
def test_reason_without_code_after_a_thought(text: str, word: str) -> None:
    extracted = read_answer(text, CPP)
    assert extracted.code is None
    assert word in extracted.reason


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "word " * (MEGABYTE // 5), "a\n" * (MEGABYTE // 2), "<think>" * (MEGABYTE // 7), "</think>" * (MEGABYTE // 8),
        "</think>\n" * (MEGABYTE // 9), "<think>\n</think>\n" * (MEGABYTE // 17), "```cpp\n" * (MEGABYTE // 7),
        "```" * (MEGABYTE // 3), "~" * MEGABYTE + "`", "~~~" + " " * MEGABYTE + "`", " " * MEGABYTE, "\t\n" * MEGABYTE,
        "<|channel|>" * (MEGABYTE // 11), "analysis" + "assistantfinal" * (MEGABYTE // 14), "[THINK]" * (MEGABYTE // 7),
        "<solution>" * (MEGABYTE // 10), "</think>" + " " * MEGABYTE + "x", "<think>\n" + "x" * MEGABYTE,
        "</s>" * (MEGABYTE // 4), "<|" * (MEGABYTE // 2), "<answer>" * (MEGABYTE // 8),
    ],
    ids=lambda text: repr(text[:12]),
)  # fmt: skip
def test_reading_takes_linear_time(text: str) -> None:
    start = time.thread_time()
    read_answer(text, CPP)
    read_answer(text + f"\n{BLOCK}", CPP)
    assert time.thread_time() - start < 5


@pytest.mark.parametrize(
    "piece",
    [
        "word ",
        "a\n",
        "x" * 1000,
        "\x00",
        "\ufeff",
        "\ud800",
        "- a\n",
        "> ",
        "</think>",
        "<a>\n",
        "[b]\n",
        "'",
        "{",
        "1: x\n",
    ],
    ids=ascii,
)
def test_ten_megabytes_are_read_or_refused(piece: str) -> None:
    start = time.thread_time()
    extracted = read_answer(piece * (10 * MEGABYTE // len(piece)), CPP)
    assert time.thread_time() - start < 2  # allows for a busy machine
    assert extracted.code is None
    assert extracted.reason


def test_too_long_answers_are_refused() -> None:
    assert "more than" in read_answer("a" * (16 * 2**20 + 1), CPP).reason
    assert "fences" in read_answer("```\n" * 3000, CPP).reason


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("piece", ["`", "%q(", "x ", "a\n"])
def test_parser_time_is_bounded(name: str, piece: str) -> None:
    """Without a budget, some parsers would need a minute for 64 kB of a repeated piece."""
    text = f"```{LANGUAGES[name].fences[0]}\n{piece * (60_000 // len(piece))}\n```"
    start = time.thread_time()
    read_answer(text, LANGUAGES[name])
    assert time.thread_time() - start < 2


def test_reason_explains_choice_and_changes() -> None:
    two = f"```cpp\nint main() {{ int n; std::cin >> n; }}\n```\n```cpp\n{MAIN}\n```"
    assert read_answer(BLOCK, CPP).reason == "the only code block"
    assert (
        "the one of 2 code blocks that is a program which reads its input"
        in read_answer(two, CPP).reason
    )
    assert (
        "HTML entities" in read_answer("```cpp\nint main() { return 1 &lt; 2; }\n```", CPP).reason
    )
    assert (
        "typographic quotes"
        in read_answer("```cpp\nint main() { puts(\u201ca\u201d); }\n```", CPP).reason
    )
    assert "not closed" in read_answer(f"```cpp\n{MAIN}", CPP).reason


def test_read_code_with_and_without_fences() -> None:
    code = 'x = """\n```\n"""\nprint(x)'
    assert read_code(code, PYTHON).code == code
    assert read_code(fenced(code, PYTHON), PYTHON).code == code
    assert (
        read_code("Try this:\n" + fenced("print(input())", PYTHON), PYTHON).code == "print(input())"
    )


# ------------------------------------------------------------------ forms


@given(
    st.text(alphabet="ab`~\n #", min_size=1).filter(lambda code: bool(code.strip())),
    st.sampled_from([*LANGUAGES]),
)
def test_fenced_roundtrip(code: str, name: str) -> None:
    language = LANGUAGES[name]
    block = fenced(code, language)
    assert block_complaint(block, language) == ""
    # The common indentation is not part of the code.
    assert (read_answer(block, language).code or "").split() == code.split()
    assert thinking_complaint(thought("why", code, language), language) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (MAIN, "0 fenced"),
        (f"{BLOCK}\n{BLOCK}", "2 fenced"),
        (f"Here:\n{BLOCK}", "text outside"),
        (f"{BLOCK}\nDone.", "text outside"),
        (f"```cpp\n{MAIN}", "not closed"),
        ("```python\nprint()\n```", "marked python"),
        (f"```\n{MAIN}\n```", "marked with nothing"),
        ("```cpp\n```", "empty"),
    ],
)
def test_block_complaints(text: str, word: str) -> None:
    """Lesson 22: the prompt demands one Markdown block, and the answer was raw code."""
    assert word in block_complaint(text, CPP)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BLOCK, "<thinking> occurs 0 times"),
        ("<thinking>a</thinking>", "<solution> occurs 0 times"),
        ("<thinking>a</thinking><solution>b</solution><solution>c</solution>", "2 times"),
        ("<solution>b</solution><thinking>a</thinking>", "order"),
        ("Well. <thinking>a</thinking><solution>b</solution>", "outside"),
        ("<thinking>a</thinking>So:<solution>b</solution>", "outside"),
        ("<thinking>a</thinking><solution>b</solution> end", "outside"),
        ("<thinking> </thinking><solution>b</solution>", "<thinking> is empty"),
        ("<thinking>a</thinking><solution>\n</solution>", "<solution> is empty"),
    ],
)
def test_tags_complaints(text: str, word: str) -> None:
    assert word in tags_complaint(text)


def test_tags_may_hold_bare_code() -> None:
    text = f" <thinking>a</thinking>\n<solution>{MAIN}</solution>\n"
    assert tags_complaint(text) == ""
    assert "0 fenced" in thinking_complaint(text, CPP)


def test_open_block_ends_with_the_text() -> None:
    assert [(block.info, block.closed) for block in blocks("```py\na\n```\n```cpp x=1\nb")] == [
        ("py", True),
        ("cpp", False),
    ]


def test_fencing_empty_lines_takes_linear_time() -> None:
    """A quadratic search would take a minute."""
    start = time.process_time()
    assert fenced("x" + "\n" * 100_000 + "````", PYTHON).startswith("`````python\nx\n")
    assert time.process_time() - start < 5
