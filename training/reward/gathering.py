"""Answers that come one by one, rewarded together with the others to their prompt.

An answer is judged at once. It is measured when `group` answers to its prompt are there, or when none has come for
`linger_s`: programs that are measured together take turns, and the original is measured once for all of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from venus_toolkit.training.reward.grading import Graded, TaskAnswer
from venus_toolkit.training.reward.reward_tasks import TaskReference

LINGER_S = 5.0
GROUPS = 64  # that are graded at the same time: each waits in a thread of its own


class Gathered(NamedTuple):
    """What an answer is worth: its place among those that it was rewarded with."""

    group: Sequence[Graded]
    place: int

    @property
    def graded(self) -> Graded:
        """What this one is worth."""
        return self.group[self.place]


class Rewarding(Protocol):
    """What rewards: a `Grader`."""

    def submit(self, answers: Sequence[TaskAnswer]) -> None:
        """Begin to judge answers."""

    def grade(self, answers: Sequence[TaskAnswer], progress: float = 0.0) -> list[Graded]:
        """Return what answers are worth, at the share of the training that is done."""


@dataclass(slots=True)
class _Waiting:
    due: float = 0.0  # by the monotonic clock
    answers: list[TaskAnswer] = field(default_factory=list)
    futures: list[Future[Gathered]] = field(default_factory=list)


class Gathering:
    """Takes answers from any thread.

    Args:
        grader: Who rewards them.
        group: Answers to a prompt that are rewarded together; they all come to this process.
        linger_s: How long to wait for another one before those that are there are rewarded.
    """

    def __init__(self, grader: Rewarding, group: int, linger_s: float = LINGER_S) -> None:
        self._grader, self._group, self._linger_s = grader, group, linger_s
        self._waiting: dict[TaskReference, _Waiting] = {}
        self._changed = threading.Condition()
        self._pool = ThreadPoolExecutor(GROUPS, thread_name_prefix="venus-rewards")
        self._clock: threading.Thread | None = None

    def submit(self, answer: TaskAnswer) -> Future[Gathered]:
        """Begin to judge an answer; the future has its reward, or the error because of which there is none."""
        mine: Future[Gathered] = Future()
        self._grader.submit([answer])
        with self._changed:
            waiting = self._waiting.setdefault(answer.reference, _Waiting())
            waiting.answers.append(answer)
            waiting.futures.append(mine)
            waiting.due = time.monotonic() + self._linger_s  # the wait is for the next one: it begins anew
            if len(waiting.answers) >= self._group:
                self._pool.submit(self._reward, self._waiting.pop(answer.reference))
            elif self._clock is None:
                self._clock = threading.Thread(target=self._watch, name="venus-linger", daemon=True)
                self._clock.start()
            self._changed.notify()
        return mine

    def _watch(self) -> None:
        """Reward groups for which no other answer has come in time."""
        with self._changed:
            while True:
                now = time.monotonic()
                for reference in [each for each, waiting in self._waiting.items() if waiting.due <= now]:
                    self._pool.submit(self._reward, self._waiting.pop(reference))
                due = min((waiting.due for waiting in self._waiting.values()), default=None)
                self._changed.wait(None if due is None else max(due - now, 0.0))

    def _reward(self, waiting: _Waiting) -> None:
        # Who was cancelled waits no more, and nobody can be from here on.
        live = [(place, mine) for place, mine in enumerate(waiting.futures) if mine.set_running_or_notify_cancel()]
        try:
            group = self._grader.grade(waiting.answers)
        except BaseException as error:  # whoever waits must hear of it, whatever it is
            for _, mine in live:
                mine.set_exception(error)
            return
        for place, mine in live:
            mine.set_result(Gathered(group, place))
