"""``venus card`` on the command line: output, exit codes, and the three parts of its errors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def card(cli: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *words: cli("card", *words)


def test_write_then_check(card: Callable[..., Any], release: Path) -> None:
    readme = release / "README.md"
    text = readme.read_text()
    true = re.findall(r"([\d,]+) solutions in 7", text)[0]
    readme.write_text(text.replace(f"{true} solutions", "7 solutions"))
    found = card(str(release), "--check")
    assert found.exit_code == 1
    assert f"the card says 7, the data say {true}" in found.stdout
    assert f"type: venus card {release}" in found.stderr
    listed = card(str(release), "--check", "--json")
    (finding,) = json.loads(listed.stdout)["findings"]
    assert (listed.exit_code, finding["said"], finding["true"]) == (1, "7", true)
    written = card(str(release), "--json")
    assert json.loads(written.stdout) == {"card": str(readme), "changed": True}
    good = card(str(release), "--check")
    assert (good.exit_code, good.stdout) == (0, f"{readme} agrees with the data\n")


@pytest.mark.parametrize("words", [(), ("--check",)])
def test_a_folder_without_a_manifest(
    card: Callable[..., Any], tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = card(str(tmp_path), *words)
    assert done.exit_code == 2
    assert "it has no manifest.json" in done.stderr
    assert "venus build" in done.stderr
    assert "Traceback" not in done.stderr


def test_damaged_parquet_exits_with_3(card: Callable[..., Any], release: Path) -> None:
    (file,) = release.glob("data/rust/test-*.parquet")
    file.write_bytes(b"nothing")
    done = card(str(release), "--check")
    assert done.exit_code == 3
    assert file.name in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written(card: Callable[..., Any], release: Path) -> None:
    (release / "README.md").unlink()
    (release / "README.md").mkdir()
    done = card(str(release))
    assert done.exit_code == 2
    assert "README.md cannot be read" in done.stderr
