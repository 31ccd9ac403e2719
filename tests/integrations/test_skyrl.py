"""The environment in SkyRL-Gym: registered by name, and made for a row of `venus export skyrl`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.building import needs_isolation
from tests.training.posed import FORMULA, LANGUAGES, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.exporting import export_skyrl
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.dataset.release import open_release

skyrl_gym = pytest.importorskip(
    "skyrl_gym", reason="SkyRL-Gym is not installed: nox -s environments-test"
)
pytestmark = [*needs_isolation]
POSED = Posed()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    release = write_posed(tmp_path_factory.mktemp("release"), POSED)
    derive(KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions())
    (written, *_) = export_skyrl(open_release(release.folder), tmp_path_factory.mktemp("out"))
    return release.folder, pq.read_table(written.file).to_pylist()[0]


def made(exported: tuple[Path, dict[str, Any]], turns: int) -> Any:
    folder, row = exported
    if "venus" not in skyrl_gym.envs.registration.registry:
        skyrl_gym.register(
            id="venus", entry_point="venus_toolkit.integrations.skyrl:SkyRLEnvironment"
        )
    config = {
        "release": str(folder),
        "turns": turns,
        "repeats": 2,
        "figure": "cpu",
        "linger_s": 0.0,
    }
    extras = {name: value for name, value in row.items() if name not in ("prompt", "env_class")}
    return skyrl_gym.make(row["env_class"], env_config=config, extras=extras)


def test_episode_of_several_turns(exported: tuple[Path, dict[str, Any]]) -> None:
    environment = made(exported, turns=2)
    prompt, _ = environment.init(exported[1]["prompt"])
    assert prompt[-1]["role"] == "user"
    first = environment.step(answer(POSED, LOOP).text)
    assert not first["done"]
    assert first["observations"][0]["role"] == "user"
    second = environment.step(answer(POSED, FORMULA).text)
    assert (second["done"], second["observations"]) == (True, [])
    assert first["reward"] + second["reward"] == pytest.approx(environment.get_metrics()["score"])
    assert environment.aggregate_metrics([environment.get_metrics()])["turns"] == 2


def test_concurrent_episodes_are_rewarded_separately(
    exported: tuple[Path, dict[str, Any]],
) -> None:
    texts = [answer(POSED, code).text for code in (LOOP, FORMULA, "print(0)")] + ["I do not know"]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda text: made(exported, turns=1).step(text)["reward"], texts))
    assert found[2:] == pytest.approx([-0.3, -0.7])
    assert found[1] > found[0] > 0
