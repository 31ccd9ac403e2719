"""Many trajectories at once: the model is asked by threads, programs run on the cores, neither waits for the other.

    _ask (threads)  ── completion ──▶  ready jobs  ──▶  engine: begin · advance · score  (pairs of cores)
         ▲                                                        │
         └──────────────────── next question ◀────────────────────┘

A task is begun, its trajectories advance each at its own pace, and when the last one is done the task is scored, once,
on its private tests. Everything that was asked, judged or measured is kept, so a second run repeats the first up to
where that was stopped.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple

from venus_toolkit.engine import Seat
from venus_toolkit.eval.generate import Model
from venus_toolkit.eval.optimise import EFFICIENT, GENERATED, Decision, LoopOptions, Trajectory, Turn
from venus_toolkit.eval.private import Split, split_tests
from venus_toolkit.eval.references import Cache
from venus_toolkit.eval.score import Outcome, Sample, Scored, decided, score_task
from venus_toolkit.eval.tasks import Head, Task, load
from venus_toolkit.eval.workplace import Failure, Measured, Workplace
from venus_toolkit.llm import Completion
from venus_toolkit.records import Judgement

AHEAD = 8  # tasks that are open for each worker

Job = Callable[[Seat], "Finished | None"]
NO_ANSWER = Completion(None, "the trajectory began with code that was given")


@dataclass(slots=True)
class PlaceBench:
    """Judges and measures programs of a task in a workplace."""

    place: Workplace
    task: Task
    seat: Seat

    def judge(self, code: str) -> Judgement | Failure:
        """Return the verdict on a program, or why there is none."""
        return self.place.judge(self.task, self.task.program(code), self.seat)

    def measure(self, codes: Sequence[str]) -> list[Measured] | Failure:
        """Return what programs cost that take turns, in their order, or why that is not known."""
        return self.place.measure(self.task, [self.task.program(code) for code in codes], self.seat)


@dataclass(slots=True)
class Course:
    """A task under way; `running` trajectories have questions left."""

    task: Task
    tests: Split
    trajectories: list[Trajectory]
    running: int


class Finished(NamedTuple):
    """A task whose trajectories are done: scored on its private tests.

    place_of says which sample of `scored` is the best program of a trajectory after an iteration.
    """

    course: Course
    scored: Scored
    place_of: dict[tuple[int, int], int]


class Iterating:
    """Runs the trajectories of all tasks.

    Args:
        place: Where programs run.
        model: Who answers.
        loop: How the loop runs.
        cache: Figures of reference solutions.
        progress: Told how many answers there are.
    """

    def __init__(
        self,
        place: Workplace,
        model: Model,
        loop: LoopOptions,
        cache: Cache,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.given_up = ""
        self._place, self._model, self._loop, self._cache, self._progress = place, model, loop, cache, progress
        self._ready: SimpleQueue[Job | BaseException | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._failures = self._count = 0

    def results(self, heads: Sequence[Head]) -> Iterator[Finished]:
        """Yield each task as it is finished; tasks are not begun any more once a server was given up."""
        beside = self._place.engine.beside()
        stay = partial(os.sched_setaffinity, 0, beside)
        with ThreadPoolExecutor(self._model.concurrency, "venus-ask", initializer=stay) as pool:
            self._pool = pool
            try:
                work = self._place.engine.measuring(self._do, self._jobs(heads), self._place.options.share_cores)
                yield from (found for _, found in work if found)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def _jobs(self, heads: Sequence[Head]) -> Iterator[Job]:
        """Yield what can be done now; waits where that is nothing."""
        remaining, open_tasks = iter(heads), 0
        ahead = AHEAD * self._place.engine.jobs
        while True:
            while open_tasks < ahead and not self.given_up and (head := next(remaining, None)):
                open_tasks += 1
                yield partial(self._begin, head)
            if not open_tasks:
                return
            job = self._ready.get()
            if isinstance(job, BaseException):
                raise job
            if job is None:
                open_tasks -= 1
            else:
                yield job

    def _do(self, job: Job, seat: Seat) -> Finished | None:
        """Do a job. Whatever goes wrong has to wake up the thread that waits for jobs: it ends everything there."""
        try:
            return job(seat)
        except BaseException as error:
            self._ready.put(error)
            raise

    # -------------------------------------------------------------- jobs

    def _begin(self, head: Head, seat: Seat) -> None:
        task = load(head, self._place.sandbox)
        tests = split_tests(self._place, task, seat)
        public = replace(task, tests=tests.public)
        options = self._place.options
        trajectories = [Trajectory(public, options, self._loop, sample) for sample in range(options.samples)]
        course = Course(task, tests, trajectories, len(trajectories))
        if self._loop.start != GENERATED:
            code = start_code(task, self._loop.start, options.figures[options.objective])
            for trajectory in trajectories:
                trajectory.begin(code, PlaceBench(self._place, public, seat))
        for trajectory in trajectories:
            self._go_on(course, trajectory)

    def _advance(self, course: Course, trajectory: Trajectory, completion: Completion, seat: Seat) -> None:
        trajectory.take(completion, PlaceBench(self._place, trajectory.task, seat))
        self._go_on(course, trajectory)

    def _score(self, course: Course, seat: Seat) -> Finished:
        task = replace(course.task, tests=course.tests.private)
        samples: list[Sample] = []
        place_of: dict[tuple[int, int], int] = {}
        for trajectory in course.trajectories:
            known: dict[str | None, int] = {}
            for turn in states(trajectory):
                lost = turn.decision in (Decision.UNANSWERED, Decision.UNJUDGED)
                key = None if lost else turn.code
                if key not in known or lost or key is None:
                    known[key] = len(samples)
                    samples.append(self._judged(task, turn, len(samples), seat))
                place_of[trajectory.sample, turn.number] = known[key]
        scored = score_task(self._place, self._cache, task, samples, seat)
        self._ready.put(None)
        return Finished(course, scored, place_of)

    def _judged(self, task: Task, turn: Turn, number: int, seat: Seat) -> Sample:
        """Return the best program of a turn as a sample, with the verdict of the private tests."""
        said = turn.completion or NO_ANSWER
        if turn.decision in (Decision.UNANSWERED, Decision.UNJUDGED):
            return Sample(number, said, Outcome(str(turn.decision)), turn.reason)
        if turn.code is None:
            return Sample(number, said, Outcome.NO_CODE, turn.reason)
        program = task.program(turn.code)
        sample = Sample(number, said, Outcome.UNJUDGED, "", turn.code, program)
        return decided(sample, self._place.judge(task, program, seat))

    # -------------------------------------------------------------- asking

    def _go_on(self, course: Course, trajectory: Trajectory) -> None:
        if not trajectory.done:
            self._pool.submit(self._ask, course, trajectory)
            return
        with self._mutex:
            course.running -= 1
            last = not course.running
        if last:
            self._ready.put(partial(self._score, course))

    def _ask(self, course: Course, trajectory: Trajectory) -> None:
        """Ask, in a thread of the model; what goes wrong there ends everything, as in `_do`."""
        try:
            found = self._answer(trajectory)
            self._ready.put(partial(self._advance, course, trajectory, found))
        except BaseException as error:
            self._ready.put(error)

    def _answer(self, trajectory: Trajectory) -> Completion:
        if self.given_up:
            return Completion(None, f"not asked: {self.given_up}", answered=False)
        prompt, number = trajectory.question()
        found = self._model.answer(trajectory.task, prompt, number)
        with self._mutex:
            self._count += 1
            self._failures = 0 if found.answered else self._failures + 1
            if self._model.patience and self._failures >= self._model.patience:
                why = f"the model did not answer {self._failures} times in a row: {found.reason}"
                self.given_up = self.given_up or why
            self._progress(self._count)
        return found


def states(trajectory: Trajectory) -> Iterator[Turn]:
    """Yield the state after each iteration; where a trajectory was stopped, all later ones are what stopped it."""
    yield from trajectory.turns
    if trajectory.stopped:
        for number in range(len(trajectory.turns), trajectory.loop.iterations + 1):
            yield trajectory.stopped._replace(number=number)


def start_code(task: Task, start: str, figure: str) -> str | None:
    """Return the cheapest or the dearest human solution by the data set's figures, or None where none is known."""
    known = [(cost, each.code) for each in task.references if (cost := each.published[figure]) is not None]
    return (min if start == EFFICIENT else max)(known)[1] if known else None
