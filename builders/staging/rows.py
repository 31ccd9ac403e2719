"""Records as rows of staged Parquet, and back; every field comes back as it was.

Text that a database can read (names, statements, code) has a column of its own. Parquet's text is UTF-8, in which half
of a surrogate pair cannot be written: code with one has its exact bytes beside it, the rest travels as bytes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from venus_toolkit.builders.sources import Entry
from venus_toolkit.records import Comparison, Expectation, Limits, Problem, Solution, TestCase

TEXT, BYTES = pa.large_string(), pa.large_binary()
SCHEMAS = {
    "problems": pa.schema(
        [
            ("slug", pa.string()),
            ("problem_id", pa.int64()),
            ("difficulty", pa.string()),
            ("category", pa.string()),
            ("paid_only", pa.bool_()),
            ("date", pa.string()),
            ("statement", TEXT),
            ("record", BYTES),
            ("solutions", pa.int64()),
            ("tests", pa.int64()),
        ]
    ),
    "solutions": pa.schema(
        [
            ("slug", pa.string()),
            ("solution_id", pa.string()),
            ("language", pa.string()),
            ("expected", pa.string()),
            ("code", TEXT),
            ("code_bytes", BYTES),
            ("record", BYTES),
        ]
    ),
    "tests": pa.schema(
        [
            ("slug", pa.string()),
            ("test_id", pa.string()),
            ("stdin", BYTES),
            ("stdout", BYTES),
            ("record", BYTES),
        ]
    ),
}
_LIMITS = tuple(field.name for field in dataclasses.fields(Limits))


class Rows(NamedTuple):
    """One entry as rows of the three tables, and about how many bytes they take."""

    problems: Sequence[tuple[Any, ...]]
    solutions: Sequence[tuple[Any, ...]]
    tests: Sequence[tuple[Any, ...]]
    size: int


def to_rows(entry: Entry) -> Rows:
    """Return an entry as rows, each in the order of its schema.

    Raises:
        ValueError: A value cannot be written down, such as an id beyond 64 bits or an object in ``extra``.
    """
    try:
        problem = _problem_row(entry)
        solutions = [_solution_row(solution) for solution in entry.solutions]
        tests = [_test_row(test, entry.problem.slug) for test in entry.tests]
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return Rows([problem], solutions, tests, _size(entry))


def to_entry(
    problem: Mapping[str, Any], solutions: Sequence[Mapping[str, Any]], tests: Sequence[Mapping[str, Any]]
) -> Entry:
    """Return the entry that `to_rows` made these rows of."""
    return Entry(_problem(problem), tuple(_solution(row) for row in solutions), tuple(_test_case(row) for row in tests))


# ------------------------------------------------------------------ text and bytes


def _pack(value: Any) -> bytes:
    return _encode(json.dumps(value, ensure_ascii=False))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _readable(text: str) -> str:
    """Return text as UTF-8 can hold it: what it cannot hold becomes a question mark."""
    return text.encode("utf-8", "replace").decode()


def _name(text: str) -> str:
    if _readable(text) != text:
        raise ValueError(f"the name {text!r} is not valid Unicode")
    return text


def _int64(value: int) -> int:
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError(f"the problem_id {value:.3e} does not fit into 64 bits")
    return value


def _size(entry: Entry) -> int:
    texts = [entry.problem.statement, *(solution.code for solution in entry.solutions)]
    texts += [text for test in entry.tests for text in (test.stdin, test.stdout or "")]
    return sum(map(len, texts)) + 200 * (1 + len(entry.solutions) + len(entry.tests))


# ------------------------------------------------------------------ problems


def _problem_row(entry: Entry) -> tuple[Any, ...]:
    problem = entry.problem
    record = {field.name: getattr(problem, field.name) for field in dataclasses.fields(Problem)}
    record |= {
        "limits": [getattr(problem.limits, name) for name in _LIMITS],
        "comparison": [problem.comparison.kind, problem.comparison.absolute, problem.comparison.relative],
        "starter_code": dict(problem.starter_code),
        "runners": dict(problem.runners),
        "extra": dict(problem.extra),
    }
    return (
        _name(problem.slug),
        _int64(problem.problem_id),
        _readable(problem.difficulty),
        _readable(problem.category),
        problem.paid_only,
        problem.date and _readable(problem.date),
        _readable(problem.statement),
        _pack(record),
        len(entry.solutions),
        len(entry.tests),
    )


def _problem(row: Mapping[str, Any]) -> Problem:
    record = json.loads(_decode(row["record"]))
    return Problem(
        **{
            **record,
            "tags": tuple(record["tags"]),
            "limits": Limits(**dict(zip(_LIMITS, record["limits"], strict=True))),
            "comparison": Comparison(*record["comparison"]),
        }
    )


# ------------------------------------------------------------------ solutions and tests


def _solution_row(solution: Solution) -> tuple[Any, ...]:
    code = _readable(solution.code)
    return (
        _name(solution.slug),
        _name(solution.solution_id),
        _name(solution.language),
        str(solution.expected),
        code,
        None if code == solution.code else _encode(solution.code),
        _pack([solution.source, solution.license, dict(solution.extra)]),
    )


def _solution(row: Mapping[str, Any]) -> Solution:
    source, license_name, extra = json.loads(_decode(row["record"]))
    exact = row["code_bytes"]
    return Solution(
        solution_id=row["solution_id"],
        slug=row["slug"],
        language=row["language"],
        code=row["code"] if exact is None else _decode(exact),
        expected=Expectation(row["expected"]),
        source=source,
        license=license_name,
        extra=extra,
    )


def _test_row(test: TestCase, slug: str) -> tuple[Any, ...]:
    stdout = None if test.stdout is None else _encode(test.stdout)
    return slug, _name(test.test_id), _encode(test.stdin), stdout, _pack([test.kind, test.size, test.seed])


def _test_case(row: Mapping[str, Any]) -> TestCase:
    kind, size, seed = json.loads(_decode(row["record"]))
    stdout = None if row["stdout"] is None else _decode(row["stdout"])
    return TestCase(row["test_id"], _decode(row["stdin"]), stdout, kind, size, seed)
