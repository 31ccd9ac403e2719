"""Engines spread work over the cores of this machine, or over those of a Ray cluster.

engine   hands out items to threads, each with a worker; ``local`` or ``ray``
worker   a sandbox and cores, on this machine or on a node, which process one item at a time
work     a module-level function ``work(sandbox, cores, …)``: it may run on another machine, so it
         depends on its arguments alone; the engine's process decides on its result and stores it
machine  a type of machine, known by its fingerprint: figures are compared within one type only
about    the name of the problem that some work belongs to: all work on one problem runs on
         machines of one type, if possible on the same node

Results count only once the engine's own process has them. So work that was lost with a node is
repeated elsewhere, and nothing is counted twice.
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
    """A type of machine: the facts that a reader of its figures needs, and their digest."""

    fingerprint: str
    facts: Mapping[str, object]


def describe_machine(sandbox: Sandbox, label: str = "") -> Machine:
    """Return the type of this machine; `label` separates types that look alike to the kernel.

    Versions of compilers are left out: an engine requires the same versions everywhere.
    """
    facts: dict[str, object] = {**environment_facts((), {}), "sandbox": dict(sandbox.facts())}
    del facts["toolchains"]
    facts |= {"label": label} if label else {}
    return Machine(digest(facts), facts)


class MachineLostError(Exception):
    """The last machine of the required type is gone.

    All figures of the problem have to be measured again, on another type.
    """


class ProgressCallback:
    """Calls `on_progress` for work in this process; a copy sent to a node calls nothing.

    `calls` is the number of calls so far.
    """

    def __init__(self, on_progress: Callable[[], None] | None = None) -> None:
        self.calls = 0
        self._on_progress = on_progress

    def __call__(self) -> None:
        """Report one step of progress."""
        self.calls += 1
        if self._on_progress:
            self._on_progress()

    def __reduce__(self) -> tuple[type[ProgressCallback], tuple[()]]:
        """Pickle without the callback."""
        return ProgressCallback, ()


class Worker(Protocol):
    """Processes one item at a time."""

    @property
    def cores(self) -> Cores:
        """The cores of this machine for work that does not go through `run`."""

    def at(self, about: str) -> Worker:
        """Return a worker for the problem `about`."""

    def machine(self) -> Machine:
        """Return the type of machine that processes this problem."""

    def on(self, machine: Machine) -> Worker:
        """Return a worker that uses this type of machine only."""

    def run(
        self,
        work: Callable[Concatenate[Sandbox, Cores, P], Result],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Result:
        """Return the result of a module-level function, called with a sandbox and reserved cores.

        Raises:
            MachineLostError: The last machine of the required type is gone.
            SandboxError: The sandbox failed, or several nodes in a row were lost with this work.
        """


class Engine(Protocol):
    """Hands out items; close it when done."""

    @property
    def jobs(self) -> int:
        """How many programs are judged at the same time."""

    @property
    def here(self) -> Engine:
        """The engine for work that always runs on this machine."""

    def judging(
        self, work: Callable[[Item, Worker], Result], items: Iterable[Item]
    ) -> Iterator[tuple[Item, Result]]:
        """Yield each item with its result in order of completion; uses every core.

        The first exception cancels all other work.
        """

    def measuring(
        self,
        work: Callable[[Item, Worker], Result],
        items: Iterable[Item],
        share_cores: bool = False,
    ) -> Iterator[tuple[Item, Result]]:
        """Like `judging`, but start with the last core and reserve a core for each program.

        With `share_cores`, the supervisor of a program runs on the same core.
        """

    def worker(self) -> Worker:
        """Return a worker that measures one item after another."""

    def unmeasured_cores(self) -> set[int]:
        """Return the cores of this machine that no measured program uses."""

    def prefer(self, about: str, fingerprint: str) -> None:
        """Use this type of machine for a problem if possible: an earlier run used it."""

    def close(self) -> None:
        """Release everything that belongs to the engine."""


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """The name of an engine, ``local`` or ``ray``, and its share of each machine.

    Raises:
        UsageError: The name is unknown, or the engine cannot use the address.
    """

    name: str = LOCAL
    jobs: int | None = None  # workers of each machine; None: one for each core
    address: str = ""  # of a Ray cluster; empty: join one on this machine, or start one
    # (index, count): this process's part of each machine's cores, if several processes share them
    part: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Check the options."""
        if self.name not in NAMES:
            raise UsageError(
                f"unknown engine {self.name!r}",
                "expected one of " + ", ".join(NAMES),
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
    """The sandbox, the languages and the tool versions that every machine uses."""

    sandbox: Sandbox
    languages: tuple[Language, ...]
    versions: Mapping[str, str]


def on_one_machine(worker: Worker, work: Callable[[Worker, Machine], Result]) -> Result:
    """Do all of some work on one type of machine.

    If the last machine of that type is lost, all of the work starts again on another type.
    """
    while True:
        machine = worker.machine()
        try:
            return work(worker.on(machine), machine)
        except MachineLostError:
            continue
