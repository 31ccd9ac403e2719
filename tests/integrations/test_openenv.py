"""The environment in OpenEnv: served, and played by OpenEnv's client over a web socket."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tests.building import needs_isolation
from tests.training.posed import FORMULA, LANGUAGES, LOOP, Posed, answer, write_posed
from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.training.environment import EnvironmentOptions

pytest.importorskip("openenv", reason="OpenEnv is not installed: nox -s environments-test")
pytestmark = [*needs_isolation]
POSED = Posed()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    import uvicorn

    from venus_toolkit.integrations.openenv import make_app

    release = write_posed(tmp_path_factory.mktemp("release"), POSED)
    derive(KINDS["grpo"], release.folder, [LANGUAGES["python"]], DeriveOptions())
    app = make_app(
        EnvironmentOptions(str(release.folder), turns=2, repeats=2, figure="cpu", linger_s=0.0)
    )
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def test_client_plays_an_episode(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=url).sync() as client:
        begun = client.reset(split="python-time", index=0)
        assert begun.observation["messages"][-1]["role"] == "user"
        assert not begun.done
        first = client.step({"answer": answer(POSED, LOOP).text})
        assert "passes all tests" in first.observation["messages"][0]["content"]
        second = client.step({"answer": answer(POSED, FORMULA).text})
        assert second.done
        assert second.reward is not None
        assert second.reward > 0, "what the better program adds"
        assert client.state()["step_count"] == 2


def test_task_api_lists_the_rows(url: str) -> None:
    import json
    from urllib.request import urlopen

    with urlopen(f"{url}/openapi.json") as said:
        paths = json.load(said)["paths"]
    assert any("splits" in path for path in paths)


def test_sessions_run_concurrently(url: str) -> None:
    import asyncio

    from openenv.core.generic_client import GenericEnvClient

    async def play(code: str) -> float | None:
        async with GenericEnvClient(base_url=url) as client:
            await client.reset(split="python-time", index=0)
            return (await client.step({"answer": answer(POSED, code).text})).reward

    async def all_of_them() -> list[float | None]:
        return await asyncio.gather(
            *(play(code) for code in (LOOP, FORMULA, "print(0)", "print(1)"))
        )

    rewards = asyncio.run(all_of_them())
    assert rewards[2:] == pytest.approx([-0.3, -0.3])
    assert rewards[1] > rewards[0] > 0  # type: ignore[operator]


def test_invalid_start_is_refused_with_a_reason(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with (
        GenericEnvClient(base_url=url).sync() as client,
        pytest.raises(Exception, match="there is no split"),
    ):
        client.reset(split="klingon", index=0)
