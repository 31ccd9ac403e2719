"""The files in deploy/ have the structure that their consumers expect. No cluster is started."""

from __future__ import annotations

import copy
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from venus_toolkit.cli import venus
from venus_toolkit.execution.engine.ray_cluster import LABEL

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
GROUP = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}
CLUSTER = {"rayVersion", "enableInTreeAutoscaling", "headGroupSpec", "workerGroupSpecs"}
JOB = {"entrypoint", "backoffLimit", "shutdownAfterJobFinishes", "rayClusterSpec"}


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text()))


def complaints(job: dict[str, Any]) -> Iterator[str]:
    """Yield the faults of a RayJob: its keys, its containers, and requirements of measuring."""
    if (job["apiVersion"], job["kind"]) != ("ray.io/v1", "RayJob"):
        yield "it is no RayJob of ray.io/v1"
    spec = job["spec"]
    cluster = spec["rayClusterSpec"]
    head, workers = cluster["headGroupSpec"], cluster["workerGroupSpecs"]
    for found, known in ((spec, JOB), (cluster, CLUSTER), (head, {"rayStartParams", "template"})):
        yield from (f"there is no key {name}" for name in sorted(set(found) - known))
    for group in workers:
        yield from (f"there is no key {name}" for name in sorted(set(group) - GROUP))
        if not group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]:
            yield f"the replicas of {group['groupName']} are not between their bounds"
    for group in (head, *workers):
        if not all(isinstance(value, str) for value in group["rayStartParams"].values()):
            yield "values of rayStartParams are text"
        yield from _of_container(group["template"]["spec"]["containers"][0])


def _of_container(container: dict[str, Any]) -> Iterator[str]:
    asked = container["resources"]
    if asked["requests"] != asked["limits"] or not asked["limits"]["cpu"].isdigit():
        yield (
            f"{container['name']} has no cores of its own: requests and limits are equal and whole"
        )
    if ":" not in container["image"] or container["image"].endswith(":latest"):
        yield f"{container['name']} has no fixed image"


def test_the_manifest_has_the_shape_of_a_ray_job() -> None:
    claim, job = documents()
    assert claim["kind"] == "PersistentVolumeClaim"
    assert list(complaints(job)) == []
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    assert len({group["template"]["spec"]["containers"][0]["image"] for group in groups}) == 1
    assert cluster["workerGroupSpecs"][0]["rayStartParams"]["labels"].startswith(f"{LABEL}=")
    volumes = cluster["headGroupSpec"]["template"]["spec"]["volumes"]
    assert volumes[0]["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def _head(job: dict[str, Any]) -> Any:
    return job["spec"]["rayClusterSpec"]["headGroupSpec"]


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda job: job.update(kind="RayCluster"), "no RayJob"),
        (lambda job: job["spec"].update(entryPoint="x"), "no key entryPoint"),
        (
            lambda job: _head(job)["rayStartParams"].update({"num-cpus": 0}),
            "values of rayStartParams are text",
        ),
        (
            lambda job: _head(job)["template"]["spec"]["containers"][0]["resources"][
                "requests"
            ].update(cpu="2"),
            "ray-head has no cores of its own",
        ),
        (
            lambda job: _head(job)["template"]["spec"]["containers"][0].update(image="venus"),
            "no fixed image",
        ),
        (
            lambda job: job["spec"]["rayClusterSpec"]["workerGroupSpecs"][0].update(replicas=99),
            "between their bounds",
        ),
    ],
)
def test_invalid_manifest_is_detected(
    spoil: Callable[[dict[str, Any]], object], words: str
) -> None:
    job = copy.deepcopy(documents()[1])
    spoil(job)
    assert any(words in complaint for complaint in complaints(job))


def options_of(line: str) -> list[str]:
    words = shlex.split(line)
    command = venus.get_command(click.Context(venus), words[words.index("venus") + 1])
    assert command
    known = {name for parameter in command.params for name in parameter.opts}
    return [word for word in words if word.startswith("--") and word not in known]


def test_the_commands_exist() -> None:
    assert options_of(documents()[1]["spec"]["entrypoint"]) == []
    lines = [
        line for line in (DEPLOY / "slurm.sh").read_text().splitlines() if line.startswith("venus ")
    ]
    assert len(lines) == 1
    assert options_of(lines[0]) == []
    assert options_of("venus build --no-such") == ["--no-such"]


def test_script_is_valid_bash() -> None:
    assert subprocess.run(["bash", "-n", DEPLOY / "slurm.sh"], check=False).returncode == 0
