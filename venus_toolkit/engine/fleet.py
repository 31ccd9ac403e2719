"""The nodes of a cluster: which are there, which of their cores are free, and what is worked on where.

A thread looks again and again: a new node is taken on, one that is gone is struck off. What was under way there is the
loss of whoever waits for it, and is done again elsewhere.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from venus_toolkit.engine import Machine, MachineGoneError
from venus_toolkit.engine.node import Report
from venus_toolkit.engine.stations import Cluster, LostError, NodeInfo, Place, Station, cores_of
from venus_toolkit.errors import MachineError

log = logging.getLogger(__name__)
TRIES = 3  # times that a node is taken on whose process ends while the node stays
NO_NODE = "nothing that was done is lost: type the same command when there are nodes"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds: for the first nodes, for another when the last is gone, and between looks."""

    start_s: float = 120
    nobody_s: float = 600
    look_s: float = 1


class Fleet:
    """All nodes; close it when done.

    Args:
        cluster: Where they come from.
        jobs: Seats taken at the same time on each node; None: all.
        patience: How long to wait.
    """

    def __init__(self, cluster: Cluster, jobs: int | None = None, patience: Patience | None = None) -> None:
        self._cluster = cluster
        self._jobs = jobs
        self._patience = patience or Patience()
        self._stations: dict[str, Station] = {}
        self._tries: Counter[str] = Counter()
        self._coming: set[str] = set()
        self.refused: dict[str, str] = {}
        self._type_of: dict[str, str] = {}
        self._wanted: dict[str, str] = {}
        self._home: dict[str, str] = {}
        self._last_seen = time.monotonic()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._hiring = ThreadPoolExecutor(64, thread_name_prefix="venus-hire")
        self._watch = threading.Thread(target=self._look_on, name="venus-nodes", daemon=True)

    # -------------------------------------------------------------- who is there

    def start(self) -> None:
        """Take on the nodes that are there.

        Raises:
            MachineError: There are none, none has room, or one cannot do the work.
        """
        coming = [self._hiring.submit(self._take_on, node, first=True) for node in self._new()]
        wait(coming, timeout=self._patience.start_s)
        for future in coming:
            if future.done():
                future.result()
        if self.refused:
            what = f"{len(self.refused)} of {len(coming)} nodes cannot do the work"
            raise MachineError(what, "; ".join(sorted(self.refused.values())), "mend them or take them away")
        if not self._stations:
            why = (
                f"no node gave us its processors within {self._patience.start_s:.0f} s" if coming else "it has no node"
            )
            raise MachineError("the cluster cannot do the work", why, "see what else runs there: ray status")
        self._watch.start()

    def _new(self) -> list[NodeInfo]:
        """Return the nodes that are to be taken on, and strike off those that are gone."""
        there = {node.node_id: node for node in self._cluster.nodes() if node.cpus > 0}
        with self._changed:
            gone = [station for name, station in self._stations.items() if name not in there]
            new = [node for name, node in there.items() if name not in self._stations and self._may_come(node)]
            self._coming |= {node.node_id for node in new}
        for station in gone:
            self.lose(station, "the node is gone")
        return new

    def _may_come(self, node: NodeInfo) -> bool:
        waits = node.node_id in self._coming or node.node_id in self.refused
        return not waits and self._tries[node.node_id] < TRIES

    def _take_on(self, node: NodeInfo, first: bool = False) -> None:
        self._tries[node.node_id] += 1
        try:
            hand = self._cluster.hire(node)
            report = hand.report()
        except LostError as error:
            report, hand = Report(str(error)), None
        with self._changed:
            self._coming.discard(node.node_id)
            if report.problem or report.machine is None:
                log.warning("the node %s is not used: %s", node.name, report.problem)
                if hand or first or self._tries[node.node_id] >= TRIES:
                    self.refused[node.node_id] = f"{node.name}: {report.problem}"
                if hand:
                    self._hiring.submit(hand.dismiss)
            elif hand:
                most = self._jobs or len(report.cores)
                self._stations[node.node_id] = Station(node, hand, report.machine, report.cores, most)
                self._last_seen = time.monotonic()
            self._changed.notify_all()

    def _look_on(self) -> None:
        while not self._closing.wait(self._patience.look_s):
            try:
                for node in self._new():
                    self._hiring.submit(self._take_on, node)
            except LostError as error:
                log.warning("the cluster does not answer: %s", error)
            with self._changed:
                if self._stations:
                    self._last_seen = time.monotonic()
                self._changed.notify_all()

    def lose(self, station: Station, why: str) -> None:
        """Strike off a node; it is taken on again where it is still there."""
        with self._changed:
            if self._stations.get(station.info.node_id) is not station:
                return
            del self._stations[station.info.node_id]
            self._changed.notify_all()
        log.warning("the node %s is lost: %s", station.info.name, why)
        self._hiring.submit(station.hand.dismiss)

    @property
    def jobs(self) -> int:
        """How many seats there are."""
        with self._changed:
            return max(1, sum(min(len(each.cores), each.most) for each in self._stations.values()))

    def machines(self) -> Mapping[str, Machine]:
        """Return the types of machine that are there, by fingerprint."""
        with self._changed:
            return {each.machine.fingerprint: each.machine for each in self._stations.values()}

    # -------------------------------------------------------------- where to work

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one."""
        with self._changed:
            self._wanted[about] = fingerprint

    def machine_for(self, about: str) -> Machine:
        """Return the type of machine on which a problem is worked on: always the same as long as there is one.

        Raises:
            MachineError: There has been no node for too long.
        """
        with self._changed:
            self._wait_for(lambda: bool(self._stations))
            return self._assigned(about)

    def _assigned(self, about: str) -> Machine:
        there = {each.machine.fingerprint: each.machine for each in self._stations.values()}
        for known in (self._type_of.get(about), self._wanted.get(about)):
            if known in there:
                self._type_of[about] = known
                return there[known]
        chosen = min(there, key=self._load)
        self._type_of[about] = chosen
        return there[chosen]

    def _load(self, fingerprint: str) -> float:
        """Return how many problems there are for each seat of a type."""
        seats = sum(len(each.cores) for each in self._stations.values() if each.machine.fingerprint == fingerprint)
        return sum(each == fingerprint for each in self._type_of.values()) / seats

    def take(self, pairs: bool, about: str, only: Machine | None = None) -> Place:
        """Take a seat, on the type of machine of the problem, and near to where the problem was worked on last.

        Args:
            pairs: With two cores.
            about: The problem; empty: none, and any node will do.
            only: The type that it has to be; None: another will do where that of the problem is gone.

        Raises:
            MachineGoneError: There is no machine of the type any more.
            MachineError: There has been no node for too long.
        """
        with self._changed:
            while True:
                self._wait_for(lambda: bool(self._stations))
                place = self._find(pairs, about, only)
                if place:
                    place.station.taken |= cores_of(place.cores)
                    place.station.sitting += 1
                    return place
                self._changed.wait(self._patience.look_s)

    def _find(self, pairs: bool, about: str, only: Machine | None) -> Place | None:
        fingerprint = only.fingerprint if only else self._assigned(about).fingerprint if about else None
        fit = [s for s in self._stations.values() if fingerprint in (None, s.machine.fingerprint)]
        if not fit:
            raise MachineGoneError
        free = {station.info.node_id: chairs for station in fit if (chairs := station.free(pairs))}
        if not free:
            return None
        home = self._home.get(about)
        chosen = home if home in free else max(free, key=lambda name: len(free[name]))
        if about:
            self._home[about] = chosen
        return Place(self._stations[chosen], free[chosen][0])

    def give(self, place: Place) -> None:
        """Give a seat back."""
        with self._changed:
            place.station.taken -= cores_of(place.cores)
            place.station.sitting -= 1
            self._changed.notify_all()

    def _wait_for(self, there: Any) -> None:
        """Wait, with the lock held, until there is a node."""
        while not there():
            starting_s = self._patience.start_s if self._coming else 0
            if time.monotonic() - self._last_seen > self._patience.nobody_s + starting_s:
                why = f"for {self._patience.nobody_s:.0f} s there has been none"
                raise MachineError("no node of the cluster is left", self._reasons(why), NO_NODE)
            self._changed.wait(self._patience.look_s)

    def _reasons(self, why: str) -> str:
        return "; ".join([why, *sorted(self.refused.values())])

    # -------------------------------------------------------------- all of them

    def renew(self) -> None:
        """Have every node free what it keeps of finished work."""
        self._all(list(self._stations.values()), lambda station: station.hand.renew())

    def close(self) -> None:
        """Dismiss every node."""
        self._closing.set()
        if self._watch.is_alive():
            self._watch.join()
        self._all(list(self._stations.values()), lambda station: station.hand.dismiss())
        self._hiring.shutdown(wait=False, cancel_futures=True)

    def _all(self, stations: Iterable[Station], ask: Any) -> None:
        asked = {self._asked(ask, station): station for station in stations}
        for future, station in asked.items():
            try:
                future.result()
            except LostError as error:
                self.lose(station, str(error))

    def _asked(self, ask: Any, station: Station) -> Future[Any]:
        try:
            return self._hiring.submit(ask, station)
        except RuntimeError:  # the interpreter is about to end, and no thread takes on anything: one after the other
            done: Future[Any] = Future()
            done.set_result(ask(station))
            return done
