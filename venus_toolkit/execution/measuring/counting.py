"""Counts the instructions of a run, a cost that does not depend on the load of the machine.

`open_counter` finds a counter that works on this machine. A counted run is an additional run of a
program, with the options in the table ``[counting]`` of its language. It needs no quiet core, no
reference program and no repeats, so counted runs may use all cores at once.

A count does not include cache misses or time in the kernel. It is not safe against manipulation: a
program can forge it, because the emulator's plugin shares its address space. docs/measurement.md
says when to use it.
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
    """The instructions of all runs.

    Attributes:
        instructions: Their sum; None: a run has no count.
        standard_error: The standard error of the sum; None: unknown.
        reason: Why the count is missing.
        of_each: The count of each run up to the first without one; empty if not kept.
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
    """Counts instructions.

    Attributes:
        kind: ``pmu`` (the processor's counter, programs run natively) or ``emulated``.
    """

    def __init__(self, emulator: Emulator | None) -> None:
        self.kind = "emulated" if emulator else "pmu"
        self._emulator = emulator

    def facts(self) -> Mapping[str, str | None]:
        """Return the facts, other than program, input and toolchain, on which a count depends."""
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
        """Run a program once on each input, and yield runs with `instructions` or `uncounted`.

        The limits of an emulated run are `limits` times the `slowdown` of its language. A run has
        no count unless it exits with code 0: how far a program gets before a limit depends on the
        machine.

        Raises:
            SandboxError: The sandbox failed, or is of a kind that does not count.
        """
        with sandbox.counting_session(compiled, limits, self._emulator, cores) as session:
            for run in session.run(stdins):
                yield self._drop_failed_count(run, compiled.program.language, limits)

    def _drop_failed_count(self, run: Run, language: Language, limits: Limits) -> Run:
        if run.clean or run.uncounted:
            return run
        if run.limit is None:
            # The program may succeed without the counter, so this count could be of another path.
            reason = (
                "the counted run ended with "
                f"{f'signal {run.signal}' if run.signal else f'exit code {run.exit_code}'}"
            )
            return dataclasses.replace(run, instructions=None, uncounted=reason)
        reason = f"the run was ended at its {run.limit} limit"
        if self._emulator and run.limit in ("cpu", "wall"):
            enforced = emulator.emulation_limits(limits, language.counting)
            bound_ns = enforced.cpu_ns if run.limit == "cpu" else enforced.wall_ns
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
    """Count the instructions of a program on each test, and yield the runs without their outputs.

    A counted run that fails its test has no count. The `checker` compares outputs as the judge
    does; None (for a program that is known to be wrong): outputs are not compared. For a test
    without an expected output, only the end of the program is judged.

    Raises:
        SandboxError: The sandbox failed, or is of a kind that does not count.
    """
    runs = counter.count(sandbox, compiled, EncodedInputs(tests), limits, cores)
    for test, run in zip(tests, runs, strict=True):
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
    """Return the sum of counted runs; `language` states the standard errors of this `kind`."""
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

    ``auto`` is the processor's counter if it works, else the emulator, else None. ``off`` is None.

    Raises:
        UsageError: The name is unknown.
        MachineError: The counter does not work on this machine; the message says what to install.
    """
    if kind not in KINDS:
        fix = nearest(kind, KINDS) + "type: venus doctor"
        raise UsageError(f"unknown counter {kind!r}", "expected one of " + ", ".join(KINDS), fix)
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
    """Return the counter called `kind`, for work that requires counts.

    Raises:
        UsageError: The counter is ``off`` or unknown, or this kind of sandbox does not count.
        MachineError: No counter works on this machine; the message says what to install.
    """
    if kind == "off":
        raise UsageError(
            "ranking by instructions needs a counter",
            'the counter is "off"',
            "type: --counter auto",
        )
    require_counting(sandbox)
    counter = open_counter(kind) or open_counter("emulated")  # the latter raises the reason
    assert counter
    return counter


def require_counting(sandbox: Sandbox) -> None:
    """Refuse a sandbox that does not count.

    Raises:
        UsageError: The sandbox does not count.
    """
    if not sandbox.counts:
        raise UsageError(
            f"the sandbox {sandbox.name} does not count instructions",
            "the sandboxes local, docker and unsafe count them; a server does not",
            "type: --sandbox local or --sandbox docker, or do without counts",
        )


def counter_facts(kind: str) -> Mapping[str, str | None]:
    """Return the facts that counts of a kind depend on; empty if the counter is off."""
    counter = open_counter(kind)
    return counter.facts() if counter else {}


@functools.cache
def pmu_problem() -> str | None:
    """Return why the processor's counter does not work on this machine, or None if it works."""
    argv = supervisor.argv(
        str(supervisor.binary()), Limits(), [emulator.TEST_PROGRAM], extra=["--pmu"]
    )
    run, complaint = supervisor.one_run(argv)
    if run is None:
        return complaint or "the supervisor does not start"
    return None if run.instructions else run.uncounted or "it counts nothing"
