"""The records of the pipeline. Units are in the names; an unknown value is ``None``, never 0.

`to_plain` and `from_plain` convert records to JSON values and back.
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
    """The judgement on a program; a failure of the sandbox is not a verdict."""

    ACCEPTED = "accepted"
    WRONG_ANSWER = "wrong_answer"
    RUNTIME_ERROR = "runtime_error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    COMPILE_ERROR = "compile_error"


class Expectation(StrEnum):
    """The label of a solution in its source. Canonical solutions are the accepted ones."""

    ACCEPTED = "accepted"
    WRONG = "wrong"
    SLOW = "slow"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one run; every field must be positive."""

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
    """The rule by which an output is compared with the expected output.

    kind is ``exact`` (after trimming trailing white space), ``float`` (numbers within the
    tolerances) or ``evaluator`` (the problem's own ``evaluate(expected, actual)``). real is true if
    the problem asks for real numbers; ``float`` then applies the tolerances to integers in the
    expected output too, instead of comparing them exactly. several is true if the rule may refuse
    some right answers; then only inputs on which many programs agree become tests. source quotes
    the sentences of the statement that the rule comes from.
    """

    kind: str = "exact"
    absolute: float = 0.0
    relative: float = 0.0
    real: bool = False
    several: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem, with everything needed to make its tests and to judge its solutions.

    date is that of first publication, ``YYYY-MM-DD``, or None. category is ``algorithms`` unless
    the source names another one (``database``, ``shell``, ``interactive``). validator is Python
    code that defines ``validate(stdin)``, true for a well-formed input. standards maps a language
    to the standard by which its solutions are compiled, if not the usual one (``{"cpp":
    "gnu++17"}``). extra has all other fields of the source, as plain values.
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
    """A standard input and its agreed standard output (None before agreement).

    role is CORRECTNESS or EFFICIENCY for a test selected for that purpose, else None (see
    `measured_tests`). adds is the reason for its selection: ``coverage``, ``output``,
    ``kills NAME``, ``cost``.
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
    """Return the tests to measure programs on: those for efficiency, or all if there are none."""
    listed = tuple(tests)
    return tuple(test for test in listed if test.role == EFFICIENCY) or listed


@dataclass(frozen=True, slots=True)
class Solution:
    """Code in one language, its origin and its expected verdict.

    origin is the file, or the row of a table, that it was read from; extra has all other fields of
    the source.
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
    """The kernel's report of one execution.

    limit is the limit that ended it (wall, cpu, memory, output) or None. peak_source is the source
    of the peak: rusage (the kernel's high-water mark of one process), samples, or cgroup. The true
    integral lies within ``integral_byte_ns ± integral_error_byte_ns`` (peak times the largest gap
    between samples). accounting is ``cgroup`` if memory includes everything that its control group
    is charged for, else ``processes``: their resident sets alone. runnable_ns estimates the time in
    which one of its threads ran or waited for a processor. The supervisor samples their states at
    most LOOKS times within the wall-time limit (supervisor.c), so a much shorter run has no sample.
    disagreement names a figure (``cpu``, ``memory``) on which two sources contradict each other:
    such a run has no figures to publish. instructions is the number of instructions executed in
    user mode by all threads and processes of a counted run; uncounted is the reason why a requested
    count is missing. The other figures of a run counted by emulation are those of the emulator.
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
        """Whether the machine was paused: the run exceeded its wall time without being sampled.

        A paused machine stops the supervisor too, for at least a tenth of the time; a sleeping
        program does not.
        """
        return self.limit == "wall" and self.largest_gap_ns > self.wall_ns / 10

    @property
    def kept_waiting_ns(self) -> int:
        """The approximate time for which the program could have run but waited for a processor."""
        return max(self.runnable_ns - self.cpu_ns, 0)

    def without_output(self) -> Run:
        """Return the figures alone, which take little memory."""
        return dataclasses.replace(self, stdout=b"", stderr=b"", trace=())


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict, the first failing test, and the verdict and run of each executed test."""

    verdict: Verdict
    reason: str = ""
    failing_test: str | None = None
    compile_log: str = ""
    runs: tuple[Run, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


# Noise flag: a program is much faster on an input that it has run before. Its figures are then
# those of the first run, and it is not ranked.
REPEATS_DISAGREE = "repeats_disagree"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A solution's cost over all its tests.

    A figure is the minimum over the repeats (or the median) of a test, summed over the tests; for
    memory it is the maximum over the tests. relative_time is the CPU time, as estimated from the
    whole session (execution/measuring/estimator.py), divided by that of one run of the reference
    program.
    A spread is (largest - smallest) / smallest over the repeats' sums. An se is the standard error
    of a figure, as a share of it and relative to the other programs of the session; ±1.96 se is a
    95 % confidence interval. The standard errors of wall_ns, cpu_ns and integral_byte_ns include
    the drift of the machine. Without a clean repeat every figure is None. reseeded is the number of
    tests with a fresh input for each repeat; the figures are medians then. A floor is the cost of
    an empty program of the language in the same session on the same number of tests. instructions
    is the sum of one counted run per test. joint_time is relative_time corrected by the
    instructions of all programs of the problem (execution/measuring/joint.py).
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
        """Whether it may be ranked: no repeat was clearly faster than the first run."""
        return REPEATS_DISAGREE not in self.noise


class Secret(str):
    """A text that is hidden in records and messages."""

    def __repr__(self) -> str:
        """Return a placeholder."""
        return "(not shown)"


def to_plain(value: Any) -> Any:
    """Return a record as plain JSON values.

    Raw bytes become text with replacement characters, and a secret its placeholder.
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
    """Return plain values as JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def digest(*parts: object) -> str:
    """Return a SHA-256 of plain values and records as hexadecimal digits, such as a journal key."""
    sha256 = hashlib.sha256()
    for text in _pieces(parts, 2):
        # Programs of a dataset may contain lone surrogates, which strict UTF-8 refuses.
        sha256.update(text.encode("utf-8", "surrogatepass"))
    return sha256.hexdigest()


def _pieces(value: object, depth: int) -> Iterator[str]:
    """Yield the JSON of a value in pieces, with the items of the outer `depth` lists separate.

    Tests are large, so the whole text would take much memory.
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
    """Return a record of dataclass `kind` from the result of `to_plain`; lists become tuples.

    The record must not contain other records.
    """
    return kind(
        **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
    )
