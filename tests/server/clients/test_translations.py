"""Shared parts of the protocols: exit statuses, limits, caches, keys in addresses."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.server.clients import records
from tests.server.clients.conftest import Served
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Run
from venus_toolkit.server.compat.monolith import system_memory
from venus_toolkit.server.compat.protocol import (
    ENTRY_BYTES,
    LRUCache,
    exit_status,
    is_compiled,
    limits_of,
)
from venus_toolkit.server.settings import Settings


@pytest.mark.parametrize(
    ("run", "status"),
    [
        (records.run(), 0),
        (records.EXIT, 3),
        (records.CRASH, 139),
        (records.TIME, 124),
        (records.MEMORY, 137),
        (records.OUTPUT, 153),
        (records.run(stderr_cut=True), 153),
        (records.run(exit_code=None), 1),
    ],
)
def test_only_success_has_exit_status_0(run: Run, status: int) -> None:
    assert exit_status(run) == status


def test_limits_stay_below_the_servers(tmp_path: Path) -> None:
    settings = Settings(
        tmp_path, most=Limits(wall_ns=5 * NS_PER_S, cpu_ns=4 * NS_PER_S, memory_bytes=64 * MIB)
    )
    assert limits_of(settings, 1e12, 1 << 60) == limits_of(settings, 5)
    assert limits_of(settings, 5).cpu_ns == 4 * NS_PER_S
    assert limits_of(settings, 1e-12).wall_ns == 1


def test_is_compiled() -> None:
    compiled = {name for name, language in load_languages().items() if is_compiled(language)}
    assert compiled == {"cpp", "go", "java", "rust"}


def test_a_cache_is_bounded() -> None:
    cache: LRUCache[int] = LRUCache(3 * ENTRY_BYTES)
    for number in range(10):
        cache.put(str(number), number)
    assert (len(cache), cache.get("6"), cache.get("7")) == (3, None, 7)
    cache.put("large", 0, size=5 * ENTRY_BYTES)
    assert len(cache) == 0


def test_cache_keeps_recently_read_values() -> None:
    cache: LRUCache[int] = LRUCache(2 * ENTRY_BYTES)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)


def test_cache_counts_replaced_and_removed_values() -> None:
    cache: LRUCache[int] = LRUCache(2 * ENTRY_BYTES)
    for number in range(5):
        cache.put("same", number)
    cache.put("other", 1)
    assert (cache.pop("same"), cache.get("same"), cache.pop("same"), cache.get("other")) == (
        4,
        None,
        None,
        1,
    )


def test_system_memory_comes_from_the_kernel(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:  4194304 kB\nMemFree: 1 kB\nMemAvailable: 1048576 kB\n")
    assert system_memory(file) == {"total": 4.0, "used_gb": 3.0, "available": 1.0, "percent": 75.0}


SLEEPS = "import time; time.sleep(1)"
PLAIN = {"language": "python", "code": SLEEPS}
PISTON = {"language": "python", "version": "*", "files": [{"content": SLEEPS}]}
WAITING = [
    ("/execute", PLAIN, "error"),
    ("/run_code", PLAIN, "detail"),
    ("/api/v2/execute", PISTON, "message"),
]


@pytest.mark.parametrize(("path", "body", "field"), WAITING)
def test_stopping_server_asks_clients_to_retry(
    serve: Callable[..., Served],
    eventually: Callable[..., bool],
    path: str,
    body: dict[str, Any],
    field: str,
) -> None:
    served = serve(workers=1)
    with ThreadPoolExecutor(1) as others:
        asked = others.submit(requests.post, served.url + path, json=body, timeout=60)
        assert eventually(lambda: served.service.status().running == 1)
        served.service.drain()
        response = asked.result()
    assert response.status_code == 503
    assert "stopping" in response.json()[field]
    assert int(response.headers["Retry-After"]) > 0
    assert served.service.metrics.refused[503] == 1


@pytest.mark.parametrize(("user", "status"), [("any:secret@", 200), ("any:wrong@", 401), ("", 401)])
def test_api_key_in_the_address(serve: Callable[..., Served], user: str, status: int) -> None:
    """Old clients send no header for a key, but every HTTP library supports http://any:KEY@host."""
    served = serve(keys=("secret",))
    url = served.url.replace("http://", f"http://{user}")
    body = {"code": "print(1)", "language": "python"}
    assert requests.post(f"{url}/run_code", json=body, timeout=60).status_code == status


def test_unreadable_key_is_empty(serve: Callable[..., Served]) -> None:
    headers = {"Authorization": "Basic ???"}
    assert (
        requests.get(
            f"{serve(keys=('secret',)).url}/status", headers=headers, timeout=10
        ).status_code
        == 401
    )
