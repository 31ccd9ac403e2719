"""Fixtures: a Hub on loopback for each test, the variables that select it, and small releases."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.dataset.hub.releases import Draft
from tests.dataset.hub.routes import Hub, serving
from tests.dataset.hub.storage import Repo
from venus_toolkit.core.interruption import CancelScope
from venus_toolkit.dataset.hub.publishing import publish

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "venus-write"
NAME = "venus/demo"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ignore a deprecation warning that huggingface_hub causes in its HTTP library."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A running Hub.

    huggingface_hub uses it through the classic protocol, with a write token of the user ``venus``.
    """
    from huggingface_hub import constants

    cache = tmp_path / "hf"
    with serving() as served:
        for name, value in environment(served, cache).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(cache / "token"))
        yield served


def environment(hub: Hub, cache: Path) -> dict[str, str]:
    """Return the environment variables that select a Hub on loopback."""
    return {
        "HF_ENDPOINT": hub.url,
        "HF_TOKEN": TOKEN,
        "HF_HOME": str(cache),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit pictures from cards: they take most of a second, and other tests cover them."""
    monkeypatch.setattr("venus_toolkit.dataset.card.dataset_card.list_pictures", lambda facts: ())


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip load_dataset of every config: it takes seconds, and other tests cover it."""
    monkeypatch.setattr("venus_toolkit.dataset.hub.publishing.CHECKS_OF_CARD", {})


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The requested waiting times in seconds; no call actually waits."""
    asked: list[float] = []
    monkeypatch.setattr(CancelScope, "sleep", lambda _, seconds: asked.append(seconds))
    monkeypatch.setattr(time, "sleep", asked.append)  # huggingface_hub calls it
    return asked


@pytest.fixture
def draft() -> Draft:
    """A small release in one language."""
    return Draft()


class Kept(NamedTuple):
    """Shared results that take most of a second to make.

    `folder` holds a release before and after publishing; `repos` holds the Hub's repository.
    """

    folder: Path
    repos: dict[str, Repo]


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """An empty cache: the first test that needs a result makes it."""
    return Kept(tmp_path_factory.mktemp("kept"), {})


@pytest.fixture
def folder(tmp_path: Path, kept: Kept) -> Path:
    """A folder with the release of `draft`."""
    if not (kept.folder / "written").exists():
        Draft().write(kept.folder / "written")
    return Path(shutil.copytree(kept.folder / "written", tmp_path / "release"))


@pytest.fixture
def published(hub: Hub, folder: Path, kept: Kept, unchecked: None) -> Hub:
    """A Hub that has `folder` as version 1.0.0 of ``venus/demo``."""
    if "first" in kept.repos:
        hub.storage.repos[NAME] = deepcopy(kept.repos["first"])
        shutil.rmtree(folder)
        shutil.copytree(kept.folder / "published", folder)
    else:
        publish(folder, NAME)
        kept.repos["first"] = deepcopy(hub.storage.repos[NAME])
        shutil.copytree(folder, kept.folder / "published")
    return hub


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(hub: Hub, tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts ``venus`` in a process, which is killed when the test ends."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        known = {**os.environ, **environment(hub, tmp_path / "hf"), "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-m", "venus_toolkit", *words]
        process = subprocess.Popen(
            argv, env=known, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
