"""The Docker sandbox against a real daemon (marked docker; `make docker-test`), and its rules without one."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit import sandbox as sandboxes
from venus_toolkit.debian import Source, parse_sources
from venus_toolkit.errors import SandboxError, ToolchainError
from venus_toolkit.judge import self_check
from venus_toolkit.language import Language, load_languages
from venus_toolkit.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.sandbox import Compiled, Program, daemon, open_sandbox
from venus_toolkit.sandbox.docker import DockerSandbox, client, connect, lacking_images, names, remove_leftovers
from venus_toolkit.sandbox.docker.container import Demultiplexed, Room
from venus_toolkit.sandbox.docker.pool import AHEAD, KEPT, Pool

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = load_languages()
LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)


def why_not() -> str | None:
    """Say why no Docker daemon with the images of Python and C++ can be used here."""
    problem = daemon.problem()
    if problem:
        return f"no Docker daemon: {problem[0]}; {problem[1]}"
    lacking = lacking_images([LANGUAGES["python"], LANGUAGES["cpp"]])
    return f"no image of {', '.join(lacking)}; type: venus images build --from-debian" if lacking else None


@pytest.fixture(scope="session")
def needs_docker() -> None:
    problem = why_not()
    if problem:
        pytest.skip(problem)


# ------------------------------------------------------------------ without a daemon: names, addresses, makers, frames


def test_the_paper_image_comes_first() -> None:
    cpp = LANGUAGES["cpp"]
    paper, debian = names.candidates(cpp)
    assert (paper, debian) == ("venus-cpp:gcc-11.2.0-bullseye", "venus-cpp:debian")
    assert names.choose(cpp, {paper, debian}) == paper
    assert names.choose(cpp, {debian, "venus-go:debian"}) == debian
    assert names.choose(cpp, {"gcc:11.2.0-bullseye", "venus-go:debian"}) is None


def test_an_image_of_another_registry_has_a_name_too() -> None:
    language = dataclasses.replace(LANGUAGES["cpp"], image="registry.example/tools/gcc@sha256:12")
    assert names.paper_image(language) == "venus-cpp:registry.example-tools-gcc-sha256-12"


def test_package_sources() -> None:
    main, security = "http://deb.example/debian", "http://deb.example/security"
    lines = [
        f"{main}|bookworm|main", f"{main}|bookworm|contrib", f"{main}|bookworm|main",
        f"{security}|bookworm-security|main", "http://apt.example|bookworm-pgdg|main", "https://deb.example|nodistro|main",
    ]  # fmt: skip
    assert parse_sources(lines, "bookworm") == [
        Source(main, "bookworm", ("main", "contrib")),
        Source(security, "bookworm-security", ("main",)),
    ]


def test_docker_host_is_respected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    assert daemon.address() == f"unix://{tmp_path}/docker.sock"
    why, fix = daemon.problem() or ("", "")
    assert "does not exist" in why
    assert "DOCKER_HOST" in fix
    with pytest.raises(SandboxError, match="there is no Docker daemon"):
        open_sandbox("docker")
    monkeypatch.delenv("DOCKER_HOST")
    assert daemon.address() == "unix:///var/run/docker.sock"


@pytest.mark.parametrize(
    ("reply", "says"), [(b"HTTP/1.0 200 OK\r\n\r\nOK", None), (b"SSH-2.0-x", "not a Docker daemon")]
)
def test_who_answers(tmp_path: Path, reply: bytes, says: str | None) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/docker.sock")
        server.listen()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                assert connection.recv(100).startswith(b"GET /_ping")
                connection.sendall(reply)

        thread = threading.Thread(target=answer)
        thread.start()
        problem = daemon.problem(f"unix://{tmp_path}/docker.sock")
        thread.join()
    assert (problem is None) == (says is None)
    assert says is None or says in problem[0]


def test_finding_no_daemon_takes_no_time(tmp_path: Path) -> None:
    start = time.monotonic()
    for _ in range(10):
        assert daemon.problem(f"unix://{tmp_path}/docker.sock")
    assert time.monotonic() - start < 0.1


def test_auto_is_local_without_a_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
    assert not sandboxes._docker_has(None)


def test_a_maker_is_dead_only_when_that_is_certain() -> None:
    me = client.this_process()
    assert not me.dead
    assert me._replace(start="1").dead
    assert me._replace(pid="4194999").dead
    assert not me._replace(pid="4194999", boot="another machine").dead
    assert not me._replace(pid="4194999", namespace="pid:[1]").dead
    assert client.maker(client.labels()) == me
    assert client.maker({"venus": "1"}) is None
    assert client.maker({"venus": "1", "venus.maker": "1 2"}) is None


def frame(stream: int, data: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(data).to_bytes(4, "big") + data


def test_streams_are_told_apart() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(frame(1, b"one ") + frame(2, b"trouble") + frame(1, b"") + frame(1, b"two") + b"\1\0\0")
        theirs.close()
        output = Demultiplexed(ours)
        assert output.read() == b"one two"
        assert output.said == b"trouble"


SMALL, LARGE = Room(1), Room(2)
CPP, PYTHON = LANGUAGES["cpp"], LANGUAGES["python"]


class FakeContainer:
    """Stands for a container in the pool."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.removed = False
        self.programs: set[str] = set()
        self.room = SMALL

    def remove(self) -> None:
        """Note that it is gone."""
        self.removed = True


@pytest.fixture
def made() -> list[FakeContainer]:
    return []


@pytest.fixture
def make_pool(made: list[FakeContainer]) -> Iterator[Callable[[int], Pool]]:
    pools: list[Pool] = []

    def make(_: Language, number: int) -> Any:
        made.append(FakeContainer(number))
        return made[-1]

    def make_pool(programs: int) -> Pool:
        pools.append(Pool(make, programs))
        return pools[-1]

    yield make_pool
    for pool in pools:
        pool.close()
    assert all(container.removed for container in made)


def test_the_first_request_orders_no_more(make_pool: Callable[[int], Pool], made: list[FakeContainer]) -> None:
    pool = make_pool(1)
    pool.take(CPP, "a", SMALL)
    pool._helpers.submit(int).result()
    assert len(made) == 1


def test_containers_are_made_ahead(make_pool: Callable[[int], Pool], made: list[FakeContainer]) -> None:
    pool = make_pool(1)
    taken = [pool.take(CPP, str(n), SMALL) for n in range(10)]
    assert len(set(taken)) == 10
    pool._helpers.shutdown(wait=True)
    assert len(made) == 10 + AHEAD


def test_a_program_finds_its_container_again(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    mine = pool.take(CPP, "mine", SMALL)
    pool.keep(mine)
    assert pool.take(CPP, "yours", SMALL) is not mine
    assert pool.take(PYTHON, "mine", SMALL) is not mine
    assert pool.take(CPP, "mine", LARGE) is mine
    assert pool.take(CPP, "mine", SMALL) is not mine


def test_a_container_serves_so_many_programs(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(3)
    first = pool.take(CPP, "a", SMALL)
    pool.keep(first)
    for program in "abc":
        assert pool.take(CPP, program, SMALL) is first
        pool.keep(first)
    assert pool.take(CPP, "d", SMALL) is not first
    assert pool.take(CPP, "a", SMALL) is first


def test_the_right_limits_come_first(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(9)
    small, large = (pool.take(CPP, "a", SMALL) for _ in range(2))
    large.room = LARGE
    for container in (large, small):
        pool.keep(container)
    assert pool.take(CPP, "a", LARGE) is large
    pool.keep(large)
    assert pool.take(CPP, "b", SMALL) is small
    assert pool.take(CPP, "b", SMALL) not in (small, large)


def test_only_the_last_are_kept(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    taken = [pool.take(CPP, str(n), SMALL) for n in range(KEPT + 3)]
    for container in taken:
        pool.keep(container)
    pool._helpers.shutdown(wait=True)
    assert [container.removed for container in taken] == [True] * 3 + [False] * KEPT


@pytest.mark.parametrize(("programs", "removed"), [(1, True), (2, False)])
def test_a_forgotten_program(make_pool: Callable[[int], Pool], programs: int, removed: bool) -> None:
    pool = make_pool(programs)
    container = pool.take(CPP, "a", SMALL)
    pool.keep(container)
    pool.forget("a")
    pool._helpers.shutdown(wait=True)
    assert container.removed is removed


def test_a_container_that_cannot_be_made_ahead_is_asked_for_again() -> None:
    failures = [SandboxError("no")]

    def make(_: Language, number: int) -> Any:
        if number == 1 and failures:
            raise failures.pop()
        return FakeContainer(number)

    with contextlib.closing(Pool(make)) as pool:
        pool.take(CPP, "a", SMALL)
        pool._next_fresh(CPP)
        pool._fresh["cpp"][0].exception()
        assert pool.take(CPP, "b", SMALL)
    assert not failures


# ------------------------------------------------------------------ with a daemon


def containers() -> list[dict[str, Any]]:
    with contextlib.closing(connect()) as found:
        listed: list[dict[str, Any]] = found.containers(all=True)
        return listed


def of_process(pid: int) -> list[str]:
    """Return the containers that a process has made."""
    makers = [(each["Id"], client.maker(each["Labels"])) for each in containers()]
    return [name for name, maker in makers if maker and maker.pid == str(pid)]


@pytest.fixture(scope="session")
def sandbox(needs_docker: None) -> Iterator[DockerSandbox]:
    with DockerSandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def run(sandbox: DockerSandbox) -> Callable[..., list[Run]]:
    """Runs source on inputs in one session; it has to compile."""

    def runs(language: str, source: str, *stdins: bytes, limits: Limits = LIMITS) -> list[Run]:
        compiled = compile_it(sandbox, language, source)
        with sandbox.session(compiled, limits) as session:
            return list(session.run(stdins or (b"",)))

    return runs


def compile_it(sandbox: sandboxes.Sandbox, language: str, source: str) -> Compiled:
    compiled = sandbox.compile(Program(LANGUAGES[language], source))
    assert compiled.ok, compiled.log
    return compiled


@pytest.mark.docker
def test_runs_in_order(run: Callable[..., list[Run]]) -> None:
    stdins = [f"{n} {'x' * n * 1000}".encode() for n in range(100)]
    runs = run("python", "print(input().split()[0])", *stdins)
    assert [run.stdout for run in runs] == [b"%d\n" % n for n in range(100)]
    assert all(run.clean and run.containment == "pid_namespace" for run in runs)


@pytest.mark.docker
def test_a_compiler_that_refuses(sandbox: DockerSandbox) -> None:
    compiled = sandbox.compile(Program(LANGUAGES["cpp"], "int main() { return missing; }"))
    assert not compiled.ok
    assert "main.cpp:1" in compiled.log
    assert "missing" in compiled.log


@pytest.mark.docker
@pytest.mark.parametrize(
    ("source", "limits", "limit"),
    [
        ("while True: pass", {"wall_ns": 300 * NS_PER_MS}, "wall"),
        ("x = bytearray(10**9)", {"memory_bytes": 64 * MIB}, "memory"),
        ("while True: print('x' * 10**6)", {"output_bytes": MIB}, "output"),
    ],
)
def test_limits(run: Callable[..., list[Run]], source: str, limits: dict[str, int], limit: str) -> None:
    (found,) = run("python", source, limits=LIMITS.changed(**limits))
    assert found.limit == limit
    assert found.wall_ns < 10 * NS_PER_S


@pytest.mark.docker
def test_no_network(run: Callable[..., list[Run]]) -> None:
    source = """
import os, socket
print(os.listdir("/sys/class/net"))
try:
    socket.create_connection(("192.0.2.1", 80), 2)
except OSError as error:
    print(error.errno)
print(repr(open("/etc/resolv.conf").read()))
"""
    assert run("python", source)[0].stdout == b"['lo']\n101\n''\n"


@pytest.mark.docker
def test_what_can_be_written(run: Callable[..., list[Run]]) -> None:
    source = """
import os
for place in ("/", "/work", "/build", "/scratch", "/run", "/etc", "/usr/bin", "/dev", "/tmp", "/dev/shm"):
    try:
        open(os.path.join(place, "mine"), "w")
        print(place)
    except OSError:
        pass
"""
    first, second = run("python", source, b"", b"")
    assert first.stdout == second.stdout == b"/tmp\n/dev/shm\n"


@pytest.mark.docker
def test_who_a_program_is(run: Callable[..., list[Run]]) -> None:
    source = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(os.getuid() > 60000, os.getgroups(), [int(status[name], 16) for name in ("CapPrm", "CapEff")])
print(status["NoNewPrivs"].strip(), status["Seccomp"].strip(), sorted(n for n in os.listdir("/proc") if n.isdigit())[0])
"""
    assert run("python", source)[0].stdout == b"True [] [0, 0]\n1 2 1\n"


@pytest.mark.docker
def test_the_environment_is_the_languages(run: Callable[..., list[Run]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    names = run("python", "import os\nprint(*sorted(os.environ))")[0].stdout.decode().split()
    assert {"HOME", "LANG", "PATH", *LANGUAGES["python"].environment} >= set(names) - {"PYTHON_VERSION", "GPG_KEY"}


@pytest.mark.docker
def test_temporary_files_do_not_reach_the_next_run(run: Callable[..., list[Run]]) -> None:
    source = "import os\nprint(os.path.exists('/tmp/a/b'))\nos.makedirs('/tmp/a/b', mode=0)"
    assert [each.stdout for each in run("python", source, b"", b"", b"")] == [b"False\n"] * 3


@pytest.mark.docker
def test_nothing_of_a_program_is_there_for_the_next(needs_docker: None) -> None:
    """Also where one container serves both, as here."""
    leaving = """
import os, socket, subprocess, sys
sys.stdout.flush()
for place in ("/tmp", "/dev/shm", "/dev/mqueue"):
    open(place + "/left", "w").write("left")
subprocess.Popen(["sleep", "1000"], start_new_session=True)
"""
    finding = """
import os
print([os.listdir(place) for place in ("/tmp", "/dev/shm", "/dev/mqueue", "/build")], sorted(os.listdir("/work")))
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[0:1], os.path.exists("/work/left.py"))
print(sum(open(f"/proc/{name}/comm").read() == "sleep\\n" for name in os.listdir("/proc") if name.isdigit()))
"""
    with DockerSandbox([PYTHON], programs=9) as sandbox:
        for source in (leaving, finding):
            compiled = compile_it(sandbox, "python", source)
            with sandbox.session(compiled, LIMITS) as session:
                (found,) = session.run([b""])
        containers = list(sandbox._pool._alive)
    assert len(containers) == 2  # one that compiled and one that ran
    assert found.stdout == b"[[], [], [], []] ['__pycache__', 'main.py']\n[1] False\n0\n"


@pytest.mark.docker
def test_two_sessions_at_the_same_time(sandbox: DockerSandbox) -> None:
    compiled = compile_it(sandbox, "python", "import os\nprint(input(), os.uname().nodename)")
    with sandbox.session(compiled, LIMITS) as one, sandbox.session(compiled, LIMITS) as other:
        pairs = list(zip(one.run([b"1", b"2"]), other.run([b"3", b"4"]), strict=True))
    assert [(a.stdout, b.stdout) for a, b in pairs] == [(b"1 venus\n", b"3 venus\n"), (b"2 venus\n", b"4 venus\n")]


@pytest.mark.docker
def test_the_peak_is_the_programs_own(run: Callable[..., list[Run]]) -> None:
    """Process 1 was a Go program once; its mark must not hide that of a small one.

    A sample may lie a few pages above the kernel's mark, which lags behind, and is then the peak.
    """
    (found,) = run("cpp", '#include <cstdio>\nint main() { std::puts("ok"); }')
    assert found.peak_source in ("rusage", "samples")
    assert found.peak_bytes < 8 * MIB


@pytest.mark.docker
def test_facts_name_the_images(sandbox: DockerSandbox) -> None:
    facts = sandbox.facts()
    assert str(facts["image_cpp"]).startswith("sha256:")
    assert facts["cgroup_version"] in (1, 2)
    assert sandbox.toolchain(LANGUAGES["python"]).version.startswith("Python 3")


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
def test_a_language_without_an_image() -> None:
    stranger = dataclasses.replace(LANGUAGES["python"], id="stranger", name="Stranger")
    assert lacking_images([stranger]) == ["stranger"]
    with DockerSandbox([stranger]) as sandbox, pytest.raises(ToolchainError) as caught:
        sandbox.compile(Program(stranger, "print(1)"))
    assert caught.value.what == "Stranger has no image"
    assert "venus images build stranger" in caught.value.fix


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
def test_auto_takes_docker_where_it_has_the_images() -> None:
    with open_sandbox("auto", [LANGUAGES["python"]]) as sandbox:
        assert sandbox.name == "docker"


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
def test_a_closed_sandbox_leaves_no_container() -> None:
    with DockerSandbox([LANGUAGES["python"]]) as sandbox:
        before = set(of_process(os.getpid()))
        for number in range(6):
            compiled = compile_it(sandbox, "python", f"print({number})")
            with sandbox.session(compiled, LIMITS) as session:
                assert [run.stdout for run in session.run([b""])] == [b"%d\n" % number]
        mine = set(of_process(os.getpid())) - before
        assert mine
    assert not mine & set(of_process(os.getpid()))
    sandbox.close()


ENDLESS = """
from venus_toolkit.language import load_languages
from venus_toolkit.records import Limits
from venus_toolkit.sandbox import Program, open_sandbox

language = load_languages()["python"]
sandbox = open_sandbox("docker", [language])
for number in range(4):
    compiled = sandbox.compile(Program(language, f"import time\\ntime.sleep(3600 * {number})"))
    with sandbox.session(compiled, Limits(wall_ns=10**13)) as session:
        if number == 3:
            print("running", flush=True)
        list(session.run([b""] if number in (0, 3) else []))
"""


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_process_leaves_no_container(number: int) -> None:
    """Those that run end by themselves; one that was never started needs `venus images clean`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", ENDLESS], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"running\n"
        assert of_process(process.pid)
        process.send_signal(number)
    end = time.monotonic() + 20
    while of_process(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert not of_process(process.pid)


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
def test_clean_removes_what_the_dead_left_and_nothing_else() -> None:
    me = client.this_process()
    dead = me._replace(pid="4194999")
    labels = [
        {"venus": "1", "venus.maker": " ".join(dead)},
        {"venus": "1", "venus.maker": " ".join(me)},
        {"venus": "1"},
        {"venus.maker": " ".join(dead)},
        {},
    ]
    with contextlib.closing(connect()) as found:
        image = "venus-python:debian"
        ours = [found.create_container(image, "true", labels=label, network_disabled=True)["Id"] for label in labels]
        try:
            assert remove_leftovers(found) == ours[:1]
            assert {each["Id"] for each in found.containers(all=True)} >= set(ours[1:])
        finally:
            for name in ours[1:]:
                client.remove(found, name)
        client.remove(found, ours[0])


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
def test_each_language_in_its_image(sandbox: DockerSandbox, name: str) -> None:
    if lacking_images([LANGUAGES[name]]):
        pytest.skip(f"no image of {name}; type: venus images build --from-debian {name}")
    verdicts = self_check(sandbox, LANGUAGES[name])
    assert {want: judgement.verdict for want, judgement in verdicts.items()} == {want: want for want in verdicts}
