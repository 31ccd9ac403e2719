"""A small made-up release on disk: tests of this folder read it, or damage a copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.paper_release import write_paper_release
from venus_toolkit.dataset.release import Release, open_release


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """Two problems in seven languages, one in each split; tests must not change it."""
    return write_paper_release(tmp_path_factory.mktemp("release"), scale=0.0, tests=3)


@pytest.fixture
def release(whole: Release, tmp_path: Path) -> Release:
    """A copy that one test may change."""
    return open_release(Path(shutil.copytree(whole.folder, tmp_path / "release")))
