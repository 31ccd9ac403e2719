"""The process on a node: it has one sandbox, and a thread for every worker of the node.

It depends neither on Ray nor on builds.
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
    """The requirements of every node: the engine's sandbox, supervisor and tool versions."""

    sandbox: str
    supervisor: str
    languages: tuple[Language, ...]
    versions: dict[str, str]


class Report(NamedTuple):
    """The reason why a node cannot work (empty: it can), its type of machine, and its cores."""

    reason: str
    machine: Machine | None = None
    cores: tuple[int, ...] = ()


class NodeInfo(NamedTuple):
    """A node of a cluster: its identity, readable name, number of cores, and label."""

    node_id: str
    name: str
    cpus: int
    label: str = ""


class LostError(Exception):
    """A node, or the process on it, is gone, and with it all running work."""


class Node:
    """The process on a node.

    Args:
        toolkit: The engine's version of the toolkit, which is compared before anything is
            unpickled.
        requirements: The pickled NodeRequirements.
        cpus: The number of cores of the node, according to the cluster.
        label: The cluster's name for machines of this type.
        part: (index, count): the part of the cores that this process uses.
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
        """Return the type and cores of this node once it is ready, or why it cannot work."""
        if self._toolkit != __version__:
            return Report(
                f"it has version {__version__} of the toolkit, the engine has {self._toolkit}"
            )
        # after the check of the version: another version may pickle differently
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
        # The cluster may be configured with fewer cores than the machine has.
        cores = part_of(usable_cores()[: max(1, self._cpus)], *self._part)
        return Report("", describe_machine(self._sandbox, self._label), tuple(cores))

    def work(self, body: bytes, cores: Cores, *shared: Any) -> Any:
        """Return the result of serialized work, or the VenusError that it raised."""
        work, args, kwargs = deserialize(body, self._languages, shared)
        try:
            return work(self._sandbox, cores, *args, **kwargs)
        except VenusError as error:
            # Returned, not raised: the cluster would wrap it in an exception of its own.
            return error

    def close(self) -> None:
        """Close the sandbox."""
        if hasattr(self, "_sandbox"):
            self._sandbox.close()
