"""Runs many trajectories concurrently: threads ask the model while the cores run programs.

    _ask (threads)  ── completion ──▶  ready jobs  ──▶  engine: begin · advance · score  (pairs of cores)
         ▲                                                        │
         └──────────────────── next question ◀────────────────────┘

Each trajectory of a task advances at its own pace. When the last one is done, the task is scored
once on its private tests. Answers, verdicts and figures are kept, so rerunning the command resumes.
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
from venus_toolkit.eval.scoring.score import EvalSample, SampleOutcome, TaskScorer, TaskScores
from venus_toolkit.execution.engine import Worker
from venus_toolkit.models.client import Completion

STEPS = 11  # number of starts of a spectrum, from 0 to 100 % in steps of 10 %


@dataclass(slots=True)
class OpenTask:
    """A task in progress; `running` is the number of unfinished trajectories."""

    task: EvaluationTask
    tests: SplitTests
    trajectories: list[Trajectory]
    running: int


# A finished task with its scored samples. The mapping leads from (trajectory, iteration) to the
# index of the sample that is the best program after that iteration.
ScoredTask = tuple[OpenTask, TaskScores, dict[tuple[int, int], int]]
Job = Callable[[Worker], ScoredTask | None]


class TrajectoryRunner:
    """Runs the trajectories of all tasks."""

    def __init__(self, scorer: TaskScorer, caller: ModelCaller, loop: LoopOptions) -> None:
        self._scorer, self._caller, self._loop = scorer, caller, loop
        self._executor, self._options = scorer.executor, scorer.options
        # Jobs, an error that ends everything, or None after a task is scored.
        self._ready: SimpleQueue[Job | BaseException | None] = SimpleQueue()
        self._mutex = threading.Lock()

    def results(self, keys: Sequence[TaskKey]) -> Iterator[ScoredTask]:
        """Yield each finished task; no other task starts once the caller has given up asking."""
        with self._caller.threads(self._executor.engine.unmeasured_cores()) as self._pool:
            work = self._executor.measuring(self._run_job, self._jobs(keys))
            yield from (scored for _, scored in work if scored)

    def _jobs(self, keys: Sequence[TaskKey]) -> Iterator[Job]:
        """Yield jobs as they become ready; block until the next one."""
        remaining, open_tasks = iter(keys), 0
        ahead = 8 * self._executor.engine.jobs  # limit of open tasks: most wait for an answer
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
            if job is None:  # a task is finished
                open_tasks -= 1
            else:
                yield job

    def _run_job(self, job: Job, worker: Worker) -> ScoredTask | None:
        """Run a job; an error wakes the thread that waits for jobs, which then ends the run."""
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
        open_task = OpenTask(task, tests, trajectories, len(trajectories))
        if self._loop.start != GENERATED:
            for trajectory in trajectories:
                percent = start_percent(self._loop.start, trajectory.sample)
                code = start_code(task, percent, options.baseline_figure)
                trajectory.begin(code, TaskExecutor(self._executor, public, options, worker))
        for trajectory in trajectories:
            self._continue(open_task, trajectory)

    def _continue(self, open_task: OpenTask, trajectory: Trajectory) -> None:
        if not trajectory.done:
            self._pool.submit(self._ask, open_task, trajectory)
            return
        # Several workers may finish trajectories of one task at once; exactly one must find that it
        # was the last.
        with self._mutex:
            open_task.running -= 1
            last = not open_task.running
        if last:
            self._ready.put(partial(self._score, open_task))

    def _ask(self, open_task: OpenTask, trajectory: Trajectory) -> None:
        """Ask in a thread of the model; an error ends the run, as in `_run_job`."""
        try:
            prompt, number = trajectory.question()
            completion = self._caller.answer(trajectory.task, prompt, number)
            self._ready.put(partial(self._advance, open_task, trajectory, completion))
        except BaseException as error:
            self._ready.put(error)

    def _advance(
        self, open_task: OpenTask, trajectory: Trajectory, completion: Completion, worker: Worker
    ) -> None:
        trajectory.take(
            completion, TaskExecutor(self._executor, trajectory.task, self._options, worker)
        )
        self._continue(open_task, trajectory)

    def _score(self, open_task: OpenTask, worker: Worker) -> ScoredTask:
        """Score the best program after each iteration on the private tests.

        Equal programs of a trajectory are one sample.
        """
        task = replace(open_task.task, tests=open_task.tests.private)
        samples: list[EvalSample] = []
        place_of: dict[tuple[int, int], int] = {}
        # Every failed iteration is a separate sample, because its reason belongs to it.
        for trajectory in open_task.trajectories:
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
                        # The outcomes of samples without a program are also decisions.
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
        return open_task, scored, place_of


def states(trajectory: Trajectory) -> Iterator[LoopTurn]:
    """Yield the state after each iteration; after a stop, all later states repeat it."""
    yield from trajectory.turns
    if trajectory.stopped:
        for number in range(len(trajectory.turns), trajectory.loop.iterations + 1):
            yield trajectory.stopped._replace(number=number)


def start_percent(start: str, sample: int) -> int:
    """Return the start of a trajectory among the human solutions in percent.

    0 is the costliest solution, 100 the cheapest. In a spectrum, the trajectories of a task start
    at 0, 10, 20 and so on.
    """
    return {INEFFICIENT: 0, EFFICIENT: 100}.get(start, 10 * (sample % STEPS))


def start_code(task: EvaluationTask, percent: int, figure: str) -> str | None:
    """Return the human solution at a percentage by published cost, or None if no cost is known."""
    known = sorted(
        (
            (cost, reference.code)
            for reference in task.references
            if (cost := reference.published[figure]) is not None
        ),
        reverse=True,
    )
    return known[round(percent / 100 * (len(known) - 1))][1] if known else None
