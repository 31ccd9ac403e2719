"""An HTTP server with OpenAI's chat completions and Responses APIs, for scripted answers and faults.

Each request consumes the next step of the script; the last step repeats. A step is the text of a
successful answer, or a Fault.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from venus_toolkit.models.client import Message, seed_of

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@dataclass(frozen=True)
class Fault:
    """A raw response, or a failure instead of one."""

    status: int = 200
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    sleep_s: float = 0.0
    drop: bool = False


Step = str | Fault
Script = Sequence[Step] | Callable[[dict[str, Any]], Step]


def completion(
    text: str | None, ending: str = "stop", usage: Any = USAGE, model: str = "m", **message: Any
) -> str:
    """Return the body of a chat completion; `message` has further fields of its message."""
    choice = {
        "index": 0,
        "finish_reason": ending,
        "message": {"role": "assistant", "content": text, **message},
    }
    return json.dumps(
        {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": model,
            "choices": [choice],
            "usage": usage,
        }
    )


def response(*output: dict[str, Any], status: str = "completed", **more: Any) -> dict[str, Any]:
    """Return the body of an answer of the Responses API, from its items."""
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 3},
    }
    return {
        "id": "r",
        "object": "response",
        "model": "m",
        "status": status,
        "output": output,
        "usage": usage,
        **more,
    }


def said(text: str, kind: str = "output_text") -> dict[str, Any]:
    """Return an item of a response: a message with a text or a refusal."""
    part = {"type": kind, "refusal" if kind == "refusal" else "text": text}
    return {
        "type": "message",
        "id": "i",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def chunk(ending: str | None = None, usage: Any = None, **delta: Any) -> dict[str, Any]:
    """Return a chunk of a streamed chat completion."""
    choices = [{"index": 0, "delta": delta, "finish_reason": ending}] if delta or ending else []
    return {
        "id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices, "usage": usage,
    }  # fmt: skip


def events(*pieces: dict[str, Any], done: bool = True) -> Fault:
    """Return a stream of server-sent events."""
    lines = [
        (f"event: {each['type']}\n" if "type" in each else "") + f"data: {json.dumps(each)}\n\n"
        for each in pieces
    ]
    return Fault(
        200, "".join(lines) + "data: [DONE]\n\n" * done, {"Content-Type": "text/event-stream"}
    )


def error(message: str, status: int = 400, **more: Any) -> Fault:
    """Return an error in the format of OpenAI's servers."""
    return Fault(
        status, json.dumps({"error": {"message": message, "type": "invalid_request_error", **more}})
    )


def sample_of(body: dict[str, Any], seed: int = 0) -> int:
    """Return the sample number that a request asks for, found by its seed."""
    prompt = tuple(Message(message["role"], message["content"]) for message in body["messages"])
    return next(number for number in range(100) if seed_of(seed, prompt, number) == body["seed"])


class ModelServer:
    """The server. `asked`, `paths` and `headers` record the body, path and headers of every request."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.base_url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def next_step(self, body: dict[str, Any]) -> Step:
        with self.lock:
            self.asked.append(body)
            number = len(self.asked)
        return (
            self.script(body)
            if callable(self.script)
            else self.script[min(number, len(self.script)) - 1]
        )


def handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.paths.append(self.path)
            server.headers.append(dict(self.headers))
            step = server.next_step(body)
            fault = step if isinstance(step, Fault) else Fault(body=completion(step))
            time.sleep(fault.sleep_s)
            if fault.drop:
                self.close_connection = True
                self.connection.shutdown(2)
                return
            data = fault.body.encode()
            try:
                self.send_response(fault.status)
                for name, value in {"Content-Type": "application/json", **fault.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                return  # the client gave up waiting

        def log_message(self, *_: object) -> None:
            return

    return Handler


@contextmanager
def serving(script: Script) -> Iterator[ModelServer]:
    """Run a server within the context."""
    server = ModelServer(script)
    thread = threading.Thread(target=server.http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()
