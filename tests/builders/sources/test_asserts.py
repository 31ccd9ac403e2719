"""Assertions as tests: single calls are read, nothing is run."""

from __future__ import annotations

import pytest

from venus_toolkit.builders.reading.drafts import SourceTests
from venus_toolkit.builders.reading.python_tests import LONGEST, read_asserts


def pairs(source_tests: SourceTests) -> list[tuple[str, str | None]]:
    return [(test.stdin, test.stdout) for test in source_tests.tests]


@pytest.mark.parametrize(
    ("claim", "stdin", "stdout"),
    [
        ("f(1, 'a') == [1, None]", '1\n"a"\n', "[1, null]\n"),
        ("3.5 == f(-2)", "-2\n", "3.5\n"),
        ("f([]) is True, 'a message'", "[]\n", "true\n"),
        ("f((1, 2))", "[1, 2]\n", "true\n"),
        ("not f('')", '""\n', "false\n"),
        ("tuple(f(1)) == tuple([1, 2])", "1\n", "[1, 2]\n"),
        ("abs(f(1.33) - 0.33) < 1e-6", "1.33\n", "0.33\n"),
        ("math.fabs(f(2) - 1) <= 1e-6", "2\n", "1\n"),
    ],
)
def test_call_and_result(claim: str, stdin: str, stdout: str) -> None:
    source_tests = read_asserts(f"def check(f):\n    assert {claim}\n    assert True\n")
    assert (pairs(source_tests), dict(source_tests.skipped)) == ([(stdin, stdout)], {})


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("f(x) == 1", "it is not a literal: x"),
        ("f(open('/etc/passwd').read()) == 1", "it is not a literal: open('/etc/passwd').read()"),
        ("f({1, 2}) == 3", "it is not a literal: {1, 2}"),
        ("f({[1]: 2}) == 3", "it is not a literal: {[1]: 2}"),
        ("f(b'x') == 3", "it is not a literal: b'x'"),
        ("f(" + "-" * 2000 + "1) == 3", "it is nested too deeply"),
        ("f(1) == g(1)", "it is not a literal: g(1)"),
        ("f(1) < 3", "it asserts no result"),
        ("f(1) == 2 == f(3)", "it asserts no result"),
        ("f(a=1) == 2", "it names arguments, and their order is not known"),
        ("g.f(1) == 2", "it calls no function by its name"),
        ("x", "it calls no function by its name"),
        ("f(10 ** 10 ** 10) == 2", "it is not a literal: 10 ** 10 ** 10"),
    ],
)
def test_other_assertions_are_skipped(claim: str, reason: str) -> None:
    source_tests = read_asserts(f"assert {claim}\nassert f(3) == 3")
    assert (pairs(source_tests), dict(source_tests.skipped)) == ([("3\n", "3\n")], {reason: 1})


def test_assertions_on_helpers_are_skipped() -> None:
    source_tests = read_asserts("assert f(1) == 2\nassert helper(1) == 3\nassert f(2) == 3")
    assert (len(source_tests.tests), dict(source_tests.skipped)) == (
        2,
        {"it tests another function": 1},
    )


@pytest.mark.parametrize(
    "code", ["assert (", "func Test(t *testing.T) {", "(" * 500, "\0", "#" * LONGEST + "#"]
)
def test_invalid_python_is_refused(code: str) -> None:
    with pytest.raises(ValueError, match="the assertions"):
        read_asserts(code)


def test_no_assertions() -> None:
    assert read_asserts("x = 1").tests == []
