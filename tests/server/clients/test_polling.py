"""A client that polls sees a job progress, and never a final state without a result."""

from __future__ import annotations

import threading
from collections.abc import Callable

import requests

from tests.server.clients.callers import EffiBench
from tests.server.clients.conftest import Served
from venus_toolkit.server.compat.effibench import job_id_of


def test_job_is_final_only_with_its_result_on_disk(
    serve: Callable[..., Served], eventually: Callable[..., bool]
) -> None:
    served = serve(workers=1)
    client = EffiBench(served.url)
    number = client.submit(code="import time; time.sleep(1); print(1)", language="python3")
    job = f"{served.url}/v1/jobs/{job_id_of(number)}"
    assert eventually(lambda: requests.get(job, timeout=10).json()["started_ns"])
    written = threading.Event()
    try:
        served.service.journal.call(lambda _: written.wait(60))
        assert eventually(lambda: not served.service.status().running)
        assert (
            requests.get(f"{served.url}/submission/{number}", timeout=10).json()["status"]
            == "processing"
        )
    finally:
        written.set()
    assert client.wait(number)["text"] == "1\n"


def test_final_state_has_a_result(served: Served) -> None:
    client = EffiBench(served.url)
    for _ in range(20):
        number = client.submit(code="print(2)", language="python3")
        while (submission := requests.get(f"{served.url}/submission/{number}", timeout=10).json())[
            "status"
        ] != "done":
            assert submission["status"] in ("waiting", "processing")
        assert submission["text"] == "2\n"
