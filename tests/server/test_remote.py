"""The remote sandbox beyond the contract: broken connections, restarts, keys, whole commands."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forged_count import why_not_emulated
from venus_toolkit.core.errors import SandboxError, ToolchainError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.core.store import Store
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.remote import wire
from venus_toolkit.execution.sandbox.remote.remote_sandbox import RemoteSandbox
from venus_toolkit.execution.sandbox.remote.server_client import Client
from venus_toolkit.execution.sandbox.supervisor import Sampling
from venus_toolkit.training.reward.grading import Grader
from venus_toolkit.training.reward.rewards import RewardOptions

PYTHON = load_languages()["python"]
ECHO = Program(PYTHON, "import time\ntime.sleep(0.2)\nprint(input())")
FAR = Limits(wall_ns=60 * NS_PER_S)
INPUTS = [b"%d\n" % number for number in range(12)]


class CuttingProxy:
    """A proxy that cuts `times` connections after `after` bytes of responses."""

    def __init__(self, url: str, after: int, times: int) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._there = (host, int(port))
        self._after = after
        self.times = times
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                here = self._listening.accept()[0]
            except OSError:
                return
            there = socket.create_connection(self._there)
            threading.Thread(target=self._pump, args=(here, there, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(there, here, True), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        passed = 0
        try:
            while data := source.recv(65536):
                passed += len(data)
                if answers and self.times and passed > self._after:
                    self.times -= 1
                    break
                target.sendall(data)
        except OSError:
            pass
        for connection in (source, target):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        source.close()


@pytest.fixture
def cutting(served: Any) -> Iterator[Callable[[int, int], CuttingProxy]]:
    """Creates proxies for the shared server."""
    proxies: list[CuttingProxy] = []

    def make(after: int, times: int) -> CuttingProxy:
        proxies.append(CuttingProxy(served.url, after, times))
        return proxies[-1]

    yield make
    for proxy in proxies:
        proxy.close()


def test_broken_connection_is_resumed(served: Any, cutting: Callable[..., CuttingProxy]) -> None:
    """The server's count of runs shows that each input runs once."""
    proxy = cutting(4000, 2)
    with open_sandbox(proxy.url) as sandbox, sandbox.session(sandbox.compile(ECHO), FAR) as session:
        before = runs_of(served)
        assert [run.stdout for run in session.run(INPUTS)] == INPUTS
        assert runs_of(served) - before == len(INPUTS)
        assert sandbox.facts()["runs_repeated"] == 0
    assert proxy.times == 0


def runs_of(served: Any) -> int:
    lines = served.ask("GET", "/metrics").body.decode().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("venus_runs_total ")))


def test_runs_lost_in_a_restart_are_repeated_and_counted(
    serving: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    server = serving("--workers", "1")
    port = server.url.rpartition(":")[2]
    got = []
    with (
        open_sandbox(server.url) as sandbox,
        sandbox.session(sandbox.compile(ECHO), FAR) as session,
    ):
        with caplog.at_level(logging.WARNING):
            for run in session.run(INPUTS):
                got.append(run.stdout)
                if len(got) == 3:
                    server.stop(signal.SIGKILL)
                    server.words = ("--workers", "1", "--port", port)
                    server.start()
        assert sandbox.facts()["runs_repeated"] == 1
    assert got == INPUTS
    assert "are repeated" in caplog.text


def test_lost_server_is_not_a_verdict(serving: Callable[..., Any]) -> None:
    server = serving("--workers", "1")
    sandbox = RemoteSandbox(server.url, patience_s=0.5)
    runs = sandbox.session(sandbox.compile(ECHO), FAR).run(INPUTS)
    next(runs)
    server.stop(signal.SIGKILL)
    with pytest.raises(SandboxError) as caught:
        list(runs)
    assert "gave no result" in caught.value.what
    sandbox.close()


def test_a_session_left_early_is_ended_at_once(
    served: Any, called: Callable[..., Any], mark: str
) -> None:
    source = (
        f"import ctypes, time; ctypes.CDLL(None).prctl(15, b'{mark}')\nif input() == 'sleep': "
        "time.sleep(50)"
    )
    with open_sandbox(served.url) as sandbox:
        with sandbox.session(sandbox.compile(Program(PYTHON, source)), FAR) as session:
            for _ in session.run([b"go\n", b"sleep\n"]):
                break
        assert not called(mark)
        assert served.ask("GET", "/v1/status").json["sessions"] == 0


def test_next_request_removes_an_ended_session(served: Any) -> None:
    with open_sandbox(served.url) as sandbox:
        compiled = sandbox.compile(ECHO)
        for _ in range(3):
            with sandbox.session(compiled, FAR) as session:
                assert [run.stdout for run in session.run(INPUTS[:1])] == INPUTS[:1]
                assert served.ask("GET", "/v1/status").json["sessions"] == 1
        sandbox.compile(Program(PYTHON, "print()"))
        assert served.ask("GET", "/v1/status").json["sessions"] == 0


def test_server_ends_a_session_after_its_inputs(
    serving: Callable[..., Any], eventually: Callable[..., bool]
) -> None:
    server = serving("--workers", "1")
    nap = Program(PYTHON, "import time\ntime.sleep(float(input()))")
    with open_sandbox(server.url) as sandbox, sandbox.session(sandbox.compile(nap), FAR) as session:
        runs = session.run([b"0\n", b"5\n"])
        next(runs)
        assert children(server)
        next(runs)
        assert eventually(lambda: not children(server))


def test_leaving_ends_an_open_session(
    serving: Callable[..., Any], eventually: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serving("--workers", "1")
    with open_sandbox(server.url) as sandbox:
        compiled = sandbox.compile(ECHO)
        with sandbox.session(compiled, FAR) as session:
            list(session.run(INPUTS[:1]))
            list(session.run(INPUTS[:1]))
            assert children(server)
            monkeypatch.setattr(session, "_ended", True)
        sandbox.compile(Program(PYTHON, "print()"))
        assert eventually(lambda: not children(server))
        assert server.ask("GET", "/v1/status").json["sessions"] == 0


def children(server: Any) -> list[str]:
    pids: list[str] = []
    for task in Path(f"/proc/{server.process.pid}/task").iterdir():
        with contextlib.suppress(OSError):  # the thread may have ended
            pids += (task / "children").read_text().split()
    return pids


def test_ended_session_reopens_for_more_inputs(served: Any) -> None:
    with open_sandbox(served.url) as sandbox:
        with sandbox.session(sandbox.compile(ECHO), FAR) as session:
            for _ in range(3):
                assert [run.stdout for run in session.run(INPUTS[:2])] == INPUTS[:2]
        assert served.ask("GET", "/v1/status").json["sessions"] == 0


def test_response_survives_a_cut_after_its_session(
    served: Any, cutting: Callable[..., CuttingProxy]
) -> None:
    quick = Program(PYTHON, "print(input())")
    proxy = cutting(0, 0)
    with open_sandbox(proxy.url) as sandbox:
        compiled = sandbox.compile(quick)
        before = runs_of(served)
        proxy.times = 2
        with sandbox.session(compiled, FAR) as session:
            assert [run.stdout for run in session.run(INPUTS)] == INPUTS
        assert runs_of(served) - before == len(INPUTS)
    assert proxy.times == 0


def test_each_thread_keeps_its_own_worker(served: Any) -> None:
    source = Program(PYTHON, "import os\nprint(os.sched_getaffinity(0))")
    cores: dict[str, set[bytes]] = {}
    with open_sandbox(served.url) as sandbox:
        compiled = sandbox.compile(source)
        both = threading.Barrier(2)

        def look(name: str) -> None:
            both.wait(30)
            for _ in range(3):
                with sandbox.session(compiled, FAR) as session:
                    cores.setdefault(name, set()).update(
                        run.stdout for run in session.run([b"", b""])
                    )

        threads = [threading.Thread(target=look, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [len(outputs) for outputs in cores.values()] == [1, 1]


def test_large_inputs_and_outputs_and_samples(served: Any) -> None:
    program = Program(
        PYTHON, "import sys\ndata = sys.stdin.buffer.read()\nsys.stdout.buffer.write(data[::-1])"
    )
    data = bytes(range(256)) * 40_000
    tracing = Sampling(trace=True)
    with (
        open_sandbox(served.url) as sandbox,
        sandbox.session(sandbox.compile(program), FAR, None, tracing) as session,
    ):
        (run,) = session.run([data])
    assert run.stdout == data[::-1]
    assert len(run.trace) > 2


def test_inputs_larger_than_one_request(serving: Callable[..., Any]) -> None:
    server = serving("--body-mib", "1", "--workers", "1")
    program = Program(PYTHON, "import sys\nprint(len(sys.stdin.read()))")
    sizes = [600_000, 400_000, 10, 100_000, 500_000, 10, 10]
    with (
        open_sandbox(server.url) as sandbox,
        sandbox.session(sandbox.compile(program), FAR) as session,
    ):
        assert [int(run.stdout) for run in session.run([b"x" * size for size in sizes])] == sizes
        with pytest.raises(UsageError) as caught:
            list(session.run([bytes(2 << 20)]))
    assert "too large" in caught.value.what


def test_invalid_addresses() -> None:
    for address in ("ftp://example.org", "http://", "http://example.org:port"):
        with pytest.raises(UsageError):
            Client(address)
    with pytest.raises(SandboxError) as caught:
        open_sandbox("http://127.0.0.1:1")
    assert "no server answers at" in caught.value.what
    assert caught.value.fix == "start one there: venus serve"


def test_a_server_of_another_kind(served: Any) -> None:
    with pytest.raises(SandboxError) as caught:
        open_sandbox(f"{served.url}/elsewhere")
    assert "no server answers at" in caught.value.what


def test_key_is_required(serving: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    server = serving(VENUS_API_KEY="secret")
    with pytest.raises(SandboxError) as caught:
        open_sandbox(server.url)
    assert "VENUS_API_KEY" in caught.value.fix
    monkeypatch.setenv("VENUS_API_KEY", "secret")
    with (
        open_sandbox(server.url) as sandbox,
        sandbox.session(sandbox.compile(ECHO), FAR) as session,
    ):
        assert [run.stdout for run in session.run([b"x\n"])] == [b"x\n"]


def test_language_missing_on_the_server(served: Any) -> None:
    import dataclasses

    with open_sandbox(served.url) as sandbox, pytest.raises(ToolchainError):
        sandbox.toolchain(dataclasses.replace(PYTHON, id="cobol"))


def test_limits_above_the_servers_are_refused(served: Any) -> None:
    endless = Limits(wall_ns=10**15)
    with open_sandbox(served.url) as sandbox, pytest.raises(UsageError) as caught:
        list(sandbox.session(sandbox.compile(ECHO), endless).run([b""]))
    assert "limits.wall_ns" in caught.value.what


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"slot": None}, "slot"),
        ({"first": "x"}, "first"),
        ({"interval_ns": 1}, "interval_ns"),
        ({"limits": {"wall_ns": 0}}, "wall_ns"),
        ({"limits": {"wall_s": 1}}, "wall_s"),
        ({"left": [1]}, "left"),
    ],
)
def test_invalid_header_is_refused(served: Any, changes: dict[str, Any], word: str) -> None:
    header = {
        "program": "p",
        "slot": "s",
        "limits": {},
        "interval_ns": 1_000_000,
        "trace": False,
        "request": "r",
    }
    header |= {"first": 0, "again": False, "once": True, "left": []}
    path = "/v1/sandbox/somebody/sessions/0"
    assert served.ask("POST", path, wire.frame(header)).status == 404  # the program is unknown
    refused = served.ask("POST", path, wire.frame({**header, **changes}))
    assert refused.status == 422
    assert refused.json["error"]["what"] == "the request is not as documented"
    assert word in refused.json["error"]["why"]
    served.ask("DELETE", "/v1/sandbox/somebody")


@pytest.mark.parametrize("body", [b"", b"\0\0", wire.frame({})])
def test_invalid_body_is_refused(served: Any, body: bytes) -> None:
    assert served.ask("POST", "/v1/sandbox/somebody/programs", body).status == 422


def test_a_command_runs_its_programs_on_a_server(
    served: Any, cli: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text("print(int(input()) * 2)")
    (tmp_path / "in").write_text("21\n")
    words = (
        "run",
        tmp_path / "a.py",
        "--stdin",
        tmp_path / "in",
        "--repeats",
        "1",
        "--sandbox",
        served.url,
        "--json",
    )
    result = cli(*words)
    assert result.exit_code == 0, result.stderr
    assert '"verdict": "accepted"' in result.stdout
    assert '"server_sandbox": "local"' in result.stdout


def test_lost_machine_is_noticed(served: Any) -> None:
    """A program may be silent for an hour, so keep-alives must check the connection."""
    client = Client(served.url)
    connected = client._connection().sock
    assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 60
    client.close()


def test_counting_on_a_server_is_refused_at_once(
    served: Any, cli: Callable[..., Any], tmp_path: Path
) -> None:
    if problem := why_not_emulated():
        pytest.skip(f"instructions cannot be counted: {problem}")
    (tmp_path / "main.py").write_text("print(1)")
    (tmp_path / "1.in").write_text("")
    before = runs_of(served)
    words = ["--tests", tmp_path, "--sandbox", served.url, "--counter", "emulated"]
    result = cli("run", tmp_path / "main.py", *words)
    assert result.exit_code == 2
    assert (
        "does not count instructions: the sandboxes local, docker and unsafe count" in result.stderr
    )
    assert "type: --sandbox local" in result.stderr
    options = EvalOptions("m", "d", ("python",), rank="instructions")
    with open_sandbox(served.url) as sandbox, Store(tmp_path / "run") as store:
        with pytest.raises(UsageError, match="does not count instructions"):
            options.open_executor(sandbox, [PYTHON], store)
        with pytest.raises(UsageError, match="does not count instructions"):
            Grader(None, sandbox, RewardOptions(figure="instructions"))  # type: ignore[arg-type]
    assert runs_of(served) == before
