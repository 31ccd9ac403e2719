"""One container: this module creates it, attaches to it, sends it commands and removes it.

Its process 1 is the supervisor, as root with a few capabilities; each program gets an unprivileged
user. These paths are mounted:

    /run/venus-supervisor   the supervisor, read-only
    /build                  the compiler's folder; empty and not writable while programs run
    /work                   the compiled program, read-only
    /scratch                the compiler's temporary files, closed to programs
    /tmp, /dev/shm          temporary files of programs, emptied after each run
    /etc/passwd, group      its two users
    /prepared               prepared files for the compiler, read-only
    /run/venus-emulator     the emulator with its libraries, read-only, in containers that count

The daemon keeps standard input open for one client only. When this process ends for any reason, the
supervisor reads the end of its requests and exits, and the daemon removes the container.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from docker.errors import APIError
from docker.types import LogConfig, Mount, Ulimit

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.execution.sandbox import bubblewrap, cgroups, supervisor
from venus_toolkit.execution.sandbox.bubblewrap import CAPABILITIES, SUPERVISOR, WORK
from venus_toolkit.execution.sandbox.bubblewrap import SCRATCH as SHARED
from venus_toolkit.execution.sandbox.docker.docker_client import (
    REFUSALS,
    Client,
    labels,
    refusals,
    remove,
)
from venus_toolkit.execution.sandbox.emulator import KIT
from venus_toolkit.execution.sandbox.folders import (
    COMPILE_SCRATCH_BYTES,
    SCRATCH_BYTES,
    USER_FILES,
    write_users,
)

BUILD = "/build"
SCRATCH = "/scratch"
WIPED = (*SHARED, "/dev/mqueue")  # Docker mounts message queues in every container
PROCESSES = 1024  # of a container; RLIMIT_NPROC enforces the limit of each program
START_PATIENCE_S = 60
# /bin/false never runs: `Container.supervise` replaces the command before the first run.
NEWCOMER = [SUPERVISOR, "--seccomp", "--ready", *cgroups.paths(), "--", "/bin/false"]
PREPARED = "/prepared"
LAST_PID = "/run/venus-last-pid"  # /proc/sys is read-only in a container
# Docker's own list, and /proc/pressure, whose triggers any user could set.
READ_ONLY = (
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/pressure",
)


class ContainerPlan(NamedTuple):
    """The options of a new container.

    Attributes:
        image: The name of its image.
        slot: A folder of this machine for this container alone.
        compiler_uid: The user id of compilers.
        program_uid: The user id of programs.
        memory_bytes: Its memory limit in bytes, without swap.
        processors: The processors that it may use, separated by commas.
        kit: A folder with the emulator, for counting.
        prepared: A folder of prepared files for compilers.
    """

    image: str
    slot: Path
    compiler_uid: int
    program_uid: int
    memory_bytes: int
    processors: str
    kit: Path | None = None
    prepared: Path | None = None


class ContainerLimits(NamedTuple):
    """The limits of a container: memory without swap, and processors (empty: all)."""

    memory_bytes: int
    processors: str = ""


class Container:
    """A running container whose supervisor waits for a command.

    Methods raise a SandboxError if the container cannot be created or changed, or does not answer.
    """

    def __init__(self, client: Client, plan: ContainerPlan) -> None:
        self.plan = plan
        self.removed = False
        self.programs: set[str] = set()
        self.room = ContainerLimits(plan.memory_bytes)
        self._client = client
        self._id = ""
        self._attached: Any = None
        try:
            with refusals("a container cannot be made"):
                self._make(plan)
            self._expect_ready()
        except BaseException:
            self.remove()
            raise

    def _make(self, plan: ContainerPlan) -> None:
        plan.slot.mkdir()
        for name in ("build", "work"):
            (plan.slot / name).mkdir(mode=0o755)
        write_users(plan.slot / "users", {"venus": plan.program_uid, "compiler": plan.compiler_uid})
        if os.geteuid() == 0:
            os.chown(plan.slot / "build", plan.compiler_uid, plan.compiler_uid)
        try:
            self._id = self._create(plan, CAPABILITIES)
        except APIError as error:
            # Daemons before version 23 do not know CAP_CHECKPOINT_RESTORE, which allows
            # setting the PID of the next process.
            if "unknown capability" not in str(error.explanation):
                raise
            self._id = self._create(plan, CAPABILITIES[:-1])
        # Attach before the start: earlier output would be lost, and the first line is "ready".
        streams = dict.fromkeys(("stdin", "stdout", "stderr", "stream"), 1)
        self._attached = self._client.attach_socket(self._id, params=streams)
        # The object that docker returns is read-only, so requests are written to its socket.
        connection: socket.socket = self._attached._sock
        connection.settimeout(START_PATIENCE_S)
        self._output = Demultiplexed(connection)
        self.stdout: IO[bytes] = io.BufferedReader(self._output, 1 << 16)
        self.stdin: IO[bytes] = io.BufferedWriter(Requests(connection), 1 << 16)
        self._client.start(self._id)

    def _create(self, plan: ContainerPlan, capabilities: Sequence[str]) -> str:
        host = self._client.create_host_config(**_host(plan, capabilities))
        created = self._client.create_container(
            plan.image,
            entrypoint=NEWCOMER[:1],
            command=NEWCOMER[1:],
            host_config={**host, "ReadonlyPaths": READ_ONLY},
            user="0:0",
            working_dir="/",
            hostname="venus",
            labels=labels(),
            stdin_open=True,
            network_disabled=True,
        )
        return str(created["Id"])

    def _expect_ready(self) -> None:
        try:
            line = self.stdout.readline()
        except OSError as error:
            line = str(error).encode()
        if line != b"ready\n":
            reason = f"{self.error_message()} {line.decode('utf-8', 'replace')}".strip()
            raise SandboxError(
                "the supervisor does not start in its container", reason, "type: venus images check"
            )

    def resize(self, room: ContainerLimits) -> None:
        """Change the limits of the container."""
        if room == self.room:
            return
        with refusals("a container's limits cannot be set"):
            self._client.update_container(
                self._id,
                mem_limit=room.memory_bytes,
                memswap_limit=room.memory_bytes,
                cpuset_cpus=room.processors or self.plan.processors,
            )
        self.room = room

    def supervise(
        self, words: Sequence[str], environment: Mapping[str, str], room: ContainerLimits
    ) -> None:
        """Give the waiting supervisor a command line and an environment."""
        self.resize(room)
        variables = [f"{name}={value}" for name, value in environment.items()]
        text = b"".join(os.fsencode(word) + b"\0" for word in (*variables, "", *words))
        self._output.connection.settimeout(START_PATIENCE_S)
        try:
            self.stdin.write(b"become %d\n%s" % (len(text), text))
            self.stdin.flush()
        except OSError as error:
            raise SandboxError(
                "the container has ended", str(error), "type: venus doctor"
            ) from error
        self._expect_ready()
        # no timeout from now on: a program may run long without any output
        self._output.connection.settimeout(None)

    @property
    def build(self) -> Path:
        """The folder of this machine that is /build in the container."""
        return self.plan.slot / "build"

    def show(self, folder: Path | None) -> None:
        """Replace the files in /work by those in `folder` (None: none), as links if possible."""
        # A running container accepts no new mounts, so the files in the mounted folder change.
        work = self.plan.slot / "work"
        try:
            for entry in work.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                else:
                    entry.unlink()
            if folder:
                shutil.copytree(folder, work, symlinks=True, copy_function=link, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            raise SandboxError(
                "a compiled program cannot be shown to its container", str(error)
            ) from error

    def error_message(self) -> str:
        """Return the supervisor's error message."""
        return self._output.stderr.decode("utf-8", "replace").strip() or "its container ended"

    def hang_up(self) -> None:
        """Close the connection to the supervisor, which then ends together with its programs."""
        if self._attached is not None:
            with contextlib.suppress(OSError):
                self._output.connection.shutdown(socket.SHUT_RDWR)

    def remove(self) -> None:
        """Remove the container and its slot; further calls do nothing."""
        if self.removed:
            return
        self.removed = True
        self.hang_up()
        if self._id:
            # If the daemon is gone, `venus images clean` finds the container by its label later.
            with contextlib.suppress(SandboxError):
                remove(self._client, self._id)
        if self._attached is not None:
            with contextlib.suppress(*REFUSALS, ValueError):  # its buffers may be closed already
                self._attached._response.close()
            with contextlib.suppress(*REFUSALS):
                self._attached.close()
        shutil.rmtree(self.plan.slot, ignore_errors=True)


def _host(plan: ContainerPlan, capabilities: Sequence[str]) -> dict[str, Any]:
    """Return the host configuration: mounts, capabilities and limits."""
    owner = f"uid={plan.compiler_uid},gid={plan.compiler_uid}"
    mounts = [(SUPERVISOR, supervisor.binary().resolve(), True), (WORK, plan.slot / "work", True)]
    # hides this machine's name servers
    mounts += [("/etc/resolv.conf", Path("/dev/null"), True)]
    mounts += [(LAST_PID, Path(bubblewrap.LAST_PID), False)]
    mounts += [(f"/etc/{name}", plan.slot / "users" / name, True) for name in USER_FILES]
    mounts += [(BUILD, plan.slot / "build", False)]
    mounts += [(KIT, plan.kit, True)] if plan.kit else []
    mounts += [(PREPARED, plan.prepared, True)] if plan.prepared else []
    return {
        "auto_remove": True,
        "network_mode": "none",
        "ipc_mode": "private",  # no shared memory with others
        "read_only": True,  # only mounts can be emptied between runs
        "cap_drop": ["ALL"],
        "cap_add": [capability.removeprefix("CAP_") for capability in capabilities],
        "security_opt": ["no-new-privileges"],  # a set-uid program gains nothing
        "pids_limit": PROCESSES,
        "mem_limit": plan.memory_bytes,
        # the sum of memory and swap: equal to mem_limit means no swap
        "memswap_limit": plan.memory_bytes,
        # the value that the supervisor sets, since runc may not raise limits
        "ulimits": [Ulimit(name="core", soft=1, hard=1)],
        "tmpfs": {
            **dict.fromkeys(SHARED, f"rw,exec,nosuid,nodev,mode=1777,size={SCRATCH_BYTES}"),
            SCRATCH: f"rw,exec,nosuid,nodev,mode=0700,{owner},size={COMPILE_SCRATCH_BYTES}",
            # no terminals: the whole machine has only a few thousand
            "/dev/pts": "ro,noexec,nosuid,nodev,size=4k",
        },
        "mounts": [
            Mount(inside, str(outside), type="bind", read_only=ro) for inside, outside, ro in mounts
        ],
        "log_config": LogConfig(type="none"),  # otherwise the daemon logs every answer to disk
    }


def link(source: str, target: str) -> None:
    """Make a file appear under another path, as a hard link if possible, else as a copy."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # another file system, or too many links
        shutil.copy2(source, target, follow_symlinks=False)


class Demultiplexed(io.RawIOBase):
    """The standard output in an attached connection; standard error is collected in `stderr`.

    The daemon sends frames: one byte for the stream, three zero bytes, the length in four bytes
    (big-endian), then the data.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.stderr = bytearray()
        self._left = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes of standard output; returns their number, 0 at the end."""
        while not self._left:
            header = self._exactly(8)
            if not header:
                return 0
            size = int.from_bytes(header[4:], "big")
            if header[0] == 2:
                self.stderr += self._exactly(size)
            else:
                self._left = size
        with contextlib.suppress(ConnectionError):
            count = self.connection.recv_into(buffer, min(len(buffer), self._left))
            self._left -= count
            return count
        return 0

    def _exactly(self, size: int) -> bytes:
        """Return `size` bytes, or b"" if the stream ends first."""
        data = b""
        with contextlib.suppress(ConnectionError):
            while len(data) < size and (more := self.connection.recv(size - len(data))):
                data += more
        return data if len(data) == size else b""


class Requests(io.RawIOBase):
    """The standard input in an attached connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Send all of `data`; raises a BrokenPipeError if the connection was shut down."""
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise BrokenPipeError(error.errno, str(error)) from error
        return len(data)
