"""The declaration of a build stage.

It has the name of the stage and functions that process one item, list the dependencies of a result
and list the items that a result drops.

    step = Step(
        name="reference",
        problem=lambda finished: finished.problem.slug,
        work=find_references,
        depends_on=lambda finished: [finished.tests, finished.problem.generator, …],
    )
    for item, result in context.results(step, items): …

The build context (build_context.py) times a step, reports its progress, journals its results, and
records the items that `drops` returns or for which the sandbox failed. The latter have no result.
Without `depends_on` the step itself journals nothing; the executor still journals votes,
judgements, counts and measurements.
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
    PAIRS = "unshared cores, for measurements"
    HERE = "every core of this machine, for light work and for work on the files of this build"


@dataclass(frozen=True, kw_only=True)
class Step(Generic[Item, Result]):
    """One stage of a build.

    Attributes:
        name: The name of the stage in the progress, in the journal and in the dropped rows.
        problem: Returns the slug of the problem that an item belongs to.
        work: Processes one item, in one of many threads.
        where: The workers that it needs.
        subject: Returns the name of an item, such as a solution id; None: it is the problem's slug.
        depends_on: Returns everything that a result depends on; None: the step journals nothing.
        plain: Converts a result to plain JSON values.
        read: Converts plain JSON values back to a result.
        keeps: Whether to journal a result; if a model failed, the next build asks it again.
        drops: Returns the tests, the solutions or the problem that a result drops.
        counted: Whether each item is one unit of progress; False: `work` reports progress itself.
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
