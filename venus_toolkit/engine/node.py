"""What runs on a node: one process with a sandbox, in which every seat of the node has a thread.

It knows nothing of Ray, and nothing of builds. Programs that one seat has compiled are there for the others.
"""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

from venus_toolkit import __version__, supervisor
from venus_toolkit.engine import Machine, describe_machine
from venus_toolkit.engine.packing import unpack
from venus_toolkit.engine.spreading import part_of
from venus_toolkit.errors import VenusError
from venus_toolkit.language import Language
from venus_toolkit.measure import usable_cores
from venus_toolkit.sandbox import Sandbox, open_sandbox
from venus_toolkit.supervisor import Cores


class Outfit(NamedTuple):
    """What every node has to have: the sandbox and the supervisor of the engine, and its versions of the tools."""

    sandbox: str
    supervisor: str
    languages: tuple[Language, ...]
    versions: dict[str, str]


class Report(NamedTuple):
    """What a node says of itself: why it cannot do the work (empty: it can), what it is, and its cores."""

    problem: str
    machine: Machine | None = None
    cores: tuple[int, ...] = ()


class Done(NamedTuple):
    """What work returned."""

    value: Any


class Failed(NamedTuple):
    """What work raised: a failure with a name; any other is a mistake of ours, and is raised as it is."""

    error: VenusError


class Node:
    """The process on a node.

    Args:
        toolkit: The version of the toolkit of the engine; it is compared before anything of it is read.
        outfit: An Outfit, pickled.
        cpus: How many cores the cluster knows of.
        label: What the cluster calls machines of this type, or nothing.
        part: Which part of them this process has: (index, count).
    """

    _sandbox: Sandbox
    _languages: dict[str, Language]

    def __init__(self, toolkit: str, outfit: bytes, cpus: int, label: str = "", part: tuple[int, int] = (0, 1)) -> None:
        self._toolkit, self._packed, self._cpus, self._label, self._part = toolkit, outfit, cpus, label, part

    def report(self) -> Report:
        """Return what this node is, once it is ready to work, or why it cannot."""
        if self._toolkit != __version__:
            return Report(f"it has version {__version__} of the toolkit, the engine has {self._toolkit}")
        outfit: Outfit = pickle.loads(self._packed)
        try:
            problem = self._prepare(outfit)
        except VenusError as error:
            problem = str(error).replace("\n", "; ")
        if problem:
            return Report(problem)
        cores = part_of(usable_cores()[: max(1, self._cpus)], *self._part)
        return Report("", describe_machine(self._sandbox, self._label), tuple(cores))

    def _prepare(self, outfit: Outfit) -> str:
        """Open the sandbox; returns what is another version than the engine's, or nothing."""
        self._outfit = outfit
        self._languages = {language.id: language for language in outfit.languages}
        self._sandbox = open_sandbox(outfit.sandbox, outfit.languages)
        found = {name: self._sandbox.toolchain(language).version for name, language in self._languages.items()}
        found["venus-supervisor"] = supervisor.version()
        wanted = {**outfit.versions, "venus-supervisor": outfit.supervisor}
        others = [
            f"{name} is {found[name]}, the engine has {wanted[name]}" for name in found if found[name] != wanted[name]
        ]
        return "; ".join(others)

    def work(self, body: bytes, cores: Cores, *shared: Any) -> Done | Failed:
        """Return what the packed work found."""
        work, args, kwargs = unpack(body, self._languages, shared)
        try:
            return Done(work(self._sandbox, cores, *args, **kwargs))
        except VenusError as error:
            return Failed(error)

    def renew(self) -> None:
        """Free everything that was compiled; nothing may be running."""
        self._sandbox.close()
        self._sandbox = open_sandbox(self._outfit.sandbox, self._outfit.languages)

    def close(self) -> None:
        """Free everything."""
        if hasattr(self, "_sandbox"):
            self._sandbox.close()
