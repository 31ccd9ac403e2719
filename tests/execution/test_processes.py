"""Waiting for the end of a child process."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from venus_toolkit.execution.sandbox.session import ends_within


def _fail(pid: int) -> int:
    raise OSError("no such system call")


@pytest.fixture(params=["a kernel with pidfd", "a kernel without pidfd", "a Python without pidfd"])
def kernel(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "a kernel without pidfd":
        monkeypatch.setattr(os, "pidfd_open", _fail)
    if request.param == "a Python without pidfd":
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
def test_wait_for_a_running_child_times_out() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        assert not ends_within(child, 0.02)
        child.kill()
