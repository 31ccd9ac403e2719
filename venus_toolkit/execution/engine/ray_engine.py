"""The engine of a Ray cluster: one process per node holds all its cores; threads here wait for it.

Decisions and journals stay in this process, so the results equal those of the local engine except
for the figures.
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

LOSSES = 5  # lost nodes after which work fails, since it may have crashed them itself
AHEAD = 8  # items that wait for a worker
THREADS = 8192  # upper limit; one thread is started for each worker


def open_ray(options: EngineOptions, site: WorkerEnvironment) -> RayEngine:
    """Return an engine for the cluster at an address, or for one that Ray finds here or starts.

    Raises:
        MachineError: Ray is not installed, the cluster cannot be found, or a node cannot do the
            work.
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
    """Sends work on the problem `about` to a node, which it chooses for each call of `run`.

    The work takes one core or a pair of cores; `only` is the required type of machine.
    """

    node_pool: NodePool
    serializer: CallSerializer
    pairs: bool
    about: str = ""
    only: Machine | None = None

    @property
    def cores(self) -> Cores:
        """Any core of this machine: local work is light."""
        return Cores()

    def at(self, about: str) -> RayWorker:
        """Return a worker for the problem `about`."""
        return replace(self, about=about)

    def machine(self) -> Machine:
        """Return the type of machine that processes the problem.

        Raises:
            MachineLostError: The last machine of the required type is gone.
        """
        if self.only and self.only.fingerprint not in self.node_pool.machines():
            raise MachineLostError
        return self.only or self.node_pool.machine_for(self.about)

    def on(self, machine: Machine) -> RayWorker:
        """Return a worker that uses this type of machine only."""
        return replace(self, only=machine)

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Return the result of a module-level function on a node.

        If the node is lost, the work is repeated on another one.
        """
        call = self.serializer.serialize(work, args, kwargs)
        losses: list[str] = []
        while len(losses) < LOSSES:
            lease = self.node_pool.take(self.pairs, self.about, self.only)
            try:
                reply = lease.node_state.actor.work(call, lease.cores)
            except LostError as error:
                losses.append(str(error))
                self.node_pool.lose(lease.node_state, str(error))
                continue
            finally:
                self.node_pool.give(lease)
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

    Args:
        node_pool: The nodes.
        here: The engine for work that always runs on this machine.
        started: Whether `close` ends the connection to the cluster.
        serializer: Packs work; None: values that nodes share go into Ray's object store.
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
        """Yield each item with its result in order of completion; uses every core.

        The first exception cancels all other work.
        """
        return self._spread(work, items, pairs=False)

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like `judging`, with a core reserved for each program.

        With `share_cores`, the supervisor of a program runs on the same core.
        """
        return self._spread(work, items, pairs=not share_cores)

    def _spread(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item], pairs: bool
    ) -> Iterator[tuple[Item, Result]]:
        worker = RayWorker(self.node_pool, self._serializer, pairs)
        return spread(lambda item: work(item, worker), items, THREADS, lambda: self.jobs + AHEAD)

    def worker(self) -> RayWorker:
        """Return a worker that measures one item after another."""
        return RayWorker(self.node_pool, self._serializer, pairs=True)

    def unmeasured_cores(self) -> set[int]:
        """Return the cores of this machine that no measured program uses: it may be a node, too."""
        return self.here.unmeasured_cores()

    def prefer(self, about: str, fingerprint: str) -> None:
        """Use this type of machine for a problem if possible: an earlier run used it."""
        if fingerprint:
            self.node_pool.prefer(about, fingerprint)

    def close(self) -> None:
        """End the processes on the nodes and leave the cluster."""
        self.node_pool.close()
        if self._started:
            import ray

            ray.shutdown()
