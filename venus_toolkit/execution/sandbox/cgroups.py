"""A control group (version 1 or 2) for each session: memory without swap, processes, CPU time."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import time
from pathlib import Path

from venus_toolkit.core import interruption
from venus_toolkit.core.records import MIB
from venus_toolkit.core.store import read_lines
from venus_toolkit.core.temporary import start_of

PREFIX = "venus-"
# version 2 always has the last one
CONTROLLERS = ("memory", "pids", "cpuacct")
# For each option of the supervisor: the controller, and the file's names in versions 1 and 2.
FILES = {
    "--peak": ("memory", "memory.max_usage_in_bytes", "memory.peak"),
    "--events": ("memory", "memory.oom_control", "memory.events"),
    "--usage": ("memory", "memory.usage_in_bytes", "memory.current"),
    "--stat": ("memory", "memory.stat", "memory.stat"),
    "--cpu": ("cpuacct", "cpuacct.usage", "cpu.stat"),
}
HEADROOM_BYTES = 64 * MIB  # for the supervisor and small inputs, which share the group
_serial = itertools.count()


def paths() -> list[str]:
    """Return the options that tell a supervisor in a container where its group's files are."""
    root = "/sys/fs/cgroup"
    return [
        word
        for option, (controller, first, second) in FILES.items()
        for word in (option, f"{root}/{controller}/{first}", option, f"{root}/{second}")
    ]


class Cgroup:
    """The group of a session, which processes enter through the files `procs`."""

    def __init__(self, folders: dict[str, Path], version: int, memory_bytes: int = 0) -> None:
        self.version = version
        self._memory_bytes = memory_bytes
        self._room_bytes = 0
        self.folders = folders
        self.fds: dict[str, int] = {}
        # Open descriptors, since the files have no path in the sandbox. The supervisor resets the
        # peak by writing to its file.
        for option, (controller, *names) in FILES.items():
            place = folders.get(controller if version == 1 else "memory")
            with contextlib.suppress(OSError):
                if place:
                    mode = os.O_RDWR if option == "--peak" else os.O_RDONLY
                    self.fds[option] = os.open(place / names[version - 1], mode)

    @property
    def procs(self) -> list[str]:
        """The files to which a process writes its id to enter the group."""
        return [str(folder / "cgroup.procs") for folder in self.folders.values()]

    def make_room(self, size: int) -> None:
        """Raise the memory limit by `size` bytes for inputs, which count towards the group, too."""
        if size > self._room_bytes and "memory" in self.folders:
            self._room_bytes = size
            _limit_memory(
                self.folders["memory"], self.version, self._memory_bytes + HEADROOM_BYTES + size
            )

    def kill(self) -> None:
        """Kill every process of the group."""
        for folder in self.folders.values():
            with contextlib.suppress(OSError, ValueError):
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), 9)

    def remove(self) -> None:
        """Close the descriptors and remove the group after its last process has ended."""
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}
        for folder in self.folders.values():
            _remove(folder)


def make_cgroup(memory_bytes: int, processes: int) -> Cgroup | None:
    """Return a new group with these limits, or None if this user may not create groups."""
    home = _home()
    if home is None:
        return None
    version, roots = home
    name = f"{PREFIX}{os.getpid()}-{next(_serial)}"
    folders = {controller: root / name for controller, root in roots.items()}
    memory, pids = folders.get("memory"), folders.get("pids")
    try:
        for folder in dict.fromkeys(folders.values()):
            folder.mkdir()
        if memory:
            _limit_memory(memory, version, memory_bytes + HEADROOM_BYTES)
        if pids:
            # bubblewrap and the supervisor are in the group as well
            (pids / "pids.max").write_text(str(processes + 4))
    except OSError:
        for folder in folders.values():
            _remove(folder)
        return None
    # In version 2 all controllers share one folder, which is entered and removed once.
    chosen = dict(folders) if version == 1 else {"memory": next(iter(folders.values()))}
    return Cgroup(chosen, version, memory_bytes)


def sweep() -> None:
    """Kill and remove groups whose creator has ended without removing them."""
    home = _home()
    for root in set(home[1].values()) if home else ():
        for folder in root.glob(f"{PREFIX}*"):
            pid = folder.name.removeprefix(PREFIX).split("-")[0]
            if pid.isdigit() and not start_of(pid):
                Cgroup({"any": folder}, 1).kill()
                _remove(folder)


@interruption.cleanups.append
def remove_own() -> None:
    """Remove the groups of this process, which have no processes left."""
    for root in set(home[1].values()) if (home := _home()) else ():
        for folder in root.glob(f"{PREFIX}{os.getpid()}-*"):
            _remove(folder)


def version() -> int | None:
    """Return the version of control groups, 1 or 2, or None if this user cannot create groups."""
    home = _home()
    return home[0] if home else None


@functools.cache
def _home() -> tuple[int, dict[str, Path]] | None:
    # Controllers may share a hierarchy: cpu,cpuacct.
    mounted = {
        name: Path(mount) for mount in _mounts("cgroup") for name in Path(mount).name.split(",")
    }
    version_1 = {name: mounted[name] for name in CONTROLLERS if name in mounted}
    for number, roots in ((2, _version_2_roots()), (1, version_1 if "memory" in version_1 else {})):
        if roots and _may_make_groups(roots):
            return number, roots
    return None


def _may_make_groups(roots: dict[str, Path]) -> bool:
    probe = [root / f"{PREFIX}{os.getpid()}-probe" for root in set(roots.values())]
    try:
        # Permissions are not enough: in a container the hierarchy may be read-only even for root.
        for folder in probe:
            folder.mkdir()
        return True
    except OSError:
        return False
    finally:
        for folder in probe:
            _remove(folder)


def _version_2_roots() -> dict[str, Path]:
    """Return a group whose children can limit memory: our own if delegated, else the root group."""
    for mount in _mounts("cgroup2"):
        own = [line[3:] for line in read_lines("/proc/self/cgroup") if line.startswith("0::")]
        for place in (*own, "/"):
            root = Path(mount, place.lstrip("/"))
            if "memory" not in _words(root / "cgroup.controllers"):
                continue
            # available: try to enable it for children
            if "memory" not in _words(root / "cgroup.subtree_control"):
                with contextlib.suppress(OSError):  # it has processes, or it is not ours
                    (root / "cgroup.subtree_control").write_text("+memory +pids")
            if "memory" in _words(root / "cgroup.subtree_control"):
                return dict.fromkeys(CONTROLLERS, root)
    return {}


def _words(path: Path) -> list[str]:
    return " ".join(read_lines(path)).split()


def _mounts(kind: str) -> list[str]:
    return [words[1] for words in map(str.split, read_lines("/proc/mounts")) if words[2] == kind]


def _limit_memory(folder: Path, number: int, size: int) -> None:
    if number == 2:
        (folder / "memory.max").write_text(str(size))
        with contextlib.suppress(OSError):
            (folder / "memory.swap.max").write_text("0")
        return
    # The kernel rejects a memsw limit below the plain limit, so a write in the first of the two
    # rounds may fail.
    for _ in range(2):
        with contextlib.suppress(OSError):  # absent without swap accounting
            (folder / "memory.memsw.limit_in_bytes").write_text(str(size))
        with contextlib.suppress(OSError):
            (folder / "memory.limit_in_bytes").write_text(str(size))


def _remove(folder: Path) -> None:
    for _ in range(200):
        try:
            folder.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)  # the last process has not ended yet
