"""How work is spread: over the cores of this machine, or over those of a Ray cluster.

engine   hands out items to threads, each with a worker; ``local`` or ``ray``
worker     where the work of one item is done: a sandbox and cores, on this machine or on a node
work     a function of a module, ``work(sandbox, cores, …)``: it may run elsewhere, so it depends on what it is given
         and on nothing else, and returns what it found; what comes of that is decided, and kept,
         where the engine is
machine  a type of machine, known by its fingerprint: figures are compared within one type only
about    what some work is about, a problem: all of it is done on machines of one type, and near to where the rest was

Only what the engine's own process keeps counts. So work that was lost with a node is done again
elsewhere, and nothing is counted twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Concatenate, NamedTuple, ParamSpec, Protocol, TypeVar

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import digest
from venus_toolkit.execution.measuring.measure import environment_facts
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

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


class MachineLostError(Exception):
    """There is no machine of the wanted type any more.

    Figures have to be taken again, all on another.
    """


class ProgressCallback:
    """Calls `tell` at each progress while work is done here; sent to a node it tells nobody."""

    def __init__(self, tell: Callable[[], None] | None = None) -> None:
        self.told = 0
        self._tell = tell

    def __call__(self) -> None:
        """Tell."""
        self.told += 1
        if self._tell:
            self._tell()

    def __reduce__(self) -> tuple[type[ProgressCallback], tuple[()]]:
        """Leave behind whom to tell."""
        return ProgressCallback, ()


class Worker(Protocol):
    """Where the work of one item is done."""

    @property
    def cores(self) -> Cores:
        """The cores of this machine for what is done here and not through `run`."""

    def at(self, about: str) -> Worker:
        """Return the worker for work on a problem."""

    def machine(self) -> Machine:
        """Return the type of machine on which this problem is worked on."""

    def on(self, machine: Machine) -> Worker:
        """Return the worker for work that has to be done on this type of machine and no other."""

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Return what a function of a module finds in a sandbox, on cores of its own.

        Raises:
            MachineLostError: The type of machine that it has to be done on is gone.
            SandboxError: The sandbox failed, or the nodes that tried it were lost, again and again.
        """


class Engine(Protocol):
    """Hands out items; close it when done."""

    @property
    def jobs(self) -> int:
        """How many programs are judged at the same time."""

    @property
    def here(self) -> Engine:
        """The engine for what is done on this machine in any case."""

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result, as they come, every core busy.

        The first exception ends it all.
        """

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like judging, the last core first.

        Nothing shares the core of a program, unless its supervisor is to.
        """

    def worker(self) -> Worker:
        """Return a worker for measuring one item after the other."""

    def unmeasured_cores(self) -> set[int]:
        """Return the cores of this machine on which no measured program runs, for other work."""

    def prefer(self, about: str, fingerprint: str) -> None:
        """Work on a problem on this type of machine, where there is one: an earlier run did."""

    def close(self) -> None:
        """End everything that belongs to the engine."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Which engine, ``local`` or ``ray``, and how much of each machine is its own.

    Raises:
        UsageError: No engine has this name, or an address is given that none would use.
    """

    name: str = LOCAL
    jobs: int | None = None  # workers of each machine; None: one for each core
    address: str = ""  # of a Ray cluster; empty: one that is found here, or started
    # (index, count): its part of each machine's cores, where processes have one each
    part: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if self.name not in NAMES:
            raise UsageError(
                f"unknown engine {self.name!r}",
                "known are " + ", ".join(NAMES),
                nearest(self.name, NAMES) + "see docs/scale.md",
            )
        if self.address and self.name != RAY:
            raise UsageError(
                "--ray-address is not used", f"the engine is {self.name}", "add --engine ray"
            )
        if self.address.startswith("ray://"):
            reason = "that is a Ray Client, and results would pass through a proxy"
            fix = "run this on a machine of the cluster, with --ray-address auto or HOST:6379"
            raise UsageError(f"the address {self.address} cannot be used", reason, fix)


class WorkerEnvironment(NamedTuple):
    """What the work is done with, here and on every node.

    A sandbox, languages, and the versions of their tools.
    """

    sandbox: Sandbox
    languages: tuple[Language, ...]
    versions: Mapping[str, str]


def on_one_machine(worker: Worker, work: Callable[[Worker, Machine], Result]) -> Result:
    """Do work that has to be done on one type of machine.

    Where the last one of it is gone, all again on another.
    """
    while True:
        machine = worker.machine()
        try:
            return work(worker.on(machine), machine)
        except MachineLostError:
            continue
