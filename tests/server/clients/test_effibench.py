"""EffiBench-X's clients work unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.server.clients import records
from tests.server.clients.callers import EffiBench, MonolithLibrary
from tests.server.clients.conftest import Served
from venus_toolkit.core.records import MIB, NS_PER_MS, Run, Verdict
from venus_toolkit.server.compat.effibench import job_id_of, number_of, response_of
from venus_toolkit.server.queue.jobs import JobResult, JobState

FIELDS = {"submission_id", "status", "text", "exit_code", "runtime", "memory", "integral"}


@pytest.fixture
def client(served: Served) -> EffiBench:
    return EffiBench(served.url)


# ------------------------------------------------------------------ responses


def test_a_program_is_done_with_its_costs(client: EffiBench) -> None:
    code = "import time\nheld = bytearray(64 << 20)\ntime.sleep(0.2)\nprint(input())"
    response = client.wait(
        client.submit(code=code, language="python3", stdin="hi\n", time_limit=10, memory_limit=1024)
    )
    assert set(response) == FIELDS
    assert (response["status"], response["exit_code"], response["text"]) == ("done", 0, "hi\n")
    assert response["runtime"] > 200 * NS_PER_MS
    assert 64 * 1024 < response["memory"] < 128 * 1024  # kB
    most = response["memory"] / 1000 * response["runtime"] / 1e9  # MB·s
    assert 0.2 * 64 < response["integral"] < 1.1 * most


def test_text_has_both_streams(client: EffiBench) -> None:
    code = "import sys; print(1, flush=True); print(2, file=sys.stderr)"
    assert client.wait(client.submit(code=code, language="python3"))["text"] == "1\n2\n"


@pytest.mark.parametrize(
    ("code", "language", "status", "exit_code"),
    [
        ("raise SystemExit(3)", "python3", "error", 3),
        ("while True: pass", "python3", "timeout", 124),
        ("#include <vector>\nint main() { std::vector<int> v(1 << 28, 1); }", "cpp", "oom", 137),
        ("held = bytearray(1 << 30)", "python3", "oom", 137),
        ("int main() { return }", "cpp", "error", 1),
    ],
)
def test_failures_have_their_status(
    client: EffiBench, code: str, language: str, status: str, exit_code: int
) -> None:
    seconds = 1 if status == "timeout" else 10
    response = client.wait(
        client.submit(code=code, language=language, time_limit=seconds, memory_limit=128)
    )
    assert (response["status"], response["exit_code"]) == (status, exit_code)


@pytest.mark.parametrize(
    ("verdict", "run", "status"),
    [
        (Verdict.ACCEPTED, records.run(), "done"),
        (Verdict.TIME_LIMIT, records.TIME, "timeout"),
        (Verdict.MEMORY_LIMIT, records.MEMORY, "oom"),
        (Verdict.OUTPUT_LIMIT, records.OUTPUT, "error"),
        (Verdict.RUNTIME_ERROR, records.CRASH, "error"),
    ],
)
def test_status_of_every_outcome(verdict: Verdict, run: Run, status: str) -> None:
    response = response_of(records.done(verdict, run))
    assert response["status"] == status
    assert (response["exit_code"] == 0) == (status == "done")
    assert (response["runtime"], response["memory"]) == (20 * NS_PER_MS, 10 * MIB / 1024)
    assert response["integral"] == pytest.approx(8 * 1.024 * 1.024 * 0.02 * 1000 / 1024)


@pytest.mark.parametrize(
    ("state", "status"),
    [
        (JobState.QUEUED, "waiting"),
        (JobState.RUNNING, "processing"),
        (JobState.CANCELLED, "cancelled"),
    ],
)
def test_unknown_figures_are_null(state: JobState, status: str) -> None:
    response = response_of(JobResult("a", state))
    assert response == {
        "submission_id": 10,
        "status": status,
        **dict.fromkeys(FIELDS - {"submission_id", "status"}),
    }


def test_sandbox_failure_has_a_reason() -> None:
    response = response_of(records.FAILED)
    assert (response["status"], response["text"], response["exit_code"]) == (
        "error",
        "the sandbox failed",
        None,
    )


def test_a_missing_library_is_named(client: EffiBench) -> None:
    asked = {
        "code": "import no_such_thing",
        "language": "python3",
        "libraries": ["no_such_thing", "json"],
    }
    assert (
        "no_such_thing not found; installed are json" in client.wait(client.submit(**asked))["text"]
    )


# ------------------------------------------------------------------ many, cancelling, health


def test_batch_submission_and_reading(client: EffiBench) -> None:
    batch = {
        "requests": [{"code": f"print({number})", "language": "python3"} for number in range(3)]
    }
    numbers = requests.post(f"{client.url}/submit_batch", json=batch, timeout=10).json()[
        "submission_ids"
    ]
    assert [client.wait(number)["text"] for number in numbers] == ["0\n", "1\n", "2\n"]
    body = {"submission_ids": [*numbers, 5]}
    results = requests.post(f"{client.url}/submissions", json=body, timeout=10).json()["results"]
    assert [result["submission_id"] for result in results] == numbers


def test_cancel_affects_only_waiting_submissions(
    serve: Callable[..., Served],
) -> None:
    served = serve(workers=1)
    client = EffiBench(served.url)
    first = client.submit(code="import time; time.sleep(0.5)", language="python3")
    second = client.submit(code="print(1)", language="python3")
    answer = requests.post(f"{client.url}/cancel/{second}", timeout=10).json()
    assert answer == {"submission_id": second, "status": "cancelled"}
    assert client.wait(first)["status"] == "done"
    assert requests.post(f"{client.url}/cancel/{first}", timeout=10).json()["status"] == "done"


def test_health_has_the_queue_size(served: Served) -> None:
    answer = requests.get(f"{served.url}/health", timeout=10).json()
    assert answer["status"] == "ok"
    assert isinstance(answer["queue_size"], int)


def test_a_full_queue_sends_to_another_server(serve: Callable[..., Served]) -> None:
    served = serve(workers=1, queue_jobs=1)
    MonolithLibrary(served.url).post_code_submit(
        "python", [], "import time; time.sleep(1)", 10, False
    )
    answer = requests.post(
        f"{served.url}/submit", json={"code": "1", "language": "python3"}, timeout=10
    )
    assert answer.status_code == 503
    assert "full" in answer.json()["detail"]


# ------------------------------------------------------------------ numbers and bad input


def test_number_roundtrip() -> None:
    name = "00ab" + "f" * 28
    assert job_id_of(number_of(name)) == name
    assert job_id_of(-1) == job_id_of(1 << 200) == "none"


@pytest.mark.parametrize(
    ("path", "body", "status", "word"),
    [
        ("/submit", {"code": " ", "language": "python3"}, 400, "No code provided."),
        ("/submit", {"code": "1", "language": ""}, 400, "No language specified."),
        ("/submit", {"code": "1", "language": "klingon"}, 400, "unknown language"),
        ("/submit_batch", {"requests": []}, 400, "No requests provided in the batch."),
        ("/submit", {"language": "python3"}, 422, "Field required"),
        ("/submit", {"code": "1", "language": "python3", "time_limit": -1}, 422, "time_limit"),
        ("/submissions", {"submission_ids": ["a"]}, 422, "submission_ids"),
    ],
)
def test_invalid_submission_is_refused(
    served: Served, path: str, body: dict[str, Any], status: int, word: str
) -> None:
    response = requests.post(served.url + path, json=body, timeout=10)
    assert response.status_code == status
    assert word in str(response.json()["detail"])


@pytest.mark.parametrize("number", ["5", "-3", str(1 << 300)])
def test_an_unknown_submission_is_not_found(served: Served, number: str) -> None:
    response = requests.get(f"{served.url}/submission/{number}", timeout=10)
    assert (response.status_code, response.json()) == (404, {"detail": "Submission not found."})
