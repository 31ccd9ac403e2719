"""Progress: activities, elapsed time and remaining time."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.cli import COMMANDS, UNWATCHED, printing, venus
from venus_toolkit.cli.printing import at_work, duration, heartbeat, stage_progress
from venus_toolkit.core.activity import activities, doing
from venus_toolkit.core.errors import UsageError


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89, "89 s"), (91, "2 min"), (720, "12 min"), (7500, "2 h 5 min")],
)
def test_duration(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_activities_nest_and_end() -> None:
    assert activities() == []
    with doing("build"), doing("curate"):
        [activity] = activities()
        assert activity.words == ("build", "curate")
        assert activity.of_main_thread
    with pytest.raises(ZeroDivisionError), doing("build"):
        _ = 1 / 0
    assert activities() == []


def in_a_thread(words: str) -> tuple[threading.Thread, threading.Event]:
    begun, end = threading.Event(), threading.Event()

    def work() -> None:
        with doing(words):
            begun.set()
            end.wait(60)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(60)
    return thread, end


def test_worker_threads_are_shown_first() -> None:
    threads = [in_a_thread(words) for words in ("a", "b\x1b[2J", "c")]
    try:
        with doing("build"):
            line = at_work()
    finally:
        for thread, end in threads:
            end.set()
            thread.join()
    assert re.match(r"a for \d+ s, b", line)
    assert line.endswith(", 1 more")
    assert "\x1b" not in line


def test_long_stage_estimates_remaining_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [1000.0]
    monkeypatch.setattr(printing.time, "monotonic", lambda: now[0])
    with stage_progress() as say:
        say("generate", 0, 4)
        now[0] += 60
        say("generate", 1, 4)
        say("judge", 1, 2)
        now[0] += 60
        say("generate", 4, 4)
    assert capsys.readouterr().err.splitlines() == [
        "generate: 0 of 4",
        "generate: 1 of 4, 60 s, about 3 min left",
        "judge: 1 of 2",
        "generate: 4 of 4, 2 min",
    ]


def test_slow_item_does_not_raise_the_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1000.0]
    monkeypatch.setattr(printing.time, "monotonic", lambda: now[0])
    with stage_progress() as say:
        say("generate", 0, 3)
        now[0] += 120
        say("generate", 1, 3)
        timings = []
        for _ in range(4):
            timings.append(printing._ProgressLine.stages["generate"].timing())
            now[0] += 60
        say("generate", 2, 3)
        now[0] += 1000
        timings.append(printing._ProgressLine.stages["generate"].timing())
    assert timings == [
        "2 min, about 4 min left",
        "3 min, about 3 min left",
        "4 min, about 2 min left",
        "5 min, about 2 min left",
        "23 min",
    ]


def wait_for(capsys: pytest.CaptureFixture[str], words: str) -> str:
    output, end = "", time.monotonic() + 60
    while words not in output and time.monotonic() < end:
        time.sleep(0.05)
        output += capsys.readouterr().err
    return output


def test_silent_stage_prints_activity(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(printing, "LONG_S", 0.3)
    with stage_progress() as say, doing("build"), doing("largest-sum"):
        say("generate", 1, 2)
        output = wait_for(capsys, "largest-sum")
    assert "generate: 1 of 2, " in output
    assert "; build: largest-sum for " in output


def test_silent_command_prints_activity(capsys: pytest.CaptureFixture[str]) -> None:
    with heartbeat(0.2), doing("inspect"), doing("checking a.parquet"):
        assert "inspect: checking a.parquet for " in wait_for(capsys, "checking")
    time.sleep(0.5)
    capsys.readouterr()
    time.sleep(0.5)
    assert capsys.readouterr().err == "", "the heartbeat ends with the command"


def test_run_prints_activity_without_a_terminal(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines: list[str] = []
    monkeypatch.setattr("venus_toolkit.cli.LONG_S", 0.2)

    def slow(*_: Any, **__: Any) -> Any:
        printing.line_progress(False)("counting at growing sizes")
        end = time.monotonic() + 60
        while "counting" not in "".join(lines) and time.monotonic() < end:
            time.sleep(0.05)
        raise UsageError("it has to end somehow")

    monkeypatch.setattr("venus_toolkit.cli.machine.run.read_groups", slow)
    monkeypatch.setattr(printing.click, "echo", lambda line, **_: lines.append(line))
    (tmp_path / "program.py").write_text("print(1)")
    cli("run", tmp_path / "program.py")
    # On a busy machine, other lines may come first, while modules are loaded.
    assert any(line.startswith("counting at growing sizes; run for ") for line in lines)


def test_commands_register_their_names(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named: list[str] = []
    monkeypatch.setattr("venus_toolkit.cli.doing", lambda name: named.append(name) or doing(name))
    cli("inspect", tmp_path / "nothing")
    cli("languages", "list")
    cli("completion", "bash")
    assert named[-1:] == ["languages"]
    assert set(UNWATCHED) < set(COMMANDS)
    assert venus.get_command(None, "inspect") is not None  # type: ignore[arg-type]
