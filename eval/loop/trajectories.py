"""Many trajectories at once.

The model is asked by threads, programs run on the cores, neither waits for the other.

    _ask (threads)  ── completion ──▶  ready jobs  ──▶  engine: begin · advance · score  (pairs of cores)
         ▲                                                        │
         └──────────────────── next question ◀────────────────────┘

A task is begun, its trajectories advance each at its own pace, and when the last one is done the
task is scored, once, on its private tests. Everything that was asked, judged or measured is kept,
so a second run repeats the first up to where that was stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue

from venus_toolkit.eval.asking.generate import ModelCaller
from venus_toolkit.eval.asking.tasks import EvaluationTask, TaskKey, load
from venus_toolkit.eval.loop.iterative_loop import (
    EFFICIENT,
    GENERATED,
    INEFFICIENT,
    Decision,
    LoopOptions,
    LoopTurn,
    TaskExecutor,
    Trajectory,
)
from venus_toolkit.eval.loop.private_tests import SplitTests, split_tests
from venus_toolkit.eval.scoring.score import EvalSample, SampleOutcome, Scored, TaskScorer
from venus_toolkit.execution.engine import Worker
from venus_toolkit.models.client import Completion

STEPS = 11  # starts of a spectrum, from 0 to 100 % by tenths


@dataclass(slots=True)
class OpenTask:
    """A task under way; `running` trajectories have questions left."""

    task: EvaluationTask
    tests: SplitTests
    trajectories: list[Trajectory]
    running: int


# A task whose trajectories are done, with its scored samples. The mapping tells which of these is
# the best program of a trajectory (by its number) after an iteration.
ScoredTask = tuple[OpenTask, Scored, dict[tuple[int, int], int]]
Job = Callable[[Worker], ScoredTask | None]


class TrajectoryRunner:
    """Runs the trajectories of all tasks."""

    def __init__(self, scorer: TaskScorer, caller: ModelCaller, loop: LoopOptions) -> None:
        self._scorer, self._caller, self._loop = scorer, caller, loop
        self._executor, self._options = scorer.executor, scorer.options
        # Jobs, what ended everything, or None where a task was scored.
        self._ready: SimpleQueue[Job | BaseException | None] = SimpleQueue()
        self._mutex = threading.Lock()

    def results(self, keys: Sequence[TaskKey]) -> Iterator[ScoredTask]:
        """Yield each task as it is finished.

        Tasks are not begun any more once a server was given up.
        """
        with self._caller.threads(self._executor.engine.unmeasured_cores()) as self._pool:
            work = self._executor.measuring(self._do, self._jobs(keys))
            yield from (scored for _, scored in work if scored)

    def _jobs(self, keys: Sequence[TaskKey]) -> Iterator[Job]:
        """Yield what can be done now; waits where that is nothing."""
        remaining, open_tasks = iter(keys), 0
        ahead = 8 * self._executor.engine.jobs  # open tasks: most of them wait for an answer
        while True:
            while (
                open_tasks < ahead and not self._caller.given_up and (key := next(remaining, None))
            ):
                open_tasks += 1
                yield partial(self._begin, key)
            if not open_tasks:
                return
            job = self._ready.get()
            if isinstance(job, BaseException):
                raise job
            if job is None:  # a task was scored
                open_tasks -= 1
            else:
                yield job

    def _do(self, job: Job, worker: Worker) -> ScoredTask | None:
        """Do a job. Whatever goes wrong has to wake up the thread that waits for jobs.

        It ends everything there.
        """
        try:
            return job(worker)
        except BaseException as error:
            self._ready.put(error)
            raise

    def _begin(self, key: TaskKey, worker: Worker) -> None:
        options, task = self._options, load(key, self._executor.sandbox)
        tests = split_tests(self._executor, options, task, worker)
        public = replace(task, tests=tests.public)
        trajectories = [
            Trajectory(public, options, self._loop, sample) for sample in range(options.samples)
        ]
        opened = OpenTask(task, tests, trajectories, len(trajectories))
        if self._loop.start != GENERATED:
            for trajectory in trajectories:
                percent = start_percent(self._loop.start, trajectory.sample)
                code = start_code(task, percent, options.baseline_figure)
                trajectory.begin(code, TaskExecutor(self._executor, public, options, worker))
        for trajectory in trajectories:
            self._go_on(opened, trajectory)

    def _go_on(self, opened: OpenTask, trajectory: Trajectory) -> None:
        if not trajectory.done:
            self._pool.submit(self._ask, opened, trajectory)
            return
        # Trajectories of a task end on several workers at once: exactly one of them has to see that
        # none is left.
        with self._mutex:
            opened.running -= 1
            last = not opened.running
        if last:
            self._ready.put(partial(self._score, opened))

    def _ask(self, opened: OpenTask, trajectory: Trajectory) -> None:
        """Ask, in a thread of the model; what goes wrong there ends everything, as in `_do`."""
        try:
            prompt, number = trajectory.question()
            completion = self._caller.answer(trajectory.task, prompt, number)
            self._ready.put(partial(self._advance, opened, trajectory, completion))
        except BaseException as error:
            self._ready.put(error)

    def _advance(
        self, opened: OpenTask, trajectory: Trajectory, completion: Completion, worker: Worker
    ) -> None:
        trajectory.take(
            completion, TaskExecutor(self._executor, trajectory.task, self._options, worker)
        )
        self._go_on(opened, trajectory)

    def _score(self, opened: OpenTask, worker: Worker) -> ScoredTask:
        """Score what each iteration left, on the private tests.

        Equal programs of a trajectory are one sample.
        """
        task = replace(opened.task, tests=opened.tests.private)
        samples: list[EvalSample] = []
        place_of: dict[tuple[int, int], int] = {}
        # A lost state is a sample of its own each time: its reason belongs to its iteration.
        for trajectory in opened.trajectories:
            known: dict[str, int] = {}
            for turn in states(trajectory):
                lost = turn.decision in (Decision.UNANSWERED, Decision.UNJUDGED)
                code = None if lost else turn.code
                place = len(samples) if code is None else known.setdefault(code, len(samples))
                if place == len(samples):
                    completion = turn.completion or Completion(
                        None, "the trajectory began with code that was given"
                    )
                    if code is None:
                        # The decision is also why there was no program in the last answer.
                        sample = EvalSample(
                            place, completion, SampleOutcome(str(turn.decision)), turn.reason
                        )
                    else:
                        program = task.program(code)
                        sample = EvalSample(
                            place, completion, SampleOutcome.UNJUDGED, code=code, program=program
                        )
                    samples.append(self._scorer.judge(task, sample, worker))
                place_of[trajectory.sample, turn.number] = place
        scored = self._scorer.score(task, samples, worker)
        self._ready.put(None)
        return opened, scored, place_of


def states(trajectory: Trajectory) -> Iterator[LoopTurn]:
    """Yield the state after each iteration.

    Where a trajectory was stopped, all later ones are what stopped it.
    """
    yield from trajectory.turns
    if trajectory.stopped:
        for number in range(len(trajectory.turns), trajectory.loop.iterations + 1):
            yield trajectory.stopped._replace(number=number)


def start_percent(start: str, sample: int) -> int:
    """Return where a trajectory begins among the human solutions: 0 is the costliest, 100 the cheapest.

    Of a spectrum the trajectories of a task begin at 0, 10, 20 and so on.
    """
    return {INEFFICIENT: 0, EFFICIENT: 100}.get(start, 10 * (sample % STEPS))


def start_code(task: EvaluationTask, percent: int, figure: str) -> str | None:
    """Return the human solution at a percentage by the data set's figures, None where no cost is known."""
    known = sorted(
        (
            (cost, reference.code)
            for reference in task.references
            if (cost := reference.published[figure]) is not None
        ),
        reverse=True,
    )
    return known[round(percent / 100 * (len(known) - 1))][1] if known else None
