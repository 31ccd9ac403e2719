"""Comparing outputs as streams: equality, the first difference, and the memory that it takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venus_toolkit.core.records import OutputComparison
from venus_toolkit.execution.judging import comparison
from venus_toolkit.execution.judging.comparison import (
    difference,
    output_key,
    same_numbers,
    same_text,
)

ROOT = Path(__file__).resolve().parents[2]
BLANK = " \t\n\r\v\f"
FLOAT = OutputComparison("float", absolute=1e-6, relative=1e-6)
REAL = OutputComparison("float", absolute=1e-6, relative=1e-6, real=True)
TEXTS = st.text(alphabet="ab1.é\u2028\ud800 \t\n\r", max_size=30)


def trimmed(text: str) -> str:
    """Return the text that `same_text` compares."""
    return "\n".join(line.rstrip(BLANK) for line in text.rstrip(BLANK).split("\n"))


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "PIECE", 3)


@pytest.mark.usefixtures("tiny_pieces")
class TestInPieces:
    @given(TEXTS, TEXTS)
    def test_texts_are_compared_trimmed(self, one: str, other: str) -> None:
        for left, right in ((one, other), (one, f"{one} \n\n"), (one, one.replace("\n", " \r\n"))):
            same = trimmed(left) == trimmed(right)
            assert same_text(left, right) == same
            assert same_text(left, right.encode("utf-8", "surrogatepass")) == same
            assert (output_key(left) == output_key(right.encode("utf-8", "surrogatepass"))) == same

    @given(
        st.lists(st.sampled_from(["1", "10", "1.0", "1.0000001", "x", "12345678"]), max_size=8),
        st.data(),
    )
    def test_any_white_space_separates_words(self, words: list[str], data: st.DataObject) -> None:
        blanks = st.text(alphabet=BLANK, min_size=1, max_size=5)
        one, other = ("".join(word + data.draw(blanks) for word in words) for _ in range(2))
        assert same_numbers(one, other.encode(), FLOAT)
        assert not same_numbers(one, f"{other}1".encode(), FLOAT)

    def test_difference_shows_the_line(self) -> None:
        assert (
            difference("1\n22222222\n3\n", b"1\n22222223\n3\n")
            == "line 2: expected '22222222', got '22222223'"
        )
        assert difference("a" * 90 + "\n", b"b\n") == f"line 1: expected '{'a' * 57}...', got 'b'"
        assert difference("1\n2\n3\n4\n", b"1\n2\n") == "expected 4 lines, got 2"
        assert difference("1\n", b"1\n\n \n5") == "expected 1 lines, got 4"
        assert difference("x\n", b"\xff\xfe\n") == "line 1: expected 'x', got '\ufffd\ufffd'"
        assert difference("1 2\n", b"1 2 \r\n\n") == ""


def test_invalid_utf8_differs_from_its_replacement() -> None:
    assert not same_text("\ufffd\n", b"\xff\n")
    assert not same_numbers("\ufffd 1.0\n", b"\xff 1.0\n", REAL)


@pytest.mark.parametrize(
    ("expected", "answer"),
    [
        ("1000000", "1000001.0"), ("1000000", "1000000.0"), ("1000000", "1e6"), ("1000000", "+1000000"),
        ("123456789", "123456788.5"), ("10", "inf"), ("1" + "0" * 400, "inf"), ("-5", "-5."),
    ],
)  # fmt: skip
def test_expected_integers_are_exact(expected: str, answer: str) -> None:
    assert not same_numbers(expected, answer, OutputComparison("float", absolute=10, relative=1e-3))


def test_integers_have_tolerance_if_reals_are_expected() -> None:
    for answer in ("2.0", "2.", "+2", "2e0", "2.0000001", "0.2E+1"):
        assert same_numbers("2", answer, REAL)
    assert same_numbers("1000000", "1000000.5", REAL)
    assert not same_numbers("2", "2.1", REAL)
    assert not same_numbers("two", "2.0", REAL)


@pytest.mark.parametrize(
    "answer", ["inf", "-inf", "nan", "NaN", "infinity", "1_5e-1", "1_5", "0x1.8p0", "1.5f", "1,5", "\u0661.5", "1.5.0",
               "--1.5", "1e", "e5", ".", "1.5e1.0"]
)  # fmt: skip
def test_words_are_not_numbers(answer: str) -> None:
    assert not same_numbers(
        "1.5", answer, OutputComparison("float", absolute=1e300, relative=1.0, real=True)
    )
    assert not same_numbers(
        answer, "1.5", OutputComparison("float", absolute=1e300, relative=1.0, real=True)
    )


def test_numbers_beyond_floats_differ() -> None:
    assert not same_numbers("1e999", "1e9999", REAL)
    assert same_numbers("1e999", "1e999", REAL)


def test_a_word_too_long_for_a_number_is_compared_as_text() -> None:
    word = "1" * (comparison.LONGEST_WORD + 2 * comparison.PIECE)
    assert same_text(word, word.encode())
    assert not same_numbers(f"{word} 1.0", f"{word} 1.00".encode(), REAL)


# ------------------------------------------------------------------ memory

COMPARE = """
import re
from pathlib import Path
from venus_toolkit.core.records import OutputComparison
from venus_toolkit.execution.judging.comparison import difference, output_key, same_numbers, same_text

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10

def times(expected, actual):
    same_text(expected, actual)
    same_numbers(expected, actual, OutputComparison("float", 1e-6, 1e-6, True))
    difference(expected, actual)
    output_key(actual)
    return (peak() - base) / len(actual)

before = peak()
for line, last in (("ab\\n", b"c\\n"), ("1.5\\n", b"1.50000001\\n"), (" " * 9999 + "\\n", b"x\\n"), ("\\n", b"x\\n")):
    base = before
    count = SIZE // len(line)
    answer = line.encode() * count + last
    text = line * count
    print(times(text, answer))
    del text, answer
"""


JUDGE = """
import re
from pathlib import Path
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, OutputComparison, Limits, TestCase
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.measuring.measure import measure_interleaved
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.execution.engine.work import vote

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) << 10

limits = Limits(wall_ns=99 * NS_PER_S, cpu_ns=99 * NS_PER_S, memory_bytes=512 * MIB, file_bytes=99 * MIB)
python = load_languages()["python"]
with open_sandbox("unsafe") as sandbox:
    before = peak()
    for kind, line, times in (("exact", "ab\\n", 20_000), ("float", "1.5\\n", 15_000)):
        code = f"import sys\\nfor _ in range({times}): sys.stdout.write({line!r} * 1000)\\n"
        tests = [TestCase("t", "", line * 1000 * times)]
        program, checker = Program(python, code), Checker(OutputComparison(kind), sandbox)
        compiled = sandbox.compile(program)
        assert judge(sandbox, compiled, tests, checker, limits).verdict == "accepted"
        once, core = MeasureOptions(1), Cores(0, 0)
        rounds = measure_interleaved(sandbox, [compiled], tests, limits, once, checker=checker, cores=core)
        assert rounds.measured(0).rejection is None
        assert vote(sandbox, core, program, tests, limits, None).of_each[0].kind == "answer"
        print((peak() - before) / len(tests[0].stdout))
        del tests, rounds
"""


@pytest.mark.thorough
def test_judging_takes_three_times_the_output_in_memory(thorough: bool) -> None:
    """A vote has the output as bytes and as text, in addition to the expected output."""
    if not thorough:
        pytest.skip("--thorough was not given")
    output = _output_of(JUDGE)
    assert all(float(word) < 3.1 for word in output.split()), output


def _output_of(script: str) -> str:
    # Otherwise malloc keeps the freed memory of this test's own large texts.
    settings = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=settings
    ).stdout


def test_comparing_takes_three_times_the_output_in_memory(thorough: bool) -> None:
    """The limit includes the two outputs themselves."""
    script = COMPARE.replace("SIZE", str((60 if thorough else 6) << 20))
    output = _output_of(script)
    assert all(float(word) < 3.0 for word in output.split()), output
