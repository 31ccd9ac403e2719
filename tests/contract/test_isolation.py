"""The view of a program: its toolchain, its own folder, a little scratch space, nothing else.

Programs report their findings as JSON, and the tests compare it with this machine. Attacks that
attacks.toml can express are listed there; the tests here need something outside the sandbox, or
check a report.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.contract.conftest import Backend
from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Limits,
    OutputComparison,
    Run,
    TestCase,
    Verdict,
)
from venus_toolkit.core.toolchain import find_toolchain
from venus_toolkit.execution.judging.checker import Checker
from venus_toolkit.execution.judging.judge import judge
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox

pytestmark = pytest.mark.isolation

ROOT = Path(__file__).resolve().parents[2]
LIMITS = Limits(wall_ns=30 * NS_PER_S, cpu_ns=30 * NS_PER_S)
Runs = Callable[..., list[Run]]

TRY = """
import json, os, sys

def tried(action, *words, **named):
    "None where it could be done, else the errno."
    try:
        action(*words, **named)
    except OSError as error:
        return error.errno or type(error).__name__

def tell(found):
    print(json.dumps(found))
"""


def findings(run: Run) -> Any:
    """Return the report of a program."""
    assert run.clean, run
    return json.loads(run.stdout)


@pytest.fixture(autouse=True)
def check_next_program(
    undisturbed: Callable[..., contextlib.AbstractContextManager[None]],
) -> Iterator[None]:
    """Checks that the next program of the sandbox is unaffected by a test."""
    with undisturbed():
        yield


# ------------------------------------------------------------------ files


def test_the_folder_of_the_program_is_read_only(python: Runs) -> None:
    source = """
here = os.getcwd()
tell({
    "write": tried(open, here + "/new", "w"),
    "overwrite": tried(open, here + "/main.py", "a"),
    "remove": tried(os.remove, here + "/main.py"),
    "folder": tried(os.mkdir, here + "/folder"),
    "rename": tried(os.rename, here + "/main.py", here + "/other.py"),
    "chmod": tried(os.chmod, here + "/main.py", 0o777),
    "link": tried(os.symlink, "/", here + "/link"),
})
"""
    first, second = (findings(run) for run in python(TRY + source, b"", b""))
    assert [action for action, errno in first.items() if errno is None] == []
    assert second == first


def test_the_root_is_mounted_read_only(python: Runs) -> None:
    """If a program shares its user with the sandbox, permissions alone would let it write there."""
    source = """
mounts = [line.split() for line in open("/proc/self/mounts")]
tell({place: options.split(",")[0] for _, place, _, options, *_ in mounts if place in ("/", "/work")})
"""
    assert findings(python(TRY + source)[0]) == {"/": "ro", "/work": "ro"}


def test_scratch_space_is_writable(python: Runs) -> None:
    source = "open('/tmp/a', 'w').write('x' * 1000)\ntell(open('/tmp/a').read() == 'x' * 1000)"
    assert findings(python(TRY + source)[0]) is True


def test_scratch_space_is_limited(python: Runs) -> None:
    """A program that fills the disk fails; the next run has all the space again."""
    source = """
written = 0
try:
    for number in range(1000):
        with open(f"/tmp/{number}", "wb", buffering=0) as file:
            for _ in range(8):
                written += file.write(bytes(1 << 20))
except OSError as error:
    tell([written, error.errno])
else:
    tell([written, None])
"""
    runs = python(TRY + source, b"", b"", limits=LIMITS)
    for written, errno in map(findings, runs):
        assert errno
        assert 8 * MIB <= written <= 256 * MIB


def test_written_files_do_not_survive_a_run(python: Runs) -> None:
    """Every writable place is limited in size, and is empty again for the next run."""
    source = """
found, written, roomy = [], [], []
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/usr")]
    found += [os.path.join(folder, name) for name in files + folders if name.startswith("left-behind")]
    path = os.path.join(folder, "left-behind")
    if tried(os.mkdir, path + ".d") is None:
        written.append(path)
        tried(os.symlink, "/", path + ".l")
        tried(os.mkfifo, path + ".p")
        size = 0
        try:
            for number in range(6):
                with open(f"{path}.{number}", "wb", buffering=0) as file:
                    for _ in range(32):
                        size += file.write(bytes(1 << 20))
        except OSError:
            pass
        else:
            roomy.append(path)
        for number in range(6):
            tried(os.truncate, f"{path}.{number}", 1)
tell({"found": found, "written": written, "roomy": roomy})
"""
    first, second = (findings(run) for run in python(TRY + source, b"", b"", limits=LIMITS))
    assert "/tmp/left-behind" in first["written"]
    assert first["roomy"] == []
    assert second["found"] == []


def test_many_files_do_not_survive_a_run(python: Runs) -> None:
    """However many files a run leaves, later runs find none and get their own inputs."""
    source = """
tell([len(os.listdir("/tmp")), sys.stdin.read()])
for number in range(12_000):
    open(f"/tmp/{number}", "w").close()
"""
    runs = python(TRY + source, b"first", b"second", b"third", limits=LIMITS)
    assert [findings(run) for run in runs] == [[0, "first"], [0, "second"], [0, "third"]]


def is_ours(place: str, device: int, inode: int) -> bool:
    """Whether the entry that a program found is that of this machine."""
    try:
        ours = os.stat(place)
    except OSError:
        return False
    return (ours.st_dev, ours.st_ino) == (device, inode)


def test_no_files_of_this_machine(backend: object, python: Runs, tmp_path: Path) -> None:
    """An image may have files with the same names, and the list of users is generated."""
    (tmp_path / "outside").write_text("x")
    (tmp_path / "outside").chmod(0o644)
    places = [
        str(tmp_path / "outside"), str(ROOT / "pyproject.toml"), str(ROOT / ".git"), "/etc/passwd", "/etc/shadow",
        "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/ssh", "/etc/ssl", "/var/log", "/var/run", "/boot",
        "/home", "/mnt", "/media", "/opt", "/srv", "/run/docker.sock", "/var/run/docker.sock",
        "/proc/1/root/etc/passwd", "/proc/self/root/etc/passwd", "/proc/kcore", "/dev/mem",
        "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/kvm",
    ]  # fmt: skip
    assert (tmp_path / "outside").is_file()
    source = f"""
found = [place for place in {places!r} if tried(open, place) in (None, 21)]
tell([[place, os.stat(place).st_dev, os.stat(place).st_ino] for place in found])
"""
    entries = findings(python(TRY + source)[0])
    generated = [entry for entry in entries if backend.image or entry[0].endswith("/etc/passwd")]
    assert [entry for entry in entries if entry not in generated or is_ours(*entry)] == []


def test_a_program_knows_its_user(python: Runs) -> None:
    """Programs can look up their user, but not the names of this machine's users."""
    source = """
import grp, pwd
me = pwd.getpwuid(os.getuid())
users = [user.pw_name for user in pwd.getpwall()]
tell([me.pw_name, me.pw_dir, grp.getgrgid(os.getgid()).gr_name, users, [g.gr_name for g in grp.getgrall()]])
"""
    name, home, group, users, groups = findings(python(TRY + source)[0])
    assert (name, home, group) == ("venus", "/tmp", "venus")
    assert users == groups
    assert set(users) <= {"venus", "compiler"}


def test_no_home_folder(python: Runs, program: Callable[[str, str], Program]) -> None:
    """At most a toolchain inside the home folder is visible."""
    mounts = find_toolchain(program("python", "").language).mounts
    home = str(Path.home())
    source = (
        f"tell([os.path.join(folder, name) for folder, _, names in os.walk({home!r}) for name in "
        "names])"
    )
    outside = [
        path
        for path in findings(python(TRY + source)[0])
        if not path.startswith(tuple(f"{m}/" for m in mounts))
    ]
    assert outside == []


def test_compiler_sees_no_more_than_the_program(
    sandbox: Sandbox, program: Callable[[str, str], Program], tmp_path: Path
) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("#error found-me-outside\n")
    secret.chmod(0o644)
    for path in (str(secret), "/proc/1/environ", "/etc/shadow"):
        include = sandbox.compile(program("cpp", f'#include "{path}"\nint main() {{}}'))
        assemble = sandbox.compile(program("cpp", f'asm(".incbin \\"{path}\\"");\nint main() {{}}'))
        assert not include.ok
        assert not assemble.ok
        assert "found-me-outside" not in include.log
        assert "root:" not in include.log


# ------------------------------------------------------------------ environment


def test_environment_is_hidden(python: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_planted_in_a_test")
    source = """
texts = [repr(dict(os.environ))]
for name in os.listdir("/proc"):
    for file in ("environ", "cmdline"):
        try:
            texts.append(open(f"/proc/{name}/{file}").read())
        except OSError:
            pass
tell([sorted(os.environ), any("hf_planted" in text for text in texts)])
"""
    names, planted = findings(python(TRY + source)[0])
    assert not planted
    assert set(names) & set(os.environ) <= {"PATH", "HOME", "LANG", "LC_ALL", "PWD", "TMPDIR"}


# ------------------------------------------------------------------ network


@contextlib.contextmanager
def listening(family: int, address: Any) -> Iterator[socket.socket]:
    """A server of this machine that says "reached"."""
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind(address)
        server.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client:
                        client.sendall(b"reached")

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


CONNECT = """
import socket
def reach(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(3)
        s.connect(address)
        return s.recv(100)
"""


def reached(family: int, address: Any) -> bytes:
    """Connect from outside, so that the tests below would notice an open network."""
    with socket.socket(family, socket.SOCK_STREAM) as client:
        client.connect(address)
        return client.recv(100)


@pytest.mark.parametrize(("family", "host"), [("AF_INET", "127.0.0.1"), ("AF_INET6", "::1")])
def test_no_network_to_this_machine(python: Runs, family: str, host: str) -> None:
    number = getattr(socket, family)
    try:
        server = listening(number, (host, 0))
        with server as listener:
            address = listener.getsockname()[:2]
            assert reached(number, address) == b"reached"
            (run,) = python(TRY + CONNECT + f"tell(tried(reach, socket.{family}, {address!r}))")
    except OSError as error:
        pytest.skip(f"this machine has no {family}: {error}")
    assert findings(run) is not None


def test_no_abstract_sockets_of_this_machine(python: Runs, mark: str) -> None:
    name = f"\0venus-{mark}"
    with listening(socket.AF_UNIX, name):
        assert reached(socket.AF_UNIX, name) == b"reached"
        (run,) = python(TRY + CONNECT + f"tell(tried(reach, socket.AF_UNIX, {name!r}))")
    assert findings(run) is not None


def test_no_network_beyond_this_machine(python: Runs) -> None:
    source = """
def send(address):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.sendto(b"x", address)
tell({
    "connect": tried(reach, socket.AF_INET, ("1.1.1.1", 443)),
    "connect6": tried(reach, socket.AF_INET6, ("2606:4700:4700::1111", 443)),
    "send": tried(send, ("1.1.1.1", 53)),
    "name": tried(socket.getaddrinfo, "example.com", 80),
    "metadata": tried(reach, socket.AF_INET, ("169.254.169.254", 80)),
})
"""
    (run,) = python(TRY + CONNECT + source)
    assert [action for action, errno in findings(run).items() if errno is None] == []
    assert run.wall_ns < 10 * NS_PER_S


def test_interfaces(python: Runs) -> None:
    source = (
        "tell([line.split(':')[0].strip() for line in "
        "open('/proc/net/dev').read().splitlines()[2:]])"
    )
    assert findings(python(TRY + source)[0]) in ([], ["lo"])


# ------------------------------------------------------------------ processes and privileges


def test_no_processes_of_this_machine(python: Runs) -> None:
    source = (
        "tell([int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != "
        "os.getpid()])"
    )
    assert findings(python(TRY + source)[0]) in ([], [1])


def test_the_user_is_unprivileged(python: Runs) -> None:
    source = """
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
tell({
    "users": os.getresuid() + os.getresgid(),
    "groups": os.getgroups(),
    "capabilities": [int(status[name], 16) for name in ("CapPrm", "CapEff", "CapAmb")],
    "no_new_privileges": status["NoNewPrivs"],
    "done": [what for what, errno in {
        "setuid": tried(os.setuid, 0),
        "setgid": tried(os.setgid, 0),
        "setgroups": tried(os.setgroups, [0]),
        "chroot": tried(os.chroot, "/tmp"),
        "nice": tried(os.setpriority, os.PRIO_PROCESS, 0, -5),
        "device": tried(os.mknod, "/tmp/device", 0o60666, os.makedev(8, 0)),
        "hostname": tried(__import__("socket").sethostname, "mine"),
    }.items() if errno is None],
})
"""
    report = findings(python(TRY + source)[0])
    assert 0 not in report["users"]
    assert 0 not in report["groups"]
    assert report["capabilities"] == [0] * 3
    assert report["no_new_privileges"] == "1"
    assert report["done"] == []


def test_setuid_programs_give_no_privileges(python: Runs) -> None:
    """Whichever of su, newgrp, mount and the like exist, they do not make a program root."""
    source = """
import glob, stat, subprocess
paths = [path for path in glob.glob("/usr/bin/*") if os.lstat(path).st_mode & stat.S_ISUID]
asked = [subprocess.run([path, "-c", "id -u"], stdin=-3, capture_output=True, timeout=5) for path in paths]
tell([done.stdout.decode().strip() for done in asked])
"""
    assert "0" not in findings(python(TRY + source)[0])


NEEDED = {
    "DAC_OVERRIDE": 1,
    "FOWNER": 3,
    "KILL": 5,
    "SETGID": 6,
    "SETUID": 7,
    "CHECKPOINT_RESTORE": 40,
}
"""Capabilities that the supervisor needs to be another user, to tidy up and to number processes, with their bits."""


def test_process_1_has_few_privileges(
    sandbox: Sandbox, compiled: Callable[[str, str], Compiled]
) -> None:
    """A compromised supervisor must not have all privileges of root.

    The test looks from outside, since programs do not see the supervisor.
    """
    waiting = compiled("python", "import time\ntime.sleep(3)")
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(lambda: run_once(sandbox, waiting))
        seen: list[dict[str, str]] = []
        while not seen and not done.done():
            time.sleep(0.2)
            seen = [
                fields
                for fields in map(status, Path("/proc").iterdir())
                if fields.get("Seccomp") == "2"
            ]
            seen = [
                f
                for f in seen
                if f["Name"].startswith("venus-superv") and f["NSpid"].split()[-1] == "1"
            ]
        assert seen, done.result()
    for fields in seen:
        held = int(fields["CapEff"], 16) | int(fields["CapPrm"], 16) | int(fields["CapInh"], 16)
        assert {bit for bit in range(64) if held >> bit & 1} <= set(NEEDED.values())


def status(process: Path) -> dict[str, str]:
    """Return the kernel's status of a process; empty if it is not one, or has ended."""
    try:
        lines = (process / "status").read_text().splitlines()
    except OSError:
        return {}
    return {name: text.strip() for name, _, text in (line.partition(":") for line in lines)}


def run_once(sandbox: Sandbox, compiled: Compiled) -> Run:
    with sandbox.session(compiled, Limits()) as session:
        (run,) = session.run([b""])
    return run


def test_process_numbers_reveal_nothing(python: Runs, backend: Backend) -> None:
    runs = python(TRY + "tell([os.getpid(), os.path.exists('/proc/1/stat')])", *[b""] * 3)
    reports = [findings(run) for run in runs]
    # Containers of a daemon before version 23 cannot set process numbers, and none can hide process
    # 1.
    assert backend.image or reports == [[3, False]] * 3


AGAINST_PROCESS_1 = """
import ctypes, resource, signal
libc = ctypes.CDLL(None, use_errno=True)

def ptrace(request):
    if libc.ptrace(request, PID, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")

for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):
    tried(os.kill, PID, number)
tell([what for what, errno in {
    "attach": tried(ptrace, 16),
    "seize": tried(ptrace, 0x4206),
    "memory": tried(open, "/proc/PID/mem", "rb"),
    "environment": tried(lambda: open("/proc/PID/environ").read()),
    "descriptors": tried(os.listdir, "/proc/PID/fd"),
    "input": tried(open, "/proc/PID/fd/0"),
    "answers": tried(open, "/proc/PID/fd/1", "w"),
    "oom": tried(lambda: open("/proc/PID/oom_score_adj", "w").write("1000")),
    "affinity": tried(os.sched_setaffinity, PID, {0}),
    "where it runs": tried(os.sched_getaffinity, PID),
    "its number": tried(os.pidfd_open, PID),
    "limits": tried(resource.prlimit, PID, resource.RLIMIT_NOFILE),
    "scheduler": tried(os.sched_setscheduler, PID, os.SCHED_IDLE, os.sched_param(0)),
    "priority": tried(os.setpriority, os.PRIO_PROCESS, PID, 19),
}.items() if errno is None])
"""


@pytest.mark.parametrize("number", [1, 2])
def test_process_1_is_out_of_reach(python: Runs, number: int) -> None:
    """A program that stops, slows or reads its supervisor could escape its verdict.

    The second thread of the supervisor is number 2.
    """
    first, second = python(TRY + AGAINST_PROCESS_1.replace("PID", str(number)), b"", b"")
    assert findings(first) == []
    assert findings(second) == []


@pytest.mark.parametrize("resource", ["RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS"])
def test_process_1_cannot_be_limited(python: Runs, resource: str) -> None:
    """A user may limit its other processes, but the supervisor must keep its resources."""
    source = (
        f"import resource, time\ntell(tried(resource.prlimit, 1, resource.{resource}, (0, 0)))\n"
        "time.sleep(0.2)"
    )
    first, second = python(TRY + source, b"", b"", limits=LIMITS.changed(wall_ns=5 * NS_PER_S))
    assert findings(first) is not None
    assert findings(second) is not None


def test_namespaces_cannot_be_made(python: Runs) -> None:
    source = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
tell([flag for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000) if libc.unshare(flag) == 0])
"""
    assert findings(python(TRY + source)[0]) == []


def test_kernel_files_are_read_only(backend: Backend, python: Runs) -> None:
    """These files are triggers, settings and numbers.

    In a container, a program can open files of its processes, but most do not affect others.
    """
    source = """
opened = []
for top in ("/proc", "/sys"):
    for folder, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name not in ("fd", "self", "thread-self")]
        for path in (os.path.join(folder, name) for name in files):
            if os.path.isfile(path) and tried(lambda: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))) is None:
                opened.append(path)
tell({"opened": opened, "terminal": tried(os.open, "/dev/ptmx", os.O_RDWR)})
"""
    report = findings(python(TRY + source)[0])
    assert [
        path for path in report["opened"] if not (backend.image and path.split("/")[2].isdigit())
    ] == []
    assert report["terminal"], (
        "a terminal stores uncounted data, and a machine has a few thousand terminals"
    )


STARTS = {
    "cpp": """
#include <cstdio>
#include <cstdlib>
#include <thread>
int main() { int n = 0; std::thread([&] { n = 1; }).join(); int status = system("exit 3");
    FILE *said = popen("echo 5", "r"); int five = 0; if (fscanf(said, "%d", &five) != 1) return 1; pclose(said);
    printf("%d %d %d\\n", n, status >> 8, five); }
""",
    "python": """
import subprocess, threading
n = []
thread = threading.Thread(target=lambda: n.append(1)); thread.start(); thread.join()
said = subprocess.run("echo 5", shell=True, capture_output=True, text=True).stdout.strip()
print(len(n), subprocess.run(["sh", "-c", "exit 3"]).returncode, said)
""",
    "go": """
package main
import ("fmt"; "os/exec")
func main() { c := make(chan int); go func() { c <- 1 }(); n := <-c
    e := exec.Command("sh", "-c", "exit 3").Run().(*exec.ExitError)
    said, _ := exec.Command("sh", "-c", "echo 5").Output(); fmt.Print(n, " ", e.ExitCode(), " ", string(said)) }
""",
    "java": """
import java.util.*;
public class Main { public static void main(String[] a) throws Exception { int[] n = {0};
    Thread t = new Thread(() -> n[0] = 1); t.start(); t.join();
    int status = new ProcessBuilder("sh", "-c", "exit 3").start().waitFor();
    Process p = new ProcessBuilder("sh", "-c", "echo 5").start();
    System.out.println(n[0] + " " + status + " " + new Scanner(p.getInputStream()).next()); } }
""",
    "javascript": """
const {spawnSync, execSync} = require("child_process"), {Worker} = require("worker_threads");
const status = spawnSync("sh", ["-c", "exit 3"]).status, said = execSync("echo 5").toString().trim();
new Worker("require('worker_threads').parentPort.postMessage(1)", {eval: true})
    .on("message", n => console.log(n, status, said));
""",
    "ruby": """
n = 0
Thread.new { n = 1 }.join
system("exit 3")
puts "#{n} #{$?.exitstatus} #{`echo 5`.strip}"
""",
    "rust": """
use std::process::Command;
fn main() { let n = std::thread::spawn(|| 1).join().unwrap();
    let status = Command::new("sh").args(["-c", "exit 3"]).status().unwrap().code().unwrap();
    let said = Command::new("sh").args(["-c", "echo 5"]).output().unwrap().stdout;
    println!("{} {} {}", n, status, String::from_utf8(said).unwrap().trim()); }
""",
}


@pytest.mark.here
@pytest.mark.parametrize("language", STARTS)
def test_every_language_starts_threads_and_processes(
    sandbox: Sandbox, run: Runs, language: str
) -> None:
    """Languages use clone3, vfork, posix_spawn or helpers, and none needs a refused system call."""
    try:
        compiled = sandbox.compile(Program(load_languages()[language], STARTS[language]))
    except ToolchainError as error:
        pytest.skip(str(error))
    assert compiled.ok, compiled.log
    (done,) = run(compiled, b"", limits=LIMITS.changed(memory_bytes=1024 * MIB))
    assert (done.stdout, done.disagreement) == (b"1 3 5\n", None), done


LENT = """
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
int main() {
    memset(mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 7, 32 << 20);
    if (!vfork()) { usleep(300000); _exit(0); }
}
"""


@pytest.mark.serial
@pytest.mark.here
def test_vfork_memory_counts_once(compiled: Callable[[str, str], Compiled], run: Runs) -> None:
    (done,) = run(compiled("cpp", LENT), b"")
    if done.accounting != "cgroup":
        pytest.skip("no control group can be created here, and without one the memory counts twice")
    assert (done.exit_code, done.processes, done.disagreement) == (0, 2, None)
    assert done.peak_bytes <= 40 * MIB
    assert 28 * MIB <= done.integral_byte_ns / done.wall_ns <= 40 * MIB


# ------------------------------------------------------------------ other tests of the same session

SEEKER = (
    TRY
    + """
import stat
words = sys.stdin.read().split()
if words[0] != "seek":
    print("answer")
    raise SystemExit
wanted = words[1][::-1].encode()  # reversed: the program must not contain it
open("/tmp/control", "wb").write(b"x" * 5000 + wanted)
shown = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/sys", *json.loads(words[2]))
found, read = [], 0

def look(path):
    global read
    try:
        with open(path, "rb", buffering=0) as file:
            os.set_blocking(file.fileno(), False)
            data = file.read(4 << 20) or b""
    except (OSError, ValueError):
        return
    read += 1
    if wanted in data:
        found.append(path)

def look_into_memory(pid):
    try:
        maps = open(f"/proc/{pid}/maps").read().splitlines()
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
            for line in maps:
                start, end = (int(number, 16) for number in line.split()[0].split("-"))
                memory.seek(start)
                if wanted in (memory.read(min(end - start, 64 << 20)) or b""):
                    found.append(f"/proc/{pid}/mem")
    except (OSError, ValueError, OverflowError):
        pass

hidden = {f"/proc/{os.getpid()}", "/proc/self", "/proc/thread-self", *shown}
for folder, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in hidden]
    found += [os.path.join(folder, name) for name in folders + files if wanted.decode() in name]
    for name in files:
        path = os.path.join(folder, name)
        try:
            mode = os.stat(path).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and "/fd/" in path):
            look(path)
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) != os.getpid():
        look_into_memory(pid)
for number in range(3, 256):
    try:
        if wanted in os.read(number, 1 << 20):
            found.append(f"descriptor {number}")
    except OSError:
        pass
tell({"found": found, "read": read})
"""
)


def test_outputs_and_other_inputs_are_out_of_reach(
    sandbox: Sandbox, compiled: Callable[[str, str], Compiled], mark: str
) -> None:
    """Lesson 14: a program can read neither the expected output of its test nor other tests."""
    secret = f"secret-{mark}-of-a-test"
    seeker = compiled("python", SEEKER)
    mounts = json.dumps(find_toolchain(language_of(seeker)).mounts).replace(" ", "")
    seek = f"seek {secret[::-1]} {mounts}"
    tests = [
        TestCase("before", f"keep {secret}", "answer\n"),
        TestCase("seeking", seek, f"expected {secret}\n"),
        TestCase("behind", f"keep {secret}", "answer\n"),
    ]
    outputs: list[Run] = []
    checker = Checker(OutputComparison(), sandbox)
    judgement = judge(
        sandbox,
        seeker,
        tests,
        checker,
        LIMITS,
        every_test=True,
        on_run=lambda _, run: outputs.append(run),
    )
    assert (judgement.verdict, judgement.failing_test) == (Verdict.WRONG_ANSWER, "seeking")
    report = findings(outputs[1])
    assert report["found"] == ["/tmp/control"]
    assert report["read"] > 20


def language_of(compiled: Compiled) -> Language:
    """Return the language of a compiled program."""
    return compiled.program.language
