"""Batches: many tests in one process, and a process for each test if a batch cannot be trusted.

Theory of operation. A generated runner (signatures/rendering.py) in batch mode takes the inputs of
many tests at once and answers line by line. The process has the limits of a single test: if all
tests together stay inside them, so does each. Answers count only if they cannot be shifted: the
process exited after exactly one line for each test, or it was ended early, and its lines belong to
the first tests. The next test is then run alone, which shows its failure, and another batch takes
the rest. The memory and output limits are noticed late, when the process may already have answered
the test that exceeded them and further ones. Then no line counts, and the batch is halved until it
stays inside the limits.

A solution that carries state from one test to the next may answer differently in a batch. So a
sample of the tests is also run alone; if an answer differs, the solution is marked
(`carries_state`) and every test is run alone. A failure in a batch counts only if the test also
fails alone (`judge_batch`).

The program under test may be hostile. It sees all inputs of a batch at once, but no expected
outputs; forged lines are answers that it could have given anyway.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

from venus_toolkit.core.records import Judgement, Limits, Run, TestCase, Verdict, digest
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Compiled, Sandbox, Session, as_sequence
from venus_toolkit.execution.sandbox.starvation import FairSessions
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling
from venus_toolkit.signatures import BATCH

# The fewest tests of a batch, and the fewest answers of a broken batch before another is tried.
FEWEST = 4
# Tests that also run alone; each costs the start of a process, which batches save.
SAMPLE = 3
NOTICED_LATE = ("memory", "output")  # limits that a process may have exceeded some answers ago


def batch_input(stdins: Sequence[bytes], lines: int) -> bytes | None:
    """Return the inputs of many tests as one, or None if a runner could not separate them.

    Each input must have `lines` lines, each a JSON value (`lines_of_case`).
    """
    cases = [
        stdin.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n") if stdin.strip() else []
        for stdin in stdins
    ]
    # An extra or missing line in one case would shift all later answers.
    if not all(len(case) == lines and all(map(_is_json, case)) for case in cases):
        return None
    return b"%s %d\n%s" % (
        BATCH.encode(),
        len(stdins),
        b"".join(line + b"\n" for case in cases for line in case),
    )


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):  # RecursionError: nested deeper than the parser goes
        return False
    return True


def split_answers(run: Run, count: int) -> list[Run]:
    """Return the runs of the first tests in a batch of `count`, or none if no answer counts.

    Each run is clean and has its own output; its figures are those of the whole process.
    """
    # The rest after the last line feed is empty, or an incomplete answer.
    answers = run.stdout.split(b"\n")[:-1]
    whole = run.clean and len(answers) == count
    broken = not run.clean and len(answers) < count and run.limit not in NOTICED_LATE
    if not (whole or broken) or run.stdout_cut:
        return []
    clean = dataclasses.replace(
        run,
        exit_code=0,
        signal=None,
        limit=None,
        oom_kills=0,
        stdout_cut=False,
        stderr_cut=False,
        stderr=b"",
        trace=(),
    )
    return [dataclasses.replace(clean, stdout=answer + b"\n") for answer in answers]


class BatchSession(Session):
    """A session that runs its inputs in as few processes as possible, with the same outputs.

    Args:
        alone: The session that runs every process.
        compiled: The program, made from a generated runner.
        lines: The number of lines in the input of a test.
        on_state: Called if a test has another answer in a batch than alone, and the latter is
            reproducible.

    Attributes:
        processes: The number of processes so far.
        ran_alone: The indices of the inputs that had their own process.
    """

    def __init__(
        self, alone: Session, compiled: Compiled, lines: int, on_state: Callable[[], None]
    ) -> None:
        self.processes = 0
        self.ran_alone: set[int] = set()
        self._on_state = on_state
        self._alone = alone
        self._compiled = compiled
        self._lines = lines

    def close(self) -> None:
        """Close the session that runs every process."""
        self._alone.close()

    def prepare(self) -> None:
        """Start the slow setup before the first run."""
        self._alone.prepare()

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order; yields a Run for each."""
        waiting = as_sequence(stdins)
        done, trusted = 0, False
        while len(waiting) - done >= FEWEST:
            runs = self._run_batch(waiting[done:])
            if runs and not trusted and not self._is_stateless(waiting[done:], runs):
                break
            trusted = True
            yield from runs
            done += len(runs)
            # The test after the last answer, if any, is the one that ended the batch.
            yield from self._run_alone(waiting[done : done + 1], done)
            done += 1
            if len(runs) < FEWEST:
                break
        yield from self._run_alone(waiting[done:], done)

    def _run_batch(self, stdins: Sequence[bytes]) -> list[Run]:
        """Return runs for the first of the tests: those that one process has answered."""
        while len(stdins) >= FEWEST and (text := batch_input(stdins, self._lines)):
            run = self._run_process(text)
            if run.limit not in NOTICED_LATE:
                return split_answers(run, len(stdins))
            stdins = stdins[: len(stdins) // 2]
        return []

    def _is_stateless(self, stdins: Sequence[bytes], runs: Sequence[Run]) -> bool:
        """Whether a sample of the tests has the same answers alone; otherwise calls `on_state`."""
        # Seeded by the program and its inputs, so that a repeated build runs the same tests alone.
        program = self._compiled.program
        texts = [program.source, *(file.content.decode("latin-1") for file in program.files)]
        chance = random.Random(digest(texts, [stdin.decode("latin-1") for stdin in stdins]))
        # The last one first, since most tests ran before it in the same process.
        for index in sorted(chance.sample(range(len(runs)), min(SAMPLE, len(runs))), reverse=True):
            alone = self._run_process(stdins[index])
            if not _same(alone, runs[index]):
                # otherwise its answers vary even without a batch
                if _same(alone, self._run_process(stdins[index])):
                    self._on_state()
                return False
        return True

    def _run_alone(self, stdins: Sequence[bytes], first: int) -> Iterator[Run]:
        for index, run in enumerate(self._alone.run(stdins), first):
            self.processes += 1
            self.ran_alone.add(index)
            yield run

    def _run_process(self, stdin: bytes) -> Run:
        self.processes += 1
        (run,) = self._alone.run([stdin])
        return run


def _same(left: Run, right: Run) -> bool:
    return left.clean == right.clean and left.stdout == right.stdout


class BatchSandbox(FairSessions):
    """Opens batch sessions in a sandbox; each solution needs a new one.

    Args:
        inside: The sandbox.
        lines: The number of lines in the input of a test.

    Attributes:
        carries_state: Whether a test had another answer in a batch than alone.
        last: The latest session.
    """

    inside: Sandbox
    last: BatchSession

    def __init__(self, inside: Sandbox, lines: int) -> None:
        super().__init__(inside)
        self._lines = lines
        self.carries_state = False

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> BatchSession:
        """Return a session that enforces `limits` on each process."""
        alone = super().session(compiled, limits, cores, sampling)

        def on_state() -> None:
            self.carries_state = True

        self.last = BatchSession(alone, compiled, self._lines, on_state)
        return self.last


def judge_batch(
    batches: BatchSandbox,
    compiled: Compiled,
    tests: Sequence[TestCase],
    checker: Checker,
    limits: Limits,
    cores: Cores | None = None,
) -> Judgement:
    """Judge in batches, with the same verdict, failing test and reason as with single processes.

    Raises:
        SandboxError: The sandbox failed; this is not a verdict.
        SourceError: `tests` is empty, or a test has no expected output.
    """
    judgement = judge(batches, compiled, tests, checker, limits, cores=cores)
    if judgement.verdict in (Verdict.ACCEPTED, Verdict.COMPILE_ERROR):
        return judgement
    failed = next(
        index for index, verdict in enumerate(judgement.verdicts) if verdict != Verdict.ACCEPTED
    )
    if failed in batches.last.ran_alone:
        return judgement
    # In a batch an earlier test may have caused the failure, so the test must also fail alone.
    confirmed = judge(
        batches.inside, compiled, tests[failed : failed + 1], checker, limits, cores=cores
    )
    if confirmed.verdict == Verdict.ACCEPTED:
        batches.carries_state = True
        return judge(batches.inside, compiled, tests, checker, limits, cores=cores)
    return dataclasses.replace(
        confirmed,
        runs=judgement.runs[:failed] + confirmed.runs,
        verdicts=judgement.verdicts[:failed] + confirmed.verdicts,
    )
