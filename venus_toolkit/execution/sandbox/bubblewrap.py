"""The command line of bubblewrap, which limits a program's view of this machine."""

from __future__ import annotations

import functools
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.interruption import run_tool
from venus_toolkit.core.records import MIB
from venus_toolkit.core.temporary import temporary_folder
from venus_toolkit.core.toolchain import Toolchain
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.execution.sandbox.emulator import Emulator
from venus_toolkit.execution.sandbox.folders import USER_FILES

WORK = "/work"
SUPERVISOR = "/run/venus-supervisor"
EMULATOR = "/run/venus-emulator"
PLUGIN = "/run/venus-counter.so"
PREPARED = "/run/venus-prepared"
SCRATCH = ("/tmp", "/dev/shm")
DEVICES = ("full", "null", "random", "urandom", "zero")
DEVICE_LINKS = {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
TOOLCHAINS = "/opt/venus-toolchains"  # for toolchains at paths that a mount hides
# the last process number in the reader's PID namespace
LAST_PID = "/proc/sys/kernel/ns_last_pid"
# A supervisor that is root needs these to become the user of a program, to kill its processes, to
# empty its folders, and to give the first process of every run the same number.
CAPABILITIES = (
    "CAP_SETUID",
    "CAP_SETGID",
    "CAP_KILL",
    "CAP_DAC_OVERRIDE",
    "CAP_FOWNER",
    "CAP_CHECKPOINT_RESTORE",
)
# Needed to hide other users' processes in /proc; dropped before the first program starts.
AT_THE_START = "CAP_SYS_ADMIN"
NAMESPACES = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
)


class View(NamedTuple):
    """The files that a program sees.

    Attributes:
        toolchain: The tools of its language.
        folder: The program's folder, mounted at /work.
        writable: Whether the program may write to it.
        scratch_bytes: The size of each scratch folder.
        environment: The environment variables.
        users: A folder with the ``passwd`` and ``group`` of the sandbox.
        emulator: An emulator that runs the program.
        prepared: A folder of prepared files for a compiler.
    """

    toolchain: Toolchain
    folder: Path
    writable: bool
    scratch_bytes: int
    environment: Mapping[str, str]
    users: Path | None = None
    emulator: Emulator | None = None
    prepared: Path | None = None


def argv(view: View) -> list[str]:
    """Return the command line up to and including ``--``, for a supervisor that is process 1."""
    words = [shutil.which("bwrap") or "bwrap", *NAMESPACES, "--hostname", "venus"]
    words += ["--die-with-parent", "--as-pid-1", "--clearenv"]
    if os.geteuid() == 0:
        words += ["--cap-drop", "ALL"]
        words += [
            word
            for capability in (*CAPABILITIES, AT_THE_START)
            for word in ("--cap-add", capability)
        ]
    else:
        words += [
            "--unshare-user",
            "--cap-add",
            "CAP_CHECKPOINT_RESTORE",
            "--cap-add",
            AT_THE_START,
        ]
    # Parent folders of mounts, outermost first: bubblewrap would make them readable only by root.
    places = {*map(_inside, view.toolchain.mounts), SUPERVISOR, "/etc/any"}
    parents = {
        str(parent) for place in places for parent in Path(place).parents if str(parent) != "/"
    }
    for parent in sorted(parents - places):
        words += ["--perms", "0755", "--dir", parent]
    words += ["--ro-bind", "/usr", "/usr", *_system_links()]
    words += [
        word for mount in view.toolchain.mounts for word in ("--ro-bind", mount, _inside(mount))
    ]
    if view.users:
        words += [
            word
            for name in USER_FILES
            for word in ("--ro-bind", str(view.users / name), f"/etc/{name}")
        ]
    words += ["--proc", "/proc", "--perms", "0755", "--tmpfs", "/dev"]
    # One by one: --dev includes terminals, for which bubblewrap without root nests user namespaces,
    # and then the supervisor may neither number processes nor hide them.
    words += [word for name in DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")]
    words += [
        word
        for link, to in DEVICE_LINKS.items()
        for word in ("--symlink", f"/proc/self/{to}", f"/dev/{link}")
    ]
    # After /dev: /dev/shm is mounted inside it.
    for place in SCRATCH:
        words += ["--perms", "1777", "--size", str(view.scratch_bytes), "--tmpfs", place]
    words += ["--bind" if view.writable else "--ro-bind", str(view.folder), WORK, "--chdir", WORK]
    if view.emulator:
        words += [
            "--ro-bind",
            str(view.emulator.program),
            EMULATOR,
            "--ro-bind",
            str(view.emulator.plugin),
            PLUGIN,
        ]
    words += ["--ro-bind", str(view.prepared), PREPARED] if view.prepared else []
    # Read-only last, after all mounts: a file that a program left in /dev or / would be visible to
    # the next run.
    words += [
        "--ro-bind",
        str(supervisor.binary()),
        SUPERVISOR,
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/",
    ]
    shown = ":".join(map(_inside, view.environment.get("PATH", "").split(":")))
    environment = {**view.environment, **({"PATH": shown} if shown else {})}
    words += [word for name, value in environment.items() for word in ("--setenv", name, value)]
    return [*words, "--"]


def _inside(path: str) -> str:
    """Return the path of a toolchain in the sandbox: its own, unless another mount hides that."""
    hidden = any(f"{path}/".startswith(f"{place}/") for place in (WORK, *SCRATCH))
    return TOOLCHAINS + path if hidden else path


@functools.cache
def _system_links() -> tuple[str, ...]:
    """Return mounts of /bin and similar folders as this system has them: links, or folders."""
    words: list[str] = []
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", os.readlink(place), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    return (*words, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")


def require_isolation() -> None:
    """Check once that bubblewrap works on this machine.

    Raises:
        SandboxError: It does not work; the message says what to do.
    """
    failure = isolation_problem()
    if failure:
        reason, fix = failure
        raise SandboxError(
            "programs cannot be isolated on this machine",
            reason,
            f"{fix}, or accept the risk with --sandbox unsafe",
        )


@functools.cache
def isolation_problem() -> tuple[str, str] | None:
    """Return why bubblewrap does not work on this machine and a fix, or None if it works."""
    if not shutil.which("bwrap"):
        return "bubblewrap (bwrap) is not installed", "type: apt-get install bubblewrap"
    with temporary_folder("probe") as folder:
        view = View(Toolchain((), (), ""), folder, False, MIB, {"PATH": "/usr/bin:/bin"})
        done = run_tool([*argv(view), "/usr/bin/true"])
    if done.returncode == 0:
        return None
    settings = "kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"
    reason = f"bubblewrap fails here ({done.stderr.strip() or done.returncode})"
    return reason, f"run as root, or type: sysctl -w {settings}"
