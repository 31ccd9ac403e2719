"""The batch endpoint over HTTP with the real client: success, resuming, and failures."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from tests.building import needs_isolation
from tests.eval.conftest import FAST, Posed
from tests.model_server import completion
from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.interruption import CancelScope
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.store import Store
from venus_toolkit.dataset.release import Release
from venus_toolkit.eval.asking.generate import ServedModel
from venus_toolkit.eval.eval_options import PUBLISHED, EvalOptions
from venus_toolkit.eval.evaluate import Evaluation
from venus_toolkit.eval.loop.iterations import IterativeEvaluation
from venus_toolkit.eval.loop.iterative_loop import LoopOptions
from venus_toolkit.eval.scoring.results import read_results
from venus_toolkit.models import batches
from venus_toolkit.models.batches import Batches
from venus_toolkit.models.client import ChatGenerator, Message, ModelOptions
from venus_toolkit.models.in_process import LocalGenerator

PROMPTS = [(Message("user", f"question {number}"),) for number in range(5)]
PAUSE = (0.01, 0.02)
pytestmark = needs_isolation


class Provider:
    """A server with OpenAI's Files and Batch APIs; `reply` returns the status and body for a request's body."""

    def __init__(self, reply: Callable[[dict[str, Any]], tuple[int, Any]]) -> None:
        self.reply = reply
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.single: list[dict[str, Any]] = []  # questions outside a batch
        self.looks = 2  # polls of a batch before it is done
        self.end = "completed"
        self.missing = False

    def handle(self, method: str, path: str, data: bytes) -> tuple[int, bytes]:
        if path == "/v1/chat/completions":
            body = json.loads(data)
            self.single.append(body)
            status, answer = self.reply(body)
            return status, json.dumps(answer).encode()
        if self.missing:
            return 404, b'{"error": {"message": "no such page"}}'
        if path == "/v1/files":
            match = re.search(rb'filename="venus.jsonl".*?\r\n\r\n(.*)\r\n--', data, re.DOTALL)
            assert match
            name = f"file-{len(self.files)}"
            self.files[name] = match[1]
            about = {
                "id": name,
                "object": "file",
                "bytes": 1,
                "created_at": 1,
                "filename": "f",
                "purpose": "batch",
            }
            return 200, json.dumps(about).encode()
        if path == "/v1/batches":
            name = f"batch-{len(self.batches)}"
            self.batches[name] = {"file": json.loads(data)["input_file_id"], "looks": 0}
            return 200, self.batch(name, "validating")
        if path.endswith("/content"):
            return 200, self.files[path.split("/")[-2]]
        name = path.rpartition("/")[2]
        known = self.batches[name]
        known["looks"] += 1
        return 200, self.batch(
            name, self.finish(name) if known["looks"] > self.looks else "in_progress"
        )

    def finish(self, name: str) -> str:
        lines: dict[bool, list[str]] = {True: [], False: []}
        for line in map(json.loads, self.files[self.batches[name]["file"]].splitlines()):
            assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
            status, body = self.reply(line["body"])
            row = {
                "custom_id": line["custom_id"],
                "response": {"status_code": status, "body": body},
                "error": None,
            }
            lines[status == 200].append(json.dumps(row) + "\n")
        for good, suffix in ((True, "out"), (False, "err")):
            if lines[good]:
                self.files[f"{name}-{suffix}"] = "".join(lines[good]).encode()
        return self.end

    def batch(self, name: str, status: str) -> bytes:
        files = {
            key: f"{name}-{suffix}" if f"{name}-{suffix}" in self.files else None
            for key, suffix in (("output_file_id", "out"), ("error_file_id", "err"))
        }
        counts = {"total": 4, "completed": 2, "failed": 0}
        about = {"id": name, "object": "batch", "status": status, "request_counts": counts, **files}
        return json.dumps({**about, "endpoint": "", "input_file_id": "", "created_at": 1}).encode()


@contextmanager
def providing(reply: Callable[[dict[str, Any]], tuple[int, Any]]) -> Iterator[tuple[Provider, str]]:
    provider = Provider(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, body = provider.handle(self.command, self.path, data)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            return

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider, f"http://127.0.0.1:{http.server_port}/v1"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def echo(body: dict[str, Any]) -> tuple[int, Any]:
    return 200, json.loads(completion("answer to " + body["messages"][-1]["content"]))


def chat(url: str, folder: Path, **more: Any) -> ChatGenerator:
    return ChatGenerator(ModelOptions(url, "m", **more), folder / "cache")


def test_batch_answers_all_questions_except_the_first(tmp_path: Path) -> None:
    progress: list[tuple[int, int]] = []
    with (
        providing(echo) as (provider, url),
        chat(url, tmp_path) as model,
        Store(tmp_path / "run") as store,
    ):
        Batches(model, store, lambda *counts: progress.append(counts), PAUSE).answer(
            [(p, i) for p in PROMPTS for i in (0, 1)]
        )
        completions = [model.sample(prompt, 1) for prompt in PROMPTS]
        assert [completion.text for completion in completions] == [
            f"answer to question {number}" for number in range(5)
        ]
        assert all(completion.cached for completion in completions)
        assert (len(provider.single), len(provider.batches)) == (1, 1)
        (file,) = (text for name, text in provider.files.items() if name.startswith("file"))
        lines = [json.loads(line) for line in file.splitlines()]
        assert len({line["custom_id"] for line in lines}) == len(lines) == 9
        assert len({line["body"]["seed"] for line in lines}) == 9
        assert (model.costs.requests, model.costs.completion_tokens) == (10, 50)
        assert progress[-1] == (10, 10)
        late = model.sample((Message("user", "late"),))
        assert (late.text, late.answered) == (None, False), "the batch answered everything"


def test_server_limits_are_learnt_before_the_batch(tmp_path: Path) -> None:
    def strict(body: dict[str, Any]) -> tuple[int, Any]:
        if "max_tokens" in body:
            return 400, {
                "error": {"message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens"}
            }
        return echo(body)

    with (
        providing(strict) as (provider, url),
        chat(url, tmp_path) as model,
        Store(tmp_path / "run") as store,
    ):
        Batches(model, store, every_s=PAUSE).answer([(prompt, 0) for prompt in PROMPTS])
        assert all(model.sample(prompt).text for prompt in PROMPTS)
        assert (
            "max_completion_tokens" in json.loads(provider.files["file-0"].splitlines()[0])["body"]
        )


def test_resumed_run_waits_for_its_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions = [(prompt, 0) for prompt in PROMPTS]
    with providing(echo) as (provider, url), Store(tmp_path / "run") as store:
        with chat(url, tmp_path) as model, monkeypatch.context() as patch:
            patch.setattr(CancelScope, "sleep", Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                Batches(model, store, every_s=PAUSE).answer(questions)
        with chat(url, tmp_path) as model:
            Batches(model, store, every_s=PAUSE).answer(questions)
            assert all(model.sample(prompt).text for prompt in PROMPTS)
        assert (len(provider.single), len(provider.batches)) == (1, 1)


def test_expired_batch_leaves_the_rest_for_the_next_run(tmp_path: Path) -> None:
    def some(body: dict[str, Any]) -> tuple[int, Any]:
        question = body["messages"][-1]["content"]
        if question == "question 3":
            return 500, {"error": {"message": "overloaded"}}
        if question == "question 4":
            return 400, {
                "error": {
                    "message": "maximum context length is 5 tokens",
                    "code": "context_length_exceeded",
                }
            }
        return echo(body)

    questions = [(prompt, 0) for prompt in PROMPTS]
    with providing(some) as (provider, url), Store(tmp_path / "run") as store:
        provider.end = "expired"
        with chat(url, tmp_path) as model:
            Batches(model, store, every_s=PAUSE).answer(questions)
            completions = [model.sample(prompt) for prompt in PROMPTS]
        assert [bool(completion.text) for completion in completions] == [
            True,
            True,
            True,
            False,
            False,
        ]
        assert (completions[3].answered, completions[4].ending) == (False, "context"), (
            "an error for a prompt that is too long counts as an answer"
        )
        provider.end, provider.reply = "completed", echo
        with chat(url, tmp_path) as model:
            Batches(model, store, every_s=PAUSE).answer(questions)
            assert model.sample(PROMPTS[3]).text == "answer to question 3"
        assert len(provider.single) == 2, (
            "the first remaining question tests what the server accepts"
        )


def test_batch_files_are_split_within_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MAX_LINES", 2)
    with providing(echo) as (provider, url), Store(tmp_path / "run") as store:
        with chat(url, tmp_path, max_requests=4) as model:
            Batches(model, store, every_s=PAUSE).answer([(prompt, 0) for prompt in PROMPTS])
            assert [bool(model.sample(prompt).text) for prompt in PROMPTS] == [True] * 4 + [False]
        assert len(provider.batches) == 2


def test_a_server_without_batches_is_named(tmp_path: Path) -> None:
    with (
        providing(echo) as (provider, url),
        chat(url, tmp_path) as model,
        Store(tmp_path / "run") as store,
    ):
        provider.missing = True
        with pytest.raises(MachineError, match="refuses the batch") as refused:
            Batches(model, store, every_s=PAUSE).answer([(prompt, 0) for prompt in PROMPTS])
        assert "no such page" in refused.value.why
        assert "leave out --batch" in refused.value.fix


# ------------------------------------------------------------------ an evaluation


@pytest.fixture(scope="module")
def release(
    write_release: Callable[..., Release], tmp_path_factory: pytest.TempPathFactory
) -> Release:
    return write_release(tmp_path_factory.mktemp("release"), [Posed("sum-up"), Posed("add-all")])


def evaluation(
    release: Release, out: Path, model: str, server: ModelOptions | None
) -> tuple[Any, ...]:
    options = EvalOptions(model, str(release.folder), ("python",), references=PUBLISHED, batch=True)
    return options, release, out, load_languages(), server


def test_an_evaluation_through_a_batch(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "EVERY_S", PAUSE)

    def solve(_: dict[str, Any]) -> tuple[int, Any]:
        return 200, json.loads(completion(f"```python\n{FAST}```"))

    with providing(solve) as (provider, url):
        manifest = Evaluation(
            *evaluation(release, tmp_path / "run", "m", ModelOptions(url, "m"))
        ).run()
    assert (len(provider.single), len(provider.batches)) == (1, 1)
    assert read_results(tmp_path / "run")["passed"].to_pylist() == [True, True]
    assert manifest["options"]["batch"]


def test_a_model_in_this_process_has_no_batch_endpoint(tmp_path: Path) -> None:
    options = ModelOptions("", "vllm:somewhere")
    with (
        Store(tmp_path) as store,
        LocalGenerator(options, tmp_path, engine=list) as local,
        pytest.raises(UsageError, match="needs a server"),
    ):
        ServedModel(local, store).ask_in_batches([], lambda *_: None)


def test_missing_batch_endpoint_is_refused(release: Release, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs a server"):
        Evaluation(*evaluation(release, tmp_path / "run", "human:best", None)).run()
    with pytest.raises(UsageError, match="cannot be combined with --iterations"):
        IterativeEvaluation(
            *evaluation(release, tmp_path / "loop", "human:best", None), loop=LoopOptions(2)
        ).run()
