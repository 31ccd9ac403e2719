"""The environment in verifiers: the taskset loads by name, and the library's harness asks a model."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.building import needs_isolation
from tests.model_server import USAGE, chunk, events, serving
from tests.training.posed import FORMULA, LANGUAGES, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS

vf = pytest.importorskip(
    "verifiers.v1", reason="verifiers is not installed: nox -s environments-test"
)
pytestmark = [*needs_isolation]
POSED = Posed()


@pytest.fixture
def config(tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    release = write_posed(tmp_path / "release", POSED)
    derive(KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions())
    done = cli("init", "environment", tmp_path / "venus_programs.py")
    assert done.exit_code == 0, done.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    from venus_toolkit.integrations.verifiers import ProgramEnvConfig

    taskset = {
        "id": "venus_programs",
        "release": str(release.folder),
        "turns": 2,
        "objectives": ["time"],
    }
    measured = {"repeats": 2, "figure": "cpu", "rule": "strict", "linger_s": 0.0}
    yield ProgramEnvConfig(taskset={**taskset, **measured})
    sys.modules.pop("venus_programs", None)


def test_loader_finds_taskset_and_environment(config: Any) -> None:
    from verifiers.v1.utils.loaders import environment_class, load_taskset

    tasks = list(load_taskset(config.taskset))
    assert len(tasks) == 1
    assert "sum of all numbers" in tasks[0].data.prompt
    assert tasks[0].data.system_prompt
    assert environment_class(config.taskset.id).__name__ == "ProgramEnv"


def test_harness_plays_an_episode_with_a_model(
    config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifiers.v1.utils.loaders import load_environment

    monkeypatch.setenv("SOME_KEY", "x")
    texts = [answer(POSED, code).text for code in (LOOP, FORMULA)]
    # The harness requests streams.
    said = [
        events(chunk(role="assistant", content=text), chunk("stop"), chunk(usage=USAGE))
        for text in texts
    ]
    with serving(said) as server:
        environment = load_environment(config)
        (task,) = environment.taskset
        client = vf.EvalClientConfig(base_url=server.base_url, api_key_var="SOME_KEY")
        context = vf.ModelContext(client=client, model="m")

        async def play() -> Any:
            async with environment.serving():
                return await environment.run_episode(task, context)

        episode = asyncio.run(play())
    assert episode.ok, episode.errors
    (trace,) = episode.traces
    assert trace.num_turns == 2
    assert trace.reward == trace.rewards["execution"].score > 0.45
    assert trace.metrics["efficiency"] > 0
    asked = server.asked[1]["messages"]
    assert "passes all tests" in asked[-1]["content"]
