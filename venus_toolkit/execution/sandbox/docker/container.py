"""One container: made, attached to, told what to run, removed.

Its process 1 is the supervisor, as root with a few capabilities; each program gets an unprivileged
user. Mounted are:

    /run/venus-supervisor   the supervisor, read-only
    /build                  where the compiler works; empty and not writable once programs run
    /work                   the compiled program, read-only
    /scratch                the compiler's temporary files, closed to programs
    /tmp, /dev/shm          temporary files of programs, emptied after each run
    /etc/passwd, group      its two users
    /prepared               what the compiler reads ready-made, read-only
    /run/venus-emulator     the emulator with all that it needs, read-only, where programs are counted

Standard input is held open by the daemon for one client only: when this process goes, however it
goes, the supervisor reads the end of its requests, exits, and the daemon removes the container.
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
PROCESSES = 1024  # behind RLIMIT_NPROC, which holds each program to its own limit
START_PATIENCE_S = 60
# It never runs /bin/false: before its first run it is told what to become (`Container.supervise`).
NEWCOMER = [SUPERVISOR, "--seccomp", "--ready", *cgroups.paths(), "--", "/bin/false"]
PREPARED = "/prepared"
LAST_PID = "/run/venus-last-pid"  # /proc/sys is read-only in a container
# Docker's own list, and triggers for what the machine is short of, which anybody could set.
READ_ONLY = (
    "/proc/bus",
    "/proc/fs",
    "/proc/irq",
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/pressure",
)


class ContainerPlan(NamedTuple):
    """How a container is made.

    slot is a folder of ours that it alone uses; compiler and program run as users of their own;
    processors are those of this machine; kit has the emulator where programs are counted; prepared
    what compilers read ready-made.
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
    """What a container may take: bytes of memory without swap, and which processors (empty.

    All).
    """

    memory_bytes: int
    processors: str = ""


class Container:
    """A running container whose supervisor waits to be told what to supervise.

    It raises SandboxError where it cannot be made or changed, or does not answer.
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
            # Daemons before version 23 do not know the one that sets the number of the next
            # process.
            if "unknown capability" not in str(error.explanation):
                raise
            self._id = self._create(plan, CAPABILITIES[:-1])
        # Attached before it starts: output from before would be lost, and the first line says that
        # it is ready.
        streams = dict.fromkeys(("stdin", "stdout", "stderr", "stream"), 1)
        self._attached = self._client.attach_socket(self._id, params=streams)
        # What docker returns can only be read from; requests are written to the socket beneath it.
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
            reason = f"{self.last_words()} {line.decode('utf-8', 'replace')}".strip()
            raise SandboxError(
                "the supervisor does not start in its container", reason, "type: venus images check"
            )

    def resize(self, room: ContainerLimits) -> None:
        """Change what the container may take."""
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
        """Turn the waiting supervisor into the one with this command line and environment."""
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
        # ready: from now on a program may run long without a byte
        self._output.connection.settimeout(None)

    @property
    def build(self) -> Path:
        """The folder that is /build inside."""
        return self.plan.slot / "build"

    def show(self, folder: Path | None) -> None:
        """Make the files in `folder` those in /work, as links where its file system allows it.

        None: it is empty.
        """
        # A running container takes no new mounts, so the files in the mounted folder are exchanged.
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

    def last_words(self) -> str:
        """Return what the supervisor said of its failure."""
        return self._output.said.decode("utf-8", "replace").strip() or "its container ended"

    def hang_up(self) -> None:
        """Close the requests of its supervisor, which ends by that with all that runs, and is read from no more."""
        if self._attached is not None:
            with contextlib.suppress(OSError):
                self._output.connection.shutdown(socket.SHUT_RDWR)

    def remove(self) -> None:
        """Remove the container and its slot; more than once does no harm."""
        if self.removed:
            return
        self.removed = True
        self.hang_up()
        if self._id:
            # Its supervisor reads the end of its requests and exits; what is left of it the daemon
            # removes.
            # the daemon went away; the label lets `venus images clean` find it
            with contextlib.suppress(SandboxError):
                remove(self._client, self._id)
        if self._attached is not None:
            with contextlib.suppress(*REFUSALS, ValueError):  # its buffers may be gone before it
                self._attached._response.close()
            with contextlib.suppress(*REFUSALS):
                self._attached.close()
        shutil.rmtree(self.plan.slot, ignore_errors=True)


def _host(plan: ContainerPlan, capabilities: Sequence[str]) -> dict[str, Any]:
    """Return what the container may do and see."""
    owner = f"uid={plan.compiler_uid},gid={plan.compiler_uid}"
    mounts = [(SUPERVISOR, supervisor.binary().resolve(), True), (WORK, plan.slot / "work", True)]
    # the daemon would show this machine's name servers
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
        "read_only": True,  # what is mounted can be emptied; the rest must not change
        "cap_drop": ["ALL"],
        "cap_add": [capability.removeprefix("CAP_") for capability in capabilities],
        "security_opt": ["no-new-privileges"],  # a set-uid program gains nothing
        "pids_limit": PROCESSES,
        "mem_limit": plan.memory_bytes,
        # memory and swap together: equal to mem_limit, there is no swap
        "memswap_limit": plan.memory_bytes,
        # as the supervisor sets it: runc may not raise limits
        "ulimits": [Ulimit(name="core", soft=1, hard=1)],
        "tmpfs": {
            **dict.fromkeys(SHARED, f"rw,exec,nosuid,nodev,mode=1777,size={SCRATCH_BYTES}"),
            SCRATCH: f"rw,exec,nosuid,nodev,mode=0700,{owner},size={COMPILE_SCRATCH_BYTES}",
            # no terminals, of which the whole machine has a few thousand
            "/dev/pts": "ro,noexec,nosuid,nodev,size=4k",
        },
        "mounts": [
            Mount(inside, str(outside), type="bind", read_only=ro) for inside, outside, ro in mounts
        ],
        "log_config": LogConfig(type="none"),  # else the daemon writes every answer to its disk
    }


def link(source: str, target: str) -> None:
    """Make a file appear under another path: as a link, or as a copy where there can be none."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # on another file system, or the file has as many links as it may
        shutil.copy2(source, target, follow_symlinks=False)


class Demultiplexed(io.RawIOBase):
    """The standard output in an attached connection.

    What comes on standard error is kept in `said`.

    The daemon sends frames: one byte that says which stream, three of zero, four of length, then
    the data.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.said = bytearray()
        self._left = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes of standard output; 0 is the end."""
        while not self._left:
            header = self._exactly(8)
            if not header:
                return 0
            size = int.from_bytes(header[4:], "big")
            if header[0] == 2:
                self.said += self._exactly(size)
            else:
                self._left = size
        with contextlib.suppress(ConnectionError):
            count = self.connection.recv_into(buffer, min(len(buffer), self._left))
            self._left -= count
            return count
        return 0

    def _exactly(self, size: int) -> bytes:
        """Return `size` bytes, or none at all at the end."""
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
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Send all of `data`; a connection that was shut down is a broken pipe, as for a process."""
        try:
            self._connection.sendall(data)
        except OSError as error:
            raise BrokenPipeError(error.errno, str(error)) from error
        return len(data)
