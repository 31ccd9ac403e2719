"""Runs the action named by the first word of its input, or by its first argument.

../attacks.toml lists the expected results.

An attack that must not succeed returns what it achieved, or nothing. Then "ok" is printed.
"""

import ctypes
import glob
import os
import platform
import resource
import stat
import sys
import time
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)


def done(actions):
    """Return the names of the actions that raise no OSError and return nothing negative."""
    achieved = []
    for name, action in actions.items():
        try:
            answer = action()
        except (OSError, ValueError, OverflowError):
            continue
        if not isinstance(answer, int) or answer >= 0:
            achieved.append(name)
    return achieved


def quick():
    """Achieve nothing."""


# ------------------------------------------------------------ the supervisor and its channel


def forge_records():
    """Print what a supervisor or a judge might print."""
    record = '{"exit_code":0,"signal":0,"limit":null,"wall_ns":1,"cpu_ns":1,"peak_bytes":1,"stdout_bytes":3}\nok\n'
    print(record, end="")
    print(record, end="", file=sys.stderr)
    return ["forged"]


def write_channel():
    """Write to all descriptors of this and other processes except the three standard streams."""
    answers = [
        path
        for path in glob.glob("/proc/[0-9]*/fd/*")
        if not path.startswith(f"/proc/{os.getpid()}/")
    ]
    actions = {
        f"descriptor {number}": lambda number=number: os.write(number, b"{}\n")
        for number in range(3, 1024)
    }
    actions |= {path: lambda path=path: os.open(path, os.O_WRONLY) for path in answers}
    actions |= {
        f"process 1, {number}": lambda number=number: os.open(f"/proc/1/fd/{number}", os.O_RDWR)
        for number in range(9)
    }
    return done(actions)


def trace_others():
    """Stop, trace or read every other process that can be seen."""
    others = [
        int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()
    ]
    return [action for pid in others for action in trace(pid)]


def trace(pid):
    """Try to act as a debugger of a process, and worse.

    Signals to process 1 never arrive.
    """
    for number in (15, 19, 9):
        done({"signal": lambda number=number: os.kill(pid, number)})
    return done(
        {
            f"attach {pid}": lambda: libc.ptrace(16, pid, None, None),
            f"seize {pid}": lambda: libc.ptrace(0x4206, pid, None, None),
            f"read {pid}": lambda: os.open(f"/proc/{pid}/mem", os.O_RDONLY),
            f"steal from {pid}": lambda: libc.syscall(438, os.pidfd_open(pid), 0, 0),
        }
    )


def trace_itself():
    """Be traced by a child, the beginning of many escapes."""
    return done({"trace me": lambda: libc.ptrace(0, 0, None, None)})


def raise_limits():
    """Raise the limits of this process."""
    names = ("CORE", "CPU", "FSIZE", "NOFILE", "NPROC", "STACK", "MEMLOCK", "MSGQUEUE")
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    actions = {
        name: lambda name=name: resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), endless)
        for name in names
    }
    return done(actions | {"priority": lambda: os.nice(-5), "realtime": become_realtime})


def become_realtime():
    """Take the CPU away from all other processes."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


# ------------------------------------------------------------ the machine


class Timespec(ctypes.Structure):
    """The kernel's struct timespec."""

    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def change_clock():
    """Set the clock of the machine to its current second; even that must not succeed."""
    moment = Timespec(int(time.time()), 0)
    parameters = (ctypes.c_long * 64)(0x8001)  # ADJ_OFFSET_SINGLESHOT, by zero
    return done(
        {
            "clock_settime": lambda: libc.clock_settime(0, ctypes.byref(moment)),
            "settimeofday": lambda: libc.settimeofday(ctypes.byref(moment), None),
            "adjtimex": lambda: libc.adjtimex(ctypes.byref(parameters)),
            "device": lambda: os.open("/dev/rtc0", os.O_RDWR),
        }
    )


def leave_ipc():
    """Leave an object in the kernel that outlives the process."""
    x86 = platform.machine() == "x86_64"
    add_key, keyctl, mq_open = (248, 250, 240) if x86 else (217, 219, 180)
    return done(
        {
            "shared memory": lambda: libc.shmget(4711, 4096, 0o1666),
            "semaphores": lambda: libc.semget(4711, 1, 0o1666),
            "messages": lambda: libc.msgget(4711, 0o1666),
            "message queue": lambda: libc.syscall(
                mq_open, b"left", os.O_CREAT | os.O_RDWR, 0o666, None
            ),
            "key": lambda: libc.syscall(add_key, b"user", b"left", b"left", 4, -3),
            "user's key": lambda: libc.syscall(add_key, b"user", b"left", b"left", 4, -4),
            "keyring": lambda: libc.syscall(keyctl, 1, b"left"),
        }
    )


def change_kernel():
    """Write to the settings of the kernel."""
    places = (
        "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/overcommit_memory",
        "/proc/sysrq-trigger", "/proc/1/oom_score_adj", "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cgroup.procs",
    )  # fmt: skip
    actions = {place: lambda place=place: os.open(place, os.O_WRONLY) for place in places}
    return done(
        actions
        | {
            "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
            "root": lambda: os.chroot("/tmp"),
        }
    )


def read_environment():
    """Look for a token in the environment of all visible processes."""
    places = [
        Path(name) for name in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline")
    ]
    return [str(place) for place in places if b"found-me" in contents(place)]


def contents(place):
    """Return the content of a file, or nothing."""
    try:
        return place.read_bytes()
    except OSError:
        return b""


def reach_out():
    """Connect to this machine, the network, name servers and local sockets."""
    import socket

    def connect(family, address):
        with socket.socket(family, socket.SOCK_STREAM) as s:
            s.settimeout(1)
            s.connect(address)

    def send(family, address):
        with socket.socket(family, socket.SOCK_DGRAM) as s:
            s.sendto(b"x", address)

    lines = Path("/proc/net/unix").read_text().splitlines()
    sockets = [line.split()[-1] for line in lines if "/" in line or "@" in line]
    return done(
        {
            "this machine": lambda: connect(socket.AF_INET, ("127.0.0.1", 22)),
            "the network": lambda: connect(socket.AF_INET, ("192.0.2.1", 80)),
            "IPv6": lambda: connect(socket.AF_INET6, ("2001:db8::1", 80)),
            "metadata": lambda: connect(socket.AF_INET, ("169.254.169.254", 80)),
            "a packet": lambda: send(socket.AF_INET, ("192.0.2.1", 53)),
            "a name": lambda: socket.getaddrinfo("example.com", 80),
            "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(),
            "netlink": lambda: socket.socket(16, socket.SOCK_RAW, 0).close(),
            "the host of a virtual machine": lambda: socket.socket(
                40, socket.SOCK_STREAM, 0
            ).close(),
            **{
                name: lambda name=name: connect(socket.AF_UNIX, name.replace("@", "\0"))
                for name in sockets
            },
        }
    )


def change_program():
    """Change the program or its surroundings for the next run."""
    here = os.getcwd()
    places = [
        *glob.glob(f"{here}/*"),
        sys.executable,
        "/run/venus-supervisor",
        "/proc/self/exe",
        os.__file__,
    ]
    actions = {
        f"write {place}": lambda place=place: os.open(place, os.O_WRONLY) for place in places
    }
    actions |= {
        f"mode {place}": lambda place=place: os.chmod(place, 0o777)
        for place in places
        if "/proc" not in place
    }
    actions |= {
        f"new in {folder}": lambda folder=folder: os.mkdir(f"{folder}/new")
        for folder in (here, "/", "/usr/bin", "/run")
    }
    return done(actions)


# ------------------------------------------------------------ a compromised compiler


def leave_links():
    """Put unexpected things in place of the program."""
    os.remove("main.py")
    for number, target in enumerate(
        ("/etc/shadow", "/", "..", "loop", "/proc/self/root", "/dev/zero")
    ):
        os.symlink(target, f"link-{number}")
    os.symlink("/etc/shadow", "main.py")
    os.symlink("loop", "loop")
    os.mkfifo("pipe", 0)
    os.mkdir("closed", 0)
    os.mknod(b"\xff\n")
    os.mknod("setuid")
    os.chmod("setuid", stat.S_ISUID | stat.S_ISGID | 0o777)


def leave_depth():
    """Leave folders deeper than path names and recursion allow."""
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")


def leave_bulk():
    """Leave more data than a program may write; sparse files take no space on the disk."""
    for number in range(4):
        with open(f"bulk-{number}", "wb") as file:
            file.truncate(500 << 20)


def leave_process():
    """Leave a process that outlives the compiler."""
    if os.fork():
        return
    os.setsid()
    time.sleep(1000)


if __name__ == "__main__":
    words = sys.argv[1:] or sys.stdin.readline().split()
    ctypes.CDLL(None).prctl(15, words[-1][:15].encode())  # PR_SET_NAME
    achieved = globals()[words[0].replace("-", "_")]()
    print("done: " + ", ".join(achieved) if achieved else "ok")
