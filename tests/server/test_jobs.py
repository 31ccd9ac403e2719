"""The native protocol, with a running server."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

DOUBLE = "print(int(input()) * 2)"


def job(**fields: object) -> dict[str, Any]:
    return {"language": "python", "code": DOUBLE, **fields}


def test_a_job_is_judged_on_every_input(served: Any) -> None:
    asked = job(stdins=["1\n", "2\n", "x\n"], expected=["2\n", "5\n", None])
    reply = served.ask("POST", "/v1/jobs?wait=60", asked)
    result = reply.json
    assert reply.status == 200
    assert (result["state"], result["verdict"], result["failing_test"]) == (
        "done",
        "wrong_answer",
        1,
    )
    assert result["verdicts"] == ["accepted", "wrong_answer", "runtime_error"]
    assert [run["stdout"] for run in result["runs"]] == ["2\n", "4\n", ""]
    assert "ValueError" in result["runs"][2]["stderr"]
    assert all(
        run["wall_ns"] > 0 and run["peak_bytes"] > 2**20 and not run["trace"]
        for run in result["runs"]
    )
    assert result["measurement"] is None
    assert result["submitted_ns"] <= result["started_ns"] <= result["finished_ns"]
    assert (result["attempts"], result["notes"], result["error"]) == (1, [], "")


def test_job_stops_at_the_first_failure_on_request(served: Any) -> None:
    asked = job(stdins=["1\n", "2\n", "3\n"], expected=["3\n", "4\n", "6\n"], every_test=False)
    result = served.ask("POST", "/v1/jobs?wait=60", asked).json
    assert (result["verdict"], len(result["runs"])) == ("wrong_answer", 1)


def test_a_job_is_measured_and_profiled(served: Any) -> None:
    asked = job(stdins=["1\n", "2\n"], expected=["2\n", "4\n"], repeats=2, profile=True)
    result = served.ask("POST", "/v1/jobs?wait=60", asked).json
    assert result["verdict"] == "accepted"
    assert (result["measurement"]["repeats"], result["measurement"]["tests"]) == (2, 2)
    assert result["measurement"]["relative_time"] > 0
    assert [len(runs) for runs in result["rounds"]] == [2, 2]
    assert len(result["runs"][0]["trace"]) > 3


def test_an_evaluator_decides(served: Any) -> None:
    evaluator = (
        "def evaluate(expected, actual):\n    return sorted(expected.split()) == "
        "sorted(actual.split())\n"
    )
    asked = job(
        code="print('b a')", expected=["a b"], comparison={"kind": "evaluator"}, evaluator=evaluator
    )
    assert served.ask("POST", "/v1/jobs?wait=60", asked).json["verdict"] == "accepted"
    broken = {**asked, "evaluator": "def evaluate("}
    result = served.ask("POST", "/v1/jobs?wait=60", broken).json
    assert (result["state"], result["verdict"]) == ("failed", None)
    assert "evaluator" in result["error"]


def test_a_program_that_does_not_compile(served: Any) -> None:
    result = served.ask(
        "POST", "/v1/jobs?wait=60", job(language="c++", code="int main() { return x; }")
    ).json
    assert (result["language"], result["verdict"], result["runs"]) == ("cpp", "compile_error", [])
    assert "x" in result["compile_log"]


def test_whole_outputs_are_compared_and_cut_in_results(served: Any) -> None:
    expected = "a" * 1000 + "\n"
    asked = job(code="print('a' * 1000)", expected=[expected], shown_bytes=10)
    result = served.ask("POST", "/v1/jobs?wait=60", asked).json
    assert (result["verdict"], result["runs"][0]["stdout"]) == ("accepted", "a" * 10)


def test_reading_changes_nothing(served: Any) -> None:
    job_id = served.submit(stdins=["4\n"])
    first, second = served.result(job_id), served.result(job_id)
    assert first == second
    assert first["runs"][0]["stdout"] == "8\n"


def test_waiting_and_reading_give_the_same_result(served: Any) -> None:
    first = served.ask("POST", "/v1/jobs?wait=60", job(stdins=["4\n"]))
    again = served.ask("GET", f"/v1/jobs/{first.json['job_id']}")
    assert (first.status, again.status, again.body) == (200, 200, first.body)


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "application/x+json"]
)
@pytest.mark.parametrize(
    ("query", "fields", "key", "status"),
    [
        ("?wait=60", {}, "kept", 200),
        ("?wait=4e3", {}, "kept", 422),
        ("?wait=soon", {}, "kept", 422),
        ("?wait=60", {"repeats": "none"}, "kept", 422),
        ("?wait=60", {}, 201 * "k", 422),
    ],
)
def test_content_type_of_a_job_does_not_matter(
    served: Any, kind: str, query: str, fields: dict[str, Any], key: str, status: int
) -> None:
    asked = job(stdins=["4\n"], **fields)
    reply = served.ask("POST", f"/v1/jobs{query}", asked, Content_Type=kind, Idempotency_Key=key)
    usual = served.ask("POST", f"/v1/jobs{query}", asked, Idempotency_Key=key)
    assert (reply.status, reply.body) == (status, usual.body)


def test_other_content_types_are_refused(served: Any) -> None:
    assert served.ask("POST", "/v1/jobs", job(), Content_Type="text/plain").status == 422


def test_repeated_key_is_accepted_once(served: Any) -> None:
    first = served.ask("POST", "/v1/jobs", job(stdins=["1\n"]), Idempotency_Key="k1").json["job_id"]
    again = served.ask("POST", "/v1/jobs?wait=60", job(stdins=["1\n"]), Idempotency_Key="k1").json[
        "job_id"
    ]
    other = served.ask("POST", "/v1/jobs", job(stdins=["2\n"]), Idempotency_Key="k1")
    assert first == again
    assert other.status == 409
    assert "another" in other.json["error"]["why"] or "not the same" in other.json["error"]["why"]


def test_batch_results_are_streamed(served: Any) -> None:
    slow = job(code="import time; time.sleep(1.5); print(0)")
    ids = served.ask(
        "POST", "/v1/batches", {"jobs": [slow, job(stdins=["1\n"]), job(stdins=["2\n"])]}
    ).json["ids"]
    reply = served.ask("POST", "/v1/results", {"ids": ids, "timeout_s": 60})
    lines = [json.loads(line) for line in reply.body.splitlines()]
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert sorted(line["job_id"] for line in lines) == sorted(ids)
    assert lines[-1]["job_id"] == ids[0]
    assert {line["state"] for line in lines} == {"done"}
    refused = served.ask("POST", "/v1/batches", {"jobs": [job(), job(language="cobol")]})
    assert refused.status == 422


def test_repeated_batch_is_accepted_once(served: Any) -> None:
    batch = {"jobs": [job(stdins=["1\n"]), job(stdins=["1\n"])]}
    first = served.ask("POST", "/v1/batches", batch, Idempotency_Key="b1").json["ids"]
    assert len(set(first)) == 2
    assert served.ask("POST", "/v1/batches", batch, Idempotency_Key="b1").json["ids"] == first


def test_waiting_and_running_jobs_are_cancelled(served: Any) -> None:
    code = "import time\nfor _ in range(2): time.sleep(0.5)"
    running = [served.submit(code, stdins=[""] * 60) for _ in range(2)]
    waiting = served.submit(code)
    assert served.ask("DELETE", f"/v1/jobs/{waiting}").json["state"] == "cancelled"
    for job_id in running:
        served.ask("DELETE", f"/v1/jobs/{job_id}")
        assert served.result(job_id, 10)["state"] == "cancelled"
    assert served.result(waiting)["state"] == "cancelled"


def test_wait_returns_the_state_at_the_timeout(served: Any) -> None:
    job_id = served.submit("import time; time.sleep(2)")
    reply = served.ask("GET", f"/v1/jobs/{job_id}?wait=0.1")
    assert reply.status == 202
    assert reply.json["state"] in ("queued", "running")
    assert served.result(job_id)["state"] == "done"


def test_disconnect_does_not_cancel_a_job(served: Any) -> None:
    connection = served.connect()
    asked = json.dumps(job(code="import time; time.sleep(1)")).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": "left"}
    connection.request("POST", "/v1/jobs?wait=60", asked, headers)
    connection.close()
    again = served.ask("POST", "/v1/jobs?wait=60", json.loads(asked), Idempotency_Key="left")
    assert (again.json["state"], again.json["attempts"]) == ("done", 1)


@pytest.mark.parametrize(
    ("fields", "status", "word"),
    [
        ({"language": "cobol"}, 422, "unknown language"),
        ({"language": "pyhton"}, 422, "unknown language"),
        ({"limits": {"wall_ns": -1}}, 422, "limits.wall_ns"),
        ({"limits": {"memory_bytes": 0}}, 422, "limits.memory_bytes"),
        ({"limits": {"wall_ns": 10**18}}, 422, "limits.wall_ns is too large"),
        ({"limits": {"wall_s": 1}}, 422, "limits.wall_s"),
        ({"stdins": []}, 422, "no inputs"),
        ({"stdins": ["1", "2"], "expected": ["1"]}, 422, "expected output"),
        ({"repeats": -1}, 422, "repeats"),
        ({"repeats": 10**6}, 422, "repeats is too large"),
        ({"comparison": {"kind": "evaluator"}}, 422, "incomplete"),
        ({"comparison": {"kind": "fuzzy"}}, 422, "comparison"),
        ({"interval_ns": 1}, 422, "interval_ns"),
        ({"code": None}, 422, "code"),
        ({"timeout": 5}, 422, "timeout"),
        ({"code": "\ud800"}, 422, "code"),
    ],
)
def test_invalid_job_is_refused(
    served: Any, fields: dict[str, Any], status: int, word: str
) -> None:
    reply = served.ask("POST", "/v1/jobs", job(**fields))
    error = reply.json["error"]
    assert reply.status == status
    assert word in error["what"]
    assert error["why"]
    assert error["fix"]


@pytest.mark.parametrize(
    ("body", "status"),
    [(b'{"language": "python", "code', 400), (b"\xff\xfe", 400), (b"[1, 2]", 422), (b"", 422)],
)
def test_malformed_request_is_refused(served: Any, body: bytes, status: int) -> None:
    reply = served.ask("POST", "/v1/jobs", body)
    assert (reply.status, set(reply.json["error"])) == (status, {"what", "why", "fix"})


def test_too_deep_json_is_unreadable(served: Any) -> None:
    reply = served.ask("POST", "/v1/jobs", b"[" * 100_000)
    assert (reply.status, reply.json["error"]["why"]) == (400, "the request cannot be read")
    assert served.ask("GET", "/v1/nothing").json["error"]["why"] == "the server has no such route"


def test_default_limits_stay_below_the_servers(
    serving: Callable[..., Any],
) -> None:
    served = serving("--workers", "1", "--most-memory-mib", "128")
    assert served.ask("POST", "/v1/jobs?wait=60", job()).json["state"] == "done"
    refused = served.ask("POST", "/v1/jobs", job(limits={"memory_bytes": 256 << 20}))
    assert (refused.status, refused.json["error"]["what"]) == (
        422,
        "limits.memory_bytes is too large",
    )


def test_unknown_jobs(served: Any) -> None:
    for reply in (
        served.ask("GET", "/v1/jobs/nothing"),
        served.ask("DELETE", "/v1/jobs/nothing"),
        served.ask("POST", "/v1/results", {"ids": ["nothing"]}),
    ):
        assert reply.status == 404
        assert "no job" in reply.json["error"]["what"]


def test_status_describes_the_server(served: Any) -> None:
    assert served.ask("GET", "/healthz").json == {"state": "ok"}
    assert served.ask("GET", "/readyz").json == {"state": "ok"}
    names = [language["id"] for language in served.ask("GET", "/v1/languages").json]
    assert "python" in names
    status = served.ask("GET", "/v1/status").json
    assert (len(status["workers"]), status["sandbox"]["sandbox"]) == (2, "local")
    assert status["trouble"] == ""
    paths = served.ask("GET", "/openapi.json").json["paths"]
    assert {"/v1/jobs", "/v1/jobs/{job_id}", "/v1/batches", "/v1/results", "/metrics"} <= set(paths)


def test_prometheus_can_read_the_metrics(served: Any) -> None:
    served.result(served.submit(stdins=["1\n"]))
    text = served.ask("GET", "/metrics").body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    figures = {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}
    assert figures["venus_jobs_accepted_total"] >= 1
    assert (
        figures['venus_jobs_finished_total{state="done",language="python",verdict="accepted"}'] >= 1
    )
    assert (
        figures["venus_queueing_seconds_count"]
        == figures['venus_queueing_seconds_bucket{le="+Inf"}']
    )
    assert figures["venus_ready"] == 1
    assert text.count("# TYPE ") == text.count("# HELP ") > 10
