"""What a fleet is made of: nodes, the processes on them, and the seats these have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from venus_toolkit.engine import Machine
from venus_toolkit.engine.node import Done, Failed, Report
from venus_toolkit.engine.packing import Parcel
from venus_toolkit.engine.spreading import core_pairs, one_core
from venus_toolkit.supervisor import Cores


class LostError(Exception):
    """A node, or the process on it, is gone, and with it what it was asked."""


class Hand(Protocol):
    """The process on a node."""

    def report(self) -> Report:
        """Return what the node says of itself; waits until it is ready."""
        ...

    def work(self, parcel: Parcel, cores: Cores) -> Done | Failed:
        """Return what some work found there.

        Raises:
            LostError: It will never be known.
        """
        ...

    def renew(self) -> None:
        """Free what it keeps of finished work."""
        ...

    def dismiss(self) -> None:
        """End it."""
        ...


class NodeInfo(NamedTuple):
    """A node that is there: its identity, its name for people, its number of cores, and its label."""

    node_id: str
    name: str
    cpus: int
    label: str = ""


class Cluster(Protocol):
    """Where nodes come from."""

    def nodes(self) -> Collection[NodeInfo]:
        """Return the nodes that are there."""
        ...

    def hire(self, node: NodeInfo) -> Hand:
        """Start a process on a node, which gets all its cores."""
        ...


@dataclass(slots=True, eq=False)
class Station:
    """A node that works: what it is, and which of its cores are taken."""

    info: NodeInfo
    hand: Hand
    machine: Machine
    cores: tuple[int, ...]
    most: int
    taken: set[int] = field(default_factory=set)
    sitting: int = 0

    def free(self, pairs: bool) -> list[Cores]:
        """Return the seats that are free."""
        chairs = core_pairs(self.cores) if pairs else [one_core(core) for core in self.cores]
        return [chair for chair in chairs if not self.taken & cores_of(chair)] if self.sitting < self.most else []


def cores_of(chair: Cores) -> set[int]:
    """Return the cores that a seat takes."""
    return {core for core in (chair.program, chair.sampler) if core is not None}


class Place(NamedTuple):
    """A seat that was taken."""

    station: Station
    cores: Cores
