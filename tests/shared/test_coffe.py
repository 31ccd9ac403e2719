"""The converter of the COFFE data: what it writes is a source that a build reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from venus_toolkit.builders.sources.folder import problem_folders, read_entry
from venus_toolkit.language import load_languages
from venus_toolkit.records import NS_PER_S, Expectation

SCRIPT = Path(__file__).with_name("coffe.py")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "coffe"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the sample data is not here: {DATA}"),
]


def test_two_problems_are_read_back(tmp_path: Path) -> None:
    out = tmp_path / "coffe"
    words = [sys.executable, str(SCRIPT), str(out), "--problems", "2", "--tests", "3"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2 problems, ")
    folders = problem_folders(out)
    assert [folder.name for folder in folders] == ["coffe-00", "coffe-01"]
    for folder in folders:
        problem, solutions, tests = read_entry(folder, load_languages())
        assert (problem.source, problem.license, problem.style) == ("coffe", "CC-BY-4.0", "stdin")
        assert problem.limits.cpu_ns == 4 * NS_PER_S
        assert problem.statement.strip()
        assert "expert Python programmer" not in problem.statement
        assert len(tests) == 3
        assert all(test.stdin and test.stdout for test in tests)
        assert {solution.language for solution in solutions} == {"python"}
        assert {solution.expected for solution in solutions} == {Expectation.ACCEPTED}
        assert len({solution.code for solution in solutions}) == len(solutions) > 0
