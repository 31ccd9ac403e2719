"""Who is still there: the living, but not those who are dead and only wait to be reaped."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from venus_toolkit.sandbox.processes import start_of


def test_the_living_started_at_some_time() -> None:
    assert int(start_of("1") or -1) >= 0
    assert int(start_of(str(os.getpid())) or 0) > int(start_of("1") or 0)


def test_nobody_is_there() -> None:
    assert start_of("4194999") is None


def test_the_dead_that_nobody_has_reaped_are_not_there(eventually: Callable[..., bool]) -> None:
    with subprocess.Popen(["true"]) as process:
        assert eventually(lambda: start_of(str(process.pid)) is None)
        assert Path("/proc", str(process.pid)).exists()
