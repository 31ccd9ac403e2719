"""Temporary folders, which are removed, and live processes, which do not include zombies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from venus_toolkit.core.temporary import make_temporary, start_of, sweep, temporary_folder


def test_live_process_has_a_start() -> None:
    assert int(start_of("1") or -1) >= 0
    assert int(start_of(str(os.getpid())) or 0) > int(start_of("1") or 0)


def test_unknown_process_has_no_start() -> None:
    assert start_of("4194999") is None


def test_zombie_has_no_start(eventually: Callable[..., bool]) -> None:
    with subprocess.Popen(["true"]) as process:
        assert eventually(lambda: start_of(str(process.pid)) is None)
        assert Path("/proc", str(process.pid)).exists()


@pytest.fixture
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of one test; its first use sweeps it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    sweep.cache_clear()
    return tmp_path


def test_folder_is_removed_after_its_block(own_place: Path) -> None:
    with suppress(ZeroDivisionError), temporary_folder("kind") as folder:
        (folder / "below").mkdir()
        assert folder.parent == own_place
        assert folder.stat().st_mode & 0o077 == 0
        raise ZeroDivisionError
    assert not folder.exists()


def test_folder_of_a_killed_process_is_removed(own_place: Path) -> None:
    statement = (
        "from venus_toolkit.core.temporary import make_temporary as make; make('kind'); "
        "make('other')"
    )
    code = f"import os; {statement}; os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(own_place)})
    living, killed = (
        make_temporary("kind"),
        {path.name.split("-")[1] for path in own_place.iterdir()},
    )
    assert killed == {"kind", "other"}
    with temporary_folder("kind") as folder:
        left = set(own_place.iterdir())
    assert {living, folder} < left
    assert [path.name.split("-")[1] for path in left - {living, folder}] == ["other"], (
        "others are left alone"
    )
