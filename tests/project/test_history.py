"""The subjects of commits, and the hook that checks them."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOK = ROOT / "tools/hooks/commit-msg"
complaint = runpy.run_path(str(HOOK))["complaint"]


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout


@pytest.mark.parametrize(
    "subject",
    [
        "inputs: read promises in the story",
        "run, api: compare what programs print",
        "docs/run.md: show an interval",
        "build: feed inputs as files",
        "Merge branch 'main'",
    ],
)
def test_imperative_subject_is_accepted(subject: str) -> None:
    assert complaint(subject) is None


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ("", "no scope"),
        ("Read promises in the story", "no scope"),
        ("inputs: the story is read", "not an imperative"),
        ("inputs: Added a reader", "not an imperative"),
        ("inputs: reading promises", "not an imperative"),
        (f"inputs: read {'x' * 72}", "at most 72"),
    ],
)
def test_other_subject_is_refused(subject: str, reason: str) -> None:
    assert reason in complaint(subject)


def test_commits_since_the_hook_have_imperative_subjects() -> None:
    first = git("log", "--diff-filter=A", "--format=%H", "--", str(HOOK)).split()
    if not first:
        pytest.skip("this checkout has no history")
    subjects = git("log", "--no-merges", "--format=%s", f"{first[-1]}..HEAD").splitlines()
    assert {subject: wrong for subject in subjects if (wrong := complaint(subject))} == {}


def test_hook_refuses_a_commit(tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text("# a comment\nThe story is read\n")
    ended = subprocess.run([HOOK, message], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "for example" in ended.stderr
