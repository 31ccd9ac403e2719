"""A stage of a build, declared.

Its name, what a result depends on, how one item is worked on, what is dropped.

    step = Step(
        name="reference",
        problem=lambda each: each.problem.slug,
        work=find_references,
        depends_on=lambda each: [each.tests, each.problem.generator, …],
    )
    for item, result in context.results(step, items): …

The build context (build_context.py) gives every step its progress, its time, its journal, and a
reason for everything that is dropped: what the sandbox failed at, and what `drops` says of a
result. An item that the sandbox failed at has no result. A step that leaves `depends_on` out has
its pieces journalled by the executor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure

Item = TypeVar("Item")
Result = TypeVar("Result")


class Where(Enum):
    """Which workers a step needs."""

    EVERY_CORE = "every core, here or on the nodes of a cluster"
    PAIRS = "cores that nothing shares: programs are measured"
    HERE = "every core of this machine: what it does is light, or needs the files of this build"


@dataclass(frozen=True, kw_only=True)
class Step(Generic[Item, Result]):
    """One stage of a build.

    Attributes:
        name: Of the stage: in the progress, in the journal, and with what is dropped.
        problem: The slug of the problem that an item belongs to.
        work: Works on one item, in one of many threads.
        where: On which workers.
        subject: The name of an item where it is not the problem itself: a solution.
        depends_on: Everything that a result depends on; None: nothing is kept of it.
        plain: Makes a result plain JSON values, and `read` makes it a result again.
        keeps: Whether a result is worth keeping; one that a model failed to give is asked for
            again.
        drops: What is dropped because of a result: tests, solutions, or the problem itself.
        counted: Whether each item is one unit of progress; False: the work says how far it is
            itself.
    """

    name: str
    problem: Callable[[Item], str]
    work: Callable[[Item, Worker], Result | SandboxFailure]
    where: Where = Where.EVERY_CORE
    subject: Callable[[Item], str] | None = None
    depends_on: Callable[[Item], object] | None = None
    plain: Callable[[Result], Any] = lambda result: result
    read: Callable[[Any], Result] = lambda plain: plain
    keeps: Callable[[Result], bool] = lambda _: True
    drops: Callable[[Item, Result], Iterable[Dropped]] = lambda *_: ()
    counted: bool = True
