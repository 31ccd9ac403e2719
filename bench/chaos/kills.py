"""Sessions: kill a command at random moments, resume it until it is done, and compare the results."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.chaos import traces
from bench.chaos.subjects import CommandEnd, Place, Subject, write_release
from venus_toolkit.core.store import intact, read_manifest
from venus_toolkit.dataset.hub.staged_release import PENDING
from venus_toolkit.dataset.release import CARD

MAX_PER_SESSION = 6  # kills


@dataclass
class KillOutcome:
    """The outcome of kills for a subject.

    Attributes:
        subject: The name of the subject.
        undisturbed_s: Duration of the undisturbed run.
        kills: Number of kills that hit a running command, by their trigger: ``clock`` (after a
            time) or ``operation`` (at the n-th operation).
        late: Number of runs that ended before their kill.
        sessions: Number of sessions that were finished and compared.
        given_up: Number of jobs that a server abandoned because they were running at two kills.
        complaints: Differences from the undisturbed run, and leftovers.
        gone_s: The longest time until all processes of a killed command were gone.
        resumed_s: The longest duration of a resumed run that finished.
        took_s: Total duration.
    """

    subject: str
    undisturbed_s: float = 0.0
    kills: dict[str, int] = field(default_factory=lambda: {"clock": 0, "operation": 0})
    late: int = 0
    sessions: int = 0
    given_up: int = 0
    complaints: list[str] = field(default_factory=list)
    gone_s: float = 0.0
    resumed_s: float = 0.0
    took_s: float = 0.0

    @property
    def killed(self) -> int:
        """The number of kills."""
        return sum(self.kills.values())

    def gone(self) -> None:
        """Wait until all processes of a command are gone."""
        start = time.monotonic()
        self.complaints += [f"a process stays: {name}" for name in traces.orphans()]
        self.gone_s = max(self.gone_s, time.monotonic() - start)


class UndisturbedRun(NamedTuple):
    """An undisturbed run: exit code, results, duration, and number of operations."""

    code: int | None
    made: dict[str, bytes]
    seconds: float
    operations: int


def undisturbed(subject: Subject, place: Place) -> UndisturbedRun:
    """Run a subject twice without disturbance; return the second run.

    The first run stores its figures; with these, the second run must produce the same files.
    """
    runs: list[UndisturbedRun] = []
    counted = place.of("operations")
    for _ in range(2):
        place.empty()
        subject.begin(place)
        start = time.monotonic()
        ended = subject.run(place, CHAOS_OPERATIONS=str(counted))
        seconds = time.monotonic() - start
        assert ended.code in (0, 1), ended.output
        runs.append(
            UndisturbedRun(ended.code, subject.made(place), seconds, int(counted.read_text()))
        )
    assert not (difference := differences(runs[0].made, runs[1].made)), (
        f"two undisturbed runs differ: {difference}"
    )
    return runs[1]


def differences(expected: dict[str, bytes], actual: dict[str, bytes]) -> list[str]:
    """Return the names of files that differ, are missing, or should not exist."""
    return sorted(
        name for name in expected.keys() | actual.keys() if expected.get(name) != actual.get(name)
    )


def kill(
    subject: Subject,
    place: Place,
    kills: int,
    seed: int,
    tell: Callable[[str], None],
    end: float = math.inf,
) -> KillOutcome:
    """Kill a command `kills` times, in as many sessions as necessary.

    No session begins after `end`, a monotonic time.
    """
    start, moments, outcome = (
        time.monotonic(),
        random.Random(f"{seed} {subject.name}"),
        KillOutcome(subject.name),
    )
    if subject.name != "build":
        write_release(place)
    baseline = undisturbed(subject, place)
    outcome.undisturbed_s = baseline.seconds
    mounts = traces.mounts()
    while outcome.killed < kills and time.monotonic() < end:
        _session(
            subject,
            place,
            baseline,
            min(moments.randint(1, MAX_PER_SESSION), kills - outcome.killed),
            moments,
            outcome,
        )
        outcome.complaints += [
            f"a mount stays: {mount}" for mount in sorted(traces.mounts() - mounts)
        ]
        tell(f"{subject.name}: {outcome.killed} of {kills} kills, complaints: {outcome.complaints}")
    outcome.took_s = time.monotonic() - start
    return outcome


def _session(
    subject: Subject,
    place: Place,
    baseline: UndisturbedRun,
    kills: int,
    moments: random.Random,
    outcome: KillOutcome,
) -> None:
    place.empty()
    subject.begin(place)
    pids: set[int] = set()
    ended = None
    for share in shares(kills, moments):
        kind, ended = _killed_run(subject, place, baseline, share, moments.random() < 0.5)
        pids.add(ended.pid)
        outcome.gone()
        if not ended.killed:
            outcome.late += 1
            break
        outcome.kills[kind] += 1
        # After an interrupted publish, files may be missing until the next publish moves them.
        if (place.of("out") / "run" / PENDING).exists():
            continue
        listed = (read_manifest(place.of("out") / "run") or {}).get("files", {})
        # The card is not compared, because users may edit it.
        data = {name: checksum for name, checksum in listed.items() if name != CARD}
        if data and not intact(place.of("out") / "run", {"files": data}):
            outcome.complaints.append("a manifest lists files that are not there")
    if ended is None or ended.killed:
        start = time.monotonic()
        ended = subject.run(place)
        outcome.resumed_s = max(outcome.resumed_s, time.monotonic() - start)
        pids.add(ended.pid)
        outcome.gone()
    outcome.sessions += 1
    outcome.complaints += complaints(subject, place, baseline, ended, pids)


def shares(kills: int, moments: random.Random) -> list[float]:
    """Return how long each run of a session lasts until its kill, as shares of an undisturbed run.

    Each run resumes the previous one, so the running totals are random points of the whole work.
    The real points are a little earlier, because a resumed run starts up and repeats the
    interrupted work.
    """
    points = sorted(moments.random() for _ in range(kills))
    return [point - before for before, point in zip([0.0, *points], points, strict=False)]


def _killed_run(
    subject: Subject, place: Place, baseline: UndisturbedRun, share: float, by_clock: bool
) -> tuple[str, CommandEnd]:
    """Run a command and kill it after a share of the undisturbed time or number of operations."""
    if not by_clock:
        return "operation", subject.run(
            place, CHAOS_KILL_AT=str(1 + int(share * baseline.operations))
        )
    process = subject.start(place)
    wait_until = time.monotonic() + share * baseline.seconds
    while process.poll() is None and time.monotonic() < wait_until:
        time.sleep(0.002)
    process.kill()
    return "clock", subject.end(place, process)


def complaints(
    subject: Subject, place: Place, baseline: UndisturbedRun, ended: CommandEnd, pids: set[int]
) -> list[str]:
    """Return the differences of a finished session from the undisturbed run, and its leftovers."""
    complaint_list = []
    if ended.code != baseline.code:
        complaint_list.append(
            f"exit code {ended.code} and not {baseline.code}: {ended.output[-500:]}"
        )
    complaint_list += [
        f"{name} differs" for name in differences(baseline.made, subject.made(place))
    ]
    folders = (place.of("tmp"), *place.of("out").glob("run/.venus/tmp"))
    complaint_list += [
        f"{name} stays in a temporary folder"
        for folder in folders
        for name in traces.temporaries(folder)
    ]
    complaint_list += [f"the control group {path} stays" for path in sorted(traces.cgroups(pids))]
    return complaint_list
