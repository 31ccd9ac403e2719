"""The release for training; tests do not change it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.made import trainable_release
from venus_toolkit.dataset.release import Release


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return trainable_release(tmp_path_factory.mktemp("trainable"))


@pytest.fixture
def folder(release: Release) -> Path:
    return release.folder
