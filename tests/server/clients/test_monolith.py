"""Monolith's clients work unchanged and get right responses."""

from __future__ import annotations

import itertools
import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.server.clients.callers import MonolithClient, MonolithLibrary, passes
from tests.server.clients.conftest import Served
from venus_toolkit.core.records import MIB, NS_PER_S
from venus_toolkit.server.compat import protocol
from venus_toolkit.server.compat.monolith import MonolithRequest, job_of
from venus_toolkit.server.settings import Settings

FIGURES = {"stdout", "stderr", "peak_memory", "integral", "duration", "log"}
SURROGATE = b'{"code": "print(1)", "language": "python", "stdin": "\\ud800"}'
HEAD = (
    b"POST /execute HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)
HOLDS_64_MIB = "import time\nheld = bytearray(64 << 20)\ntime.sleep(0.3)\nprint('Success')\n"


@pytest.fixture
def client(served: Served) -> MonolithClient:
    return MonolithClient(served.url)


@pytest.fixture
def library(served: Served) -> MonolithLibrary:
    return MonolithLibrary(served.url)


def connect(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=10)


# ------------------------------------------------------------------ verdicts


def test_successful_program_passes(client: MonolithClient) -> None:
    answer = client.execute("print('Success')")
    assert passes(answer)
    assert answer["error"] is None


@pytest.mark.parametrize(
    ("code", "word"),
    [
        ("print('Success')\nraise SystemExit(3)", "exit code 3"),
        ("print('Success', flush=True)\nimport os; os.kill(os.getpid(), 9)", "signal 9"),
        ("print('Success', flush=True)\nheld = bytearray(2 << 30)", "memory limit"),
        ("print('Failed')", None),
        ("print('Success', end='')", None),
    ],
)
def test_failing_program_does_not_pass(client: MonolithClient, code: str, word: str | None) -> None:
    """The exit code counts: a crash after the expected output is a failure."""
    answer = client.execute(code)
    assert not passes(answer)
    assert answer["status"] == ("error" if word else "success")
    assert word is None or word in answer["error"]


def test_time_limit_has_its_status(client: MonolithClient) -> None:
    answer = client.execute("print('Success', flush=True)\nwhile True: pass", timeout=1)
    assert answer["status"] == "timeout"
    assert answer["output_dict"]["stdout"] == "Success\n"


def test_compile_error_has_the_compiler_log(client: MonolithClient) -> None:
    answer = client.execute("int main() { return }", "cpp")
    assert answer["status"] == "error"
    assert answer["error"].startswith("compile error")
    assert "error" in answer["output_dict"]["stderr"]


def test_standard_input_arrives(client: MonolithClient) -> None:
    assert client.execute("print(input()[::-1])", stdin="abc\n")["output_dict"]["stdout"] == "cba\n"


def test_empty_output_is_null(client: MonolithClient) -> None:
    output = client.execute("pass")["output_dict"]
    assert (output["stdout"], output["stderr"]) == (None, None)


# ------------------------------------------------------------------ figures


def test_figures_are_in_the_documented_units(client: MonolithClient) -> None:
    before = time.time_ns()
    output = client.execute(HOLDS_64_MIB)["output_dict"]
    assert set(output) == FIGURES
    assert 64 * 1024 < output["peak_memory"] < 128 * 1024  # kB
    assert isinstance(output["peak_memory"], int)
    assert isinstance(output["integral"], int)
    assert 300 < output["duration"] < 20_000  # ms
    most = output["peak_memory"] * output["duration"]
    # kB·ms: at least 0.3 s at 64 MiB
    assert 300 * 64 * 1024 < output["integral"] <= 1.05 * most
    times = [at for at, _ in output["log"]]
    assert all(before - NS_PER_S < at < time.time_ns() for at in times)
    assert all(a <= b for a, b in itertools.pairwise(times))
    assert max(size for _, size in output["log"]) > 64 * 1024


def test_the_log_adds_up_to_the_integral(client: MonolithClient) -> None:
    """The integral is the area under the curve, not a sum over samples."""
    output = client.execute(HOLDS_64_MIB)["output_dict"]
    area = sum(
        (b[0] - a[0]) / 1e6 * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(output["log"])
    )
    assert area == pytest.approx(output["integral"], rel=0.1)


def test_without_profiling_there_is_time_v_and_no_log(client: MonolithClient) -> None:
    output = client.execute("raise SystemExit(7)", run_profiling=False)["output_dict"]
    assert set(output) == {*FIGURES, "time_v"}
    assert output["log"] == []
    assert output["time_v"]["exit_status"] == 7
    assert output["time_v"]["max_resident_set_kb"] == output["peak_memory"] > 1000
    assert output["time_v"]["elapsed_time_seconds"] == pytest.approx(output["duration"] / 1000)
    assert {"command", "user_time", "system_time", "cpu_percent"} <= set(output["time_v"])


def test_the_command_is_the_one_that_ran(served: Served) -> None:
    code = 'class Hello { public static void main(String[] a) { System.out.println("Success"); } }'
    answer = MonolithClient(served.url).execute(code, "java", run_profiling=False)
    assert passes(answer)
    command = answer["output_dict"]["time_v"]["command"]
    assert command.startswith("java -Xmx1024m ")
    assert command.endswith(" Hello")
    library = MonolithLibrary(served.url)
    later = library.wait(library.post_code_submit("java", [], code, 10, False)["task_id"])
    assert later["output_dict"]["time_v"]["command"] == command


def test_command_of_a_forgotten_body_is_null(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol.LRUCache, "get", lambda *_: None)
    library = MonolithLibrary(served.url)
    result = library.wait(library.post_code_submit("python", [], "print(1)", 10, False)["task_id"])
    assert result["input_dict"] is None
    assert result["output_dict"]["time_v"]["command"] is None


@pytest.mark.parametrize("flag", ["run_profiling", "run_memory_profile"])
@pytest.mark.parametrize("meaning", ["sync", "async"])
def test_both_flags_profile_on_both_servers(served: Served, flag: str, meaning: str) -> None:
    url = f"{served.url}/monolith/{meaning}"
    answer = MonolithClient(url).post(code="print(1)", language="python", **{flag: True}).json()
    assert answer["status"] == ("success" if meaning == "sync" else "processing")
    output = (answer if meaning == "sync" else MonolithLibrary(url).wait(answer["task_id"]))[
        "output_dict"
    ]
    assert output["log"], "on a busy machine there may be a single sample"
    assert "time_v" not in output


# ------------------------------------------------------------------ the asynchronous server


def test_a_submitted_program_is_processed_then_done(library: MonolithLibrary) -> None:
    answer = library.post_code_submit("python", [], "print('Success')", 10, True)
    assert answer == {"task_id": answer["task_id"], "status": "processing", "error": None}
    result = library.wait(answer["task_id"])
    assert result["status"] == "done"
    assert result["output_dict"]["stdout"] == "Success\n"
    assert result["input_dict"]["run_memory_profile"] is True
    assert result["process_time"] > 0
    assert abs(result["timestamp"] - time.time()) < 60
    assert set(result) == {
        *(
            "task_id",
            "input_dict",
            "worker_id",
            "timestamp",
            "process_time",
            "status",
            "output_dict",
        )
    }


def test_a_result_can_be_read_again(library: MonolithLibrary) -> None:
    task_id = library.post_code_submit("python", [], "print(1)", 10, False)["task_id"]
    assert (
        library.wait(task_id)
        == library.get_code_result(task_id)
        == library.get_code_result(task_id)
    )


def test_queued_program_is_known(serve: Callable[..., Served]) -> None:
    library = MonolithLibrary(serve(workers=1).url)
    tasks = [
        library.post_code_submit("python", [], "import time; time.sleep(0.5)", 10, False)
        for _ in range(3)
    ]
    assert library.get_code_result(tasks[-1]["task_id"])["status"] == "processing"
    assert library.wait(tasks[-1]["task_id"])["status"] == "done"


@pytest.mark.parametrize(
    ("code", "status"),
    [("while True: pass", "timeout"), ("raise ValueError('mine')", "error"), ("print(", "error")],
)
def test_failures_differ_from_results(library: MonolithLibrary, code: str, status: str) -> None:
    result = library.wait(library.post_code_submit("python", [], code, 1, True)["task_id"])
    assert result["status"] == status
    assert result["output_dict"]["error"]


def test_results_are_removed_after_their_time(
    serve: Callable[..., Served], eventually: Callable[..., bool]
) -> None:
    library = MonolithLibrary(serve(ttl_s=0.5).url)
    task_id = library.post_code_submit("python", [], "print(1)", 10, False)["task_id"]
    assert eventually(lambda: library.get_code_result(task_id).get("error") == "Task not found")


def test_an_unknown_task_is_not_found(served: Served) -> None:
    response = requests.get(f"{served.url}/results/nothing", timeout=10)
    assert (response.status_code, response.json()) == (
        404,
        {"error": "Task not found", "status": "error"},
    )


def test_status_has_the_load(library: MonolithLibrary) -> None:
    status = library.get_status()
    assert status["max_queue_size"] == 10_000
    assert status["number_of_worker"] == len(status["worker_status"])
    assert set(status["memory_usage"]) == {"total", "used_gb", "available", "percent"}
    assert 0 < status["memory_usage"]["available"] < status["memory_usage"]["total"]


def test_clean_removes_no_result(library: MonolithLibrary) -> None:
    task_id = library.post_code_submit("python", [], "print(1)", 10, False)["task_id"]
    library.wait(task_id)
    assert library.clean(100).status_code == 200
    assert library.get_code_result(task_id)["status"] == "done"


# ------------------------------------------------------------------ the choice of the server


@pytest.mark.parametrize(
    ("flags", "meaning"),
    [
        ({}, "sync"),
        ({"run_profiling": False}, "sync"),
        ({"run_memory_profile": False}, "async"),
        ({"run_profiling": True, "run_memory_profile": True}, "sync"),
    ],
)
def test_flag_chooses_the_server(flags: dict[str, bool], meaning: str) -> None:
    assert MonolithRequest.model_validate({"code": "x", **flags}).meaning == meaning


def test_roots_redirect_to_the_page(served: Served) -> None:
    response = requests.get(f"{served.url}/monolith/sync/", timeout=10, allow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (302, "/")


# ------------------------------------------------------------------ libraries


def test_failing_program_names_missing_libraries(client: MonolithClient) -> None:
    answer = client.execute("import no_such_thing", libraries=["no-such-thing==1.2", "json"])
    assert answer["status"] == "error"
    assert "No module named 'no_such_thing'" in answer["error"]
    assert "installs no libraries: no-such-thing not found; installed are json" in answer["error"]


@pytest.mark.parametrize(
    ("language", "code", "named"),
    [
        ("javascript", "require('left-pad')", ["left-pad", "fs"]),
        ("ruby", "require 'nothing_here'", ["nothing_here", "set"]),
    ],
)
def test_libraries_of_other_languages_are_checked(
    client: MonolithClient, language: str, code: str, named: list[str]
) -> None:
    answer = client.execute(code, language, libraries=named)
    assert f"{named[0]} not found; installed are {named[1]}" in answer["error"]


def test_languages_without_packages_lack_all_libraries(client: MonolithClient) -> None:
    assert (
        "boost not found"
        in client.execute("#include <none>\nint main() {}", "cpp", libraries=["boost"])["error"]
    )


def test_unused_libraries_do_not_matter(client: MonolithClient) -> None:
    answer = client.execute("print('Success')", libraries=["numpy", "no-such-thing", "; rm -rf /"])
    assert passes(answer)
    assert answer["error"] is None


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, "No code provided"),
        ({"code": "", "language": "python"}, "No code provided"),
        ({"code": "x"}, "No language provided"),
        ({"code": "x", "language": "cobol"}, "unknown language 'cobol'"),
        ({"code": "x", "language": "python", "timeout": -1}, "timeout"),
        ({"code": "x", "language": "python", "timeout": "soon"}, "timeout"),
        ({"code": ["x"], "language": "python"}, "code"),
        ({"code": "x", "language": "python", "libraries": "numpy"}, "libraries"),
    ],
)
@pytest.mark.parametrize("path", ["/execute", "/monolith/sync/execute", "/monolith/async/execute"])
def test_invalid_request_is_refused(
    served: Served, body: dict[str, Any], error: str, path: str
) -> None:
    response = requests.post(served.url + path, json=body, timeout=10)
    assert response.status_code == 400
    assert response.json()["status"] == "error"
    assert error in response.json()["error"]


@pytest.mark.parametrize("data", [b"{", b"", b"[]", b'"code"', SURROGATE, b"\xff"])
def test_malformed_request_is_refused(served: Served, data: bytes) -> None:
    response = requests.post(
        f"{served.url}/execute", data, headers={"Content-Type": "application/json"}, timeout=10
    )
    assert response.status_code == 400
    assert set(response.json()) == {"status", "error"}


def test_large_request_is_refused(served: Served) -> None:
    with connect(served.url) as connection:
        connection.sendall(HEAD % (51 * MIB))
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_large_chunked_request_is_refused(serve: Callable[..., Served]) -> None:
    """A chunked body does not state its size in advance."""
    served = serve(body_bytes=MIB)
    chunks = (b" " * (MIB // 8) for _ in range(10))
    response = requests.post(
        f"{served.url}/execute", chunks, headers={"Content-Type": "application/json"}, timeout=10
    )
    assert response.status_code == 413


def test_full_queue_is_reported(serve: Callable[..., Served]) -> None:
    served = serve(workers=1, queue_jobs=1)
    library = MonolithLibrary(served.url)
    first = library.post_code_submit("python", [], "import time; time.sleep(1)", 10, False)
    body = {"code": "print(1)", "language": "python", "run_memory_profile": False}
    response = requests.post(f"{served.url}/execute", json=body, timeout=10)
    assert response.status_code == 503
    assert response.json() == {"task_id": None, "status": "error", "error": "Task queue is full"}
    assert int(response.headers["Retry-After"]) >= 1
    assert library.wait(first["task_id"])["status"] == "done"


def test_disconnect_cancels_the_program(
    serve: Callable[..., Served], eventually: Callable[..., bool]
) -> None:
    served = serve(workers=1)
    MonolithLibrary(served.url).post_code_submit(
        "python", [], "import time; time.sleep(2)", 10, False
    )
    body = json.dumps({"code": "print(1)", "language": "python"}).encode()
    with connect(served.url) as connection:
        connection.sendall(HEAD % len(body) + body)
        assert eventually(lambda: served.service.status().queued == 1)
    assert eventually(
        lambda: served.service.status().queued == 0 and served.service.status().running == 1
    )


# ------------------------------------------------------------------ limits


def test_limits_of_protocol_and_server(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    asked = MonolithRequest(code="x", language="python", timeout=1000)
    assert job_of(asked, settings).limits.wall_ns == 120 * NS_PER_S
    assert (
        job_of(MonolithRequest(code="x", language="python"), settings).limits.wall_ns
        == 30 * NS_PER_S
    )
    assert job_of(asked, settings).limits.memory_bytes == 1024 * MIB
