"""A Ray cluster as the pool of nodes sees it.

Joining it, its nodes, their processes, and what a loss looks like.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.core import __version__
from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.extras import require
from venus_toolkit.core.interruption import current
from venus_toolkit.execution.engine.node import LostError, Node, NodeInfo, Report
from venus_toolkit.execution.engine.serialization import SerializedCall
from venus_toolkit.execution.sandbox.cores import part_of
from venus_toolkit.execution.sandbox.supervisor import Cores

LABEL = "venus.machine"  # of a Ray node: a name for machines that the kernel cannot tell apart
PORT_S = 5  # Ray itself would try for a minute
LOOK_S = 0.5  # whether the scope was cancelled: nothing else ends a wait for Ray
FAREWELL_S = 5  # for a node to remove what it left on disk


def connect(address: str) -> bool:
    """Connect to a cluster; returns whether that is ours to end."""
    require("ray")
    import ray

    if ray.is_initialized():
        return False
    if address not in ("", "auto", "local"):
        _require_listener(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # in a cluster that is started here
    # GPUs stay visible to processes that ask for none; without it Ray prints a warning.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        ray.init(
            address or None,
            namespace="venus",
            log_to_driver=False,
            logging_level=logging.ERROR,
            include_dashboard=False,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        fix = "see docs/scale.md; the same versions of Ray and Python have to be on every machine"
        raise MachineError(
            f"cannot join the Ray cluster{f' at {address}' * bool(address)}", reason, fix
        ) from error
    return True


def _require_listener(address: str) -> None:
    """Find out at once what Ray would find out after a minute."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PORT_S).close()
    except (OSError, ValueError) as error:
        problem = f"there is no Ray cluster at {address}"
        fix = (
            "give HOST:PORT of its head, where `ray start --head --port=6379` was typed, or auto "
            "on a machine of it"
        )
        raise MachineError(problem, getattr(error, "strerror", None) or str(error), fix) from error


class RayCluster:
    """The nodes of the Ray cluster that this process is connected to.

    A LostError where that does not answer.

    `requirements` is what each needs to have, pickled; `part` is which part of its processors is
    taken: (index, count).
    """

    def __init__(self, requirements: bytes, part: tuple[int, int] = (0, 1)) -> None:
        self._requirements = requirements
        self._part = part

    def nodes(self) -> Collection[NodeInfo]:
        """Return the nodes that are alive and have a processor for this part."""
        import ray

        try:
            alive = [node for node in ray.nodes() if node["Alive"]]
        except ray.exceptions.RayError as error:
            raise LostError(str(error)) from error
        nodes = [
            NodeInfo(
                node_id=node["NodeID"],
                name=node["NodeName"],
                cpus=int(node["Resources"].get("CPU", 0)),
                label=(node.get("Labels") or {}).get(LABEL, ""),
            )
            for node in alive
        ]
        return [node for node in nodes if self._taken(node)]

    def start(self, node: NodeInfo) -> RayNodeActor:
        """Start a process on a node, which gets all processors of this part."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # A thread more than there are workers, so that `close` is heard while all of them work. Ray
        # restarts nothing: the pool of nodes starts a lost process again, and counts how often.
        there = NodeAffinitySchedulingStrategy(node.node_id, soft=False)
        remote = ray.remote(RayNode).options(
            num_cpus=self._taken(node),
            max_concurrency=node.cpus + 1,
            max_restarts=0,
            scheduling_strategy=there,
        )
        return RayNodeActor(
            remote.remote(__version__, self._requirements, node.cpus, node.label, self._part)
        )

    def _taken(self, node: NodeInfo) -> int:
        """Return how many processors of a node are taken.

        Of one that has too few the first parts take one each.
        """
        index, count = self._part
        return (
            len(part_of(range(node.cpus), index, count))
            if node.cpus >= count
            else int(index < node.cpus)
        )


class RayNode(Node):
    """What runs on a node of a Ray cluster."""

    def report(self) -> Report:
        """Return what this node is, once it is ready to work, or why it cannot."""
        problem = usual_priority()
        return Report(problem) if problem else super().report()


def usual_priority() -> str:
    """Give this process, and so the programs that it starts, the usual priority.

    Returns why it cannot, or nothing.

    Ray gives its workers a low one. Figures would depend on whatever else runs, and there are
    machines on which supervisors then stand still for a minute at a time (docs/scale.md).
    """
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        # In Linux each thread has a priority of its own, and Ray has started some already.
        for thread in Path("/proc/self/task").iterdir() if nice > 0 else ():
            with contextlib.suppress(ProcessLookupError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, int(thread.name), 0)
    except PermissionError:
        return (
            f"its programs would run at a low priority (nice {nice}): start it with "
            "RAY_worker_niceness=0 ray start"
        )
    return ""


@dataclass(frozen=True, slots=True)
class RayNodeActor:
    """The process on a node of a Ray cluster; where it is gone, it answers with a LostError."""

    actor: Any

    def report(self) -> Report:
        """Return what the node says of itself; waits until it is ready."""
        report: Report = _got(self.actor.report.remote())
        return report

    def work(self, call: SerializedCall, cores: Cores) -> Any:
        """Return what some work found there, or the VenusError that it failed with."""
        # Ray fetches references that are arguments themselves, not those inside of one.
        return _got(self.actor.work.remote(call.body, cores, *call.shared))

    def stop(self) -> None:
        """End it; what it left on disk is removed if it can still do that."""
        import ray

        ray.wait([self.actor.close.remote()], timeout=LOOK_S if current().cancelled else FAREWELL_S)
        ray.kill(self.actor)


def _got(reference: Any) -> Any:
    """Return what a reference stands for."""
    import ray

    kinds = ray.exceptions
    lost = (
        kinds.RayActorError,
        kinds.ActorUnschedulableError,
        kinds.ObjectLostError,
        kinds.RuntimeEnvSetupError,
    )
    try:
        while not ray.wait([reference], timeout=LOOK_S)[0]:
            current().check()
        return ray.get(reference)
    except lost as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        # The last line of a traceback names the module that is missing on the node.
        raise LostError(lines[-1] if "ModuleNotFoundError" in str(error) else lines[0]) from error
