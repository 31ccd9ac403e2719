"""Runs programs on inputs and observes their output, their cost and the edges that they execute.

The table ``[coverage]`` of a language.toml says how to compile or start a program so that it is
traced: it reports on standard error how often each block followed another. A trace decides only
which inputs are kept. The program runs in the sandbox as usual and sees no expected output, so a
forged report cannot change a verdict.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import re
import signal
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits, Run
from venus_toolkit.execution.engine.work import LIMITS, PATIENCE
from venus_toolkit.execution.judging.batch import BatchSandbox
from venus_toolkit.execution.judging.comparison import output_key
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox, SessionOpener
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores

LONGEST_REPORT = 2 << 20
Edges = npt.NDArray[np.int32]
NO_EDGES: Edges = np.zeros(0, np.int32)
# Encoded inputs to hold at a time, in addition to their texts: a pool is tens of megabytes.
PORTION_BYTES = 4 << 20
MOST_CPU_NS = 60 * NS_PER_S  # total for one program on all its inputs


class RunMode(Enum):
    """How a program runs on inputs.

    TRACED: it reports the executed edges; ALONE: each input has its own process and CPU time;
    TOGETHER: inputs may share a process, whichever is cheapest.
    """

    TRACED = "traced"
    ALONE = "alone"
    TOGETHER = "together"


class ObservedRun(NamedTuple):
    """The result of a program on an input.

    output is the digest of the standard output, None if the run failed; text is the output itself,
    if requested. edges has one number for each executed edge, which encodes the edge and roughly
    how often it was passed.
    """

    output: str | None
    text: str | None
    cpu_ns: int
    edges: Edges
    timed_out: bool = False


def observe(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    stdins: Sequence[str],
    limits: Limits,
    how: RunMode,
    lines: int | None = None,
    texts: bool = False,
) -> list[ObservedRun]:
    """Run a program on inputs, in order, and return one result per input.

    The list is shorter than the inputs if the program exceeds a limit PATIENCE times or takes more
    than MOST_CPU_NS in total, and empty if it does not compile.

    Args:
        sandbox: The sandbox to run it in.
        cores: The cores to run it on.
        program: A complete program.
        stdins: The inputs.
        limits: The limits of a run without tracing.
        how: Traced, alone or together; if its language has no tracing, the program runs unchanged.
        lines: Inputs with this number of lines may share a process; None: each input of this
            program needs its own.
        texts: Whether to keep outputs, because different ones may be equivalent.
    """
    coverage = program.language.coverage
    if how == RunMode.TOGETHER and lines is not None:
        return _run_each(
            BatchSandbox(sandbox, lines),
            sandbox.compile(program, cores),
            stdins,
            limits,
            cores,
            texts,
        )
    if (
        coverage is None
        or how == RunMode.ALONE
        or (how == RunMode.TOGETHER and not coverage.server)
    ):
        return _run_each(sandbox, sandbox.compile(program, cores), stdins, limits, cores, texts)
    files = tuple(File(name, content) for name, content in coverage.files.items())
    compiled = sandbox.compile(
        Program(_variant(program.language), program.source, (*program.files, *files)), cores
    )
    slower = coverage.slowdown if how == RunMode.TRACED else 1
    limits = limits.changed(
        wall_ns=round(slower * limits.wall_ns), cpu_ns=round(slower * limits.cpu_ns)
    )
    if coverage.server:
        return _run_on_server(
            sandbox, compiled, stdins, limits, cores, how == RunMode.TRACED, texts
        )
    return _run_each(sandbox, compiled, stdins, limits, cores, texts)


@functools.cache
def _variant(language: Language) -> Language:
    """Return the language with the commands that trace a program."""
    how = language.coverage
    assert how
    return dataclasses.replace(
        language,
        compile_argv=how.compile_argv or language.compile_argv,
        run_argv=how.run_argv or language.run_argv,
    )


def _run_each(
    opener: SessionOpener,
    compiled: Compiled,
    stdins: Sequence[str],
    limits: Limits,
    cores: Cores,
    texts: bool,
) -> list[ObservedRun]:
    """Run a compiled program on one input after the other, as a judge does."""
    runs: list[ObservedRun] = []
    if not compiled.ok:
        return runs
    with fair(opener).session(compiled, limits, cores) as session:
        while len(runs) < len(stdins) and not _is_enough(runs):
            for run in session.run(_next_portion(stdins, len(runs), len(stdins))):
                verdict, _ = ending(run, compiled.program.language)
                edges = NO_EDGES if verdict else read_edges(run.stderr)
                runs.append(
                    _observed_run(
                        None if verdict else run.stdout, run.cpu_ns, edges, verdict in LIMITS, texts
                    )
                )
                if _is_enough(runs):
                    break
    return runs


def _next_portion(stdins: Sequence[str], first: int, most: int) -> list[bytes]:
    """Return up to `most` encoded inputs from index `first` on, of about PORTION_BYTES in total."""
    portion: list[bytes] = []
    size = 0
    for text in stdins[first : first + most]:
        portion.append(text.encode("utf-8", "surrogatepass"))
        size += len(portion[-1])
        if size > PORTION_BYTES:
            break
    return portion


def _is_enough(runs: Sequence[ObservedRun]) -> bool:
    return (
        sum(run.timed_out for run in runs) >= PATIENCE
        or sum(run.cpu_ns for run in runs) > MOST_CPU_NS
    )


def _observed_run(
    stdout: bytes | None, cpu_ns: int, edges: Edges, timed_out: bool, texts: bool
) -> ObservedRun:
    text = stdout.decode("utf-8", "replace") if texts and stdout is not None else None
    return ObservedRun(
        None if stdout is None else output_key(stdout), text, cpu_ns, edges, timed_out
    )


def read_edges(stderr: bytes) -> Edges:
    """Return the edges that the last line of a standard error reports, if it is a report."""
    report_line = re.compile(rb"\nvenus-coverage([ 0-9:]*)\n\Z")
    report = report_line.search(stderr, max(0, len(stderr) - LONGEST_REPORT))
    return _edges(report[1]) if report else NO_EDGES


def _edges(report: bytes) -> Edges:
    """Return one number for each edge, which encodes it and roughly how often it was passed."""
    edge_list = re.compile(rb"(?: ?[0-9]{1,5}:[0-9]{1,10})*")
    if not edge_list.fullmatch(report) or not report.strip():
        return NO_EDGES
    pairs = np.array([pair.split(b":") for pair in report.split()], np.int64)
    edges, counts = pairs[:, 0] & 0xFFFF, pairs[:, 1].clip(1)
    exact = 3  # higher counts are rounded down to a power of two
    buckets = np.where(counts <= exact, counts, exact + np.log2(counts).astype(np.int64))
    return np.asarray(edges << 6 | buckets, np.int32)


def _run_on_server(
    sandbox: Sandbox,
    compiled: Compiled,
    stdins: Sequence[str],
    limits: Limits,
    cores: Cores,
    trace: bool,
    texts: bool,
) -> list[ObservedRun]:
    """Run a program whose language has a server: one process that forks for every input."""
    runs: list[ObservedRun] = []
    if not compiled.ok:
        return runs
    # Limits of the whole batch: the server applies those of one input.
    outer = limits.changed(
        wall_ns=max(limits.wall_ns, 2 * MOST_CPU_NS), cpu_ns=max(limits.cpu_ns, MOST_CPU_NS)
    )
    most_inputs = 100  # inputs for one server process
    batch_size = most_inputs
    while len(runs) < len(stdins) and not _is_enough(runs):
        batch = _next_portion(stdins, len(runs), batch_size)
        options = {
            "trace": trace,
            "wall_s": limits.wall_ns / NS_PER_S,
            "cpu_s": limits.cpu_ns / NS_PER_S,
        }
        question = (
            json.dumps({**options, "sizes": list(map(len, batch))}).encode()
            + b"\n"
            + b"".join(batch)
        )
        with fair(sandbox).session(compiled, outer, cores) as session:
            (run,) = session.run([question])
        answers = list(_answers(run, len(batch), texts))
        runs += answers
        # The input after the last answer ended the server. It gets one more try, with a server of
        # its own.
        if len(answers) < len(batch) and batch_size == 1:
            runs.append(_observed_run(None, run.cpu_ns, NO_EDGES, run.limit is not None, texts))
        batch_size = most_inputs if len(answers) == len(batch) or batch_size == 1 else 1
    return runs


def _answers(run: Run, count: int, texts: bool) -> Iterator[ObservedRun]:
    """Yield a server's results, up to the first one that is malformed."""
    place = 0
    longest_head = 200  # bytes of the JSON line in front of a result
    kill_signals = (signal.SIGKILL, signal.SIGXCPU)  # how a server ends a run over its limits
    with contextlib.suppress(ValueError, KeyError, TypeError):
        for _ in range(count):
            end = run.stdout.index(b"\n", place, place + longest_head)
            head = json.loads(run.stdout[place:end])
            sizes = [int(head["stdout"]), int(head["report"])]
            stdout, report = end + 1, end + 1 + max(0, sizes[0])
            place = report + max(0, sizes[1])
            if place > len(run.stdout):
                return
            killed, failed = int(head["status"]) & 0x7F in kill_signals, head["status"] != 0
            edges = (
                NO_EDGES
                if failed
                else _edges(run.stdout[report : min(place, report + LONGEST_REPORT)])
            )
            text = None if failed else run.stdout[stdout:report]
            yield _observed_run(text, int(head["cpu_ns"]), edges, killed, texts)
