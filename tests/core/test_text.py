"""Storable text: it survives storage unchanged, and every change is described."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.curation_data import entry
from venus_toolkit.builders.sources import Entry, ProblemSource, Rejected
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import TestCase, json_lines
from venus_toolkit.core.untrusted.text import LONGEST, REPLACEMENT, storable
from venus_toolkit.execution.judging.files import read_tests
from venus_toolkit.models.client import Completion

TEXTS = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\ud835\udd38\0\ufeff\r\n\u2028"),
    max_size=40,
)


@given(TEXTS)
def test_storable_text_roundtrip(raw: str) -> None:
    text, changes = storable(raw)
    assert text.encode().decode() == text
    assert json.loads(json_lines([text])) == text
    buffer = pa.BufferOutputStream()
    pq.write_table(pa.table({"text": [text]}), buffer)
    assert pq.read_table(pa.BufferReader(buffer.getvalue()))["text"].to_pylist() == [text]
    assert sqlite3.connect(":memory:").execute("select ?", (text,)).fetchone() == (text,)
    assert storable(text) == (text, ())
    assert bool(changes) == (text != raw)


@pytest.mark.parametrize(
    ("raw", "text", "change"),
    [
        ("a \ud835 b", "a \ufffd b", "lone surrogates replaced: 1"),
        ("\udd38\ud835", "\ufffd\ufffd", "lone surrogates replaced: 2"),
        ("\ud835\udd38", "\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL A}", "surrogate pairs joined"),
        ("a\0b", "a\ufffdb", "NUL characters replaced: 1"),
        ("\ufeff\ufeff3 4\r\n", "3 4\r\n", "byte order mark removed"),
        ("a\ufeffb", "a\ufeffb", None),
        ("x" * 11, "x" * 10, "cut at 10 of 11 characters"),
    ],
)
def test_changes_are_described(raw: str, text: str, change: str | None) -> None:
    assert storable(raw, 10) == (text, (change,) if change else ())


def test_all_texts_of_a_completion_are_storable() -> None:
    completion = Completion(
        "\ud835 x", "r\ud835", reasoning="\0", unfinished="\ufeffu", model="m\udfff", code="c\0"
    ).storable()
    assert completion[:2] == ("\ufffd x", "r\ufffd")
    assert (completion.reasoning, completion.unfinished, completion.model, completion.code) == (
        "\ufffd",
        "u",
        "m\ufffd",
        "c\ufffd",
    )
    assert (
        completion.changed
        == "lone surrogates replaced: 1; byte order mark removed; NUL characters replaced: 1"
    )
    assert completion.storable() == completion
    long = Completion("x" * (LONGEST + 1)).storable()
    assert (len(long.text or ""), long.changed) == (
        LONGEST,
        f"cut at {LONGEST} of {LONGEST + 1} characters",
    )


def read_all(*entries: Entry | Rejected) -> list[Entry | Rejected]:
    def read(_: str, __: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
        yield from entries

    return list(ProblemSource("s", "", "", "", read).read(load_languages()))


def test_problem_lists_changes_of_its_texts() -> None:
    tests = (TestCase("t", "\ufeff3 4\n", "\ufeff7\r\n"), TestCase("u", "\ud800", None))
    raw = entry(
        "p",
        {"a": "print('\ud800')"},
        tests,
        extra={"notes": ["\0", {"k\ud800": "v\ud800"}], "n": 10**30},
    )
    (problem,) = read_all(raw)
    assert isinstance(problem, Entry)
    assert problem.tests == (TestCase("t", "3 4\n", "7\r\n"), TestCase("u", REPLACEMENT, None))
    assert problem.solutions[0].code == f"print('{REPLACEMENT}')"
    assert problem.problem.extra["notes"] == [REPLACEMENT, {f"k{REPLACEMENT}": f"v{REPLACEMENT}"}]
    listed = "\n".join(problem.problem.extra["changed_text"])
    assert listed.encode(), "the path of a change may contain a lone surrogate, too"
    for place in (
        "extra.notes[0]",
        "solutions[0].code",
        "tests[0].stdin",
        "tests[0].stdout: byte order mark removed",
    ):
        assert place in listed
    clean = entry("p", {"a": "print()"}, (TestCase("t", "1"),))
    assert read_all(clean) == [clean]


def test_too_long_text_is_rejected_with_a_reason() -> None:
    long = entry("long", {"a": "print()"}, statement="x" * (LONGEST + 1))
    too_long = entry("code", {"a": "print()", "b": "#" * (LONGEST + 1)})
    rejected, other, accepted = read_all(long, too_long)
    assert rejected == Rejected("long", f"the statement has more than {LONGEST} characters")
    assert other == Rejected("code/python", f"a solution has more than {LONGEST} characters")
    assert isinstance(accepted, Entry)
    assert [solution.solution_id for solution in accepted.solutions] == ["a"]


def test_byte_order_mark_is_removed_from_tests(tmp_path: Path) -> None:
    (tmp_path / "1.in").write_bytes(b"\xef\xbb\xbf3 4\r\n")
    (tmp_path / "1.out").write_bytes(b"\xef\xbb\xbf7\r\n")
    assert read_tests(tmp_path) == (TestCase("1", "3 4\r\n", "7\r\n", kind="given"),)
