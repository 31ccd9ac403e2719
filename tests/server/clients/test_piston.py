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
    found: dict[str, Any] = response.json()
    return found


# ------------------------------------------------------------------ what it answers


def test_a_program_runs(served: Served) -> None:
    found = ran(
        served, "print(input())", stdin="hello\n", args=[], run_timeout=3000, run_memory_limit=-1
    )
    assert set(found) == {"language", "version", "run"}
    assert set(found["run"]) == STAGE
    assert (found["run"]["stdout"], found["run"]["code"], found["run"]["signal"]) == (
        "hello\n",
        0,
        None,
    )
    assert found["run"]["status"] is None
    assert found["run"]["memory"] > MIB
    assert found["version"].startswith("3.")


def test_output_is_both_streams(served: Served) -> None:
    run = ran(served, "import sys; print(1); print(2, file=sys.stderr)")["run"]
    assert (run["stdout"], run["stderr"], run["output"]) == ("1\n", "2\n", "1\n2\n")


def test_a_compiled_language_has_a_compile_stage(served: Served) -> None:
    found = ran(served, "int main() { return 4; }", language="c++")
    assert set(found["compile"]) == STAGE
    assert (found["compile"]["code"], found["run"]["code"], found["run"]["status"]) == (0, 4, "RE")


def test_what_does_not_compile_has_a_copy_of_that_as_its_run(served: Served) -> None:
    """Clients read `run` whatever happened; piston's own server copies the stage."""
    found = ran(served, "int main() { return }", language="cpp")
    assert found["run"] == found["compile"]
    assert (found["run"]["code"], found["run"]["status"]) == (1, "RE")
    assert "error" in found["run"]["output"]


@pytest.mark.parametrize("name", ["Hello", "Main", "Greeter"])
def test_a_class_in_java_has_any_name(served: Served, name: str) -> None:
    code = (
        f"public class {name} {{ public static void main(String[] a) {{ "
        f'System.out.println("hi"); }} }}'
    )
    found = ran(served, "", language="java", files=[{"name": f"{name}.java", "content": code}])
    assert (found["compile"]["code"], found["run"]["stdout"]) == (0, "hi\n")


def test_a_wrong_syntax_is_a_failed_run_where_nothing_is_compiled(served: Served) -> None:
    found = ran(served, "print(")
    assert "compile" not in found
    assert found["run"]["code"] == 1
    assert "SyntaxError" in found["run"]["stderr"]


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
def test_every_end_has_its_status(
    run: Run, status: str | None, signal: str | None, code: int | None
) -> None:
    said = stage(run)
    assert (said["status"], said["signal"], said["code"]) == (status, signal, code)
    assert (said["message"] is None) == (status is None)
    assert (said["wall_time"], said["cpu_time"], said["memory"]) == (20, 15, 10 * MIB)


def test_a_run_without_stages_says_nothing() -> None:
    result = records.done(Verdict.ACCEPTED, compile_run=None)
    assert response_of(result, "1.0.0", compiled=True) == {"language": "python", "version": "1.0.0"}


# ------------------------------------------------------------------ versions


def test_runtimes_are_what_is_installed(served: Served) -> None:
    found = requests.get(f"{served.url}/api/v2/runtimes", timeout=10).json()
    (python,) = (each for each in found if each["language"] == "python")
    assert {"python3", "py"} <= set(python["aliases"])
    for version in (python["version"], "3.x", "*", "3", "^3.0.0"):
        assert post(served, "print()", version=version).status_code == 200


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("Python 3.11.7", "3.11.7"),
        ("go version go1.19.8 linux/amd64", "1.19.8"),
        ("g++ (Debian 12.2.0-14) 12.2.0", "12.2.0"),
        ("v20.20.2", "20.20.2"),
        ('openjdk version "17" 2021', "17.0.0"),
        ("unknown", "0.0.0"),
    ],
)
def test_versions_are_three_numbers(said: str, version: str) -> None:
    assert version_of(said) == version


@pytest.mark.parametrize(
    "wanted",
    ["*", "x", "3", "3.x", "3.11", "3.11.7", "^3.9", "~3.11.2", "~3", ">=3.2.9", " v3.11 "],
)
def test_a_version_suits(wanted: str) -> None:
    assert suits("3.11.7", wanted)


@pytest.mark.parametrize(
    "wanted",
    ["2", "3.1", "3.12", "^3.12", "~3.10", "^4", ">=3.11.8", "latest", "", "<3", "3.11.7.1"],
)
def test_another_version_does_not(wanted: str) -> None:
    assert not suits("3.11.7", wanted)


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
            "no file can lie at '../a'",
        ),
        ({"files": [{"content": "1"}, {"name": "main.py", "content": "2"}]}, "it is taken"),
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
def test_what_makes_no_sense_is_refused(served: Served, change: dict[str, Any], word: str) -> None:
    response = post(served, "1", **change)
    assert response.status_code == 400
    assert set(response.json()) == {"message"}
    assert word in response.json()["message"]


def test_what_is_no_json_is_refused(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    response = requests.post(f"{served.url}/api/v2/execute", b"{", headers=headers, timeout=10)
    assert (response.status_code, response.json()) == (400, {"message": "the request is not JSON"})


def test_files_are_decoded() -> None:
    assert (
        content_of(PistonFile(content=base64.b64encode(b"x = 1").decode(), encoding="base64"), 0)
        == b"x = 1"
    )
    assert content_of(PistonFile(content="78ff", encoding="hex"), 1) == b"x\xff"


def test_files_lie_beside_the_program(served: Served) -> None:
    files = [
        {"content": "import other; print(other.x, open('a/b.txt').read())"},
        {"name": "other.py", "content": "x = 1"},
    ]
    files.append({"name": "a/b.txt", "content": "Mg==", "encoding": "base64"})
    assert ran(served, "", files=files)["run"]["stdout"] == "1 2\n"
