"""A stopped supervisor: the session ends with a sandbox failure instead of a verdict."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable

import pytest

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.session import Child, SupervisedSession


@pytest.mark.parametrize("inputs", [1, 3], ids=["one", "several"])
def test_stopped_supervisor_is_given_up(
    binary: str, program: Callable[..., list[str]], inputs: int
) -> None:
    words = supervisor.argv(
        binary, Limits(wall_ns=60 * NS_PER_S), program("memory", "touch", 1, 30_000)
    )
    process = subprocess.Popen(words, stdin=-1, stdout=-1, stderr=-1)
    # A session that waited for ever would hang the test instead of failing it.
    too_late = threading.Timer(20, process.kill)
    too_late.start()
    started = time.monotonic()
    with SupervisedSession(lambda: Child(process), patience_s=2) as session:
        runs = session.run([b""] * inputs)
        os.kill(process.pid, signal.SIGSTOP)
        with pytest.raises(SandboxError, match="the sandbox stopped"):
            next(runs)
    too_late.cancel()
    assert time.monotonic() - started < 15
    assert process.returncode == -signal.SIGKILL
