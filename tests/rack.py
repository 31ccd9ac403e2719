"""A cluster without Ray: nodes in this process, each with its own sandbox, that can be lost at any moment."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any

from venus_toolkit import __version__
from venus_toolkit.execution.engine import WorkerEnvironment
from venus_toolkit.execution.engine.local_engine import LocalEngine
from venus_toolkit.execution.engine.node import LostError, Node, NodeInfo, NodeRequirements, Report
from venus_toolkit.execution.engine.node_pool import NodePool, Patience
from venus_toolkit.execution.engine.ray_engine import RayEngine
from venus_toolkit.execution.engine.serialization import CallSerializer, SerializedCall
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.supervisor import Cores

SOON = Patience(start_s=30, no_node_s=1, poll_s=0.02)


def outfit_of(site: WorkerEnvironment, **changes: Any) -> bytes:
    """Return the requirements of a node, pickled."""
    # Without the Ray engine, an executor does not look up the versions in advance.
    versions = dict(site.versions) or {
        each.id: site.sandbox.toolchain(each).version for each in site.languages
    }
    own = NodeRequirements(site.sandbox.name, supervisor.version(), site.languages, versions)
    return pickle.dumps(own._replace(**changes))


class RackHand:
    """A fake worker process on a node. Results that it finds after the loss of the node are discarded."""

    def __init__(self, rack: Rack, info: NodeInfo) -> None:
        self._rack, self.info = rack, info
        self._node = Node(rack.version, rack.requirements, info.cpus, info.label)

    def report(self) -> Report:
        self._require()
        return self._node.report()

    def work(self, call: SerializedCall, cores: Cores) -> Any:
        self._require()
        with self._rack.mutex:
            self._rack.served[self.info.name] = self._rack.served.get(self.info.name, 0) + 1
        self._rack.on_work(self.info)
        found = self._node.work(call.body, cores, *call.shared)
        self._require()
        return found

    def stop(self) -> None:
        self._node.close()

    def _require(self) -> None:
        if self.info not in self._rack.up:
            raise LostError(f"{self.info.name} does not answer")


class Rack:
    """The nodes of the cluster.

    Args:
        site: The environment of the workers.
        nodes: The labels of the nodes by name; different labels mean different types of machines.
        on_work: Called with the node before each piece of work.
    """

    def __init__(
        self,
        site: WorkerEnvironment,
        nodes: Mapping[str, str],
        on_work: Callable[[NodeInfo], None] = lambda _: None,
    ) -> None:
        self.version, self.requirements, self.on_work = __version__, outfit_of(site), on_work
        self.up = [NodeInfo(f"id-{name}", name, 2, label) for name, label in nodes.items()]
        self.served: dict[str, int] = {}
        self.mutex = threading.Lock()

    def nodes(self) -> Collection[NodeInfo]:
        return list(self.up)

    def start(self, node: NodeInfo) -> RackHand:
        return RackHand(self, node)

    def pull(self, name: str) -> None:
        """Remove a node."""
        self.up = [node for node in self.up if node.name != name]

    def push(self, name: str, label: str = "") -> None:
        """Add a node."""
        self.up = [*self.up, NodeInfo(f"id-{name}", name, 2, label)]


def engine_over(rack: Rack, site: WorkerEnvironment, patience: Patience = SOON) -> RayEngine:
    """Return the Ray engine with a rack as its cluster."""
    engine = RayEngine(
        NodePool(rack, patience=patience),
        LocalEngine(site.sandbox),
        serializer=CallSerializer(lambda value: value),
    )
    try:
        engine.node_pool.start()
    except BaseException:
        engine.close()
        raise
    return engine


# ------------------------------------------------------------------ a source that is stable under load

SAME = ("rows", "dropped", "tests", "lacking", "sandbox")
STEADY: dict[str, Any] = {"lang": ("python", "cpp"), "tests": 6, "repeats": 2, "min_solutions": 2}
_PYTHON = "NAME = int(input())\nprint(EXPRESSION)\n"
_CPP = """#include <iostream>
int main() {
  long long NAME;
  std::cin >> NAME;
  std::cout << EXPRESSION << '\\n';
}
"""


def steady(shop: Any) -> Any:
    """Write three problems with generous limits and distinct programs in Python and C++; return the shop."""
    for name in ("one", "two", "three"):

        def program(code: str, expression: str, name: str = name) -> str:
            return code.replace("EXPRESSION", expression).replace("NAME", name)

        shop.problem(
            name,
            {
                "problem.toml": f'title = "{name}"\n[limits]\ncpu_s = 30\n',
                "solutions/python/times.py": program(_PYTHON, "NAME * 2"),
                "solutions/python/plus.py": program(_PYTHON, "NAME + NAME"),
                "solutions/python/shift.py": program(_PYTHON, "NAME << 1"),
                "solutions/python/wrong_thrice.py": program(_PYTHON, "NAME * 3 + 1"),
                "solutions/cpp/times.cpp": program(_CPP, "NAME * 2"),
                "solutions/cpp/plus.cpp": program(_CPP, "NAME + NAME"),
            },
        )
    return shop
