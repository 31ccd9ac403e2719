"""A Ray cluster: on every node a process that gets all its cores, and threads here that wait for what it finds.

What is decided and kept stays in this process, so the results are those of the local engine but for
the figures.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from venus_toolkit.core.errors import SandboxError, VenusError
from venus_toolkit.execution.engine import (
    EngineOptions,
    Machine,
    MachineLostError,
    Worker,
    WorkerEnvironment,
)
from venus_toolkit.execution.engine.local_engine import LocalEngine, spread
from venus_toolkit.execution.engine.node import LostError, NodeRequirements
from venus_toolkit.execution.engine.node_pool import NodePool
from venus_toolkit.execution.engine.ray_cluster import RayCluster, connect
from venus_toolkit.execution.engine.serialization import CallSerializer
from venus_toolkit.execution.sandbox import Sandbox, supervisor
from venus_toolkit.execution.sandbox.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")

LOSSES = 5  # nodes that some work may take with it before it is given up
AHEAD = 8  # items that wait for a worker
THREADS = 8192  # at most; there are as many as there are workers


def open_ray(options: EngineOptions, site: WorkerEnvironment) -> RayEngine:
    """Return the engine over the cluster at an address, or over one that Ray finds here or starts.

    Raises:
        MachineError: There is no Ray, no such cluster, or a node that cannot do the work.
    """
    started = connect(options.address)
    versions = dict(site.versions)
    requirements = NodeRequirements(
        site.sandbox.name, supervisor.version(), site.languages, versions
    )
    node_pool = NodePool(RayCluster(pickle.dumps(requirements), options.part), options.jobs)
    engine = RayEngine(node_pool, LocalEngine(site.sandbox, options.jobs), started)
    try:
        node_pool.start()
    except BaseException:
        engine.close()
        raise
    return engine


@dataclass(frozen=True, slots=True)
class RayWorker:
    """A thread here that has work on the problem `about` done on a node.

    On which is decided each time.

    The work takes one core or a pair; `only` is the type of machine that it has to be done on.
    """

    node_pool: NodePool
    serializer: CallSerializer
    pairs: bool
    about: str = ""
    only: Machine | None = None

    @property
    def cores(self) -> Cores:
        """Any core of this machine: what is done here is light."""
        return Cores()

    def at(self, about: str) -> RayWorker:
        """Return the worker for work on a problem."""
        return replace(self, about=about)

    def machine(self) -> Machine:
        """Return the type of machine on which the problem is worked on.

        Raises:
            MachineLostError: It had to be one that is gone.
        """
        if self.only and self.only.fingerprint not in self.node_pool.machines():
            raise MachineLostError
        return self.only or self.node_pool.machine_for(self.about)

    def on(self, machine: Machine) -> RayWorker:
        """Return the worker for work that has to be done on this type of machine."""
        return replace(self, only=machine)

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Return what a function of a module finds on a node.

        What is lost with one is done again on another.
        """
        call = self.serializer.serialize(work, args, kwargs)
        losses: list[str] = []  # some work may itself be what ends nodes
        while len(losses) < LOSSES:
            place = self.node_pool.take(self.pairs, self.about, self.only)
            try:
                reply = place.node_state.actor.work(call, place.cores)
            except LostError as error:
                losses.append(str(error))
                self.node_pool.lose(place.node_state, str(error))
                continue
            finally:
                self.node_pool.give(place)
            if isinstance(reply, VenusError):
                raise reply
            result: Result = reply
            return result
        raise SandboxError(
            f"{LOSSES} nodes were lost with this work",
            losses[-1],
            "see what ended them: ray list nodes",
        )


class RayEngine:
    """Runs work over items on the nodes of a pool.

    `here` is the engine for what is done on this machine in any case.

    `started` says whether the connection to the cluster is ours to end. Without a serializer, what
    nodes share is put into Ray's own store.
    """

    def __init__(
        self,
        node_pool: NodePool,
        here: LocalEngine,
        started: bool = False,
        serializer: CallSerializer | None = None,
    ) -> None:
        self.node_pool = node_pool
        self.here = here
        self._started = started

        def put(value: Any) -> Any:
            import ray

            return ray.put(value)

        self._serializer = serializer or CallSerializer(put)

    @property
    def jobs(self) -> int:
        """How many programs are judged at the same time."""
        return self.node_pool.jobs

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy.

        The first exception ends it all.
        """
        return self._spread(work, items, pairs=False)

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging; nothing shares the core of a program, unless its supervisor is to."""
        return self._spread(work, items, pairs=not share_cores)

    def _spread(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item], pairs: bool
    ) -> Iterator[tuple[Item, Result]]:
        worker = RayWorker(self.node_pool, self._serializer, pairs)
        return spread(lambda item: work(item, worker), items, THREADS, lambda: self.jobs + AHEAD)

    def worker(self) -> RayWorker:
        """Return a worker for measuring one item after the other."""
        return RayWorker(self.node_pool, self._serializer, pairs=True)

    def unmeasured_cores(self) -> set[int]:
        """Return the cores of this machine on which no measured program runs, in case it is a node as well."""
        return self.here.unmeasured_cores()

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one: an earlier run did."""
        if fingerprint:
            self.node_pool.prefer(about, fingerprint)

    def close(self) -> None:
        """Dismiss the nodes and leave the cluster."""
        self.node_pool.close()
        if self._started:
            import ray

            ray.shutdown()
