"""What programs do with inputs: what they print, what it costs, and which parts of them it leads through.

A program is traced by what its language says (``[coverage]`` in its language.toml): compiled or started otherwise, it
reports on standard error how often which block of it followed which. What was traced decides nothing but which inputs
are kept: the program runs in the sandbox as ever, it sees no expected output, and a report that it forges makes
nothing right or wrong.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits, Run
from venus_toolkit.execution.batch import BatchSandbox
from venus_toolkit.execution.comparison import output_key
from venus_toolkit.execution.judge import ending
from venus_toolkit.execution.sandbox import File, Program, Sandbox
from venus_toolkit.execution.starvation import fair
from venus_toolkit.execution.supervisor import Cores
from venus_toolkit.execution.work import LIMITS, PATIENCE

REPORT = re.compile(rb"\nvenus-coverage((?: [0-9]{1,5}:[0-9]{1,10})*)\n\Z")
LONGEST_REPORT = 2 << 20
EXACT = 3  # so many passes are told apart; more only by the power of two
MOST_CPU_NS = 60 * NS_PER_S  # of one program on all its inputs


class Seen(NamedTuple):
    """What a program did with an input.

    output is the digest of what it printed, None where it did not end well; text is what it printed, where that was
    asked for. edges has a number for each pair of an edge and how often it was passed, about.
    """

    output: str | None
    text: str | None
    cpu_ns: int
    edges: npt.NDArray[np.int32]
    timed_out: bool = False


NO_EDGES = np.zeros(0, np.int32)


@functools.cache
def traced(language: Language) -> Language:
    """Return the language whose programs say what they went through."""
    how = language.coverage
    assert how
    return dataclasses.replace(
        language, compile_argv=how.compile_argv or language.compile_argv, run_argv=how.run_argv or language.run_argv
    )


def observe(
    sandbox: Sandbox,
    cores: Cores,
    program: Program,
    stdins: Sequence[str],
    limits: Limits,
    trace: bool = False,
    lines: int | None = None,
    texts: bool = False,
) -> list[Seen]:
    """Run a program on inputs, in order; returns what was seen on the first ones, all where it takes no too long.

    It ends after PATIENCE limits, and after MOST_CPU_NS in all; one that does not compile shows nothing.

    Args:
        sandbox: Where.
        cores: On which cores.
        program: A complete program.
        stdins: The inputs.
        limits: Of a plain run.
        trace: Whether it says what it went through; its language can do that.
        lines: Inputs of so many lines may share a process; None: each has its own, and a CPU time that is its own.
        texts: Whether outputs are kept: they may be alike without being equal.
    """
    how = program.language.coverage
    if trace and how:
        files = tuple(File(name, content) for name, content in how.files.items())
        program = Program(traced(program.language), program.source, (*program.files, *files))
        limits = limits.changed(
            wall_ns=round(how.slowdown * limits.wall_ns), cpu_ns=round(how.slowdown * limits.cpu_ns)
        )
    compiled = sandbox.compile(program, cores)
    if not compiled.ok:
        return []
    opener = fair(sandbox if lines is None else BatchSandbox(sandbox, lines))
    found: list[Seen] = []
    with opener.session(compiled, limits, cores) as session:
        runs: Iterator[Run] = session.run([text.encode("utf-8", "surrogatepass") for text in stdins])
        for run in runs:
            found.append(_seen(run, program.language, texts))
            too_long = sum(each.cpu_ns for each in found) > MOST_CPU_NS and lines is None
            if too_long or sum(each.timed_out for each in found) == PATIENCE:
                break
    return found


def _seen(run: Run, language: Language, texts: bool) -> Seen:
    verdict, _ = ending(run, language)
    if verdict:
        return Seen(None, None, run.cpu_ns, NO_EDGES, verdict in LIMITS)
    text = run.stdout.decode("utf-8", "replace") if texts else None
    return Seen(output_key(run.stdout), text, run.cpu_ns, read_edges(run.stderr))


def read_edges(stderr: bytes) -> npt.NDArray[np.int32]:
    """Return what the end of a standard error says of the edges that were passed; nothing where it says nothing."""
    found = REPORT.search(stderr, max(0, len(stderr) - LONGEST_REPORT))
    if found is None or not found[1]:
        return NO_EDGES
    pairs = np.array([pair.split(b":") for pair in found[1].split()], np.int64)
    edges, counts = pairs[:, 0] & 0xFFFF, pairs[:, 1].clip(1)
    buckets = np.where(counts <= EXACT, counts, EXACT + np.log2(counts).astype(np.int64))
    return np.asarray(edges << 6 | buckets, np.int32)
