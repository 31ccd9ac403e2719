"""The nodes of a cluster, their free cores, and the problems that each type of machine processes.

A thread polls the cluster, adds new nodes and removes lost ones. The thread that waits for work on
a lost node gets an error, and repeats the work elsewhere.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import NamedTuple

from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.interruption import current
from venus_toolkit.execution.engine import Machine, MachineLostError
from venus_toolkit.execution.engine.node import LostError, NodeInfo, Report
from venus_toolkit.execution.engine.ray_cluster import RayCluster, RayNodeActor
from venus_toolkit.execution.sandbox.cores import worker_cores
from venus_toolkit.execution.sandbox.supervisor import Cores

log = logging.getLogger(__name__)
CONCURRENT_STARTS = 64
TRIES = 3  # starts of the process on a node that stays in the cluster


@dataclass(slots=True, eq=False)
class NodeState:
    """A node in use: its cores, and the leases of its busy workers, at most `max_workers`."""

    info: NodeInfo
    actor: RayNodeActor
    machine: Machine
    cores: tuple[int, ...]
    max_workers: int
    leases: list[Cores] = field(default_factory=list)

    def free(self, pairs: bool) -> list[Cores]:
        """Return the cores that a worker may take: one each, or pairs."""
        if len(self.leases) >= self.max_workers:  # `jobs` may be fewer than the cores
            return []
        programs = {lease.program for lease in self.leases}
        used = programs | {lease.sampler for lease in self.leases}
        # Several supervisors may share a core; programs may not.
        shared = worker_cores(self.cores, pairs)
        return [
            lease for lease in shared if lease.program not in used and lease.sampler not in programs
        ]


class NodeLease(NamedTuple):
    """Cores of a node that are reserved for one worker."""

    node_state: NodeState
    cores: Cores


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits in seconds.

    Attributes:
        start_s: For the first nodes to start.
        no_node_s: For a new node to appear after the last one was lost.
        poll_s: Between two polls of the cluster.
    """

    start_s: float = 120
    no_node_s: float = 600
    poll_s: float = 1


class NodePool:
    """All nodes, with at most `jobs` busy workers on each (None: one for each core).

    Methods that need a node wait for one, and raise a MachineError after `Patience.no_node_s`.
    Close the pool when done.
    """

    def __init__(
        self, cluster: RayCluster, jobs: int | None = None, patience: Patience | None = None
    ) -> None:
        self._cluster = cluster
        self._jobs = jobs
        self._patience = patience or Patience()
        self._nodes: dict[str, NodeState] = {}
        self._tries: Counter[str] = Counter()
        self._coming: dict[str, RayNodeActor | None] = {}  # nodes whose process is starting
        self.refused: dict[str, str] = {}  # reasons by node
        # By problem: its type of machine, its type in an earlier run, and its last node.
        self._type_of: dict[str, str] = {}
        self._preferred: dict[str, str] = {}
        self._home: dict[str, str] = {}
        self._last_seen = time.monotonic()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        # The process of a node may take a minute to start, so several start concurrently.
        self._starter = ThreadPoolExecutor(CONCURRENT_STARTS, thread_name_prefix="venus-start")
        self._watch = threading.Thread(target=self._poll, name="venus-nodes", daemon=True)

    def start(self) -> None:
        """Add the nodes of the cluster.

        Raises:
            MachineError: The cluster has no node, none has free processors, or one cannot do the
                work.
        """
        coming = [self._starter.submit(self._add, node, first=True) for node in self._update()]
        wait(coming, timeout=self._patience.start_s)
        for future in coming:
            if future.done():
                future.result()
        if self.refused:
            raise MachineError(
                f"{len(self.refused)} of {len(coming)} nodes cannot do the work",
                "; ".join(sorted(self.refused.values())),
                "repair them, or remove them from the cluster",
            )
        if not self._nodes:
            busy = f"no node gave us its processors within {self._patience.start_s:.0f} s"
            reason = busy if coming else "it has no node"
            raise MachineError(
                "the cluster cannot do the work", reason, "see what else runs there: ray status"
            )
        self._watch.start()

    def _update(self) -> list[NodeInfo]:
        """Remove the nodes that are gone, and return those to add."""
        present = {node.node_id: node for node in self._cluster.nodes() if node.cpus > 0}
        with self._changed:
            gone = [node_state for name, node_state in self._nodes.items() if name not in present]
            known = {*self._nodes, *self._coming, *self.refused}
            new = [
                node
                for name, node in present.items()
                if name not in known and self._tries[name] < TRIES
            ]
            self._coming |= {node.node_id: None for node in new}
        for node_state in gone:
            self.lose(node_state, "the node is gone")
        return new

    def _add(self, node: NodeInfo, first: bool = False) -> None:
        self._tries[node.node_id] += 1
        try:
            actor = self._cluster.start(node)
            with self._changed:
                self._coming[node.node_id] = actor
            report = (
                Report("it started after the pool was closed")
                if self._closing.is_set()
                else actor.report()
            )
        except LostError as error:
            report, actor = Report(str(error)), None
        used = not report.reason and report.machine is not None and not self._closing.is_set()
        with self._changed:
            del self._coming[node.node_id]
            if actor and report.machine and used:
                max_workers = self._jobs or len(report.cores)
                self._nodes[node.node_id] = NodeState(
                    node, actor, report.machine, report.cores, max_workers
                )
                self._last_seen = time.monotonic()
            elif not self._closing.is_set():
                log.warning("the node %s is not used: %s", node.name, report.reason)
                if actor or first or self._tries[node.node_id] >= TRIES:
                    self.refused[node.node_id] = f"{node.name}: {report.reason}"
            self._changed.notify_all()
        if actor and not used:
            actor.stop()

    def _poll(self) -> None:
        while not self._closing.wait(self._patience.poll_s):
            try:
                for node in self._update():
                    self._starter.submit(self._add, node)
            except LostError as error:
                log.warning("the cluster does not answer: %s", error)
            with self._changed:
                if self._nodes:
                    self._last_seen = time.monotonic()
                self._changed.notify_all()

    def lose(self, node_state: NodeState, reason: str) -> None:
        """Remove a node; it is added again if it is still in the cluster."""
        with self._changed:
            # Several threads notice the same loss, and the node may already have a new process.
            if self._nodes.get(node_state.info.node_id) is not node_state:
                return
            del self._nodes[node_state.info.node_id]
            self._changed.notify_all()
        log.warning("the node %s is lost: %s", node_state.info.name, reason)
        self._starter.submit(node_state.actor.stop)

    @property
    def jobs(self) -> int:
        """The number of workers."""
        with self._changed:
            return max(
                1, sum(min(len(node.cores), node.max_workers) for node in self._nodes.values())
            )

    def machines(self) -> Mapping[str, Machine]:
        """Return the types of machine of the nodes, by fingerprint."""
        with self._changed:
            return {node.machine.fingerprint: node.machine for node in self._nodes.values()}

    def prefer(self, about: str, fingerprint: str) -> None:
        """Use this type of machine for a problem if there is one."""
        with self._changed:
            self._preferred[about] = fingerprint

    def machine_for(self, about: str) -> Machine:
        """Return the type of machine for a problem.

        It stays the same as long as the cluster has such a machine.
        """
        with self._changed:
            self._wait_for_a_node()
            return self._assigned(about)

    def _assigned(self, about: str) -> Machine:
        """Return the problem's current or preferred type, else that with the fewest problems."""
        present = {node.machine.fingerprint: node.machine for node in self._nodes.values()}
        workers: Counter[str] = Counter()
        for node in self._nodes.values():
            workers[node.machine.fingerprint] += len(node.cores)
        chosen = next(
            (
                name
                for name in (self._type_of.get(about), self._preferred.get(about))
                if name in present
            ),
            None,
        )
        if chosen is None:
            problems = Counter(self._type_of.values())
            chosen = min(present, key=lambda name: problems[name] / workers[name])
        self._type_of[about] = chosen
        return present[chosen]

    def take(self, pairs: bool, about: str, only: Machine | None = None) -> NodeLease:
        """Reserve one core or a pair on a node of the problem's type, if possible on its last node.

        Args:
            pairs: Reserve a core for the program and one for its supervisor.
            about: The problem; empty: any node will do.
            only: The required type of machine. None: if the problem's type is gone, another one.

        Raises:
            MachineLostError: The last machine of the required type is gone.
        """
        with self._changed:
            while True:
                current().check()
                self._wait_for_a_node()
                lease = self._find(pairs, about, only)
                if lease:
                    lease.node_state.leases.append(lease.cores)
                    return lease
                self._changed.wait(self._patience.poll_s)

    def _find(self, pairs: bool, about: str, only: Machine | None) -> NodeLease | None:
        fingerprint = (
            only.fingerprint if only else self._assigned(about).fingerprint if about else None
        )
        fit = [
            node for node in self._nodes.values() if fingerprint in (None, node.machine.fingerprint)
        ]
        if not fit:
            raise MachineLostError
        free = {node.info.node_id: cores for node in fit if (cores := node.free(pairs))}
        if not free:
            return None
        home = self._home.get(about)
        # The problem's last node has compiled its programs; otherwise the node with the most free
        # cores is best.
        chosen = home if home in free else max(free, key=lambda name: len(free[name]))
        if about:
            self._home[about] = chosen
        return NodeLease(self._nodes[chosen], free[chosen][0])

    def give(self, lease: NodeLease) -> None:
        """Release the cores of a worker."""
        with self._changed:
            lease.node_state.leases.remove(lease.cores)
            self._changed.notify_all()

    def _wait_for_a_node(self) -> None:
        """Wait for a node; the caller holds the lock."""
        while not self._nodes:
            current().check()
            # A node that is starting gets its usual time.
            starting_s = self._patience.start_s if self._coming else 0
            if time.monotonic() - self._last_seen > self._patience.no_node_s + starting_s:
                reason = f"there has been no node for {self._patience.no_node_s:.0f} s"
                reasons = "; ".join([reason, *sorted(self.refused.values())])
                fix = "finished work is kept: type the same command when there are nodes"
                raise MachineError("no node of the cluster is left", reasons, fix)
            self._changed.wait(self._patience.poll_s)

    def close(self) -> None:
        """End the process on every node, including those that are starting, and all threads."""
        with self._changed:
            self._closing.set()
        if self._watch.is_alive():
            self._watch.join()
        with self._changed:
            actors = [node.actor for node in self._nodes.values()] + [
                node for node in self._coming.values() if node
            ]

        def stop(actor: RayNodeActor) -> None:
            with contextlib.suppress(LostError):
                actor.stop()

        try:
            with ThreadPoolExecutor(CONCURRENT_STARTS) as others:
                list(others.map(stop, actors))
        # the interpreter is shutting down and starts no more threads
        except RuntimeError:
            for actor in actors:
                stop(actor)
        # A thread that waits for Ray while Ray shuts down would end the whole process.
        self._starter.shutdown(wait=True, cancel_futures=True)
