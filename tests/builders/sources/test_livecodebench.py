"""LiveCodeBench: rows in the form of code_generation_lite; pickles are never loaded."""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from pathlib import Path
from typing import Any

import pytest

PRIVATE = json.dumps([{"input": "3\n", "output": "4\n", "testtype": "stdin"}])


def packed(value: object, protocol: int = 4) -> str:
    return base64.b64encode(zlib.compress(pickle.dumps(value, protocol))).decode()


def row(**changes: Any) -> dict[str, Any]:
    return {
        "question_title": "Add one",
        "question_content": "Print n + 1.",
        "platform": "atcoder",
        "question_id": "abc301_a",
        "contest_id": "abc301",
        "contest_date": "2023-05-13T00:00:00",
        "starter_code": "",
        "difficulty": "easy",
        "public_test_cases": json.dumps([{"input": "1\n", "output": "2\n", "testtype": "stdin"}]),
        "private_test_cases": packed(PRIVATE),
        "metadata": "{}",
        **changes,
    }


@pytest.mark.parametrize(
    "private", [PRIVATE, packed(PRIVATE), packed(PRIVATE, 2)], ids=["json", "packed", "older"]
)
def test_problem(reading: Any, pairs: Any, private: str) -> None:
    problem, solutions, tests = reading("livecodebench", [row(private_test_cases=private)]).only
    assert problem.slug == "livecodebench-atcoder-abc301-a"
    assert (problem.source, problem.date, problem.difficulty) == (
        "livecodebench-atcoder",
        "2023-05-13",
        "Easy",
    )
    assert (problem.style, solutions, problem.extra["contest_id"]) == ("stdin", (), "abc301")
    assert pairs(tests) == [("1\n", "2\n"), ("3\n", "4\n")]


def test_function_problem(reading: Any) -> None:
    cases = json.dumps([{"input": "[1]\n2", "output": "3", "testtype": "functional"}])
    changes = {
        "public_test_cases": cases,
        "metadata": '{"func_name": "add"}',
        "starter_code": "class Solution:\n",
    }
    problem = reading("livecodebench", [row(**changes)]).only.problem
    assert (problem.style, problem.extra["entry_point"]) == ("function", "add")
    assert problem.starter_code == {"python": "class Solution:\n"}


class Hostile:
    """Runs a command when its pickle is loaded."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.file}",)


@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_hostile_pickle_runs_nothing(reading: Any, tmp_path: Path, protocol: int) -> None:
    witness = tmp_path / "witness"
    reason = reading(
        "livecodebench", [row(private_test_cases=packed(Hostile(witness), protocol))]
    ).reason
    assert "private_test_cases is not a pickle of one text: it wants " in reason
    assert "GLOBAL" in reason
    assert not witness.exists()


def test_hostile_pickle_works_when_loaded(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Hostile(tmp_path / "witness")))
    assert (tmp_path / "witness").exists()


@pytest.mark.parametrize(
    ("private", "reason"),
    [
        ("not json", "private_test_cases is neither JSON nor packed JSON"),
        (base64.b64encode(b"junk").decode(), "private_test_cases is neither JSON nor packed JSON"),
        (packed(["1"]), "it wants EMPTY_LIST"),
        (packed(""), "private_test_cases"),
        (packed("{"), "private_test_cases is neither JSON nor a Python literal"),
        (
            base64.b64encode(zlib.compress(b"junk")).decode(),
            "private_test_cases is not a pickle of one text",
        ),
        (
            base64.b64encode(zlib.compress(b"")).decode(),
            "private_test_cases is not a pickle of one text",
        ),
        (
            base64.b64encode(zlib.compress(pickle.dumps(PRIVATE)[:-9])).decode(),
            "private_test_cases is not a pickle of one text",
        ),
    ],
    ids=["text", "no-zlib", "list", "empty", "no-json", "no-pickle", "nothing", "cut"],
)
def test_invalid_private_tests(reading: Any, private: str, reason: str) -> None:
    result = reading("livecodebench", [row(private_test_cases=private)])
    if private == packed(""):
        assert len(result.only.tests) == 1
    else:
        assert reason in result.reason


def test_compression_bomb_is_refused(reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venus_toolkit.builders.sources.published.livecodebench.MAX_BYTES", 1 << 20)
    bomb = base64.b64encode(zlib.compress(b"\0" * (1 << 22))).decode()
    assert reading("livecodebench", [row(private_test_cases=bomb)]).reason.endswith(
        "unpacks to more than 1 MiB"
    )
