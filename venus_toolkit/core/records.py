"""The records that flow through the toolkit. Units are in the names; unknown is ``None``, never 0.

`to_plain` and `from_plain` turn records into JSON values and back.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

Record = TypeVar("Record")

NS_PER_S = 1_000_000_000
NS_PER_MS = 1_000_000
MIB = 1 << 20
KIB = 1 << 10


class Verdict(StrEnum):
    """The judgement on a program. A failure of the sandbox is none of these."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    COMPILE_ERROR = "compile_error"


class Expectation(StrEnum):
    """What a solution is said to be. Canonical solutions are the accepted ones."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    SLOW = "slow"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one run. Zero is not a limit: every field must be positive."""

    wall_ns: int = 10 * NS_PER_S
    cpu_ns: int = 10 * NS_PER_S
    memory_bytes: int = 512 * MIB
    output_bytes: int = 64 * MIB
    file_bytes: int = 64 * MIB
    processes: int = 64
    open_files: int = 256

    def changed(self, **values: int | None) -> Limits:
        """Return a copy with the values that are not None."""
        return dataclasses.replace(
            self, **{name: value for name, value in values.items() if value is not None}
        )


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """How an output is compared with the expected one.

    kind is ``exact`` (after trimming trailing white space), ``float`` (numbers within the
    tolerances) or ``evaluator`` (the problem's own ``evaluate(expected, actual)``). real, for
    ``float``: the problem asks for real numbers, so the tolerances hold for integers in the
    expected output too, which are compared exactly otherwise. several says that answers may be
    right which it refuses: then only inputs on which many programs agree are tests. source has the
    sentences of the statement that it was read from.
    """

    kind: str = "exact"
    absolute: float = 0.0
    relative: float = 0.0
    real: bool = False
    several: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem with everything needed to make tests for it and to judge solutions of it.

    date is when it was first published, ``YYYY-MM-DD``, or None. category is ``algorithms``, or
    what a source says it is instead (``database``, ``shell``, ``interactive``). validator is Python
    that defines ``validate(stdin)``, true for a well-formed input. standards names the version of a
    language that solutions are compiled by, where that is not the usual one (``{"cpp":
    "gnu++17"}``). extra holds what the source said beyond this, as plain values.
    """

    slug: str
    problem_id: int
    title: str
    statement: str
    difficulty: str
    tags: tuple[str, ...]
    style: str
    source: str
    license: str
    limits: Limits
    comparison: OutputComparison
    generator: str | None = None
    evaluator: str | None = None
    validator: str | None = None
    starter_code: Mapping[str, str] = field(default_factory=dict)
    runners: Mapping[str, str] = field(default_factory=dict)
    standards: Mapping[str, str] = field(default_factory=dict)
    date: str | None = None
    url: str = ""
    category: str = "algorithms"
    paid_only: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


CORRECTNESS, EFFICIENCY = "correctness", "efficiency"


@dataclass(frozen=True, slots=True)
class TestCase:
    """One standard input and its agreed standard output (None until it is agreed).

    role is CORRECTNESS or EFFICIENCY where tests were chosen for one of them, else None;
    `measured_tests` says what follows from it. adds says what the test was chosen for:
    ``coverage``, ``output``, ``kills NAME``, ``cost``.
    """

    # Otherwise pytest would collect the class as tests.
    __test__ = False

    test_id: str
    stdin: str
    stdout: str | None = None
    kind: str = "generated"
    size: str | None = None
    seed: int | None = None
    role: str | None = None
    adds: str | None = None


def measured_tests(tests: Iterable[TestCase]) -> tuple[TestCase, ...]:
    """Return the tests that programs are measured on.

    Those for efficiency, or all where none is for it alone.
    """
    listed = tuple(tests)
    return tuple(test for test in listed if test.role == EFFICIENCY) or listed


@dataclass(frozen=True, slots=True)
class Solution:
    """Code in one language, where it comes from and what is expected of it.

    origin is the file, or the row of a table, that it was read from; extra is what the source said
    beyond this.
    """

    solution_id: str
    slug: str
    language: str
    code: str
    expected: Expectation = Expectation.UNKNOWN
    source: str = ""
    license: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """What the kernel reported of one execution.

    limit says which limit ended it (wall, cpu, memory, output) or is None. peak_source says where
    the peak came from: rusage (the kernel's high-water mark of one process), samples, or cgroup.
    The true integral lies within ``integral_byte_ns ± integral_error_byte_ns`` (peak times the
    largest gap between samples). accounting says what memory is that of the program: everything
    that its control group is charged for (``cgroup``), or the resident sets of its processes alone.
    runnable_ns is for how long, about, a thread of it ran or waited for a processor: its states
    were looked at LOOKS times at most until the limit of wall time (supervisor.c), which for a run
    that is much shorter is never. disagreement names a figure (``cpu``, ``memory``) of which two
    sources say what cannot both be true: then the run has no figures to be published. instructions
    is how many the run executed in user mode, over all its threads and processes, where it was
    counted; where that was asked for and cannot be said, uncounted says why. The other figures of a
    run that was counted by emulation are those of the emulator.
    """

    exit_code: int | None
    signal: int | None
    limit: str | None
    wall_ns: int
    cpu_ns: int
    user_ns: int
    system_ns: int
    peak_bytes: int
    peak_source: str
    cgroup_peak_bytes: int | None
    integral_byte_ns: int
    integral_error_byte_ns: int
    samples: int
    largest_gap_ns: int
    processes: int
    oom_kills: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    stdout_cut: bool
    stderr_cut: bool
    containment: str
    accounting: str = "processes"
    disagreement: str | None = None
    instructions: int | None = None
    uncounted: str | None = None
    runnable_ns: int = 0
    stdout: bytes = b""
    stderr: bytes = b""
    trace: tuple[tuple[int, int], ...] = ()

    @property
    def clean(self) -> bool:
        """Whether the program ended by itself with exit code 0 inside all limits."""
        return self.exit_code == 0 and self.signal is None and self.limit is None

    @property
    def paused(self) -> bool:
        """Whether it ended by wall time and nobody looked at it for a tenth of that.

        The machine stood still.

        A machine that is paused stops the supervisor too; a program that sleeps does not.
        """
        return self.limit == "wall" and self.largest_gap_ns > self.wall_ns / 10

    @property
    def kept_waiting_ns(self) -> int:
        """For how long, about, the machine kept it from running although it could."""
        return max(self.runnable_ns - self.cpu_ns, 0)

    def without_output(self) -> Run:
        """Return the figures alone, to keep many of them."""
        return dataclasses.replace(self, stdout=b"", stderr=b"", trace=())


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, the first test that failed, and the verdict and the run of each test that was run."""

    verdict: Verdict
    reason: str = ""
    failing_test: str | None = None
    compile_log: str = ""
    runs: tuple[Run, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


# Noise flag: a program is far cheaper on an input that it has met before. The figures are then
# those of its first run, and rank nowhere.
REPEATS_DISAGREE = "repeats_disagree"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A solution's cost over all its tests.

    Per test the minimum over the repeats (or the median), then the sum over the tests; for memory
    the maximum. relative_time is the CPU time by the model of the whole session
    (execution/measuring/estimator.py) divided by that of one run of the reference program. A spread
    is (largest - smallest) / smallest over the repeats' sums; an se is the standard error of a
    figure, as a share of it and against the other programs of the session: 1.96 of them to both
    sides hold 95 %. Those of wall_ns, cpu_ns and integral_byte_ns have the drift of the machine in
    them. Without a clean repeat every figure is None. reseeded: on how many of the tests each
    repeat had an input of its own; the figures are medians then. A floor is what an empty program
    of the language costs in the same session on as many tests. instructions is the sum over the
    tests of one counted run each. joint_time is relative_time corrected by what the instructions of
    all programs of the problem say (execution/measuring/joint.py).
    """

    wall_ns: int | None = None
    cpu_ns: int | None = None
    peak_bytes: int | None = None
    integral_byte_ns: int | None = None
    integral_error_byte_ns: int | None = None
    relative_time: float | None = None
    wall_spread: float | None = None
    cpu_spread: float | None = None
    integral_spread: float | None = None
    relative_spread: float | None = None
    repeats: int = 0
    tests: int = 0
    noise: tuple[str, ...] = ()
    reseeded: int = 0
    wall_se: float | None = None
    cpu_se: float | None = None
    integral_se: float | None = None
    relative_se: float | None = None
    floor_wall_ns: int | None = None
    floor_cpu_ns: int | None = None
    floor_peak_bytes: int | None = None
    instructions: int | None = None
    instructions_se: float | None = None
    floor_instructions: int | None = None
    joint_time: float | None = None
    joint_se: float | None = None

    @property
    def repeats_agree(self) -> bool:
        """Whether it may be ranked: no repeat was clearly cheaper than the first run."""
        return REPEATS_DISAGREE not in self.noise


class Secret(str):
    """A text that records and messages do not show."""

    def __repr__(self) -> str:
        """Return what stands for every secret."""
        return "(not shown)"


def to_plain(value: Any) -> Any:
    """Return a record as plain JSON values; raw bytes become text with replacement characters.

    A secret becomes words that do not tell it.
    """
    if isinstance(value, Secret):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    return value


def json_lines(values: Iterable[Any]) -> str:
    """Return plain values as text, each as JSON on a line of its own."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def digest(*parts: object) -> str:
    """Return a SHA-256 over plain values and records.

    The identity of what they describe, such as a journal key.
    """
    sha256 = hashlib.sha256()
    for text in _pieces(parts, 2):
        # A program of a dataset may hold lone surrogates, which strict UTF-8 refuses.
        sha256.update(text.encode("utf-8", "surrogatepass"))
    return sha256.hexdigest()


def _pieces(value: object, depth: int) -> Iterator[str]:
    """Yield the JSON of a value, where lists are not more than `depth` deep by their items.

    Tests are large.
    """
    if not depth or not isinstance(value, (list, tuple)):
        yield json.dumps(to_plain(value), sort_keys=True, ensure_ascii=False)
        return
    yield "["
    for number, item in enumerate(value):
        if number:
            yield ", "
        yield from _pieces(item, depth - 1)
    yield "]"


def from_plain(kind: type[Record], values: Mapping[str, Any]) -> Record:
    """Return a record of dataclass `kind` without inner records from what to_plain made of it.

    Lists become tuples.
    """
    return kind(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
    )
