"""The pool's access to a Ray cluster: it joins the cluster, lists nodes and starts processes."""

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

LABEL = "venus.machine"  # label of a Ray node that names a type of machine
PORT_S = 5  # timeout of a first connection; Ray itself would try for a minute
LOOK_S = 0.5  # period of checks for cancellation, which cannot interrupt a wait for Ray
FAREWELL_S = 5  # for a node to remove its files


def connect(address: str) -> bool:
    """Connect to a cluster; returns whether the caller has to end the connection."""
    require("ray")
    import ray

    if ray.is_initialized():
        return False
    if address not in ("", "auto", "local"):
        _require_listener(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # if this call starts the cluster
    # GPUs stay visible to processes that request none; without this Ray prints a warning.
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
        fix = "see docs/scale.md; every machine needs the same versions of Ray and Python"
        raise MachineError(
            f"cannot join the Ray cluster{f' at {address}' * bool(address)}", reason, fix
        ) from error
    return True


def _require_listener(address: str) -> None:
    """Fail at once if no process listens at the address; Ray would try for a minute."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PORT_S).close()
    except (OSError, ValueError) as error:
        fix = (
            "give HOST:PORT of its head, where `ray start --head --port=6379` was typed, or auto "
            "on a machine of it"
        )
        raise MachineError(
            f"there is no Ray cluster at {address}",
            getattr(error, "strerror", None) or str(error),
            fix,
        ) from error


class RayCluster:
    """The nodes of the Ray cluster that this process is connected to.

    Methods raise a LostError if the cluster does not answer.

    Args:
        requirements: The pickled NodeRequirements.
        part: (index, count): the part of each node's processors to take.
    """

    def __init__(self, requirements: bytes, part: tuple[int, int] = (0, 1)) -> None:
        self._requirements = requirements
        self._part = part

    def nodes(self) -> Collection[NodeInfo]:
        """Return the live nodes that have a processor for this part."""
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
        return [node for node in nodes if self._share(node)]

    def start(self, node: NodeInfo) -> RayNodeActor:
        """Start a process on a node with all processors of this part."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # One thread more than workers, so that `close` runs while all of them are busy. Ray must
        # not restart processes: the pool of nodes does, and limits the number of starts.
        affinity = NodeAffinitySchedulingStrategy(node.node_id, soft=False)
        remote = ray.remote(RayNode).options(
            num_cpus=self._share(node),
            max_concurrency=node.cpus + 1,
            max_restarts=0,
            scheduling_strategy=affinity,
        )
        return RayNodeActor(
            remote.remote(__version__, self._requirements, node.cpus, node.label, self._part)
        )

    def _share(self, node: NodeInfo) -> int:
        """Return the number of processors of a node in this part.

        If a node has fewer processors than there are parts, the first parts take one each.
        """
        index, count = self._part
        return (
            len(part_of(range(node.cpus), index, count))
            if node.cpus >= count
            else int(index < node.cpus)
        )


class RayNode(Node):
    """The process on a node of a Ray cluster."""

    def report(self) -> Report:
        """Return the type and cores of this node once it is ready, or why it cannot work."""
        reason = usual_priority()
        return Report(reason) if reason else super().report()


def usual_priority() -> str:
    """Give this process, and so the programs that it starts, the usual priority.

    Ray gives its workers a low priority. Then figures would depend on the load of the machine, and
    on some machines supervisors stall for a minute at a time (docs/scale.md).

    Returns:
        The reason why the priority cannot be changed, or an empty string.
    """
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        # In Linux each thread has its own priority, and Ray has already started some.
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
    """A handle to the process on a node; its methods raise a LostError if the process is gone."""

    actor: Any

    def report(self) -> Report:
        """Wait until the node is ready, and return its report."""
        report: Report = _get(self.actor.report.remote())
        return report

    def work(self, call: SerializedCall, cores: Cores) -> Any:
        """Return the result of some work on the node, or the VenusError that it raised."""
        # Ray resolves references that are arguments, but not those inside an argument.
        return _get(self.actor.work.remote(call.body, cores, *call.shared))

    def stop(self) -> None:
        """End the process, after it has removed its files if it still can."""
        import ray

        ray.wait([self.actor.close.remote()], timeout=LOOK_S if current().cancelled else FAREWELL_S)
        ray.kill(self.actor)


def _get(reference: Any) -> Any:
    """Return the value of a Ray reference; stops waiting if the scope is cancelled."""
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
