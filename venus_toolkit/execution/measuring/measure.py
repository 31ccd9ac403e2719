"""Measures programs in interleaved runs, with a reference program between them.

The machine's speed drifts. So every round runs each program once over all tests, and before and
after it a short program in the same language on the same core. The drift and the costs without it
are estimated from all of these runs together (estimator.py). An empty program of the language,
measured in the same session, shows the cost of starting a process.
"""

from __future__ import annotations

import hashlib
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits, Run, TestCase, Verdict
from venus_toolkit.core.store import read_lines
from venus_toolkit.execution.judging.checker import WAITING_BYTES, Answer, Checker
from venus_toolkit.execution.judging.comparison import same_text
from venus_toolkit.execution.judging.judge import ending
from venus_toolkit.execution.judging.libraries import installed
from venus_toolkit.execution.judging.suite import EncodedInputs
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.measuring.rounds import (
    FLOOR_RUNS,
    FirstRuns,
    MeasureOptions,
    Reference,
    Rejection,
    Round,
    Rounds,
)
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, Session
from venus_toolkit.execution.sandbox.cores import quiet_cores, usable_cores
from venus_toolkit.execution.sandbox.starvation import fair
from venus_toolkit.execution.sandbox.supervisor import Cores, Sampling

# A reference program takes 20 to 100 ms, so one that reaches these limits is a sandbox failure.
REFERENCE_LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)


def measure_interleaved(
    sandbox: Sandbox,
    programs: Sequence[Compiled],
    tests: Sequence[TestCase],
    limits: Limits,
    options: MeasureOptions,
    *,
    reseeded: Sequence[Sequence[TestCase]] = (),
    checker: Checker | None = None,
    cores: Cores | None = None,
    trace: bool = False,
    reference: bool = True,
    on_run: Callable[[int, int, Run], None] = lambda *_: None,
    on_round: Callable[[], None] = lambda: None,
    judged: Sequence[FirstRuns | None] = (),
    warmup: int = 0,
    enough: Callable[[Rounds], bool] | None = None,
) -> Rounds:
    """Measure compiled programs of one language on the same tests, in interleaved runs.

    In each repeat, the order of the programs and of the tests of each program is random.

    Args:
        sandbox: Runs the programs.
        programs: The programs.
        tests: The tests.
        limits: The limits of each run.
        options: The options.
        reseeded: The tests of each repeat, if repeats have different inputs
            (execution/judging/held_out.py), so that answers stored in earlier runs are useless.
        checker: Checks every output as the judge does, so that a program cannot be right when it is
            judged and fast when it is measured. None: outputs are not checked.
        cores: The cores of the programs and their supervisor; None: claim quiet ones.
        trace: Runs include the samples of memory over time.
        reference: Run the reference program of the language between the programs. False: relative
            times are None, for programs that are only compared with each other.
        on_run: Called with the index of the program, the index of the test, and the run with its
            outputs.
        on_round: Called when a program has run all its tests once.
        judged: The costs of each program when it was judged on these tests, if known. Repeats that
            are significantly cheaper are flagged.
        warmup: The number of rounds at the start whose outputs are checked and whose figures are
            dropped.
        enough: Called with all rounds so far after each repeat but the last; returns whether to end
            the session.

    Raises:
        SandboxError: The sandbox or the reference program failed.
        ValueError: The options are adaptive and repeats have different inputs: programs would be
            measured on different sets of inputs.
    """
    if options.adaptive and reseeded:
        raise ValueError("adaptive repeats have the same inputs")
    if not programs:
        return Rounds(options, len(tests), ())
    cores = cores or quiet_cores()
    language = programs[0].program.language
    rounds: list[list[Round]] = [[] for _ in programs]
    check = _OutputCheck(checker, language) if checker else None

    def process_run(program: int, tests: Sequence[TestCase], test: int, run: Run) -> None:
        if check:
            check.add(program, tests[test], run)
        if repeat >= 0:
            on_run(program, test, run)

    def so_far() -> Rounds:
        return Rounds(
            options,
            len(tests),
            tuple(map(tuple, rounds)),
            rejections=check.rejections if check else {},
            references=tuple(auxiliary.references),
        )

    draw = random.Random(" ".join(test.test_id for test in tests))
    before, sampling = Pressure.now(), options.sampling(cores, trace)
    with out_of_the_way(cores), ExitStack() as stack:
        auxiliary = _AuxiliaryPrograms(stack, sandbox, language, cores, options, needed=reference)
        active: Sequence[int] = range(len(programs))
        for repeat in range(-warmup, options.repeats):
            if repeat > 0 and options.adaptive:
                active = so_far().unsettled
            if not active:
                break
            if repeat > 0 and enough and enough(so_far()):
                options = replace(options, repeats=repeat)
                break
            inputs = reseeded[repeat] if reseeded and repeat >= 0 else tests
            auxiliary.run_empty()
            # Each reference run counts for the program before it and for the one after it.
            cpu_before = auxiliary.run_reference()
            # In random order, so that no program always follows the same one, or recognises a
            # repeat by its position.
            for index in draw.sample(active, len(active)):
                begun = time.monotonic_ns()
                order = draw.sample(range(len(inputs)), len(inputs))
                with fair(sandbox).session(programs[index], limits, cores, sampling) as session:
                    runs = _run_in_order(
                        session, inputs, order, partial(process_run, index, inputs)
                    )
                at_ns = (begun + time.monotonic_ns()) / 2
                if check and check.waiting > WAITING_BYTES:
                    check.evaluate()  # now, while no program runs
                cpu_after = auxiliary.run_reference()
                clean = len(runs) == len(tests) and all(
                    run.clean and not run.disagreement for run in runs
                )
                mean = (
                    None
                    if cpu_before is None or cpu_after is None
                    else (cpu_before + cpu_after) / 2
                )
                rounds[index].append(Round(runs, mean, clean, at_ns))
                cpu_before = cpu_after
                on_round()
            if repeat < 0:
                for this_round in rounds:
                    this_round.clear()
                auxiliary.references.clear()
                auxiliary.floor.clear()
    noise, rejections = tuple(before.since()), check.evaluate() if check else {}
    return Rounds(
        options,
        len(tests),
        tuple(map(tuple, rounds)),
        noise,
        rejections,
        reseeded_tests(tests, reseeded),
        tuple(auxiliary.references),
        tuple(auxiliary.floor),
        tuple(judged),
    )


def reseeded_tests(
    tests: Sequence[TestCase], repeats: Sequence[Sequence[TestCase]]
) -> frozenset[int]:
    """Return the indices of the tests whose inputs, original and repeats, are all different."""
    if not repeats:
        return frozenset()
    inputs = ([test.stdin for test in of_each] for of_each in zip(tests, *repeats, strict=True))
    return frozenset(index for index, input in enumerate(inputs) if len(set(input)) == len(input))


def count_reseeded(tests: Sequence[TestCase], repeats: Sequence[Sequence[TestCase]]) -> int:
    """Return the number of tests whose inputs, original and repeats, are all different."""
    return len(reseeded_tests(tests, repeats))


class _OutputCheck:
    """Checks the outputs of measured runs; an evaluator runs only between them (`evaluate`).

    For a test without an expected output, only the end of the program is judged.
    """

    def __init__(self, checker: Checker, language: Language) -> None:
        self._checker, self._language = checker, language
        self.rejections: dict[int, Rejection] = {}  # incomplete until `evaluate`
        self._pending: dict[int, list[Answer]] = {}
        # repeats mostly print the same output, which is evaluated once
        self._known: set[tuple[int, str, str]] = set()

    def add(self, program: int, test: TestCase, run: Run) -> None:
        if program in self.rejections:
            return
        verdict, reason = ending(run, self._language)
        if verdict:
            self.rejections[program] = Rejection(verdict, f"while it was measured: {reason}")
            return
        if test.stdout is None:
            return
        answer = Answer(test.stdout, run.stdout, test.stdin)
        if self._checker.comparison.kind != "evaluator":
            self._compare(program, [answer])
        elif not same_text(answer.expected, answer.actual):
            output = (program, test.stdin, hashlib.sha256(run.stdout).hexdigest())
            if output not in self._known:
                self._known.add(output)
                self._pending.setdefault(program, []).append(answer)

    @property
    def waiting(self) -> int:
        """The size in bytes of the answers that wait for the evaluator."""
        return sum(len(answer.actual) for answers in self._pending.values() for answer in answers)

    def evaluate(self) -> Mapping[int, Rejection]:
        """Have the evaluator check all waiting answers; returns all rejections so far."""
        for program, answers in self._pending.items():
            if program not in self.rejections:
                self._compare(program, answers)
        self._pending.clear()
        return self.rejections

    def _compare(self, program: int, answers: Sequence[Answer]) -> None:
        if not all(self._checker.passes(answers)):
            reason = "it printed something else while it was measured"
            self.rejections[program] = Rejection(Verdict.WRONG_ANSWER, reason)


def _run_in_order(
    session: Session,
    tests: Sequence[TestCase],
    order: Sequence[int],
    on_run: Callable[[int, Run], None],
) -> tuple[Run, ...]:
    """Run the tests in the given order; returns the runs in the order of the tests.

    It stops at the first failure.
    """
    runs: dict[int, Run] = {}
    # All inputs are encoded before the first run, so that this process is idle during runs.
    inputs = list(EncodedInputs([tests[index] for index in order]))
    for place, run in enumerate(session.run(inputs)):
        on_run(order[place], run)
        runs[order[place]] = run.without_output()
        # The round has no figures without all tests, so the rest would be wasted time.
        if not run.clean:
            break
    return tuple(runs[index] for index in sorted(runs))


@contextmanager
def reference_runner(
    sandbox: Sandbox, language: Language, cores: Cores
) -> Iterator[Callable[[], float]]:
    """Yield a function that runs the language's reference program and returns its CPU time in ns.

    Raises:
        SandboxError: The reference program does not compile, or fails.
    """
    noun = f"the reference program of {language.name}"
    program = Program(language.usual, language.reference)
    with _auxiliary_program(sandbox, program, noun, cores) as run_once:
        yield lambda: run_once().cpu_ns


class _AuxiliaryPrograms:
    """The reference program, which runs between measured ones, and the empty one.

    If they are not `needed`, or the language has no empty program, their methods do nothing. The
    stack closes them.

    Raises:
        SandboxError: One of them does not compile, or fails.
    """

    def __init__(
        self,
        stack: ExitStack,
        sandbox: Sandbox,
        language: Language,
        cores: Cores,
        options: MeasureOptions,
        *,
        needed: bool,
    ) -> None:
        self.references: list[Reference] = []
        self.floor: list[tuple[Run, ...]] = []
        self._reference = (
            stack.enter_context(reference_runner(sandbox, language, cores)) if needed else None
        )
        self._empty = None
        if needed and language.empty:
            program, noun = (
                Program(language.usual, language.empty),
                f"the empty program of {language.name}",
            )
            self._empty = stack.enter_context(
                _auxiliary_program(sandbox, program, noun, cores, options.sampling(cores))
            )

    def run_reference(self) -> float | None:
        """Run the reference program once and return its CPU time in ns."""
        if self._reference is None:
            return None
        begun, cpu_ns = time.monotonic_ns(), self._reference()
        self.references.append(Reference(cpu_ns, (begun + time.monotonic_ns()) / 2))
        return cpu_ns

    def run_empty(self) -> None:
        """Run the empty program `FLOOR_RUNS` times."""
        if self._empty is not None:
            self.floor.append(tuple(self._empty() for _ in range(FLOOR_RUNS)))


@contextmanager
def _auxiliary_program(
    sandbox: Sandbox, program: Program, noun: str, cores: Cores, sampling: Sampling | None = None
) -> Iterator[Callable[[], Run]]:
    """Yield a function that runs a trusted program once; its failure is a SandboxError."""
    fix = f"venus languages check {program.language.id}"
    compiled = sandbox.compile(program)
    if not compiled.ok:
        raise SandboxError(f"{noun} does not compile", compiled.log[-300:], fix)
    with sandbox.session(compiled, REFERENCE_LIMITS, cores, sampling) as session:

        def run_once() -> Run:
            (run,) = session.run([b""])
            if not run.clean:
                reason = f"exit code {run.exit_code}, signal {run.signal}, limit {run.limit}"
                raise SandboxError(f"{noun} failed", reason, fix)
            return run.without_output()

        run_once()  # the first run loads files into the page cache
        yield run_once


@contextmanager
def out_of_the_way(cores: Cores) -> Iterator[None]:
    """Keep the calling thread and its child processes off the program's core."""
    before = os.sched_getaffinity(0)
    if cores.apart:
        # unless that is the only core
        os.sched_setaffinity(0, before - {cores.program} or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def environment_facts(
    languages: Iterable[Language], versions: Mapping[str, str]
) -> dict[str, object]:
    """Return the facts of this machine that readers of figures need.

    These are its processor, its kernel, and the toolchains and libraries of the languages.
    """
    models = [
        line.split(":", 1)[1].strip()
        for line in read_lines("/proc/cpuinfo")
        if line.startswith("model name")
    ]
    uname, chosen = os.uname(), list(languages)
    libraries = {
        language.id: [name for name, present in installed(language).items() if present]
        for language in chosen
    }
    return {
        "cpu": next(iter(models), None),
        "cores": len(usable_cores()),
        "architecture": uname.machine,
        "kernel": uname.release,
        "governor": next(
            iter(read_lines("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")), None
        ),
        "smt": next(iter(read_lines("/sys/devices/system/cpu/smt/active")), None),
        "toolchains": {
            language.id: versions[language.id] for language in chosen if language.id in versions
        },
        **(
            {"libraries": {name: names for name, names in libraries.items() if names}}
            if chosen
            else {}
        ),
    }
