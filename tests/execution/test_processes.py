"""Who ends in time."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from venus_toolkit.execution.sandbox.session import ends_within


def _cannot_say(pid: int) -> int:
    raise OSError("no such system call")


@pytest.fixture(
    params=["a kernel that says it", "one that cannot", "a Python that does not know it"]
)
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "one that cannot":
        monkeypatch.setattr(os, "pidfd_open", _cannot_say)
    if request.param == "a Python that does not know it":
        monkeypatch.delattr(os, "pidfd_open")


@pytest.mark.usefixtures("kernel")
@pytest.mark.serial
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
