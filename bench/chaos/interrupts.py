"""Interrupts: after SIGINT or SIGTERM, a command ends at once, leaves nothing behind, and can be resumed."""

from __future__ import annotations

import math
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec

from bench.chaos import traces
from bench.chaos.kills import UndisturbedRun, complaints, undisturbed
from bench.chaos.serving import SERVE
from bench.chaos.subjects import (
    BUILD,
    DOCKER,
    PATIENCE_S,
    ROOT,
    SUBJECTS,
    CommandEnd,
    Place,
    Subject,
    write_release,
)

MAX_S = 2.0  # limit from an interrupt to the end of the command
SECOND_S = 0.5  # the same from a second interrupt
PER_SESSION = 4  # interrupts before the command may finish and its result is compared
# exit codes after an interrupt; the signal itself ends a command that is still loading modules
STOPPED = (130, -signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL)


@dataclass
class InterruptOutcome:
    """The outcome of interrupts for a subject.

    Attributes:
        subject: The name of the subject.
        undisturbed_s: Duration of the undisturbed run.
        late: Number of runs that ended before their interrupt.
        sessions: Number of sessions that were finished and compared.
        latencies_s: Times from single interrupts to the end of the command.
        second_s: Times from second interrupts to the end of the command.
        complaints: Deviations from the expected behaviour.
        took_s: Total duration.
    """

    subject: str
    undisturbed_s: float = 0.0
    late: int = 0
    sessions: int = 0
    latencies_s: list[float] = field(default_factory=list)
    second_s: list[float] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    took_s: float = 0.0

    @property
    def times(self) -> int:
        """The number of interrupts that came before the end."""
        return len(self.latencies_s) + len(self.second_s)


def _release(name: str, *words: str) -> Subject:
    """Return a command on a copy of the release; its files are compared."""
    build = SUBJECTS["derive sft"]
    return Subject(
        name,
        lambda place: [word.format(run=place.of("out") / "run") for word in words],
        build.made,
        build.begin,
    )


def _alone(name: str, words: Callable[[Place], list[str]]) -> Subject:
    """Return a command without comparable files: only its exit code is compared."""
    return Subject(name, words, lambda place: {})


def _trainable(place: Place) -> None:
    """Derive a training set, and write a tiny model if there is none."""
    derive = SUBJECTS["derive sft"]
    derive.begin(place)
    assert derive.run(place).code == 0
    if not place.of("model").is_dir():
        script = ROOT / "tests/builders/derive/programs/tiny_qwen.py"
        subprocess.run([sys.executable, script, str(place.of("model"))], check=True)


DRY = SUBJECTS["publish"]
MORE = (
    _release("card", "card", "{run}"),
    Subject(
        "publish --dry-run",
        lambda place: [*DRY.words(place), "--dry-run"],
        DRY.made,
        DRY.begin,
        hub=True,
    ),
    _alone(
        "run",
        lambda place: [
            "run",
            str(place.of("program.py")),
            "--stdin",
            str(place.of("tests") / "1.in"),
        ],
    ),
    _alone("doctor", lambda place: ["doctor"]),
    Subject(
        "train",
        lambda place: [
            *("train", "sft", "--data", str(place.of("out") / "run"), "--recipe", "sft-small"),
            *("--model", str(place.of("model")), "--max-steps", "4"),
            *("--out", str(place.of("out") / "model")),
        ],
        lambda place: {},
        _trainable,
    ),
)
INTERRUPTED = {subject.name: subject for subject in (*SUBJECTS.values(), *MORE, SERVE)}


def interrupted_here() -> list[str]:
    """Return the default subjects: builds in Docker need a daemon, and training needs TRL."""
    left_out = {DOCKER.name, *(() if find_spec("trl") else ("train",))}
    return [name for name in INTERRUPTED if name not in left_out]


def interrupt(
    subject: Subject,
    place: Place,
    times: int,
    seed: int,
    tell: Callable[[str], None],
    end: float = math.inf,
) -> InterruptOutcome:
    """Interrupt a command `times` times, in as many sessions as necessary.

    No session begins after `end`, a monotonic time.
    """
    start, moments, outcome = (
        time.monotonic(),
        random.Random(f"{seed} interrupt {subject.name}"),
        InterruptOutcome(subject.name),
    )
    if subject not in (BUILD, SERVE):
        write_release(place)
    # A server does not end by itself, so it is interrupted during the first seconds.
    baseline = None if subject is SERVE else undisturbed(subject, place)
    outcome.undisturbed_s = baseline.seconds if baseline else 3.0
    while outcome.times < times and outcome.late < 2 * times and time.monotonic() < end:
        _session(
            subject, place, baseline, min(PER_SESSION, times - outcome.times), moments, outcome
        )
        slowest = max(outcome.latencies_s, default=0.0)
        tell(
            f"{subject.name}: {outcome.times} of {times}, slowest {slowest:.2f} s, complaints: "
            f"{outcome.complaints}"
        )
    outcome.took_s = time.monotonic() - start
    return outcome


def _session(
    subject: Subject,
    place: Place,
    baseline: UndisturbedRun | None,
    times: int,
    moments: random.Random,
    outcome: InterruptOutcome,
) -> None:
    place.empty()
    subject.begin(place)
    pids: set[int] = set()
    ended = None
    for _ in range(times):
        ended = interrupted(subject, place, moments, outcome)
        pids.add(ended.pid)
        if ended.code not in STOPPED and baseline:
            break
    if baseline:
        if ended is None or ended.code in STOPPED:
            # On a busy machine an undisturbed run may take longer than the usual patience.
            patience_s = max(PATIENCE_S, 3 * outcome.undisturbed_s)
            ended = subject.end(place, subject.start(place), patience_s)
            pids.add(ended.pid)
        complaints_again = complaints(subject, place, baseline, ended, pids)
        outcome.complaints += [f"rerun: {complaint}" for complaint in complaints_again]
    outcome.sessions += 1


def interrupted(
    subject: Subject, place: Place, moments: random.Random, outcome: InterruptOutcome
) -> CommandEnd:
    """Interrupt a command at a random moment, sometimes twice, and look for leftovers."""
    number, twice = moments.choice((signal.SIGINT, signal.SIGTERM)), moments.random() < 0.25
    moment_s, pause_s = moments.random() * outcome.undisturbed_s, moments.uniform(0.1, 0.5)
    process = subject.start(place)
    early = _ended_within(process, moment_s)
    begin = time.monotonic()
    process.send_signal(number)
    again = twice and not _ended_within(process, pause_s)
    if again:
        begin = time.monotonic()
        process.send_signal(number)
    ended = subject.end(place, process, 20)
    seconds = time.monotonic() - begin
    if early or (ended.code not in STOPPED and subject is not SERVE):
        outcome.late += 1
        return ended
    (outcome.second_s if again else outcome.latencies_s).append(seconds)
    at = f"{number.name}{' twice' * again} after {moment_s:.2f} s"
    if seconds > (SECOND_S if again else MAX_S):
        outcome.complaints.append(f"{at}: it ended after {seconds:.2f} s")
    # During startup, the interpreter itself prints a traceback.
    loud = any(word in ended.output for word in ("Traceback", "Exception ignored", "Error"))
    ours = [line for line in ended.output.splitlines() if "File" in line and "<frozen" not in line]
    if (loud and ours) or (ended.code == 130 and "stopping…" not in ended.output):
        outcome.complaints.append(f"{at}: it printed {ended.output[-300:]}")
    left = [f"the process {name}" for name in traces.orphans(0.0)]
    left += [f"the folder {name}" for name in traces.temporaries(place.of("tmp"))]
    left += [f"the control group {name}" for name in traces.cgroups({ended.pid})]
    left += [f"the draft {path.name}" for path in place.of("out").rglob(".*draft")]
    outcome.complaints += [f"{at}: {trace} stays" for trace in left]
    return ended


def _ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
