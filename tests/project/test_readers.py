"""Readers of untrusted text raise only documented errors, in time linear in the length of the text.

`tools/fuzz/run SECONDS readers` repeats the tests with new examples for a given time. With
`--thorough`, every piece is tried alone, otherwise a sample.
"""

from __future__ import annotations

import contextlib
import json
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders.sources.test_junk import ROWS
from venus_toolkit.builders.inputs import derive, model
from venus_toolkit.builders.inputs.answers import freedom_of
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.builders.inputs.statements.examples import named_values
from venus_toolkit.builders.reading import cells, python_tests, values
from venus_toolkit.builders.reading.drafts import new_problem
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.core.errors import SignatureError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import digest, to_plain
from venus_toolkit.models import answers
from venus_toolkit.signatures import order, parse_signature, refinement

LANGUAGES = load_languages()
CPP = LANGUAGES["cpp"]
STARTER = "class Solution:\n    def f(self, n: int, a: List[int]) -> int:\n        pass\n"
SIGNATURE = parse_signature(STARTER, LANGUAGES["python"])
LONG = 50_000
"""Characters; what is quadratic takes minutes."""
BOUND_S = 4
"""Of CPU time, for LONG characters; the slowest takes a second."""


def problem(text: str, style: str) -> Any:
    starter = {"python": STARTER} if style == "function" else {}
    return new_problem("x", text, source="x", style=style, starter_code=starter)


def quoted(text: str) -> str:
    return f"<thinking>{text}</thinking><solution>{text}</solution>"


Reader = Callable[[str], object]
READERS: dict[str, tuple[Reader, tuple[type[Exception], ...]]] = {
    "answer": (lambda text: answers.read_answer(text, CPP), ()),
    "answer in tags": (lambda text: answers.read_answer(quoted(text), CPP), ()),
    "block complaint": (lambda text: answers.block_complaint(text, CPP), ()),
    "thinking complaint": (lambda text: answers.thinking_complaint(quoted(text), CPP), ()),
    "block": (lambda text: answers.plain_block(text), ()),
    "program": (lambda text: model.read_code(text, "generate"), ()),
    "program in a block": (lambda text: model.read_code(f"```python\n{text}\n```", "generate"), ()),
    "statement": (parse_statement, ()),
    "statement in HTML": (lambda text: parse_statement(f"<p>x</p><h3>Input</h3><p>{text}"), ()),
    "statement in Markdown": (lambda text: parse_statement(f"## Input\n\n{text}"), ()),
    "statement in LaTeX": (lambda text: parse_statement(f"\\section*{{Input}}\n{text}"), ()),
    "named values": (named_values, ()),
    "story": (lambda text: derive.derive(problem(text, "stdin")), (derive.NotDerived,)),
    "function": (lambda text: derive.derive(problem(text, "function")), (derive.NotDerived,)),
    "constraints": (
        lambda text: derive.derive(problem(f"Input\nn integers a_1 to a_n.\n\nConstraints\n{text}", "stdin")),
        (derive.NotDerived,),
    ),
    "widened": (lambda text: refinement.widened(SIGNATURE, text), ()),
    "freedom": (freedom_of, ()),
    "dissent": (lambda text: order.order_of_dissent([text, text]), ()),
    "slug": (values.slugify, (UnicodeEncodeError,)),
    "verdict": (values.expectation, ()),
    "evaluator": (values.read_comparison, ()),
    "day": (values.day, ()),
    "json": (cells.parse_json, (ValueError,)),
    "call": (lambda text: python_tests.call_input(text, SIGNATURE.functions[0]), (ValueError,)),
    "result": (lambda text: python_tests.call_output(text, SIGNATURE.functions[0]), (ValueError,)),
    "assertions": (python_tests.read_asserts, (ValueError,)),
    "assertion": (lambda text: python_tests.read_asserts(f"assert f({text}) == 1"), (ValueError,)),
    **{
        f"cell {kind}": (lambda text, kind=kind: getattr(cells.Cells({"a": text}), kind)("a"), (ValueError,))
        for kind in ("text", "whole", "number", "seconds", "size", "structure", "texts", "cells", "rows")
    },
    **{
        f"starter {name}": (lambda text, each=each: parse_signature(text, each), (SignatureError,))
        for name, each in LANGUAGES.items()
    },
}  # fmt: skip
PIECES = [
    "`", "```", "~~~", "[", "]", "(", ")", "{", "}", "<", ">", "[[]", "()", "{}", "[1,", "0", "9", "1,", ",000", "1_",
    "1e", "e9", "0x", "1.", ".", "...", "-", "*", "**", "^", "|", "|s|", "\\", "\\text{", "\\frac{", "$", "$$", "&",
    "&amp;", "&#", "<p>", "<p", "</p>", "<sup>", "</sup>", "<sub>", "</", "<!--", "<div><div>", "<thinking>",
    "</thinking>", "<solution>", "</solution>", '"', "'", '"""', "'''", '\\"', "/*", "*/", "//", "#", 'R"(', 'r#"',
    "<=", "=<", "a<b<", "a_", "a_{", "a[i]", "a[i][", "a.", "_", ":", ";", ",", "=a", "a=", "a=1,", "a=[", '{"a":',
    "null,", "NaN", "f(", "abs(", "->", "=>", "@param", "Input:", "a=1", "1<=n", "n<=", "*a", "\n", "\r", "\t", " ",
    "\n\n", " \n", "```\n", "\n```python\n", "Input\n", "Input:\n", "Input: a = 1\n", "Input: a = ",
    "\nInput\n1\nOutput\n1\n", "Output: ", "Sample Input\n", "Example 1:\n", "1 000 ", "10^5 ", "1 <= n ", "a < ",
    "the ", "a_1 < a_2 < ... < a_n ", "a_i < a_{i+1} ", "a_1 a_2 ... a_n\n", "number of rows ", "length of ",
    "sum of n over ", "tree ", "the sum of all the values of ", "tree valid ", "no two ", "from 'a' to 'z' ",
    "'a' or 'b' ", "characters a, ", "and ", "line contains ", "n integers ", "string s ", "def f(", "def f():\n",
    "class A:\n", "class A {", "int f(", "vector<", "List[", "func f(", "fn f(", "* @param {", "public ", "template<",
    "assert ", "assert f(1) == 2\n", "lambda ", "not ", "1 if ", "not fit in ", "within 10^-", "within a ",
    "any order return ", "order do not matter ", "rearrange ", "\x00", "\xe9", "\u200b", "\U0001f600", "\ufeff",
    "\u0663", "\xb2", "\u0130", "\ud800",
]  # fmt: skip
pieces = st.sampled_from(PIECES)
texts = st.lists(
    pieces | pieces.map(lambda piece: piece * 30) | st.text(max_size=20), max_size=12
).map("".join)


@contextlib.contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Turn a hang into a failure; Python's regular expressions check for signals."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"it took more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def read(name: str, text: str) -> None:
    reader, documented = READERS[name]
    with contextlib.suppress(*documented), stopped_after(BOUND_S):
        reader(text)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@given(text=texts)
def test_readers_raise_only_documented_errors(name: str, text: str) -> None:
    read(name, text)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_repeated_text_is_read_fast(name: str, thorough: bool) -> None:
    """Fixed: quadratic patterns could take minutes, and lines of dashes or brackets could exhaust the stack."""
    chosen = PIECES if thorough else random.Random(name).sample(PIECES, 6)
    for piece in chosen:
        text = piece * (LONG // len(piece))
        began = time.process_time()
        read(name, text)
        read(name, f"x{text}\nx")
        assert time.process_time() - began < BOUND_S, piece


# ------------------------------------------------------------------ sources

scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | pieces | texts
)
fields = st.sampled_from(
    ["a", "input", "output", "inputs", "outputs", "language", "code", "solution", "fn_name"]
)
nested = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner, max_size=3),
    max_leaves=6,
)
jsons = nested | st.integers(1, 1200).map(lambda depth: "[" * depth + "]" * depth)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_row_is_read_or_rejected(name: str, data: st.DataObject, tmp_path: Path) -> None:
    good = ROWS[name]()
    columns = st.dictionaries(
        st.sampled_from(sorted(good)), jsons | jsons.map(json.dumps), max_size=4
    )
    rows = [{**good, **data.draw(columns)} for _ in range(4)]
    depth, column = data.draw(st.integers(1, 1200)), data.draw(st.sampled_from([*good, "more"]))
    deep = json.dumps({**good, column: "@"}).replace('"@"', "[" * depth + "1" + "]" * depth)
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows) + deep + "\n", encoding="utf-8")
    query = "?map=stdin-example" if name == "columns" else ""
    with stopped_after(BOUND_S):
        found = list(choose_source(f"{name}:{file}{query}").read(LANGUAGES))
    assert found
    for each in found:
        if isinstance(each, Entry):
            assert 0 <= each.problem.problem_id < 2**63
            assert json.dumps(to_plain(each))
            assert digest(each)


FILES = {
    "folder": (
        "problem.toml", "statement.md", "solutions/python/a.py", "tests/1.in", "tests/1.out", "starter/python.py",
    ),
    "kattis": (
        "problem.yaml", "problem_statement/problem.md", "submissions/accepted/a.py", "data/secret/1.in",
        "data/secret/1.ans", "data/secret/testdata.yaml", ".timelimit", "domjudge-problem.ini",
        "output_validators/a.py",
    ),
}  # fmt: skip
WORDS = [
    'title = "x"', "id = ", "tags = [", "[limits]", "cpu_s = 1", "memory_mib = ", "[compare]", 'kind = "float"', "nan",
    "inf", "9" * 20, "1" + "0" * 400, "name: ", "&a ", "*a", "keywords: ", "limits: ", "time_limit: ", "'", '"',
    "validation: custom", "validator_flags: ", "float_tolerance ", "[", "]", "{", "}", "- ", "? ", ": ", "\n", "\n  ",
    "|", ">", "!!binary ", "!!set ", "2020-13-45", "0x" + "f" * 5000, "timelimit='", "# ", "%YAML ", "---\n", "\t",
]  # fmt: skip
files = st.lists(st.sampled_from(WORDS), max_size=10).map("".join).map(str.encode) | st.binary(
    max_size=30
)


@pytest.mark.parametrize("name", FILES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_any_folder_is_read_or_rejected(name: str, data: st.DataObject, tmp_path: Path) -> None:
    folder = tmp_path / "some-problem"
    for file in FILES[name]:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data.draw(files))
    with stopped_after(BOUND_S):
        (*_, last) = choose_source(f"{name}:{tmp_path}").read(LANGUAGES)
    if isinstance(last, Entry):
        assert 0 <= last.problem.problem_id < 2**63
        assert json.dumps([last.problem.tags, last.problem.title]).encode()
