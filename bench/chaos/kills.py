"""Sessions: a command is killed at random moments and typed again until it is done.

Then everything is compared.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.chaos import traces
from bench.chaos.subjects import Ended, Place, Subject, write_release
from venus_toolkit.core.store import intact, read_manifest
from venus_toolkit.dataset.hub.staged_release import PENDING
from venus_toolkit.dataset.release import CARD

MOST_OF_SESSION = 6  # kills


@dataclass
class Outcome:
    """What became of a subject under kills.

    Attributes:
        subject: The name of the subject.
        undisturbed_s: How long the undisturbed run took.
        kills: How many kills came before the end, those by the clock and those at an operation.
        late: How many runs had ended before their moment came.
        sessions: How many times the command was brought to its end and compared.
        given_up: How many jobs of a server were running at two kills, and were not begun a third
            time.
        complaints: What was not as it was in peace, or was left behind; empty: nothing.
        gone_s: The longest time until all processes of a killed command were gone.
        resumed_s: The longest time of a run that went on after a kill and came to its end.
        took_s: How long all of this took.
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
        """How many kills there were."""
        return sum(self.kills.values())

    def gone(self) -> None:
        """Wait until nothing of a command runs any more."""
        start = time.monotonic()
        self.complaints += [f"a process stays: {name}" for name in traces.orphans()]
        self.gone_s = max(self.gone_s, time.monotonic() - start)


class Undisturbed(NamedTuple):
    """A run in peace: its exit code, what it made, how long it took, and how many operations it had."""

    code: int | None
    made: dict[str, bytes]
    seconds: float
    operations: int


def undisturbed(subject: Subject, place: Place) -> Undisturbed:
    """Run a subject in peace, twice.

    The first run leaves its figures, with which the second has to make the same.
    """
    runs: list[Undisturbed] = []
    counted = place.of("operations")
    for _ in range(2):
        place.empty()
        subject.begin(place)
        start = time.monotonic()
        ended = subject.run(place, CHAOS_OPERATIONS=str(counted))
        seconds = time.monotonic() - start
        assert ended.code in (0, 1), ended.said
        runs.append(Undisturbed(ended.code, subject.made(place), seconds, int(counted.read_text())))
    assert not (difference := differences(runs[0].made, runs[1].made)), (
        f"two runs in peace differ: {difference}"
    )
    return runs[1]


def differences(expected: dict[str, bytes], actual: dict[str, bytes]) -> list[str]:
    """Return the names of files that differ, are missing, or are too many."""
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
) -> Outcome:
    """Kill a command so many times, in as many sessions as it takes.

    None begins after `end`, a monotonic time.
    """
    start, moments, outcome = (
        time.monotonic(),
        random.Random(f"{seed} {subject.name}"),
        Outcome(subject.name),
    )
    if subject.name != "build":
        write_release(place)
    peace = undisturbed(subject, place)
    outcome.undisturbed_s = peace.seconds
    mounts = traces.mounts()
    while outcome.killed < kills and time.monotonic() < end:
        _session(
            subject,
            place,
            peace,
            min(moments.randint(1, MOST_OF_SESSION), kills - outcome.killed),
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
    peace: Undisturbed,
    kills: int,
    moments: random.Random,
    outcome: Outcome,
) -> None:
    place.empty()
    subject.begin(place)
    pids: set[int] = set()
    ended = None
    for share in shares(kills, moments):
        kind, ended = _killed_run(subject, place, peace, share, moments.random() < 0.5)
        pids.add(ended.pid)
        outcome.gone()
        if not ended.killed:
            outcome.late += 1
            break
        outcome.kills[kind] += 1
        # But for the card, which may be edited, and what a publisher was moving: the next one moves
        # the rest.
        if (place.of("out") / "run" / PENDING).exists():
            continue
        listed = (read_manifest(place.of("out") / "run") or {}).get("files", {})
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
    outcome.complaints += complaints(subject, place, peace, ended, pids)


def shares(kills: int, moments: random.Random) -> list[float]:
    """Return the shares of a run in peace after which runs are killed that go on, each where the one before was killed.

    Together they reach random points of the whole run. What was under way at a kill, and starting,
    takes them back.
    """
    points = sorted(moments.random() for _ in range(kills))
    return [point - before for before, point in zip([0.0, *points], points, strict=False)]


def _killed_run(
    subject: Subject, place: Place, peace: Undisturbed, share: float, by_clock: bool
) -> tuple[str, Ended]:
    """Run a command and kill it after a share of the time, or of the operations, of the run in peace."""
    if not by_clock:
        return "operation", subject.run(place, CHAOS_KILL_AT=str(1 + int(share * peace.operations)))
    process = subject.start(place)
    wait_until = time.monotonic() + share * peace.seconds
    while process.poll() is None and time.monotonic() < wait_until:
        time.sleep(0.002)
    process.kill()
    return "clock", subject.end(place, process)


def complaints(
    subject: Subject, place: Place, peace: Undisturbed, ended: Ended, pids: set[int]
) -> list[str]:
    """Return what a finished session has otherwise than the run in peace."""
    complaint_list = []
    if ended.code != peace.code:
        complaint_list.append(f"exit code {ended.code} and not {peace.code}: {ended.said[-500:]}")
    complaint_list += [f"{name} differs" for name in differences(peace.made, subject.made(place))]
    folders = (place.of("tmp"), *place.of("out").glob("run/.venus/tmp"))
    complaint_list += [
        f"{name} stays in a temporary folder"
        for folder in folders
        for name in traces.temporaries(folder)
    ]
    complaint_list += [f"the control group {path} stays" for path in sorted(traces.cgroups(pids))]
    return complaint_list
