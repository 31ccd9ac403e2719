"""Runs the bash blocks of the tutorials in order."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.building import needs_isolation, typed_path

TUTORIALS = Path(__file__).resolve().parents[2] / "docs/tutorials"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Blocks of kind sh need a network, an account or PyTorch, as the text above them explains; text is
# output of a command.
KINDS = {"bash", "sh", "text"}


def blocks(name: str) -> list[tuple[str, str]]:
    return FENCE.findall((TUTORIALS / f"{name}.md").read_text(encoding="utf-8"))


def typed(folder: Path, *names: str) -> str:
    """Run the commands of tutorials in an empty folder and return their output."""
    lines = [text for name in names for kind, text in blocks(name) if kind == "bash"]
    path = typed_path(folder / "bin")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_every_block_runs_or_says_what_it_needs() -> None:
    for page in TUTORIALS.glob("*.md"):
        found = blocks(page.stem)
        assert {kind for kind, _ in found} <= KINDS, page.name
        assert any(kind == "bash" for kind, _ in found), page.name


@pytest.mark.serial  # under background load, two programs may tie
@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_how_fast_is_my_program(tmp_path: Path, mark: None, thorough: bool) -> None:
    if not thorough:
        pytest.skip("--thorough was not given: minutes, and `nox -s thorough-test` has them")
    said = typed(tmp_path, "program")
    assert "quick.py is" in said
    assert "instructions quadratic" in said
    assert "1 quick.py accepted" in said


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("mark", [pytest.param(None, marks=needs_isolation)])
def test_tutorial_from_problems_to_training_sets(
    tmp_path: Path, mark: None, thorough: bool
) -> None:
    if not thorough:
        pytest.skip("--thorough was not given: minutes, and `nox -s thorough-test` has them")
    said = typed(tmp_path, "dataset", "evaluation", "training")
    assert "2 of 2 known wrong ones rejected" in said
    assert "README.md agrees with the data" in said
    assert (tmp_path / "build/report/report.html").is_file()
