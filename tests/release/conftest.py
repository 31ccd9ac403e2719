"""A small release on disk, made up: the tests of this folder read it, or spoil a copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.paper_release import write_paper_release
from venus_toolkit.dataset.release import Release, open_release


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Two problems in seven languages, one in each split; nobody changes it."""
    return write_paper_release(tmp_path_factory.mktemp("release"), scale=0.0, tests=3)


@pytest.fixture
def release(whole: Release, tmp_path: Path) -> Release:
    """A copy to change."""
    return open_release(Path(shutil.copytree(whole.folder, tmp_path / "release")))
