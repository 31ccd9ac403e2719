"""How work is spread: over the cores of this machine, or over those of a Ray cluster.

engine   hands out items to threads, each with a seat; ``local`` or ``ray``
seat     where the work of one item is done: a sandbox and cores, on this machine or on a node
work     a function of a module, ``work(sandbox, cores, …)``: it may run elsewhere, so it depends on what it is given
         and on nothing else, and returns what it found; what comes of that is decided, and kept, where the engine is
machine  a type of machine, known by its fingerprint: figures are compared within one type only
about    what some work is about, a problem: all of it is done on machines of one type, and near to where the rest was

Only what the engine's own process keeps counts. So work that was lost with a node is done again elsewhere, and nothing
is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from venus_toolkit.errors import UsageError
from venus_toolkit.language import Language
from venus_toolkit.measure import environment_facts, usable_cores
from venus_toolkit.records import digest
from venus_toolkit.sandbox import Program, Sandbox
from venus_toolkit.supervisor import Cores

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")

LOCAL, RAY = "local", "ray"
NAMES = (LOCAL, RAY)


class Machine(NamedTuple):
    """A type of machine: what a reader of its figures needs to know, and the digest of that."""

    fingerprint: str
    facts: Mapping[str, object]


def describe_machine(sandbox: Sandbox, label: str = "") -> Machine:
    """Return the type of this machine; `label` tells apart what the kernel cannot.

    Versions of compilers are left out: an engine sees to it that they are the same everywhere.
    """
    facts: dict[str, object] = {**environment_facts((), {}), "sandbox": dict(sandbox.facts())}
    del facts["toolchains"]
    facts |= {"label": label} if label else {}
    return Machine(digest(facts), facts)


class MachineGoneError(Exception):
    """There is no machine of the wanted type any more: figures have to be taken again, all on another."""


class Onlooker:
    """Is told of progress while work is done here; sent to a node it is deaf: there is nobody to tell.

    Args:
        tell: Called each time.
    """

    def __init__(self, tell: Callable[[], None] | None = None) -> None:
        self.told = 0
        self._tell = tell

    def __call__(self) -> None:
        """Tell."""
        self.told += 1
        if self._tell:
            self._tell()

    def __reduce__(self) -> tuple[type[Onlooker], tuple[()]]:
        """Leave behind whom to tell."""
        return Onlooker, ()


class Seat(Protocol):
    """Where the work of one item is done."""

    @property
    def cores(self) -> Cores:
        """The cores of this machine for what is done here and not through `run`."""
        ...

    def at(self, about: str) -> Seat:
        """Return the seat for work on a problem."""
        ...

    def machine(self) -> Machine:
        """Return the type of machine on which this problem is worked on."""
        ...

    def on(self, machine: Machine) -> Seat:
        """Return the seat for work that has to be done on this type of machine and no other."""
        ...

    def run(self, work: Callable[Concatenate[Sandbox, Cores, P], Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        """Return what a function of a module finds in a sandbox, on cores of its own.

        Raises:
            MachineGoneError: The type of machine that it has to be done on is gone.
            SandboxError: The sandbox failed, or the nodes that tried it were lost, again and again.
        """
        ...

    def forget(self, program: Program) -> None:
        """Free what a compiled program takes here; nodes do so by themselves."""
        ...


class Engine(Protocol):
    """Hands out items; close it when done."""

    @property
    def jobs(self) -> int:
        """How many programs are judged at the same time."""
        ...

    @property
    def here(self) -> Engine:
        """The engine for what is done on this machine in any case."""
        ...

    def judging(self, work: Callable[[Item, Seat], Result], items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy; the first exception ends it all."""
        ...

    def measuring(
        self, work: Callable[[Item, Seat], Result], items: Iterable[Item], share_cores: bool = False
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, with two cores for each seat and the last pair first, unless they are to share one."""
        ...

    def seat(self) -> Seat:
        """Return a seat for measuring one item after the other."""
        ...

    def beside(self) -> set[int]:
        """Return the cores of this machine on which no measured program runs, for other work."""
        ...

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one: an earlier run did."""
        ...

    def renew(self) -> None:
        """Free what the nodes keep of finished work; nothing may be under way."""
        ...

    def close(self) -> None:
        """End everything that belongs to the engine."""
        ...


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which engine, and how much of each machine is its own.

    Attributes:
        name: ``local`` or ``ray``.
        jobs: Workers of each machine; None: one for each core.
        address: Of a Ray cluster; empty: one that is found here, or started.
        part: (index, count): which part of the cores of each machine it has, where several processes have one each.

    Raises:
        UsageError: No engine has this name, or an address is given that none would use.
    """

    name: str = LOCAL
    jobs: int | None = None
    address: str = ""
    part: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.name not in NAMES:
            raise UsageError(f"unknown engine {self.name!r}", "known are " + ", ".join(NAMES), "see docs/scale.md")
        if self.address and self.name != RAY:
            raise UsageError("--ray-address is not used", f"the engine is {self.name}", "add --engine ray")
        if self.address.startswith("ray://"):
            why = "that is a Ray Client, and results would pass through a proxy"
            fix = "run this on a machine of the cluster, with --ray-address auto or HOST:6379"
            raise UsageError(f"the address {self.address} cannot be used", why, fix)


class Site(NamedTuple):
    """What the work is done with, here and on every node: a sandbox, languages, and the versions of their tools."""

    sandbox: Sandbox
    languages: tuple[Language, ...]
    versions: Mapping[str, str]


def open_engine(options: EngineOptions, site: Site) -> Engine:
    """Return the engine that the options name.

    Raises:
        MachineError: There is no Ray, no such cluster, or a node that cannot do the work.
    """
    if options.name == RAY:
        from venus_toolkit.engine.ray import open_ray

        return open_ray(options, site)
    from venus_toolkit.engine.local import LocalEngine
    from venus_toolkit.engine.spreading import part_of

    return LocalEngine(site.sandbox, options.jobs, part_of(usable_cores(), *options.part))


def on_one_machine(seat: Seat, work: Callable[[Seat, Machine], Result]) -> Result:
    """Do work that has to be done on one type of machine; where the last one of it is gone, all again on another."""
    while True:
        machine = seat.machine()
        try:
            return work(seat.on(machine), machine)
        except MachineGoneError:
            continue
