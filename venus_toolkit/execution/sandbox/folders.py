"""The folders of a sandbox on this machine: where programs are written, compiled and found again.

Whatever writes here raises StoreError where there is no room.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import random
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from venus_toolkit.core.errors import SandboxError, StoreError, UsageError
from venus_toolkit.core.records import MIB, NS_PER_S, Run
from venus_toolkit.core.temporary import make_temporary, sweep
from venus_toolkit.execution.sandbox import Compiled, Program

SCRATCH_BYTES = 64 * MIB
COMPILE_SCRATCH_BYTES = 1024 * MIB
MAX_ARTIFACT_BYTES = 1024 * MIB
MAX_DEPTH = 32  # of folders: a compiler could nest them without end
MAX_NAME_BYTES = 255  # of one part of a path, in Linux
LEAST_FREE_BYTES = MIB  # with less, a compiler that failed may have failed for want of room
FIRST_UID = 61184  # a range that Debian and systemd leave free
KIND = "sandbox"
KILLED = re.compile(r"(?i)\bkilled\b|signal: 9|SIGKILL")
TOO_LARGE = re.compile(r"(?i)file size limit exceeded|file too large|SIGXFSZ")
USER_FILES = ("passwd", "group")
# In an order that nobody knows: counted up, they would say how many sessions there were before.
PROGRAM_UIDS = tuple(random.SystemRandom().sample(range(FIRST_UID + 4000, FIRST_UID + 4300), 300))
_users = itertools.cycle(PROGRAM_UIDS)


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Raise a StoreError where the file system refuses something inside."""
    try:
        yield
    except OSError as error:
        place = tempfile.gettempdir()
        problem, fix = (
            "cannot write the program to be compiled",
            f"free space in {place}, or set TMPDIR",
        )
        raise StoreError(problem, str(error), fix) from error


def unprivileged_uid() -> int:
    """Return an unprivileged user for programs of this process: limits on processes count per user.

    Only root can run programs as somebody else; for others this is who they are.
    """
    return FIRST_UID + os.getpid() % 4000 if os.geteuid() == 0 else os.geteuid()


def session_uid() -> int:
    """Return another user for each session.

    With one for all, limits on processes would count them together.
    """
    return next(_users)


def make_root() -> Path:
    """Make and return the folder of a sandbox, and remove those that killed processes left behind."""
    sweep(KIND)
    with _room():
        root = make_temporary(KIND)
        root.chmod(0o755)  # mkdtemp opens it to us alone, but programs run as other users
    return root


def make_folder(folder: Path, uid: int | None = None, mode: int = 0o755) -> Path:
    """Make and return a folder, if it is not there yet, that belongs to user `uid` (None.

    To us).
    """
    with _room():
        folder.mkdir(mode=mode, exist_ok=True)
        if uid is not None and uid != os.geteuid():
            os.chown(folder, uid, uid)
    return folder


def write_source(folder: Path, program: Program) -> None:
    """Write a program's source where its compiler expects it, and its files beside it.

    `folder` is fresh.

    Raises:
        UsageError: A file would lie elsewhere.
    """
    require_beside(program)
    # Lone surrogates are for the compiler to refuse: they must not raise here.
    source = program.source.encode("utf-8", "surrogatepass")
    for path, content in ((program.source_file, source), *program.files):
        for parent in reversed(PurePosixPath(path).parents[:-1]):
            # Not by the mode of mkdir: the umask would close it to the users that programs run as.
            make_folder(folder / parent).chmod(0o755)
            # a compiler writes beside its sources, as it does in the folder itself
            if os.geteuid() == 0:
                os.chown(folder / parent, folder.stat().st_uid, folder.stat().st_gid)
        with _room():
            (folder / path).write_bytes(content)
            (folder / path).chmod(0o644)


def require_beside(program: Program) -> None:
    """Check that the files of a program can lie beside it, each at a place of its own.

    Raises:
        UsageError: One cannot.
    """
    paths = {PurePosixPath(program.source_file)}
    inside = set(PurePosixPath(program.source_file).parents)  # folders that files lie in
    for path in [PurePosixPath(file.path) for file in program.files]:
        odd = path.is_absolute() or not path.parts or ".." in path.parts or "\0" in str(path)
        long = len(path.parts) > MAX_DEPTH or any(
            len(os.fsencode(part)) > MAX_NAME_BYTES for part in path.parts
        )
        clash = path in paths or path in inside or not paths.isdisjoint(path.parents)
        if odd or long or clash:
            reason = (
                "it is taken"
                if clash
                else f"a path leads down from the program, {MAX_DEPTH} folders at most"
            )
            raise UsageError(
                f"no file can lie at {str(path)[:80]!r} beside a program",
                reason,
                "name another place",
            )
        paths.add(path)
        inside.update(path.parents)


def write_users(folder: Path, uids: Mapping[str, int]) -> Path:
    """Write the ``passwd`` and ``group`` of a sandbox, with a line for each user in it.

    Returns the new folder.
    """
    make_folder(folder)
    lines = {
        "passwd": [f"{name}:x:{uid}:{uid}::/tmp:/bin/sh\n" for name, uid in uids.items()],
        "group": [f"{name}:x:{uid}:\n" for name, uid in uids.items()],
    }
    with _room():
        for name, text in lines.items():
            (folder / name).write_text("".join(text))
            (folder / name).chmod(0o644)
    return folder


def move_out(source: Path, target: Path) -> None:
    """Move what a compiler made into the new folder `target`."""
    with _room():
        target.mkdir(mode=0o755)
        # The folder itself stays: in a container it is a mount point, and the next program is
        # compiled in it.
        for entry in source.iterdir():
            entry.rename(target / entry.name)


def lay_open(folder: Path) -> dict[str, int]:
    """Make what a compiler made ours, for others to read and execute but not to write.

    What is no file, folder or link is removed. Returns the size of each file by its path in the
    folder.

    Raises:
        OSError: It is not ours to change.
    """
    sizes: dict[str, int] = {}
    # a folder is opened before what lies in it is looked for
    for path in itertools.chain([folder], _below(folder)):
        status = path.lstat()
        if status.st_uid != os.geteuid():
            # Never through a link: a compiler could have us, as root, change the owner of any file.
            os.chown(path, os.geteuid(), os.getegid(), follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            path.chmod(0o755)
            continue
        if stat.S_ISREG(status.st_mode):
            path.chmod(0o555 if status.st_mode & 0o111 else 0o444)
        elif not stat.S_ISLNK(status.st_mode):
            path.unlink()
            continue
        sizes[str(path.relative_to(folder))] = status.st_size
    return sizes


def _below(folder: Path) -> Iterator[Path]:
    """Yield what lies below, down to one level more than is accepted.

    A compiler can nest folders without end.
    """
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                yield here / entry.name
                if depth < MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                    waiting.append((here / entry.name, depth + 1))


def require_folder(folder: Path) -> None:
    """Check that a program that failed did not do so because somebody removed it.

    Raises:
        SandboxError: It may have.
    """
    if not folder.is_dir():
        reason = f"{folder} was removed while it was in use"
        raise SandboxError(
            "a compiled program was removed",
            reason,
            f"leave {folder.parent} unchanged, then type the same command",
        )


def require_space(folder: Path) -> None:
    """Check that a compiler which failed did not do so for want of room.

    Raises:
        StoreError: It may have.
    """
    with _room():
        if shutil.disk_usage(folder).free < LEAST_FREE_BYTES:
            raise OSError("the compiler failed and the disk is full")


def fault(folder: Path) -> str | None:
    """Return why what a compiler made is not accepted, or None.

    It is laid open first: a compiler could hide things in folders that nobody may read.
    """
    with contextlib.suppress(OSError):  # where nothing isolates, files may vanish meanwhile
        lay_open(folder)
    total = 0
    for path in _below(folder):
        if len(path.parts) - len(folder.parts) > MAX_DEPTH:
            return f"the compiled program has folders more than {MAX_DEPTH} deep"
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    too_big = f"the compiled program is larger than {MAX_ARTIFACT_BYTES // MIB} MiB"
    return too_big if total > MAX_ARTIFACT_BYTES else None


def accept(program: Program, folder: Path, run: Run, inside: str) -> Compiled:
    """Return what the run of a compiler made of a program in `folder`, which it knew as `inside`.

    The log says first why what it made is not accepted, or which limit the compiler ran into.

    Raises:
        SandboxError: The machine stood still, so that nobody knows how long the compiler takes.
    """
    if run.paused:
        raise SandboxError(
            "a program could not be compiled", "the machine stood still meanwhile", "try again"
        )
    reason = fault(folder)
    ok = run.clean and reason is None
    if not ok:
        require_space(folder)
    # Without the paths of this sandbox, so that the same error reads the same wherever it was
    # compiled.
    log = (
        (run.stdout + run.stderr)
        .decode("utf-8", "replace")
        .replace(f"{inside}/", "")
        .replace(f"{folder}/", "")
    )
    limits = program.language.compile_limits
    exceeded = {
        "cpu": f"{limits.cpu_ns / NS_PER_S:g} s of CPU time",
        "wall": f"{limits.wall_ns / NS_PER_S:g} s",
        "memory": f"{limits.memory_bytes // MIB} MiB of memory",
        "output": f"{limits.output_bytes // MIB} MiB of messages",
        "file": f"{limits.file_bytes // MIB} MiB of a file",
    }
    limit = run.limit
    # A compiler is several processes: where the kernel ends one at a limit, another one tells.
    if limit is None and not ok:
        if TOO_LARGE.search(log):
            limit = "file"
        # The kernel counts CPU time by ticks, and so less exactly than the supervisor.
        elif KILLED.search(log) and run.cpu_ns > 0.75 * limits.cpu_ns:
            limit, run = "cpu", dataclasses.replace(run, limit="cpu")
    # With the word that compilers have: the first such line is the reason of the verdict.
    first = reason or (
        f"error: the compiler exceeded its limit of {exceeded[limit]}" if limit else ""
    )
    return Compiled(program, folder, ok, f"{first}\n{log}" if first else log, run.without_output())
