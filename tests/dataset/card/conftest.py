"""A small release like the paper's, written once; tests that change it get a copy."""

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
    """A release in seven languages with three problems, which tests do not change."""
    folder = tmp_path_factory.mktemp("release")
    write_paper_release(folder, scale=0.0025, tests=6)
    return folder


@pytest.fixture
def release(pristine: Path, tmp_path: Path) -> Path:
    """A copy of the release that the test may change."""
    shutil.copytree(pristine, tmp_path / "release")
    return tmp_path / "release"


@pytest.fixture
def change_manifest(release: Path) -> Callable[..., None]:
    """Return a function that replaces keys in the manifest of `release`."""

    def change(**values: Any) -> None:
        file = release / "manifest.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | values))

    return change
