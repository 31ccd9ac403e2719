"""How many instructions a run takes: a cost that does not depend on what else the machine does.

`open_counter` finds what counts here. A counted run is one more run of a program, with what the
table ``[counting]`` of its language adds. It needs no quiet core, no reference program and no
repeats: it may run beside others, on every core.

What a count does not show: cache misses, and time in the kernel. And it is no defence: a program
that knows of it can forge it, for the emulator's plugin lives in the program's address space.
docs/measurement.md says when to use it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import NS_PER_S, Limits, Run, TestCase
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.judging.checker import Answer, Checker
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.measuring.rounds import Measured
from venus_toolkit.execution.sandbox import Compiled, Sandbox, emulator, supervisor
from venus_toolkit.execution.sandbox.emulator import Emulator
from venus_toolkit.execution.sandbox.supervisor import Cores

KINDS = ("auto", "pmu", "emulated", "off")
PLUGIN_VERSION = "1"


class InstructionCount(NamedTuple):
    """Instructions over all runs, their standard error (both unknown where one run has no count), and why.

    of_each: those of each run up to the first without a count; empty where nobody asked for them.
    """

    instructions: int | None
    standard_error: float | None
    reason: str | None = None
    of_each: Sequence[int] = ()

    @property
    def se(self) -> float | None:
        """The standard error as a share of the count."""
        return (
            self.standard_error / self.instructions
            if self.instructions and self.standard_error is not None
            else None
        )

    def added_to(self, figures: Measured) -> Measured:
        """Return the figures of a program with its count, or with the reason why there is none."""
        counted = dataclasses.replace(
            figures.total, instructions=self.instructions, instructions_se=self.se
        )
        return figures._replace(total=counted, uncounted=self.reason or "")


class Counter:
    """What counts instructions here.

    Attributes:
        kind: ``pmu`` (the processor, programs run as always) or ``emulated``.
    """

    def __init__(self, emulator: Emulator | None) -> None:
        self.kind = "emulated" if emulator else "pmu"
        self._emulator = emulator

    def facts(self) -> Mapping[str, str | None]:
        """Return what a count depends on beside program, input and toolchain, to be stored with it."""
        models = (
            line.split(":", 1)[1].strip()
            for line in read_lines("/proc/cpuinfo")
            if line.startswith("model name")
        )
        return {
            "counter": self.kind,
            "cpu": next(models, None),
            "emulator": f"QEMU {self._emulator.version}" if self._emulator else None,
            "plugin": PLUGIN_VERSION if self._emulator else None,
            "supervisor": supervisor.version(),
        }

    def count(
        self,
        sandbox: Sandbox,
        compiled: Compiled,
        stdins: Sequence[bytes],
        limits: Limits,
        cores: Cores | None = None,
    ) -> Iterator[Run]:
        """Run a program once on each input and yield the runs, each with `instructions` or the reason `uncounted`.

        An emulated run is held to `limits` times the `slowdown` of its language. A run that did not
        end by itself with exit code 0 has no count: how far a program gets until a limit depends on
        the machine.

        Raises:
            SandboxError: The sandbox failed, or is of a kind that does not count.
        """
        with sandbox.counting_session(compiled, limits, self._emulator, cores) as session:
            for run in session.run(stdins):
                yield self._settled(run, compiled.program.language, limits)

    def _settled(self, run: Run, language: Language, limits: Limits) -> Run:
        if run.clean or run.uncounted:
            return run
        if run.limit is None:
            # Without the counter it may have ended well: a figure of something else would be worse
            # than none.
            reason = (
                "the counted run ended with "
                f"{f'signal {run.signal}' if run.signal else f'exit code {run.exit_code}'}"
            )
            return dataclasses.replace(run, instructions=None, uncounted=reason)
        reason = f"the run was ended at its {run.limit} limit"
        if self._emulator and run.limit in ("cpu", "wall"):
            held = emulator.stretched(limits, language.counting)
            bound_ns = held.cpu_ns if run.limit == "cpu" else held.wall_ns
            reason += f" of {bound_ns / NS_PER_S:g} s under emulation"
        return dataclasses.replace(run, instructions=None, uncounted=reason)


def count_tests(
    counter: Counter,
    sandbox: Sandbox,
    compiled: Compiled,
    tests: Sequence[TestCase],
    limits: Limits,
    checker: Checker | None = None,
    cores: Cores | None = None,
) -> Iterator[Run]:
    """Count the instructions of a program on each test and yield the runs, without their outputs.

    The `checker` compares what a counted run prints, as the judge does: one that fails its test has
    no count. Without it (of a program that is known to answer wrongly) nothing is expected. A test
    without an expected output is decided by how the program ends.

    Raises:
        SandboxError: The sandbox failed, or is of a kind that does not count.
    """
    counted = counter.count(sandbox, compiled, EncodedInputs(tests), limits, cores)
    for test, run in zip(tests, counted, strict=True):
        reason = ""
        if checker and run.instructions is not None:
            verdict, reason = ending(run, compiled.program.language)
            answer = Answer(test.stdout or "", run.stdout, test.stdin)
            if not verdict:
                right = test.stdout is None or checker.passes([answer])[0]
                reason = "" if right else "it prints something else"
        if reason:
            reason = f"the counted run fails test {test.test_id}: {reason}"
            run = dataclasses.replace(run, instructions=None, uncounted=reason)
        yield run.without_output()


def total(runs: Sequence[Run], language: Language, kind: str) -> InstructionCount:
    """Return the sum of counted runs.

    The standard error is that of `language` with counts of this `kind`, for each run by itself;
    None: unknown.
    """
    counts: list[int] = []
    for run in runs:
        if run.instructions is None:
            return InstructionCount(None, None, run.uncounted, counts)
        counts.append(run.instructions)
    if not counts:
        return InstructionCount(None, None, "nothing was run")
    errors = [language.counting.standard_error(value, kind) for value in counts]
    error = None if None in errors else math.hypot(*(value or 0.0 for value in errors))
    return InstructionCount(sum(counts), error, None, counts)


def open_counter(kind: str = "auto") -> Counter | None:
    """Return the counter called `kind`.

    ``auto`` takes the processor's where there is one, else the emulator.

    None: ``off``, or ``auto`` and there is neither.

    Raises:
        UsageError: No counter has this name.
        MachineError: The one that was asked for does not work here; the message says why and what
            to install.
    """
    if kind not in KINDS:
        fix = nearest(kind, KINDS) + "type: venus doctor"
        raise UsageError(f"unknown counter {kind!r}", "known are " + ", ".join(KINDS), fix)
    if kind == "off":
        return None
    if kind == "pmu":
        if reason := pmu_problem():
            raise MachineError(
                "the processor's counter cannot be used", reason, "type: --counter emulated"
            )
        return Counter(None)
    if kind == "auto":
        if not pmu_problem():
            return Counter(None)
        try:
            return Counter(emulator.find_emulator())
        except MachineError:
            return None
    return Counter(emulator.find_emulator())


def require_counter(kind: str, sandbox: Sandbox) -> Counter:
    """Return the counter called `kind`, for work that cannot be done without counts.

    Raises:
        UsageError: The counter is ``off``, unknown, or the sandbox is of a kind that does not
            count.
        MachineError: Nothing counts here; the message says why and what to install.
    """
    if kind == "off":
        raise UsageError(
            "ranking by instructions needs a counter",
            'the counter is "off"',
            "type: --counter auto",
        )
    require_counting(sandbox)
    counter = open_counter(kind) or open_counter("emulated")  # which says why there is none
    assert counter
    return counter


def require_counting(sandbox: Sandbox) -> None:
    """Refuse a sandbox that does not count, before anything is run in it.

    Raises:
        UsageError: It does not.
    """
    if not sandbox.counts:
        problem = f"the sandbox {sandbox.name} does not count instructions"
        raise UsageError(
            problem,
            "the sandboxes local, docker and unsafe count them; a server does not",
            "type: --sandbox local or --sandbox docker, or do without counts",
        )


def counter_facts(kind: str) -> Mapping[str, str | None]:
    """Return what counts of a kind depend on; empty where nothing is counted."""
    counter = open_counter(kind)
    return counter.facts() if counter else {}


@functools.cache
def pmu_problem() -> str | None:
    """Return why the processor's instruction counter cannot be used here, or None where it can."""
    argv = supervisor.argv(str(supervisor.binary()), Limits(), [emulator.TRIED], extra=["--pmu"])
    run, complaint = supervisor.one_run(argv)
    if run is None:
        return complaint or "the supervisor does not start"
    return None if run.instructions else run.uncounted or "it counts nothing"
