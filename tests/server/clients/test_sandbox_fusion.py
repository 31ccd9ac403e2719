"""SandboxFusion's clients work unchanged: verl's caller, and the original client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import requests

from tests.server.clients import records
from tests.server.clients.callers import MonolithLibrary, Verl
from tests.server.clients.conftest import Served
from venus_toolkit.core.records import MIB, NS_PER_S, Run, Verdict
from venus_toolkit.server.compat import sandbox_fusion
from venus_toolkit.server.compat.sandbox_fusion import (
    RunCodeRequest,
    complaint,
    job_of,
    response_of,
)
from venus_toolkit.server.settings import Settings

RESULT = {"status", "execution_time", "return_code", "stdout", "stderr"}


def post(served: Served, **body: Any) -> dict[str, Any]:
    response = requests.post(f"{served.url}/run_code", json=body, timeout=60)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    assert set(answer) == {
        "status",
        "message",
        "compile_result",
        "run_result",
        "executor_pod_name",
        "files",
    }
    return answer


# ------------------------------------------------------------------ verl


@pytest.mark.parametrize(
    ("code", "code_of_verl"),
    [
        ("print(int(input()) * 2)", True),
        ("print(int(input()) * 3)", False),
        ("raise ValueError", -2),
        ("import os; os.kill(os.getpid(), 11)", -2),
        ("held = bytearray(3 << 30)", -2),
        ("print(", -2),
        ("while True: pass", -3),
    ],
)
def test_verl_scores_python(served: Served, code: str, code_of_verl: bool | int) -> None:
    seconds = 1 if code_of_verl == -3 else 30
    assert Verl(served.url).case(code, "21\n", "42\n", seconds) is code_of_verl


@pytest.mark.parametrize(
    ("language", "code", "code_of_verl"),
    [
        (
            "cpp",
            '#include <cstdio>\nint main() { int n; std::scanf("%d", &n); std::printf("%d", 2 * '
            "n); }",
            True,
        ),
        ("cpp", "int main() { return }", -4),
        ("cpp", "int main() { return 1; }", -2),
        ("nodejs", "console.log(2 * Number(require('fs').readFileSync(0)))", True),
        ("ruby", "puts gets.to_i * 2", True),
        ("bash", "echo 42", -1),
        ("klingon", "", -1),
    ],
)
def test_verl_scores_other_languages(
    served: Served, language: str, code: str, code_of_verl: bool | int
) -> None:
    assert Verl(served.url).case(code, "21\n", "42", language=language) is code_of_verl


def test_verl_retries_after_a_full_queue(serve: Callable[..., Served]) -> None:
    """verl retries only after status 504."""
    served = serve(workers=1, queue_jobs=1)
    MonolithLibrary(served.url).post_code_submit(
        "python", [], "import time; time.sleep(1)", 10, False
    )
    verl = Verl(served.url)
    assert verl.case("print(1)", "", "1") is True
    assert verl.statuses[0] == 504


def test_repeated_request_finds_its_running_job(
    serve: Callable[..., Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox_fusion, "PATIENCE_S", -5.5)  # the limits allow 6 s
    served = serve(workers=1)
    verl = Verl(served.url)
    assert verl.case("import time; time.sleep(0.8); print(1)", "", "1", timeout=3) is True
    assert (verl.statuses[0], verl.statuses[-1]) == (504, 200)
    assert served.service.metrics.accepted == 1


# ------------------------------------------------------------------ the original client


@pytest.fixture
def fusion(served: Served) -> Any:
    client = pytest.importorskip("sandbox_fusion", reason="sandbox-fusion is not installed")
    client.set_endpoint(served.url)
    return client


def test_original_client_runs_a_program(fusion: Any) -> None:
    asked = fusion.RunCodeRequest(
        code="print(input())", language="python", stdin="hello\n", run_timeout=5
    )
    answer = fusion.run_code(asked, max_attempts=1)
    assert answer.status == fusion.RunStatus.Success
    assert answer.run_result.stdout == "hello\n"
    assert answer.run_result.return_code == 0
    assert 0 < answer.run_result.execution_time < 5
    assert 0 < answer.run_result.cpu_time < 5
    assert answer.compile_result is None


@pytest.mark.parametrize(
    ("language", "code", "word"),
    [
        ("python", "print(1)", "passed"),
        ("python", "raise SystemExit(2)", "run failed"),
        ("python", "while True: pass", "run timeout"),
        ("cpp", "int main() { return }", "compile failed"),
    ],
)
def test_original_summary_is_right(fusion: Any, language: str, code: str, word: str) -> None:
    answer = fusion.run_code(
        fusion.RunCodeRequest(code=code, language=language, run_timeout=1), max_attempts=1
    )
    words = fusion.SummaryMapping(
        Success="passed",
        Failed="failed",
        CompileFailed="compile failed",
        CompileTimeout="compile timeout",
        RunFailed="run failed",
        RunTimeout="run timeout",
    )
    assert fusion.summary_run_code_result(answer, words) == word


def test_original_async_client_runs_concurrently(fusion: Any) -> None:
    async def both() -> list[str]:
        asked = [
            fusion.RunCodeRequest(code=f"print({number})", language="python") for number in range(4)
        ]
        answers = await asyncio.gather(
            *(fusion.run_code_async(request, max_attempts=1) for request in asked)
        )
        return [answer.run_result.stdout for answer in answers]

    assert asyncio.run(both()) == ["0\n", "1\n", "2\n", "3\n"]


def test_original_client_sends_files(fusion: Any) -> None:
    code = "print(open('in/data.txt').read()); open('in/data.txt', 'w')"
    asked = fusion.RunCodeRequest(
        code=code, language="python", files={"in/data.txt": "aGVsbG8=", "none": None}
    )
    answer = fusion.run_code(asked, max_attempts=1)
    assert answer.run_result.stdout == "hello\n"
    assert "Read-only file system" in answer.run_result.stderr
    assert answer.message == "the working folder is read-only here: a program may write to /tmp"


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("nodejs", "require('fs').writeFileSync('a.txt', '1')"),
        ("ruby", "File.write('a.txt', '1')"),
        (
            "go",
            'package main\nimport "os"\nfunc main() { if _, e := os.Create("a.txt"); e != nil { '
            "panic(e) } }",
        ),
        ("rust", 'fn main() { std::fs::write("a.txt", "1").unwrap(); }'),
    ],
)
def test_writing_to_the_program_folder_gets_a_hint(
    served: Served, language: str, code: str
) -> None:
    answer = post(served, code=code, language=language)
    assert (answer["status"], answer["message"]) == ("Failed", sandbox_fusion.WRITE_ELSEWHERE)
    elsewhere = post(served, code=code.replace("a.txt", "/tmp/a.txt"), language=language)
    assert (elsewhere["status"], elsewhere["message"]) == ("Success", "")


def test_original_client_gets_unsupported_features(fusion: Any) -> None:
    asked = fusion.RunCodeRequest(code="1", language="python", fetch_files=["out.csv"])
    with pytest.raises(Exception, match=r"leaves no files here.*out\.csv"):
        fusion.run_code(asked, max_attempts=1)
    asked = fusion.RunCodeRequest(code="echo 1", language="bash")
    with pytest.raises(
        Exception, match=r"the language bash is not supported; expected one of python, nodejs"
    ):
        fusion.run_code(asked, max_attempts=1)
    with pytest.raises(
        Exception, match=r"Sandbox responded with error: notebooks are not run here"
    ):
        fusion.run_jupyter(fusion.RunJupyterRequest(cells=["a = 123", "a"]), max_attempts=1)


# ------------------------------------------------------------------ responses


def test_ping(served: Served) -> None:
    assert requests.get(f"{served.url}/v1/ping", timeout=10).json() == "pong"


def test_a_compiled_language_has_a_compile_result(served: Served) -> None:
    answer = post(served, code="int main() { return 0; }", language="cpp")
    assert answer["status"] == "Success"
    assert set(answer["compile_result"]) >= RESULT
    assert answer["compile_result"]["return_code"] == 0


def test_costs_are_added_to_a_result(served: Served) -> None:
    result = post(served, code="held = bytearray(64 << 20)", language="python")["run_result"]
    assert set(result) == {*RESULT, "cpu_time", "peak_bytes", "integral_byte_ns"}
    assert result["peak_bytes"] > 64 * MIB


def test_the_memory_limit_is_in_mib(served: Served) -> None:
    code = "held = bytearray(200 << 20)"
    assert post(served, code=code, language="python", memory_limit_MB=100)["status"] == "Failed"
    assert post(served, code=code, language="python", memory_limit_MB=400)["status"] == "Success"
    assert post(served, code=code, language="python", memory_limit_MB=-1)["status"] == "Success"


@pytest.mark.parametrize(
    ("verdict", "run", "status", "return_code"),
    [
        (Verdict.ACCEPTED, records.run(), "Finished", 0),
        (Verdict.TIME_LIMIT, records.TIME, "TimeLimitExceeded", None),
        (Verdict.MEMORY_LIMIT, records.MEMORY, "Finished", 137),
        (Verdict.OUTPUT_LIMIT, records.OUTPUT, "Finished", 153),
        (Verdict.RUNTIME_ERROR, records.CRASH, "Finished", 139),
        (Verdict.RUNTIME_ERROR, records.EXIT, "Finished", 3),
    ],
)
def test_status_of_every_outcome(
    verdict: Verdict, run: Run, status: str, return_code: int | None
) -> None:
    answer = response_of(records.done(verdict, run), compiled=True)
    assert answer["status"] == ("Success" if verdict == Verdict.ACCEPTED else "Failed")
    assert (answer["run_result"]["status"], answer["run_result"]["return_code"]) == (
        status,
        return_code,
    )


def test_slow_compiler_has_its_status() -> None:
    answer = response_of(
        records.done(Verdict.COMPILE_ERROR, compile_run=records.TIME), compiled=True
    )
    assert answer["status"] == "Failed"
    assert answer["compile_result"]["status"] == "TimeLimitExceeded"
    assert answer["run_result"] is None


def test_sandbox_failure_is_not_a_verdict() -> None:
    answer = response_of(records.FAILED, compiled=False)
    assert (answer["status"], answer["message"]) == ("SandboxError", "the sandbox failed")
    assert Verl.judged(answer, "") == -1


def test_limits_are_those_of_the_request(settings: Settings) -> None:
    job = job_of(
        RunCodeRequest(
            code="1", language="cpp", run_timeout=2.5, compile_timeout=7, memory_limit_MB=100
        ),
        settings,
    )
    assert (job.limits.wall_ns, job.limits.memory_bytes) == (2.5 * NS_PER_S, 100 * MIB)
    assert job.compile_wall_ns == 7 * NS_PER_S
    endless = job_of(
        RunCodeRequest(code="1", language="cpp", run_timeout=1e9, compile_timeout=1e300), settings
    )
    assert endless.limits.wall_ns == settings.most.wall_ns
    assert endless.compile_wall_ns == settings.most.wall_ns


# ------------------------------------------------------------------ invalid requests


def test_fetch_files_is_refused_by_name() -> None:
    assert complaint(RunCodeRequest(code="1", language="python", files={"a.txt": ""})) == ""
    assert complaint(RunCodeRequest(code="1", language="python", fetch_files=["out.csv"])).endswith(
        "out.csv"
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"language": "python"}, "code"),
        ({"code": "1"}, "language"),
        ({"code": "1", "language": "klingon"}, "language"),
        ({"code": "1", "language": "python", "run_timeout": -1}, "run_timeout"),
        ({"code": "1", "language": "python", "run_timeout": "soon"}, "run_timeout"),
        ({"code": "1", "language": "python", "files": ["a"]}, "files"),
        ({"code": 1, "language": "python"}, "code"),
    ],
)
def test_invalid_field_is_named(served: Served, body: dict[str, Any], field: str) -> None:
    response = requests.post(f"{served.url}/run_code", json=body, timeout=10)
    assert response.status_code == 422
    assert response.json()["detail"][0]["loc"] == ["body", field]
    assert response.json()["detail"][0]["msg"]


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"/etc/passwd": ""}, "a program cannot have a file at '/etc/passwd'"),
        ({"a/../../b": ""}, "a program cannot have a file at 'a/../../b'"),
        ({"main.py": ""}, "another file has this path"),
        ({"a": "", "a/b": ""}, "another file has this path"),
        ({"a" * 300: ""}, "a program cannot have a file"),
        ({"a.txt": "no base64!"}, "base64"),
        ({str(number): "" for number in range(300)}, "files is too large"),
    ],
)
def test_invalid_file_paths_are_refused(served: Served, files: dict[str, str], word: str) -> None:
    body = {"code": "1", "language": "python", "files": files}
    response = requests.post(f"{served.url}/run_code", json=body, timeout=10)
    assert response.status_code == 422
    assert word in response.json()["detail"]


def test_invalid_json_is_refused(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    response = requests.post(f"{served.url}/run_code", b"{", headers=headers, timeout=10)
    assert response.status_code == 422
    assert response.json()["detail"][0]["type"] == "json_invalid"
