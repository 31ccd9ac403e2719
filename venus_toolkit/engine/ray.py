"""A Ray cluster: on every node a process that gets all its cores, and threads here that wait for what it finds.

What is decided and kept stays in this process, so the results are those of the local engine but for the figures.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from venus_toolkit import supervisor
from venus_toolkit.engine import EngineOptions, Machine, MachineGoneError, Seat, Site
from venus_toolkit.engine.cluster import RayCluster, connect, import_ray
from venus_toolkit.engine.fleet import Fleet
from venus_toolkit.engine.local import LocalEngine
from venus_toolkit.engine.node import Failed, Outfit
from venus_toolkit.engine.packing import Packer
from venus_toolkit.engine.spreading import spread
from venus_toolkit.engine.stations import LostError
from venus_toolkit.errors import SandboxError
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")

LOSSES = 5  # nodes that some work may take with it before it is set aside
AHEAD = 8  # items that wait for a seat
THREADS = 8192  # at most; there are as many as there are seats


def open_ray(options: EngineOptions, site: Site) -> RayEngine:
    """Return the engine over the cluster at an address, or over one that Ray finds here or starts.

    Raises:
        MachineError: There is no Ray, no such cluster, or a node that cannot do the work.
    """
    import_ray()
    started = connect(options.address)
    versions = dict(site.versions)
    outfit = Outfit(site.sandbox.name, supervisor.version(), site.languages, versions)
    fleet = Fleet(RayCluster(pickle.dumps(outfit), options.part), options.jobs)
    engine = RayEngine(fleet, LocalEngine(site.sandbox, options.jobs), started)
    try:
        engine.start()
    except BaseException:
        engine.close()
        raise
    return engine


# ------------------------------------------------------------------ the engine


@dataclass(frozen=True, slots=True)
class RaySeat:
    """A thread here that has work done on a node: on which is decided each time.

    Args:
        fleet: The nodes.
        packer: Packs the work.
        pairs: Whether it takes two cores.
        about: The problem that is worked on.
        only: The type of machine that it has to be.
    """

    fleet: Fleet
    packer: Packer
    pairs: bool
    about: str = ""
    only: Machine | None = None

    @property
    def cores(self) -> Cores:
        """Any core of this machine: what is done here is light."""
        return Cores()

    def at(self, about: str) -> RaySeat:
        """Return the seat for work on a problem."""
        return replace(self, about=about)

    def machine(self) -> Machine:
        """Return the type of machine on which the problem is worked on.

        Raises:
            MachineGoneError: It had to be one that is gone.
        """
        if self.only and self.only.fingerprint not in self.fleet.machines():
            raise MachineGoneError
        return self.only or self.fleet.machine_for(self.about)

    def on(self, machine: Machine) -> RaySeat:
        """Return the seat for work that has to be done on this type of machine."""
        return replace(self, only=machine)

    def run(self, work: Callable[Concatenate[Sandbox, Cores, P], Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Return what a function of a module finds on a node; what is lost with one is done again on another.

        Raises:
            MachineGoneError: The type of machine that it has to be done on is gone.
            SandboxError: The sandbox failed, or the nodes that tried it were lost, again and again.
        """
        parcel = self.packer.pack(work, args, kwargs)
        losses: list[str] = []
        while len(losses) < LOSSES:
            place = self.fleet.take(self.pairs, self.about, self.only)
            try:
                reply = place.station.hand.work(parcel, place.cores)
            except LostError as error:
                losses.append(str(error))
                self.fleet.lose(place.station, str(error))
                continue
            finally:
                self.fleet.give(place)
            if isinstance(reply, Failed):
                raise reply.error
            result: Result = reply.value
            return result
        raise SandboxError(
            f"{LOSSES} nodes were lost with this work", losses[-1], "see what ended them: ray list nodes"
        )

    def forget(self, program: Program) -> None:
        """Do nothing: nodes free everything when a part of the problems is done."""


class RayEngine:
    """Runs work over items on the nodes of a fleet.

    Args:
        fleet: The nodes.
        here: The engine for what is done on this machine in any case.
        started: Whether the connection to the cluster is ours to end.
        packer: Packs work; None: with what Ray shares.
    """

    def __init__(self, fleet: Fleet, here: LocalEngine, started: bool = False, packer: Packer | None = None) -> None:
        self._fleet = fleet
        self._here = here
        self._started = started
        self._packer = packer or Packer(_put)

    def start(self) -> None:
        """Take on the nodes.

        Raises:
            MachineError: There are none, or one cannot do the work.
        """
        self._fleet.start()

    @property
    def jobs(self) -> int:
        """How many programs are judged at the same time."""
        return self._fleet.jobs

    @property
    def here(self) -> LocalEngine:
        """The engine for what is done on this machine in any case."""
        return self._here

    def judging(self, work: Callable[[Item, Seat], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy; the first exception ends it all."""
        return self._spread(work, items, pairs=False)

    def measuring(
        self, work: Callable[[Item, Seat], Result], items: Iterable[Item], share_cores: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, with two cores for each seat, unless they are to share one."""
        return self._spread(work, items, pairs=not share_cores)

    def _spread(
        self, work: Callable[[Item, Seat], Result], items: Iterable[Item], pairs: bool
    ) -> Iterator[tuple[Item, Result]]:
        seat = RaySeat(self._fleet, self._packer, pairs)
        return spread(lambda item: work(item, seat), items, THREADS, lambda: self.jobs + AHEAD)

    def seat(self) -> RaySeat:
        """Return a seat for measuring one item after the other."""
        return RaySeat(self._fleet, self._packer, pairs=True)

    def beside(self) -> set[int]:
        """Return the cores of this machine on which no measured program runs, in case it is a node as well."""
        return self._here.beside()

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one: an earlier run did."""
        if fingerprint:
            self._fleet.prefer(about, fingerprint)

    def machines(self) -> Mapping[str, Machine]:
        """Return the types of machine that are there, by fingerprint."""
        return self._fleet.machines()

    def renew(self) -> None:
        """Free what the nodes keep of finished work; nothing may be under way."""
        self._fleet.renew()

    def close(self) -> None:
        """Dismiss the nodes and leave the cluster."""
        self._fleet.close()
        if self._started:
            import ray

            ray.shutdown()


def _put(value: Any) -> Any:
    import ray

    return ray.put(value)
