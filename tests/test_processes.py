"""Who is still there: the living, but not those who are dead and only wait to be reaped; and who ends in time."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from venus_toolkit.sandbox.processes import ends_within, start_of


def test_the_living_started_at_some_time() -> None:
    assert int(start_of("1") or -1) >= 0
    assert int(start_of(str(os.getpid())) or 0) > int(start_of("1") or 0)


def test_nobody_is_there() -> None:
    assert start_of("4194999") is None


def test_the_dead_that_nobody_has_reaped_are_not_there(eventually: Callable[..., bool]) -> None:
    with subprocess.Popen(["true"]) as process:
        assert eventually(lambda: start_of(str(process.pid)) is None)
        assert Path("/proc", str(process.pid)).exists()


def _cannot_say(pid: int) -> int:
    raise OSError("no such system call")


@pytest.fixture(params=["a kernel that says it", "one that cannot"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "one that cannot":
        monkeypatch.setattr(os, "pidfd_open", _cannot_say)


@pytest.mark.usefixtures("kernel")
def test_a_child_that_ends_is_reaped_at_once() -> None:
    start = time.monotonic()
    child = subprocess.Popen(["sh", "-c", "exit 3"])
    assert ends_within(child, 30)
    assert child.returncode == 3
    assert time.monotonic() - start < 10
    assert ends_within(child, 0)


@pytest.mark.usefixtures("kernel")
def test_a_child_that_goes_on_is_waited_for_no_longer() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        assert not ends_within(child, 0.02)
        child.kill()
