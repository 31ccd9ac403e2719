"""What programs do with inputs: what they print and cost, and which of their parts run.

A program is traced by what its language says (``[coverage]`` in its language.toml): compiled or
started otherwise, it reports on standard error how often which block of it followed which. What was
traced decides nothing but which inputs are kept: the program runs in the sandbox as ever, it sees
no expected output, and a report that it forges makes nothing right or wrong.
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
# of inputs that are held beside the texts themselves: a pool is tens of megabytes
PORTION_BYTES = 4 << 20
MOST_CPU_NS = 60 * NS_PER_S  # of one program on all its inputs


class RunMode(Enum):
    """How a program runs on inputs.

    TRACED: it says what it went through; ALONE: each input has a process, and its CPU time;
    TOGETHER: as is cheapest.
    """

    TRACED = "traced"
    ALONE = "alone"
    TOGETHER = "together"


class ObservedRun(NamedTuple):
    """What a program did with an input.

    output is the digest of what it printed, None where it did not end well; text is what it
    printed, where that was asked for. edges has a number for each pair of an edge and how often it
    was passed, about.
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
    """Run a program on inputs, in order.

    Returns what was seen on the first ones, all where it takes not too long.

    It ends after PATIENCE limits, and after MOST_CPU_NS in all; one that does not compile shows
    nothing.

    Args:
        sandbox: Where.
        cores: On which cores.
        program: A complete program.
        stdins: The inputs.
        limits: Of a plain run.
        how: Traced, alone or together; one whose language cannot be traced runs as it is.
        lines: Inputs of so many lines may share a process; None: the program is not one that could
            do that.
        texts: Whether outputs are kept: they may be alike without being equal.
    """
    coverage = program.language.coverage
    if how == RunMode.TOGETHER and lines is not None:
        return _each(
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
        return _each(sandbox, sandbox.compile(program, cores), stdins, limits, cores, texts)
    files = tuple(File(name, content) for name, content in coverage.files.items())
    compiled = sandbox.compile(
        Program(_variant(program.language), program.source, (*program.files, *files)), cores
    )
    slower = coverage.slowdown if how == RunMode.TRACED else 1
    limits = limits.changed(
        wall_ns=round(slower * limits.wall_ns), cpu_ns=round(slower * limits.cpu_ns)
    )
    if coverage.server:
        return _served(sandbox, compiled, stdins, limits, cores, how == RunMode.TRACED, texts)
    return _each(sandbox, compiled, stdins, limits, cores, texts)


@functools.cache
def _variant(language: Language) -> Language:
    """Return the language whose programs say what they went through."""
    how = language.coverage
    assert how
    return dataclasses.replace(
        language,
        compile_argv=how.compile_argv or language.compile_argv,
        run_argv=how.run_argv or language.run_argv,
    )


def _each(
    opener: SessionOpener,
    compiled: Compiled,
    stdins: Sequence[str],
    limits: Limits,
    cores: Cores,
    texts: bool,
) -> list[ObservedRun]:
    """Run a compiled program as a judge does."""
    found: list[ObservedRun] = []
    if not compiled.ok:
        return found
    with fair(opener).session(compiled, limits, cores) as session:
        while len(found) < len(stdins) and not _enough(found):
            for run in session.run(_portion(stdins, len(found), len(stdins))):
                verdict, _ = ending(run, compiled.program.language)
                edges = NO_EDGES if verdict else read_edges(run.stderr)
                found.append(
                    _seen(
                        None if verdict else run.stdout, run.cpu_ns, edges, verdict in LIMITS, texts
                    )
                )
                if _enough(found):
                    break
    return found


def _portion(stdins: Sequence[str], first: int, most: int) -> list[bytes]:
    """Return inputs from a place on, at most so many, as much as is held as bytes at a time."""
    portion: list[bytes] = []
    size = 0
    for text in stdins[first : first + most]:
        portion.append(text.encode("utf-8", "surrogatepass"))
        size += len(portion[-1])
        if size > PORTION_BYTES:
            break
    return portion


def _enough(found: Sequence[ObservedRun]) -> bool:
    return (
        sum(each.timed_out for each in found) >= PATIENCE
        or sum(each.cpu_ns for each in found) > MOST_CPU_NS
    )


def _seen(
    stdout: bytes | None, cpu_ns: int, edges: Edges, timed_out: bool, texts: bool
) -> ObservedRun:
    text = stdout.decode("utf-8", "replace") if texts and stdout is not None else None
    return ObservedRun(
        None if stdout is None else output_key(stdout), text, cpu_ns, edges, timed_out
    )


def read_edges(stderr: bytes) -> Edges:
    """Return what the end of a standard error says of the edges that were passed.

    Nothing where it says nothing.
    """
    report_line = re.compile(rb"\nvenus-coverage([ 0-9:]*)\n\Z")
    found = report_line.search(stderr, max(0, len(stderr) - LONGEST_REPORT))
    return _edges(found[1]) if found else NO_EDGES


def _edges(report: bytes) -> Edges:
    """Return a number for each pair of an edge and how often it was passed, about."""
    edge_list = re.compile(rb"(?: ?[0-9]{1,5}:[0-9]{1,10})*")
    if not edge_list.fullmatch(report) or not report.strip():
        return NO_EDGES
    pairs = np.array([pair.split(b":") for pair in report.split()], np.int64)
    edges, counts = pairs[:, 0] & 0xFFFF, pairs[:, 1].clip(1)
    exact = 3  # so many passes are told apart; more only by the power of two
    buckets = np.where(counts <= exact, counts, exact + np.log2(counts).astype(np.int64))
    return np.asarray(edges << 6 | buckets, np.int32)


def _served(
    sandbox: Sandbox,
    compiled: Compiled,
    stdins: Sequence[str],
    limits: Limits,
    cores: Cores,
    trace: bool,
    texts: bool,
) -> list[ObservedRun]:
    """Run a program whose language has a server.

    A process of it answers many inputs, each in a fork of itself.
    """
    found: list[ObservedRun] = []
    if not compiled.ok:
        return found
    # Of the whole batch: the server holds each input to its own.
    outer = limits.changed(
        wall_ns=max(limits.wall_ns, 2 * MOST_CPU_NS), cpu_ns=max(limits.cpu_ns, MOST_CPU_NS)
    )
    most_inputs = 100  # inputs that a server is given at a time
    batch = most_inputs
    while len(found) < len(stdins) and not _enough(found):
        some = _portion(stdins, len(found), batch)
        asked = {
            "trace": trace,
            "wall_s": limits.wall_ns / NS_PER_S,
            "cpu_s": limits.cpu_ns / NS_PER_S,
        }
        question = (
            json.dumps({**asked, "sizes": list(map(len, some))}).encode() + b"\n" + b"".join(some)
        )
        with fair(sandbox).session(compiled, outer, cores) as session:
            (run,) = session.run([question])
        answered = list(_answers(run, len(some), texts))
        found += answered
        # The next input is the one that ended its server: it gets a server of its own, and then it
        # has had its chance.
        if len(answered) < len(some) and batch == 1:
            found.append(_seen(None, run.cpu_ns, NO_EDGES, run.limit is not None, texts))
        batch = most_inputs if len(answered) == len(some) or batch == 1 else 1
    return found


def _answers(run: Run, count: int, texts: bool) -> Iterator[ObservedRun]:
    """Yield what a server says of its inputs, as far as it can be read."""
    place = 0
    longest_head = 200  # bytes of a line before an answer
    kill_signals = (signal.SIGKILL, signal.SIGXCPU)  # by which a server ends what takes too long
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
            yield _seen(text, int(head["cpu_ns"]), edges, killed, texts)
