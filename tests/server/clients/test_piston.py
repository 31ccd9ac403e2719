"""piston's clients work unchanged."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import requests

from tests.server.clients import records
from tests.server.clients.conftest import Served
from venus_toolkit.core.records import MIB, Run, Verdict
from venus_toolkit.server.compat.piston import (
    PistonFile,
    content_of,
    response_of,
    stage,
    suits,
    version_of,
)

STAGE = {
    "stdout",
    "stderr",
    "output",
    "code",
    "signal",
    "message",
    "status",
    "cpu_time",
    "wall_time",
    "memory",
}


def post(served: Served, content: str = "print(input())", **body: Any) -> requests.Response:
    asked = {
        "language": "python",
        "version": "*",
        "files": [{"name": "main.py", "content": content}],
        **body,
    }
    return requests.post(f"{served.url}/api/v2/execute", json=asked, timeout=60)


def ran(served: Served, content: str, **body: Any) -> dict[str, Any]:
    response = post(served, content, **body)
    assert response.status_code == 200, response.text
    outcome: dict[str, Any] = response.json()
    return outcome


# ------------------------------------------------------------------ responses


def test_a_program_runs(served: Served) -> None:
    content = ran(
        served, "print(input())", stdin="hello\n", args=[], run_timeout=3000, run_memory_limit=-1
    )
    assert set(content) == {"language", "version", "run"}
    assert set(content["run"]) == STAGE
    assert (content["run"]["stdout"], content["run"]["code"], content["run"]["signal"]) == (
        "hello\n",
        0,
        None,
    )
    assert content["run"]["status"] is None
    assert content["run"]["memory"] > MIB
    assert content["version"].startswith("3.")


def test_output_has_both_streams(served: Served) -> None:
    run = ran(served, "import sys; print(1); print(2, file=sys.stderr)")["run"]
    assert (run["stdout"], run["stderr"], run["output"]) == ("1\n", "2\n", "1\n2\n")


def test_a_compiled_language_has_a_compile_stage(served: Served) -> None:
    content = ran(served, "int main() { return 4; }", language="c++")
    assert set(content["compile"]) == STAGE
    assert (content["compile"]["code"], content["run"]["code"], content["run"]["status"]) == (
        0,
        4,
        "RE",
    )


def test_compile_error_is_copied_to_run(served: Served) -> None:
    """Clients always read `run`, so piston's own server copies the compile stage."""
    content = ran(served, "int main() { return }", language="cpp")
    assert content["run"] == content["compile"]
    assert (content["run"]["code"], content["run"]["status"]) == (1, "RE")
    assert "error" in content["run"]["output"]


@pytest.mark.parametrize("name", ["Hello", "Main", "Greeter"])
def test_java_class_may_have_any_name(served: Served, name: str) -> None:
    code = (
        f"public class {name} {{ public static void main(String[] a) {{ "
        f'System.out.println("hi"); }} }}'
    )
    content = ran(served, "", language="java", files=[{"name": f"{name}.java", "content": code}])
    assert (content["compile"]["code"], content["run"]["stdout"]) == (0, "hi\n")


def test_syntax_error_of_a_script_is_a_failed_run(served: Served) -> None:
    content = ran(served, "print(")
    assert "compile" not in content
    assert content["run"]["code"] == 1
    assert "SyntaxError" in content["run"]["stderr"]


def test_a_time_limit_is_in_milliseconds(served: Served) -> None:
    run = ran(served, "while True: pass", run_timeout=500)["run"]
    assert (run["status"], run["signal"], run["code"]) == ("TO", "SIGKILL", None)
    assert 400 <= run["wall_time"] < 2000


def test_a_memory_limit_is_in_bytes(served: Served) -> None:
    assert (
        ran(served, "held = bytearray(200 << 20)", run_memory_limit=100 * MIB)["run"]["code"] != 0
    )
    assert (
        ran(served, "held = bytearray(200 << 20)", run_memory_limit=400 * MIB)["run"]["code"] == 0
    )


@pytest.mark.parametrize(
    ("run", "status", "signal", "code"),
    [
        (records.run(), None, None, 0),
        (records.EXIT, "RE", None, 3),
        (records.CRASH, "SG", "SIGSEGV", None),
        (records.TIME, "TO", "SIGKILL", None),
        (records.MEMORY, "SG", "SIGKILL", None),
        (records.OUTPUT, "OL", "SIGKILL", None),
        (records.run(stderr_cut=True), "EL", None, 0),
    ],
)
def test_status_of_every_outcome(
    run: Run, status: str | None, signal: str | None, code: int | None
) -> None:
    outcome = stage(run)
    assert (outcome["status"], outcome["signal"], outcome["code"]) == (status, signal, code)
    assert (outcome["message"] is None) == (status is None)
    assert (outcome["wall_time"], outcome["cpu_time"], outcome["memory"]) == (20, 15, 10 * MIB)


def test_response_without_stages() -> None:
    result = records.done(Verdict.ACCEPTED, compile_run=None)
    assert response_of(result, "1.0.0", compiled=True) == {"language": "python", "version": "1.0.0"}


# ------------------------------------------------------------------ versions


def test_runtimes_are_the_installed_languages(served: Served) -> None:
    runtimes = requests.get(f"{served.url}/api/v2/runtimes", timeout=10).json()
    (python,) = (runtime for runtime in runtimes if runtime["language"] == "python")
    assert {"python3", "py"} <= set(python["aliases"])
    for version in (python["version"], "3.x", "*", "3", "^3.0.0"):
        assert post(served, "print()", version=version).status_code == 200


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("Python 3.11.7", "3.11.7"),
        ("go version go1.19.8 linux/amd64", "1.19.8"),
        ("g++ (Debian 12.2.0-14) 12.2.0", "12.2.0"),
        ("v20.20.2", "20.20.2"),
        ('openjdk version "17" 2021', "17.0.0"),
        ("unknown", "0.0.0"),
    ],
)
def test_versions_are_three_numbers(output: str, version: str) -> None:
    assert version_of(output) == version


@pytest.mark.parametrize(
    "range_",
    ["*", "x", "3", "3.x", "3.11", "3.11.7", "^3.9", "~3.11.2", "~3", ">=3.2.9", " v3.11 "],
)
def test_matching_versions(range_: str) -> None:
    assert suits("3.11.7", range_)


@pytest.mark.parametrize(
    "range_",
    ["2", "3.1", "3.12", "^3.12", "~3.10", "^4", ">=3.11.8", "latest", "", "<3", "3.11.7.1"],
)
def test_other_versions_do_not_match(range_: str) -> None:
    assert not suits("3.11.7", range_)


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"language": None}, "language"),
        ({"language": "klingon"}, "unknown language"),
        ({"version": None}, "version"),
        ({"version": "2"}, "python-2 runtime is unknown"),
        ({"files": None}, "files"),
        ({"files": []}, "files"),
        ({"files": [{"name": "a"}]}, "files.0.content"),
        (
            {"files": [{"content": "1"}, {"name": "../a", "content": "2"}]},
            "a program cannot have a file at '../a'",
        ),
        (
            {"files": [{"content": "1"}, {"name": "main.py", "content": "2"}]},
            "another file has this path",
        ),
        (
            {"files": [{"content": "1"}, {"content": "2", "encoding": "hex"}]},
            "files[1].content cannot be read",
        ),
        ({"files": [{"content": "ff", "encoding": "hex"}]}, "a program is text"),
        ({"files": [{"content": "!", "encoding": "base64"}]}, "cannot be read"),
        ({"args": ["-v"]}, "args cannot be given"),
        ({"run_timeout": -1}, "run_timeout"),
        ({"run_timeout": 10**9}, "run_timeout cannot exceed the configured limit of 120000"),
        ({"run_memory_limit": 10**15}, "run_memory_limit cannot exceed"),
        ({"run_timeout": "3"}, "run_timeout"),
    ],
)
def test_invalid_request_is_refused(served: Served, change: dict[str, Any], word: str) -> None:
    response = post(served, "1", **change)
    assert response.status_code == 400
    assert set(response.json()) == {"message"}
    assert word in response.json()["message"]


def test_invalid_json_is_refused(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    response = requests.post(f"{served.url}/api/v2/execute", b"{", headers=headers, timeout=10)
    assert (response.status_code, response.json()) == (400, {"message": "the request is not JSON"})


def test_files_are_decoded() -> None:
    assert (
        content_of(PistonFile(content=base64.b64encode(b"x = 1").decode(), encoding="base64"), 0)
        == b"x = 1"
    )
    assert content_of(PistonFile(content="78ff", encoding="hex"), 1) == b"x\xff"


def test_files_are_in_the_folder_of_the_program(served: Served) -> None:
    files = [
        {"content": "import other; print(other.x, open('a/b.txt').read())"},
        {"name": "other.py", "content": "x = 1"},
    ]
    files.append({"name": "a/b.txt", "content": "Mg==", "encoding": "base64"})
    assert ran(served, "", files=files)["run"]["stdout"] == "1 2\n"
