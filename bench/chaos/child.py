"""Runs ``venus`` with the figures of the undisturbed run, and can kill itself at an operation.

python -m bench.chaos.child WORD...

CHAOS_FIGURES is the folder of the figures of the undisturbed run. CHAOS_KILL_AT is the number of
the operation at which the process kills itself. CHAOS_OPERATIONS is a file for the number of
operations, written at the end.
"""

# ruff: noqa: E402

from __future__ import annotations

import atexit
import itertools
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

# As in the command itself, before the slow imports.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import venus_toolkit.__main__ as command
from venus_toolkit.core.records import digest
from venus_toolkit.core.store import Store
from venus_toolkit.execution.engine import executor
from venus_toolkit.execution.engine.executor import plain_measured, read_measured
from venus_toolkit.execution.sandbox.compiled import program_key

FIGURES = Path(os.environ["CHAOS_FIGURES"])
KILL_AT = int(os.environ.get("CHAOS_KILL_AT", 0))
CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "subprocess.Popen")
WRITING = os.O_WRONLY | os.O_RDWR

_numbers = itertools.count(1)
_last = [0]
_measure, _put = executor.measure_programs, Store.put


def operation() -> None:
    """Count an operation, and kill the process at number KILL_AT."""
    _last[0] = next(_numbers)
    if _last[0] == KILL_AT:
        os.kill(os.getpid(), signal.SIGKILL)


def on_event(event: str, arguments: tuple[Any, ...]) -> None:
    """Count every change of the file system before it happens."""
    if event in CHANGES or (
        event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
    ):
        operation()


def put(store: Store, *row: Any) -> None:
    """Write a row to the journal, then count it as an operation."""
    _put(store, *row)
    operation()


def measure(*arguments: Any) -> Any:
    """Measure, and return the figures of the undisturbed run.

    If a program was rejected only in one of the two runs, return the new figures: a rejection is
    not noise.
    """
    measured = _measure(*arguments)
    programs, tests, rules, how = arguments[2:6]
    file = FIGURES / digest([program_key(item) for item in programs], list(tests), list(rules), how)
    if not file.exists():
        draft = file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps([plain_measured(item) for item in measured]))
        draft.replace(file)
    known = [read_measured(item) for item in json.loads(file.read_text())]
    return (
        known
        if [item.rejection for item in known] == [item.rejection for item in measured]
        else measured
    )


if __name__ == "__main__":
    executor.measure_programs = measure
    Store.put = put  # type: ignore[method-assign]
    if told := os.environ.get("CHAOS_OPERATIONS"):
        atexit.register(lambda: Path(told).write_text(str(_last[0])))
    sys.addaudithook(on_event)
    sys.argv = ["venus", *sys.argv[1:]]
    command.main()
