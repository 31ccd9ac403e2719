"""The engine over a real Ray cluster of two nodes on this machine. `nox -s torch-test` runs it.

The nodes share this machine's cores, so nothing here is about figures.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.rack import SAME, STEADY, steady
from tests.training.posed import FORMULA, LOOP, Posed, answer, reference, write_posed
from venus_toolkit.builders.build import Build
from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.language import load_languages
from venus_toolkit.execution.engine import EngineOptions, Worker, WorkerEnvironment
from venus_toolkit.execution.engine import ray_engine as ray_module
from venus_toolkit.execution.engine.ray_cluster import LABEL
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.integrations.verl import compute_score_batch
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
if os.geteuid():  # only root can restore the usual priority later
    os.environ.update(RAY_worker_niceness="0")
ray = pytest.importorskip("ray", reason="Ray is not installed: nox -s torch-test")
pytestmark = [*needs_isolation, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster whose head has no processors."""
    from ray.cluster_utils import Cluster

    ray_cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    yield ray_cluster
    ray.shutdown()
    ray_cluster.shutdown()


@pytest.fixture
def node(cluster: Any) -> Iterator[Any]:
    """A node with one processor that is not lost."""
    ray_node = cluster.add_node(num_cpus=1)
    yield ray_node
    cluster.remove_node(ray_node)


@pytest.fixture(scope="module")
def site() -> Iterator[WorkerEnvironment]:
    python = load_languages()["python"]
    with open_sandbox("local", [python]) as sandbox:
        yield WorkerEnvironment(sandbox, (python,), {"python": sandbox.toolchain(python).version})


def process_of(sandbox: Sandbox, cores: Cores) -> int:
    return os.getpid()


def core_of(sandbox: Sandbox, cores: Cores) -> int | None:
    return cores.program


def niceness(sandbox: Sandbox, cores: Cores) -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def kill_node(node: Any) -> None:
    """Kill all processes of a node, as if its machine had died."""
    raylet = node.all_processes["raylet"][0].process.pid
    victims = [raylet]
    for pid in victims:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(FileNotFoundError):
                victims += map(int, task.read_text().split())
    for pid in victims:
        with suppress(ProcessLookupError):  # programs of the sandbox may have ended
            os.kill(pid, signal.SIGKILL)


def test_build_with_a_killed_node_equals_local_build(
    cluster: Any, node: Any, shop: Any, tmp_path: Path
) -> None:
    steady(shop).build(**STEADY)
    here, shop.out = shop.outcome(), tmp_path / "over-ray"
    doomed = cluster.add_node(num_cpus=1, labels={LABEL: "spot"})
    cluster.wait_for_nodes()
    killed: list[str] = []

    def watch(stage: str, done: int, total: int) -> None:
        if stage == "validate" and done > total // 2 and not killed:
            killed.append(stage)
            kill_node(doomed)

    plan = shop.plan(**STEADY, engine="ray", ray_address=cluster.address)
    try:
        Build(plan, shop.out, load_languages(), watch).run()
    finally:
        cluster.remove_node(doomed)
    there = shop.outcome()
    assert killed == ["validate"]
    assert {name: there[name] for name in SAME} == {name: here[name] for name in SAME}
    assert [facts.get("label") for facts in shop.manifest["machines"].values()] == [None]


def test_labels_make_types_of_machines(cluster: Any, node: Any, site: WorkerEnvironment) -> None:
    other = cluster.add_node(num_cpus=1, labels={LABEL: "other"})
    cluster.wait_for_nodes()
    engine = ray_module.open_ray(EngineOptions("ray", address=cluster.address), site)
    try:
        assert sorted(
            str(machine.facts.get("label")) for machine in engine.node_pool.machines().values()
        ) == [
            "None",
            "other",
        ]

        def work(item: str, worker: Worker) -> tuple[str, int]:
            return worker.at(item).machine().fingerprint, worker.at(item).run(process_of)

        results = dict(engine.judging(work, map(str, range(8))))
    finally:
        engine.close()
        cluster.remove_node(other)
    assert len(set(results.values())) == 2, "a type of machine is one process here"
    assert os.getpid() not in {process for _, process in results.values()}


# ------------------------------------------------------------------ rewards

POSED = Posed(solutions={"python": (LOOP, FORMULA)})


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return write_posed(tmp_path_factory.mktemp("release"), POSED)


def test_rewards_with_a_killed_node(cluster: Any, node: Any, release: Any) -> None:
    doomed = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    options = RewardOptions(engine="ray", ray_address=cluster.address, figure="cpu", rule="strict")
    reward = ExecutionReward(release.folder, "local", options)
    codes = [f"# {n}\n{FORMULA}" for n in range(24)] + ["print(1)"]
    try:
        reward.grader.submit([answer(POSED, code) for code in codes])
        time.sleep(2)
        kill_node(doomed)
        graded = reward.grader.grade([answer(POSED, code) for code in codes])
    finally:
        reward.close()
        cluster.remove_node(doomed)
    assert [grade.verdict for grade in graded] == ["accepted"] * 24 + ["wrong_answer"]
    assert all(grade.reward and grade.reward.efficiency > 0.2 for grade in graded[:24])


def test_training_processes_share_every_node(cluster: Any, site: WorkerEnvironment) -> None:
    whole = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    engines = []
    try:
        for part in ((0, 2), (1, 2)):
            engines.append(
                ray_module.open_ray(EngineOptions("ray", address=cluster.address, part=part), site)
            )
        assert [engine.jobs for engine in engines] == [1, 1]
        cores = [engine.worker().run(core_of) for engine in engines]
        assert len(set(cores)) == min(2, len(os.sched_getaffinity(0)))
    finally:
        for engine in reversed(engines):  # the first one joined the cluster
            engine.close()
        cluster.remove_node(whole)


def test_verl_reward_process_joins_its_cluster(cluster: Any, node: Any, release: Any) -> None:
    cluster.wait_for_nodes()
    ray.init(cluster.address)
    truth = json.dumps(reference(POSED)._asdict())
    try:
        (score,) = ray.get(
            ray.remote(num_cpus=0)(score_like_verl).remote(str(release.folder), truth)
        )
    finally:
        ray.shutdown()
    assert score["judged"] == 1
    assert score["efficiency"] > 0.2


def score_like_verl(release: str, truth: str) -> list[dict[str, float]]:
    text = answer(POSED, FORMULA).text
    return compute_score_batch(
        ["venus"], [text], [truth], [None], release, "local", 1, engine="ray"
    )


def test_address_without_a_cluster(site: WorkerEnvironment) -> None:
    with pytest.raises(
        MachineError, match=r"there is no Ray cluster at 127.0.0.1:1: Connection refused"
    ):
        ray_module.open_ray(EngineOptions("ray", address="127.0.0.1:1"), site)


def test_another_version_of_ray(site: WorkerEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError(
            "Version mismatch: The cluster was started with:\n    Ray: 2.9.0\n    Python: 3.11.7"
        )

    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(
        MachineError, match=r"cannot join the Ray cluster: Version mismatch: .* Ray: 2.9.0 Python"
    ):
        ray_module.open_ray(EngineOptions("ray"), site)


def test_worker_keeps_its_process(cluster: Any, node: Any, site: WorkerEnvironment) -> None:
    cluster.wait_for_nodes()
    engine = ray_module.open_ray(EngineOptions("ray", address=cluster.address), site)
    try:
        worker: Worker = engine.worker()
        assert worker.run(process_of) == worker.run(process_of)
        assert worker.run(niceness) == 0
    finally:
        engine.close()
