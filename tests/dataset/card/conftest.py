"""A small release of the paper's shape, written once.

Each test that changes something gets a copy.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.paper_release import write_paper_release


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in seven languages with three problems; tests only look at it."""
    folder = tmp_path_factory.mktemp("release")
    write_paper_release(folder, scale=0.0025, tests=6)
    return folder


@pytest.fixture
def release(pristine: Path, tmp_path: Path) -> Path:
    """A copy of the release, to change."""
    shutil.copytree(pristine, tmp_path / "release")
    return tmp_path / "release"


@pytest.fixture
def change_manifest(release: Path) -> Callable[..., None]:
    """Replace keys of the manifest of the copy."""

    def change(**values: Any) -> None:
        file = release / "manifest.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | values))

    return change
