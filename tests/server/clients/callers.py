"""Clients of other services, written from their protocols: their requests and their judgements."""

from __future__ import annotations

import time
from typing import Any

import requests

SECONDS = 60


class MonolithClient:
    """A client of the synchronous server, like those in evaluators."""

    def __init__(self, url: str) -> None:
        self.url = url

    def post(self, **body: Any) -> requests.Response:
        """Send a request and return the response of any status."""
        return requests.post(f"{self.url}/execute", json=body, timeout=SECONDS)

    def execute(self, code: str, language: str = "python", **body: Any) -> dict[str, Any]:
        """Run a program with memory samples."""
        asked = {"libraries": [], "timeout": 30, "run_profiling": True, **body}
        response = self.post(code=code, language=language, **asked)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        assert set(answer) == {"task_id", "output_dict", "status", "error"}
        return answer


def passes(answer: dict[str, Any]) -> bool:
    """Return whether an evaluator counts the response as a passed program."""
    return bool(answer["status"] == "success" and answer["output_dict"]["stdout"] == "Success\n")


class MonolithLibrary:
    """A client of the asynchronous server, as in monolith_lib."""

    def __init__(self, url: str) -> None:
        self.url = url

    def post_code_submit(
        self, lang: str, libs: list[str], code: str, timeout: int, profiling: bool
    ) -> dict[str, Any]:
        """Submit a program."""
        body = {
            "code": code,
            "language": lang,
            "libraries": libs,
            "timeout": timeout,
            "run_memory_profile": profiling,
        }
        answer: dict[str, Any] = requests.post(
            f"{self.url}/execute", json=body, timeout=SECONDS
        ).json()
        return answer

    def get_code_result(self, task_id: str) -> dict[str, Any]:
        """Read a result."""
        answer: dict[str, Any] = requests.get(
            f"{self.url}/results/{task_id}", timeout=SECONDS
        ).json()
        return answer

    def wait(self, task_id: str) -> dict[str, Any]:
        """Read a result until it is final."""
        end = time.monotonic() + SECONDS
        while (answer := self.get_code_result(task_id))["status"] == "processing":
            assert time.monotonic() < end
            time.sleep(0.05)
        return answer

    def get_status(self) -> dict[str, Any]:
        """Read the load of the server."""
        answer: dict[str, Any] = requests.get(f"{self.url}/status", timeout=SECONDS).json()
        return answer

    def clean(self, number: int) -> requests.Response:
        """Request the removal of results."""
        return requests.delete(f"{self.url}/clean/{number}", timeout=SECONDS)


class Verl:
    """verl's client of /run_code: its requests, its retries, and its judgement of responses."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/run_code"
        self.statuses: list[int] = []

    def case(
        self, code: str, stdin: str, expected: str, timeout: float = 10, language: str = "python"
    ) -> bool | int:
        """Return True (passed), False (wrong), -1 (none), -2 (crash), -3 (timeout), -4 (compile)."""
        body = {
            "compile_timeout": timeout,
            "run_timeout": timeout,
            "code": code,
            "stdin": stdin,
            "memory_limit_MB": 1024,
            "language": language,
            "files": {},
            "fetch_files": [],
        }
        for attempt in range(3):
            response = requests.post(self.url, json=body, timeout=2 * timeout + 10)
            self.statuses.append(response.status_code)
            if response.status_code != 504:
                break
            time.sleep(1 + attempt)
        if response.status_code != 200:
            return -1
        return self.judged(response.json(), expected)

    @staticmethod
    def judged(answer: dict[str, Any], expected: str) -> bool | int:
        """Return verl's judgement of a response."""
        compiling, running = answer["compile_result"], answer["run_result"]
        if answer["status"] == "SandboxError":
            return -1
        if answer["status"] == "Failed":
            if compiling and (compiling["status"] != "Finished" or compiling["return_code"] != 0):
                return -4
            if running and running["status"] == "TimeLimitExceeded":
                return -3
            return (
                -2
                if running and (running["status"] == "Error" or running["return_code"] != 0)
                else -1
            )
        assert answer["status"] == "Success"
        assert running["status"] == "Finished"
        return bool(running["stdout"].rstrip("\n") == expected.rstrip("\n"))


class EffiBench:
    """The client in EffiBench-X's backend."""

    FINAL = ("done", "timeout", "error", "cancelled", "oom")

    def __init__(self, url: str) -> None:
        self.url = url

    def submit(self, **body: Any) -> int:
        """Submit a program."""
        answer = requests.post(f"{self.url}/submit", json=body, timeout=SECONDS)
        assert answer.status_code == 200, answer.text
        number = answer.json()["submission_id"]
        assert isinstance(number, int)
        return number

    def wait(self, number: int) -> dict[str, Any]:
        """Read a submission until it is final."""
        end = time.monotonic() + SECONDS
        while True:
            submission: dict[str, Any] = requests.get(
                f"{self.url}/submission/{number}", timeout=SECONDS
            ).json()
            if submission["status"] in self.FINAL:
                return submission
            assert time.monotonic() < end
            time.sleep(0.05)
