"""The nodes of a cluster: which are there, which of their cores are free, and what is worked on where.

A thread looks again and again: a new node is taken on, one that is gone is struck off. What was
under way there is the loss of whoever waits for it, and is done again elsewhere.
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
STARTED = 64  # at the same time
TRIES = 3  # times that a node is taken on whose process ends while the node stays


@dataclass(slots=True, eq=False)
class NodeState:
    """A node that works: what it is, its cores, and those of the workers that are busy, `most` at most."""

    info: NodeInfo
    actor: RayNodeActor
    machine: Machine
    cores: tuple[int, ...]
    most: int
    taken: list[Cores] = field(default_factory=list)

    def free(self, pairs: bool) -> list[Cores]:
        """Return the cores of workers that are free."""
        if len(self.taken) >= self.most:  # `jobs` may be fewer than the cores
            return []
        programs = {lease.program for lease in self.taken}
        used = programs | {lease.sampler for lease in self.taken}
        # Supervisors share a core, which no program does.
        shared = worker_cores(self.cores, pairs)
        return [
            lease for lease in shared if lease.program not in used and lease.sampler not in programs
        ]


class TakenCores(NamedTuple):
    """A worker that was taken."""

    node_state: NodeState
    cores: Cores


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds.

    For the first nodes, for another when the last is gone, and between looks.
    """

    start_s: float = 120
    nobody_s: float = 600
    look_s: float = 1


class NodePool:
    """All nodes, with `jobs` busy workers on each at most (None: one for each core).

    Close it when done.

    Whoever needs a node waits for one, up to a MachineError when there has been none for too long.
    """

    def __init__(
        self, cluster: RayCluster, jobs: int | None = None, patience: Patience | None = None
    ) -> None:
        self._cluster = cluster
        self._jobs = jobs
        self._patience = patience or Patience()
        self._nodes: dict[str, NodeState] = {}
        self._tries: Counter[str] = Counter()
        self._coming: dict[str, RayNodeActor | None] = {}  # with the process that is starting there
        self.refused: dict[str, str] = {}
        # By problem: the type of machine that it has, the type that an earlier run had, and the
        # node it was on last.
        self._type_of: dict[str, str] = {}
        self._wanted: dict[str, str] = {}
        self._home: dict[str, str] = {}
        self._last_seen = time.monotonic()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        # A node's process may take a minute to start: many are started at once.
        self._starter = ThreadPoolExecutor(STARTED, thread_name_prefix="venus-start")
        self._watch = threading.Thread(target=self._look_on, name="venus-nodes", daemon=True)

    def start(self) -> None:
        """Take on the nodes that are there.

        Raises:
            MachineError: There are none, none has room, or one cannot do the work.
        """
        coming = [self._starter.submit(self._take_on, node, first=True) for node in self._new()]
        wait(coming, timeout=self._patience.start_s)
        for future in coming:
            if future.done():
                future.result()
        if self.refused:
            problem = f"{len(self.refused)} of {len(coming)} nodes cannot do the work"
            raise MachineError(
                problem,
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

    def _new(self) -> list[NodeInfo]:
        """Return the nodes that are to be taken on, and strike off those that are gone."""
        there = {node.node_id: node for node in self._cluster.nodes() if node.cpus > 0}
        with self._changed:
            gone = [node_state for name, node_state in self._nodes.items() if name not in there]
            known = {*self._nodes, *self._coming, *self.refused}
            new = [
                node
                for name, node in there.items()
                if name not in known and self._tries[name] < TRIES
            ]
            self._coming |= {node.node_id: None for node in new}
        for node_state in gone:
            self.lose(node_state, "the node is gone")
        return new

    def _take_on(self, node: NodeInfo, first: bool = False) -> None:
        self._tries[node.node_id] += 1
        try:
            actor = self._cluster.start(node)
            with self._changed:
                self._coming[node.node_id] = actor
            report = Report("it came too late") if self._closing.is_set() else actor.report()
        except LostError as error:
            report, actor = Report(str(error)), None
        used = not report.problem and report.machine is not None and not self._closing.is_set()
        with self._changed:
            del self._coming[node.node_id]
            if actor and report.machine and used:
                most = self._jobs or len(report.cores)
                self._nodes[node.node_id] = NodeState(
                    node, actor, report.machine, report.cores, most
                )
                self._last_seen = time.monotonic()
            elif not self._closing.is_set():
                log.warning("the node %s is not used: %s", node.name, report.problem)
                if actor or first or self._tries[node.node_id] >= TRIES:
                    self.refused[node.node_id] = f"{node.name}: {report.problem}"
            self._changed.notify_all()
        if actor and not used:
            actor.stop()

    def _look_on(self) -> None:
        while not self._closing.wait(self._patience.look_s):
            try:
                for node in self._new():
                    self._starter.submit(self._take_on, node)
            except LostError as error:
                log.warning("the cluster does not answer: %s", error)
            with self._changed:
                if self._nodes:
                    self._last_seen = time.monotonic()
                self._changed.notify_all()

    def lose(self, node_state: NodeState, reason: str) -> None:
        """Strike off a node; it is taken on again where it is still there."""
        with self._changed:
            # Several threads notice the same loss, and the node may be back already with a new
            # process.
            if self._nodes.get(node_state.info.node_id) is not node_state:
                return
            del self._nodes[node_state.info.node_id]
            self._changed.notify_all()
        log.warning("the node %s is lost: %s", node_state.info.name, reason)
        self._starter.submit(node_state.actor.stop)

    @property
    def jobs(self) -> int:
        """How many workers there are."""
        with self._changed:
            return max(1, sum(min(len(node.cores), node.most) for node in self._nodes.values()))

    def machines(self) -> Mapping[str, Machine]:
        """Return the types of machine that are there, by fingerprint."""
        with self._changed:
            return {node.machine.fingerprint: node.machine for node in self._nodes.values()}

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one."""
        with self._changed:
            self._wanted[about] = fingerprint

    def machine_for(self, about: str) -> Machine:
        """Return the type of machine on which a problem is worked on.

        Always the same as long as there is one.
        """
        with self._changed:
            self._wait_for_a_node()
            return self._assigned(about)

    def _assigned(self, about: str) -> Machine:
        """Return the problem's type of machine.

        The one that it had or wants, else that with the fewest problems.
        """
        there = {node.machine.fingerprint: node.machine for node in self._nodes.values()}
        workers: Counter[str] = Counter()
        for node in self._nodes.values():
            workers[node.machine.fingerprint] += len(node.cores)
        chosen = next(
            (name for name in (self._type_of.get(about), self._wanted.get(about)) if name in there),
            None,
        )
        if chosen is None:
            problems = Counter(self._type_of.values())
            chosen = min(there, key=lambda name: problems[name] / workers[name])
        self._type_of[about] = chosen
        return there[chosen]

    def take(self, pairs: bool, about: str, only: Machine | None = None) -> TakenCores:
        """Take a worker with one core or a pair, on the type of machine of the problem `about`, where it was last.

        Without a problem any node will do. Another type will do where that of the problem is gone,
        unless it has to be `only` this one.

        Raises:
            MachineLostError: There is no machine of the type any more.
        """
        with self._changed:
            while True:
                current().check()
                self._wait_for_a_node()
                place = self._find(pairs, about, only)
                if place:
                    place.node_state.taken.append(place.cores)
                    return place
                self._changed.wait(self._patience.look_s)

    def _find(self, pairs: bool, about: str, only: Machine | None) -> TakenCores | None:
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
        # The node that knows the problem has compiled its programs; else the one with the most free
        # cores.
        chosen = home if home in free else max(free, key=lambda name: len(free[name]))
        if about:
            self._home[about] = chosen
        return TakenCores(self._nodes[chosen], free[chosen][0])

    def give(self, place: TakenCores) -> None:
        """Give a worker back."""
        with self._changed:
            place.node_state.taken.remove(place.cores)
            self._changed.notify_all()

    def _wait_for_a_node(self) -> None:
        """Wait with the lock held."""
        while not self._nodes:
            current().check()
            # A node that is about to start is waited for.
            starting_s = self._patience.start_s if self._coming else 0
            if time.monotonic() - self._last_seen > self._patience.nobody_s + starting_s:
                reason = f"for {self._patience.nobody_s:.0f} s there has been none"
                reasons = "; ".join([reason, *sorted(self.refused.values())])
                fix = "finished work is kept: type the same command when there are nodes"
                raise MachineError("no node of the cluster is left", reasons, fix)
            self._changed.wait(self._patience.look_s)

    def close(self) -> None:
        """End the process on every node, also where it is still starting.

        No thread of this is left.
        """
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
            with ThreadPoolExecutor(STARTED) as others:
                list(others.map(stop, actors))
        # the interpreter is about to end, and no thread starts any more: one after the other
        except RuntimeError:
            for actor in actors:
                stop(actor)
        # A thread that still waited for Ray when that is shut down would take the process with it.
        self._starter.shutdown(wait=True, cancel_futures=True)
