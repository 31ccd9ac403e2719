"""What runs on a node: one process with a sandbox, in which every worker of the node has a thread.

It knows nothing of Ray, and nothing of builds.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

from venus_toolkit.core import __version__
from venus_toolkit.core.errors import VenusError
from venus_toolkit.core.language import Language
from venus_toolkit.execution.engine import Machine, describe_machine
from venus_toolkit.execution.engine.serialization import deserialize
from venus_toolkit.execution.sandbox import Sandbox, supervisor
from venus_toolkit.execution.sandbox.cores import part_of, usable_cores
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores


class NodeRequirements(NamedTuple):
    """What every node has to have.

    The sandbox and the supervisor of the engine, and its versions of the tools.
    """

    sandbox: str
    supervisor: str
    languages: tuple[Language, ...]
    versions: dict[str, str]


class Report(NamedTuple):
    """What a node says of itself: why it cannot do the work (empty.

    It can), what it is, and its cores.
    """

    problem: str
    machine: Machine | None = None
    cores: tuple[int, ...] = ()


class NodeInfo(NamedTuple):
    """A node that is there: its identity, its name for people, its number of cores, and its label."""

    node_id: str
    name: str
    cpus: int
    label: str = ""


class LostError(Exception):
    """A node, or the process on it, is gone, and with it what it was asked."""


class Node:
    """The process on a node, of which the cluster knows so many `cpus`, and calls machines of its type by the `label`.

    `toolkit` is the version of the toolkit of the engine; it is compared before the pickled
    NodeRequirements are read. `part` is which part of the cores this process has: (index, count).
    """

    _sandbox: Sandbox
    _languages: dict[str, Language]

    def __init__(
        self,
        toolkit: str,
        requirements: bytes,
        cpus: int,
        label: str = "",
        part: tuple[int, int] = (0, 1),
    ) -> None:
        self._toolkit, self._packed, self._cpus, self._label, self._part = (
            toolkit,
            requirements,
            cpus,
            label,
            part,
        )

    def report(self) -> Report:
        """Return what this node is, once it is ready to work, or why it cannot."""
        if self._toolkit != __version__:
            return Report(
                f"it has version {__version__} of the toolkit, the engine has {self._toolkit}"
            )
        # not before: another version may pickle otherwise
        requirements: NodeRequirements = pickle.loads(self._packed)
        try:
            self._languages = {language.id: language for language in requirements.languages}
            self._sandbox = open_sandbox(requirements.sandbox, requirements.languages)
            actual = {
                name: self._sandbox.toolchain(language).version
                for name, language in self._languages.items()
            }
            actual["venus-supervisor"] = supervisor.version()
        except VenusError as error:
            return Report(str(error).replace("\n", "; "))
        expected = {**requirements.versions, "venus-supervisor": requirements.supervisor}
        others = [
            f"{name} is {actual[name]}, the engine has {expected[name]}"
            for name in actual
            if actual[name] != expected[name]
        ]
        if others:
            return Report("; ".join(others))
        # The cluster may have been told of fewer cores than the machine has.
        cores = part_of(usable_cores()[: max(1, self._cpus)], *self._part)
        return Report("", describe_machine(self._sandbox, self._label), tuple(cores))

    def work(self, body: bytes, cores: Cores, *shared: Any) -> Any:
        """Return what the serialized work found, or how it failed."""
        work, args, kwargs = deserialize(body, self._languages, shared)
        try:
            return work(self._sandbox, cores, *args, **kwargs)
        except VenusError as error:
            # As a value: raised, it would arrive inside an exception of the cluster.
            return error

    def close(self) -> None:
        """Free everything."""
        if hasattr(self, "_sandbox"):
            self._sandbox.close()
