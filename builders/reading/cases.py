"""Test cases as tables have them: ``{"inputs": […], "outputs": […]}``, or a list of ``{"input": …, "output": …}``."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from venus_toolkit.builders.reading.cells import Cells, as_text, json_text, show
from venus_toolkit.records import TestCase


def given_tests(pairs: Iterable[tuple[str, str | None]], name: str = "given") -> list[TestCase]:
    """Return tests that came with a problem, in their order; of equal ones only the first."""
    return [
        TestCase(f"{name}-{number:04d}", stdin, stdout, kind="given")
        for number, (stdin, stdout) in enumerate(dict.fromkeys(pairs))
    ]


def without_repeats(tests: Iterable[TestCase]) -> list[TestCase]:
    """Return tests of several groups; one that is in two of them stays in the first, and no two have one id."""
    first: dict[tuple[str, str | None], TestCase] = {}
    for test in tests:
        first.setdefault((test.stdin, test.stdout), test)
    seen: Counter[str] = Counter()
    for case, test in first.items():
        if seen[test.test_id]:
            first[case] = dataclasses.replace(test, test_id=f"{test.test_id}-{seen[test.test_id]}")
        seen[test.test_id] += 1
    return list(first.values())


def read_pairs(rows: Iterable[Cells], stdin: str = "input", stdout: str = "output") -> Iterator[tuple[str, str | None]]:
    """Yield the input and output of each case; what is not text is written as JSON, a missing output is None.

    Raises:
        ValueError: A case has no input.
    """
    for row in rows:
        if stdin not in row:
            raise ValueError(f"{row.path}{stdin} is missing")
        yield _written(row, stdin), _written(row, stdout) if stdout in row else None


def _written(row: Cells, name: str) -> str:
    value = row.raw(name)
    return as_text(value, row.path + name) if type(value) is str else json_text(value)


class Cases(NamedTuple):
    """What ``input_output`` says: the style, the tests, and for extra the function to call where there is one."""

    style: str
    tests: list[TestCase]
    facts: dict[str, str]


def read_cases(cells: Cells) -> Cases:
    """Return the tests of a column ``{"inputs": […], "outputs": […], "fn_name"?: …}``.

    On standard input a case is text or a list of lines. A call has one argument a line, each as JSON.

    Raises:
        ValueError: There are not as many outputs as inputs, or a case is something else.
    """
    name = cells.text("fn_name", "")
    sides = [cells.structure(side) or [] for side in ("inputs", "outputs")]
    if not all(isinstance(side, list) for side in sides) or len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{cells.path}inputs and outputs are lists of one length, found {' and '.join(map(show, sides))}"
        )
    inputs = [_input(case, bool(name), f"{cells.path}inputs[{index}]") for index, case in enumerate(sides[0])]
    outputs = [_output(case, bool(name), f"{cells.path}outputs[{index}]") for index, case in enumerate(sides[1])]
    tests = given_tests(zip(inputs, outputs, strict=True))
    return Cases("function", tests, {"entry_point": name}) if name else Cases("stdin", tests, {})


def _input(case: Any, call: bool, where: str) -> str:
    if not call:
        return _lines(case, where)
    if not isinstance(case, list):
        raise ValueError(f"{where} is a list of arguments, found {show(case)}")
    return "".join(json_text(argument) + "\n" for argument in case)


def _output(case: Any, call: bool, where: str) -> str:
    return json_text(case) + "\n" if call else _lines(case, where)


def _lines(case: Any, where: str) -> str:
    if isinstance(case, list):
        return "".join(as_text(line, f"{where}[{index}]") + "\n" for index, line in enumerate(case))
    return as_text(case, where)
