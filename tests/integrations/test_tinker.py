"""The environment in tinker-cookbook: a message environment behind the library's bridge to tokens."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.building import needs_isolation
from tests.training.posed import FORMULA, LANGUAGES, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.training.environment import EnvironmentOptions, open_environment

pytest.importorskip(
    "tinker_cookbook", reason="tinker-cookbook is not installed: nox -s environments-test"
)
pytestmark = [pytest.mark.filterwarnings("ignore"), *needs_isolation]
POSED = Posed()


def test_episode(tmp_path: Path) -> None:
    from tinker_cookbook.rl.message_env import MessageEnv

    from venus_toolkit.integrations.tinker import ProgramMessages

    release = write_posed(tmp_path / "release", POSED)
    derive(KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions())
    options = EnvironmentOptions(
        str(release.folder), turns=2, repeats=2, figure="cpu", rule="strict", linger_s=0.0
    )
    (row,) = open_environment(options).rows(objectives=["time"])
    played = ProgramMessages(options, row)
    assert isinstance(played, MessageEnv)

    async def play() -> None:
        begun = await played.initial_observation()
        assert [each["role"] for each in begun] == ["system", "user"]
        first = await played.step({"role": "assistant", "content": answer(POSED, LOOP).text})
        parts = [{"type": "text", "text": answer(POSED, FORMULA).text}]
        second = await played.step({"role": "assistant", "content": parts})
        assert [each["role"] for each in second.next_messages] == [
            "system",
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        assert (first.episode_done, second.episode_done) == (False, True)
        assert "passes all tests" in first.next_messages[-1]["content"]
        assert first.reward == pytest.approx(0.45)
        assert first.reward + second.reward == pytest.approx(second.metrics["score"])
        assert second.logs["verdict"] == "accepted"

    asyncio.run(play())
    open_environment(options).close()
