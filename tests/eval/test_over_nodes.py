"""An evaluation over nodes equals a local one except for measured figures; needs no Ray."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, MIDDLE, SLOW, WRONG, Posed
from tests.rack import Rack, engine_over
from venus_toolkit.core.language import load_languages
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.scoring.results import SCHEMA, read_results
from venus_toolkit.execution.engine import WorkerEnvironment, executor
from venus_toolkit.execution.engine.node import NodeInfo
from venus_toolkit.execution.engine.ray_engine import RayEngine
from venus_toolkit.execution.measuring.rounds import MeasureOptions

pytestmark = needs_isolation
TITLES = ("first", "second", "third")
SAME = (
    "title",
    "sample",
    "outcome",
    "passed",
    "verdict",
    "failing_test",
    "code",
    "references",
    "unranked",
)


def test_distributed_evaluation_survives_a_lost_node(
    tmp_path: Path,
    write_release: Callable[..., Release],
    write_completions: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = write_release(tmp_path / "data", [Posed(title) for title in TITLES])
    answers = write_completions(
        tmp_path / "answers.jsonl", {title: [MIDDLE, WRONG, FAST, SLOW] for title in TITLES}
    )
    options = EvalOptions(
        f"replay:{answers}",
        str(release.folder),
        ("python",),
        samples=4,
        measure=MeasureOptions(repeats=1),
    )

    def run(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        out, cache = tmp_path / name, tmp_path / f"{name}-cache"
        manifest = Evaluation(options, release, out, load_languages(), cache=cache).run()
        rows = read_results(out, SCHEMA.names).to_pylist()
        return manifest, [{column: row[column] for column in SAME} for row in rows]

    def lose(node: NodeInfo) -> None:
        if node.name == "a" and racks[0].served["a"] >= 3:
            racks[0].pull("a")

    def over(_: object, site: WorkerEnvironment) -> RayEngine:
        racks.append(Rack(site, {"a": "", "b": "other"}, lose))
        return engine_over(racks[-1], site)

    racks: list[Rack] = []
    here, rows = run("here")
    monkeypatch.setattr(executor, "open_engine", over)
    there, others = run("there")
    assert others == rows
    assert not there["partial"]
    assert here["scores"][0]["outcomes"] == there["scores"][0]["outcomes"]
    assert sum(machine["tasks"] for machine in there["machines"].values()) >= len(TITLES)
    assert len(here["machines"]) == 1
