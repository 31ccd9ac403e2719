"""Many tests in one process.

What a batch of answers is worth, and when each test gets a process of its own after all.

Theory of operation. A generated runner (signatures/rendering.py) that is told so takes the inputs
of many tests at once and answers line by line. The process has the limits of a single test: what
stays inside them on all tests together does so on each. Answers count only where they cannot be
shifted: the process ended by itself after exactly one line for each test, or it was ended early and
the lines so far belong to the first tests. The next test is then run alone, which says what is
wrong with it, and another batch takes the rest. That a process takes too much memory or prints too
much is noticed a moment late, when it may have answered the culprit and more: then no line counts,
and half of the tests are tried, until a batch stays inside the limits.

A solution that remembers something from one test to the next may answer differently in a batch. So
a sample of the tests is run alone as well; where an answer differs, the solution is marked
(`carries_state`) and every test is run alone. A failure found in a batch is believed only once the
test failed alone (`judge_batch`).

The program under test is hostile as ever. Of a batch it sees all inputs at once, and no expected
output; lines that it forges are answers that it could have given anyway.
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

# tests that are worth a batch, and answers of a broken one that make another worth trying
FEWEST = 4
# tests that run alone as well: each costs the start of a process, which a batch is there to save
SAMPLE = 3
NOTICED_LATE = ("memory", "output")  # limits that the process may have passed some answers ago


def batch_input(stdins: Sequence[bytes], lines: int) -> bytes | None:
    """Return the inputs of many tests as one, or None where they cannot be told apart in it.

    Each must have so many lines, each a JSON value (`lines_of_case`).
    """
    cases = [
        stdin.replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n") if stdin.strip() else []
        for stdin in stdins
    ]
    # A line too many or too few in one case would shift all answers after it.
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
    """Return what the answers of a batch of `count` tests are worth.

    A run for each of the first tests, or none.

    Such a run is a clean one with an output of its own; its figures are those of the whole process.
    """
    # What follows the last line feed is nothing, or an answer that was not finished.
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
    """A session that runs its inputs in as few processes as it can.

    Each run is what it would be alone.

    Args:
        alone: The session in which every process runs.
        compiled: The program, made from a generated runner.
        lines: How many lines the input of a test has.
        on_state: Called when tests are answered differently in a batch and alone, and alone always
            the same.

    Attributes:
        processes: How many processes there were.
        ran_alone: The indices of the inputs whose run is that of a process of their own.
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
        """Close the session in which every process runs."""
        self._alone.close()

    def prepare(self) -> None:
        """Begin with what takes time before the first run."""
        self._alone.prepare()

    def run(self, stdins: Iterable[bytes]) -> Iterator[Run]:
        """Run the program on each input, in order; yields a Run for each."""
        waiting = as_sequence(stdins)
        done, believed = 0, False
        while len(waiting) - done >= FEWEST:
            runs = self._batch(waiting[done:])
            if runs and not believed and not self._steady(waiting[done:], runs):
                break
            believed = True
            yield from runs
            done += len(runs)
            # The test after the last answer is the one that ended the batch (there is none where
            # all were answered).
            yield from self._each(waiting[done : done + 1], done)
            done += 1
            if len(runs) < FEWEST:
                break
        yield from self._each(waiting[done:], done)

    def _batch(self, stdins: Sequence[bytes]) -> list[Run]:
        """Return runs for the first of the tests, as many as one process is known to have answered."""
        while len(stdins) >= FEWEST and (text := batch_input(stdins, self._lines)):
            run = self._one(text)
            if run.limit not in NOTICED_LATE:
                return split_answers(run, len(stdins))
            stdins = stdins[: len(stdins) // 2]
        return []

    def _steady(self, stdins: Sequence[bytes], runs: Sequence[Run]) -> bool:
        """Whether a sample of the tests is answered alone as in the batch.

        Tells `on_state` where it is not.
        """
        # Drawn from the program and its inputs: a repeated build runs the same tests alone.
        program = self._compiled.program
        texts = [program.source, *(file.content.decode("latin-1") for file in program.files)]
        chance = random.Random(digest(texts, [stdin.decode("latin-1") for stdin in stdins]))
        # The last one first: the most tests ran before it in the same process.
        for index in sorted(chance.sample(range(len(runs)), min(SAMPLE, len(runs))), reverse=True):
            alone = self._one(stdins[index])
            if not _same(alone, runs[index]):
                # else its answer is never the same, batch or not
                if _same(alone, self._one(stdins[index])):
                    self._on_state()
                return False
        return True

    def _each(self, stdins: Sequence[bytes], first: int) -> Iterator[Run]:
        for index, run in enumerate(self._alone.run(stdins), first):
            self.processes += 1
            self.ran_alone.add(index)
            yield run

    def _one(self, stdin: bytes) -> Run:
        self.processes += 1
        (run,) = self._alone.run([stdin])
        return run


def _same(one: Run, other: Run) -> bool:
    return one.clean == other.clean and one.stdout == other.stdout


class BatchSandbox(FairSessions):
    """Opens sessions that are batches, in a sandbox; make one for each solution.

    Args:
        inside: Where everything runs.
        lines: How many lines the input of a test has.

    Attributes:
        carries_state: Whether tests were answered differently in a batch and alone.
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
        """Return a session in which each process is held to `limits`."""
        alone = super().session(compiled, limits, cores, sampling)

        def carried() -> None:
            self.carries_state = True

        self.last = BatchSession(alone, compiled, self._lines, carried)
        return self.last


def judge_batch(
    batches: BatchSandbox,
    compiled: Compiled,
    tests: Sequence[TestCase],
    checker: Checker,
    limits: Limits,
    cores: Cores | None = None,
) -> Judgement:
    """Judge in batches; the verdict, the failing test and the reason are those of one process for each test.

    Raises:
        SandboxError: The sandbox failed; nothing is said about the program then.
        SourceError: There are no tests, or one has no expected output.
    """
    judgement = judge(batches, compiled, tests, checker, limits, cores=cores)
    if judgement.verdict in (Verdict.ACCEPTED, Verdict.COMPILE_ERROR):
        return judgement
    failed = next(
        index for index, verdict in enumerate(judgement.verdicts) if verdict != Verdict.ACCEPTED
    )
    if failed in batches.last.ran_alone:
        return judgement
    # In a batch an earlier test may have caused the failure: it counts only where the test fails
    # alone too.
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
