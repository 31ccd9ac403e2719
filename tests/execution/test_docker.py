"""The Docker sandbox with a real daemon (marked docker; `nox -s docker-test`).

Tests without a daemon are in test_docker_rules.py and test_docker_pool.py; those for every sandbox
are in tests/contract/.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Limits, Run
from venus_toolkit.execution.judging.judge import self_check
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox
from venus_toolkit.execution.sandbox.docker import daemon, docker_client
from venus_toolkit.execution.sandbox.docker.docker_client import connect, remove_leftovers
from venus_toolkit.execution.sandbox.docker.docker_sandbox import DockerSandbox
from venus_toolkit.execution.sandbox.docker.language_images import missing_images
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = load_languages()
LIMITS = Limits(wall_ns=20 * NS_PER_S, cpu_ns=20 * NS_PER_S)


def why_not() -> str | None:
    """Return why there is no usable Docker daemon with the images of Python and C++, or None."""
    failure = daemon.problem()
    if failure:
        return f"no Docker daemon: {failure[0]}; {failure[1]}"
    lacking = missing_images([LANGUAGES["python"], LANGUAGES["cpp"]])
    return (
        f"no image of {', '.join(lacking)}; type: venus images build --from-debian"
        if lacking
        else None
    )


@pytest.fixture(scope="session")
def needs_docker() -> None:
    reason = why_not()
    if reason:
        pytest.skip(reason)


def containers() -> list[dict[str, Any]]:
    with contextlib.closing(connect()) as client:
        listed: list[dict[str, Any]] = client.containers(all=True)
        return listed


def of_process(pid: int) -> list[str]:
    """Return the containers of a process."""
    makers = [
        (container["Id"], docker_client.maker(container["Labels"])) for container in containers()
    ]
    return [name for name, maker in makers if maker and maker.pid == str(pid)]


@pytest.fixture(scope="session")
def sandbox(needs_docker: None) -> Iterator[DockerSandbox]:
    with DockerSandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def run(sandbox: DockerSandbox) -> Callable[..., list[Run]]:
    """Returns a function that compiles source and runs it on inputs in one session."""

    def runs(language: str, source: str, *stdins: bytes, limits: Limits = LIMITS) -> list[Run]:
        compiled = compile_it(sandbox, language, source)
        with sandbox.session(compiled, limits) as session:
            return list(session.run(stdins or (b"",)))

    return runs


def compile_it(sandbox: Sandbox, language: str, source: str) -> Compiled:
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
def test_limits(
    run: Callable[..., list[Run]], source: str, limits: dict[str, int], limit: str
) -> None:
    (result,) = run("python", source, limits=LIMITS.changed(**limits))
    assert result.limit == limit
    assert result.wall_ns < 10 * NS_PER_S


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
    assert run("python", source)[0].stdout == b"['lo']\n97\n''\n"  # EAFNOSUPPORT


@pytest.mark.docker
def test_writable_folders(run: Callable[..., list[Run]]) -> None:
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
def test_user_of_a_program(run: Callable[..., list[Run]]) -> None:
    source = """
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(os.getuid() > 60000, os.getgroups(), [int(status[name], 16) for name in ("CapPrm", "CapEff")])
print(status["NoNewPrivs"].strip(), status["Seccomp"].strip(), sorted(n for n in os.listdir("/proc") if n.isdigit())[0])
"""
    assert run("python", source)[0].stdout == b"True [] [0, 0]\n1 2 1\n"


@pytest.mark.docker
def test_environment_comes_from_the_language(
    run: Callable[..., list[Run]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    names = run("python", "import os\nprint(*sorted(os.environ))")[0].stdout.decode().split()
    assert {"HOME", "LANG", "PATH", *LANGUAGES["python"].environment} >= set(names) - {
        "PYTHON_VERSION",
        "GPG_KEY",
    }


@pytest.mark.docker
def test_temporary_files_do_not_reach_the_next_run(run: Callable[..., list[Run]]) -> None:
    source = "import os\nprint(os.path.exists('/tmp/a/b'))\nos.makedirs('/tmp/a/b', mode=0)"
    assert [result.stdout for result in run("python", source, b"", b"", b"")] == [b"False\n"] * 3


@pytest.mark.docker
def test_programs_leave_nothing_for_the_next(needs_docker: None) -> None:
    """Both programs run in the same container."""
    leaving = """
import subprocess
for place in ("/tmp", "/dev/shm"):
    open(place + "/left", "w").write("left")
try:
    open("/dev/mqueue/left", "w")
except OSError as error:
    print(error.errno)
subprocess.Popen(["sleep", "1000"], start_new_session=True)
print("left")
"""
    finding = """
import os
print([os.listdir(place) for place in ("/tmp", "/dev/shm", "/dev/mqueue", "/build")], sorted(os.listdir("/work")))
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[0:1], os.path.exists("/work/left.py"))
print(sum(open(f"/proc/{name}/comm").read() == "sleep\\n" for name in os.listdir("/proc") if name.isdigit()))
"""
    outputs = []
    with DockerSandbox([LANGUAGES["python"]], programs=9) as sandbox:
        for source in (leaving, finding):
            compiled = compile_it(sandbox, "python", source)
            with sandbox.session(compiled, LIMITS) as session:
                outputs += [run.stdout for run in session.run([b""])]
        containers = list(sandbox._pool._alive)
    assert len(containers) == 2  # one compiled and one ran
    assert outputs[0] == b"24\nleft\n"  # message queues cannot be created
    assert outputs[1] == b"[[], [], [], []] ['__pycache__', 'main.py']\n[1] False\n0\n"


@pytest.mark.docker
def test_compilers_leave_nothing_for_the_next(needs_docker: None) -> None:
    """A compromised compiler must not reach the next program through its temporary files."""
    compiler = """
import os
places = os.environ["TMPDIR"], "/tmp", "/dev/shm"
print([os.listdir(place) for place in places])
for place in places:
    open(place + "/left", "w").write("left")
"""
    language = dataclasses.replace(LANGUAGES["python"], compile_argv=("python3", "main.py"))
    with DockerSandbox([language], programs=9) as sandbox:
        logs = [
            sandbox.compile(Program(language, compiler + f"# {number}")).log for number in range(2)
        ]
        containers = list(sandbox._pool._alive)
    assert len(containers) == 1
    assert logs == ["[[], [], []]\n"] * 2


@pytest.mark.docker
def test_container_uses_its_own_prepared_files(
    needs_docker: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUS_CACHE", str(tmp_path))
    go = LANGUAGES["go"]
    assert go.prepared
    assert go.prepared.without == 0
    with DockerSandbox([go]) as sandbox:
        for number in range(2):
            source = f'package main\nimport "fmt"\nfunc main() {{ fmt.Println({number}) }}\n'
            compiled = sandbox.compile(Program(go, source))
            assert compiled.ok, compiled.log
        assert len(sandbox._pool._alive) == 1


@pytest.mark.docker
def test_a_program_stays_on_its_processors(sandbox: DockerSandbox) -> None:
    first, *others = sorted(os.sched_getaffinity(0))
    if not others:
        pytest.skip("this machine has one processor")
    source = f"""
import os
for wanted in ({{{others[0]}}}, {{{first}, {others[0]}}}):
    try:
        os.sched_setaffinity(0, wanted)
    except OSError as error:
        print(error.errno)
print(os.sched_getaffinity(0))
"""
    compiled = compile_it(sandbox, "python", source)
    with sandbox.session(compiled, LIMITS, Cores(first, first)) as session:
        (result,) = session.run([b""])
    assert result.stdout == b"1\n1\n{%d}\n" % first


@pytest.mark.docker
def test_kernel_files_are_protected(needs_docker: None) -> None:
    """Programs cannot test these settings, since others take effect first; ask the daemon."""
    with DockerSandbox([LANGUAGES["python"]]) as sandbox:
        compiled = compile_it(sandbox, "python", "print(1)")
        with sandbox.session(
            compiled, LIMITS.changed(memory_bytes=64 * MIB, output_bytes=MIB)
        ) as session:
            assert [run.stdout for run in session.run([b""])] == [b"1\n"]
            inspected = [
                sandbox._client.inspect_container(container._id)
                for container in sandbox._pool._alive
            ]
    for details in inspected:
        host = details["HostConfig"]
        assert host["Privileged"] is False
        assert host["CapDrop"] == ["ALL"]
        capabilities = sorted(name.removeprefix("CAP_") for name in host["CapAdd"])
        assert capabilities == ["DAC_OVERRIDE", "FOWNER", "KILL", "SETGID", "SETUID"]
        assert host["SecurityOpt"] == ["no-new-privileges"]
        assert (host["NetworkMode"], host["IpcMode"], host["PidMode"]) == ("none", "private", "")
        assert details["Config"]["NetworkDisabled"] is True
        assert host["ReadonlyRootfs"] is True
        assert host["PidsLimit"] == 1024
        assert host["MemorySwap"] == host["Memory"]
        # otherwise a program's output could fill this machine's disk
        assert host["LogConfig"]["Type"] == "none"
        writable = [mount["Target"] for mount in host["Mounts"] if not mount.get("ReadOnly")]
        assert writable == ["/run/venus-last-pid", "/build"]
        assert "/etc/resolv.conf" in [mount["Target"] for mount in host["Mounts"]]
    assert 66 * MIB <= min(details["HostConfig"]["Memory"] for details in inspected) < 256 * MIB


@pytest.mark.docker
def test_two_sessions_at_the_same_time(sandbox: DockerSandbox) -> None:
    compiled = compile_it(sandbox, "python", "import os\nprint(input(), os.uname().nodename)")
    with sandbox.session(compiled, LIMITS) as first, sandbox.session(compiled, LIMITS) as second:
        pairs = list(zip(first.run([b"1", b"2"]), second.run([b"3", b"4"]), strict=True))
    assert [(a.stdout, b.stdout) for a, b in pairs] == [
        (b"1 venus\n", b"3 venus\n"),
        (b"2 venus\n", b"4 venus\n"),
    ]


@pytest.mark.docker
def test_peak_is_that_of_the_program(run: Callable[..., list[Run]]) -> None:
    """The peak of process 1, which starts as a Go program, must not hide that of a program.

    The kernel's value lags, so a sample may exceed it by a few pages; the sample is then the peak.
    """
    (result,) = run("cpp", '#include <cstdio>\nint main() { std::puts("ok"); }')
    assert result.peak_source in ("rusage", "samples")
    assert result.peak_bytes < 8 * MIB


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
    assert missing_images([stranger]) == ["stranger"]
    with DockerSandbox([stranger]) as sandbox, pytest.raises(ToolchainError) as caught:
        sandbox.compile(Program(stranger, "print(1)"))
    assert caught.value.what == "Stranger has no image"
    assert "venus images build stranger" in caught.value.fix


@pytest.mark.docker
@pytest.mark.usefixtures("needs_docker")
def test_auto_uses_docker_if_it_has_the_images() -> None:
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
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

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
    """Running containers end by themselves; one that never started needs `venus images clean`."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS], env=environment, stdout=subprocess.PIPE
    ) as process:
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
def test_clean_removes_only_containers_of_dead_processes() -> None:
    me = docker_client.this_process()
    dead = me._replace(pid="4194999")
    labels = [
        {"venus": "1", "venus.maker": " ".join(dead)},
        {"venus": "1", "venus.maker": " ".join(me)},
        {"venus": "1"},
        {"venus.maker": " ".join(dead)},
        {},
    ]
    with contextlib.closing(connect()) as client:
        image = "venus-python:debian"
        ours = [
            client.create_container(image, "true", labels=label, network_disabled=True)["Id"]
            for label in labels
        ]
        try:
            assert remove_leftovers(client) == ours[:1]
            assert {container["Id"] for container in client.containers(all=True)} >= set(ours[1:])
        finally:
            for name in ours[1:]:
                docker_client.remove(client, name)
        docker_client.remove(client, ours[0])


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("name", LANGUAGES)
def test_each_language_in_its_image(sandbox: DockerSandbox, name: str) -> None:
    if missing_images([LANGUAGES[name]]):
        pytest.skip(f"no image of {name}; type: venus images build --from-debian {name}")
    verdicts = self_check(sandbox, LANGUAGES[name])
    assert {want: judgement.verdict for want, judgement in verdicts.items()} == {
        want: want for want in verdicts
    }
