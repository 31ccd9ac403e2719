"""A Hub on loopback for each test, this process pointed at it, and small releases to publish."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hub.releases import Draft
from tests.hub.routes import Hub, serving

ROOT = Path(__file__).resolve().parent.parent.parent
TOKEN = "venus-write"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let pass how huggingface_hub calls its own HTTP library."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning"))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub that knows ``venus``; huggingface_hub talks to it with a token for writing, by the classic protocol."""
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
    """What a process has to know to use a Hub on loopback."""
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
    """Cards without their pictures, which take most of a second and have tests of their own."""
    monkeypatch.setattr("venus_toolkit.dataset.card.dataset_card.draw_pictures", lambda facts: ())


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves out what takes seconds and has tests of its own: load_dataset of every config."""
    monkeypatch.setattr("venus_toolkit.dataset.hub.publishing.CHECKS_OF_CARD", {})


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were to be waited; nobody waits."""
    asked: list[float] = []
    monkeypatch.setattr(time, "sleep", asked.append)
    return asked


@pytest.fixture
def draft() -> Draft:
    """A small release in one language."""
    return Draft()


@pytest.fixture
def folder(tmp_path: Path, draft: Draft) -> Path:
    """That release, written."""
    return draft.write(tmp_path / "release").folder


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(hub: Hub, tmp_path: Path) -> Iterator[Start]:
    """Starts ``venus`` with these words in a process of its own; it is gone when the test ends."""
    started: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> subprocess.Popen[str]:
        known = {**os.environ, **environment(hub, tmp_path / "hf"), "PYTHONPATH": str(ROOT)}
        argv = [sys.executable, "-m", "venus_toolkit", *words]
        process = subprocess.Popen(argv, env=known, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
