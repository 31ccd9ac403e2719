"""The folders of a sandbox on this machine, in which programs are written and compiled.

Functions that write raise a StoreError if the disk is full.
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
MAX_DEPTH = 32  # of nested folders, which a compiler could create without end
MAX_NAME_BYTES = 255  # of one part of a path, in Linux
MIN_FREE_BYTES = MIB  # with less, a full disk may be the reason for a compiler's failure
FIRST_UID = 61184  # a range that Debian and systemd leave free
KIND = "sandbox"
KILLED = re.compile(r"(?i)\bkilled\b|signal: 9|SIGKILL")
TOO_LARGE = re.compile(r"(?i)file size limit exceeded|file too large|SIGXFSZ")
USER_FILES = ("passwd", "group")
# Shuffled: in sequence, they would reveal the number of earlier sessions to programs.
PROGRAM_UIDS = tuple(random.SystemRandom().sample(range(FIRST_UID + 4000, FIRST_UID + 4300), 300))
_users = itertools.cycle(PROGRAM_UIDS)


@contextlib.contextmanager
def _room() -> Iterator[None]:
    """Turn an OSError into a StoreError."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            "cannot write the program to be compiled",
            str(error),
            f"free space in {tempfile.gettempdir()}, or set TMPDIR",
        ) from error


def unprivileged_uid() -> int:
    """Return an unprivileged user for programs of this process, since process limits are per user.

    Only root can run programs as another user; otherwise this is the current user.
    """
    return FIRST_UID + os.getpid() % 4000 if os.geteuid() == 0 else os.geteuid()


def session_uid() -> int:
    """Return a different user for each session.

    With a common user, the limit on processes would apply to all sessions together.
    """
    return next(_users)


def make_root() -> Path:
    """Make and return the folder of a sandbox, and remove the folders of killed processes."""
    sweep(KIND)
    with _room():
        root = make_temporary(KIND)
        root.chmod(0o755)  # mkdtemp allows only the owner, but programs run as other users
    return root


def make_folder(folder: Path, uid: int | None = None, mode: int = 0o755) -> Path:
    """Make a folder if it does not exist, owned by user `uid` (None: the current user)."""
    with _room():
        folder.mkdir(mode=mode, exist_ok=True)
        if uid is not None and uid != os.geteuid():
            os.chown(folder, uid, uid)
    return folder


def write_source(folder: Path, program: Program) -> None:
    """Write a program's source and its files into a new folder.

    Raises:
        UsageError: A file has a path outside the folder, or one that is taken.
    """
    require_beside(program)
    # The compiler, not this function, refuses lone surrogates.
    source = program.source.encode("utf-8", "surrogatepass")
    for path, content in ((program.source_file, source), *program.files):
        for parent in reversed(PurePosixPath(path).parents[:-1]):
            # chmod, because the umask could deny access to the users of programs
            make_folder(folder / parent).chmod(0o755)
            # compilers may write next to their sources
            if os.geteuid() == 0:
                os.chown(folder / parent, folder.stat().st_uid, folder.stat().st_gid)
        with _room():
            (folder / path).write_bytes(content)
            (folder / path).chmod(0o644)


def require_beside(program: Program) -> None:
    """Check that the files of a program have valid and distinct paths in its folder.

    Raises:
        UsageError: A path is invalid or taken.
    """
    paths = {PurePosixPath(program.source_file)}
    inside = set(PurePosixPath(program.source_file).parents)  # folders that contain files
    for path in [PurePosixPath(file.path) for file in program.files]:
        odd = path.is_absolute() or not path.parts or ".." in path.parts or "\0" in str(path)
        long = len(path.parts) > MAX_DEPTH or any(
            len(os.fsencode(part)) > MAX_NAME_BYTES for part in path.parts
        )
        clash = path in paths or path in inside or not paths.isdisjoint(path.parents)
        if odd or long or clash:
            reason = (
                "another file has this path"
                if clash
                else f"a path must be relative and at most {MAX_DEPTH} folders deep, without .."
            )
            raise UsageError(
                f"a program cannot have a file at {str(path)[:80]!r}", reason, "choose another path"
            )
        paths.add(path)
        inside.update(path.parents)


def write_users(folder: Path, uids: Mapping[str, int]) -> Path:
    """Write ``passwd`` and ``group`` with a line for each user into a folder, and return it."""
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
    """Move the files that a compiler made into the new folder `target`."""
    with _room():
        target.mkdir(mode=0o755)
        # The source folder stays: in a container it is a mount point for the next program.
        for entry in source.iterdir():
            entry.rename(target / entry.name)


def lay_open(folder: Path) -> dict[str, int]:
    """Take ownership of the files that a compiler made, and let others read and execute them.

    Anything but files, folders and links is removed.

    Returns:
        The size of each file in bytes, by its path in the folder.

    Raises:
        OSError: This user may not change them.
    """
    sizes: dict[str, int] = {}
    # the mode of a folder is changed before it is listed
    for path in itertools.chain([folder], _below(folder)):
        status = path.lstat()
        if status.st_uid != os.geteuid():
            # Links are not followed: a compiler could make root change the owner of any file.
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
    """Yield all paths below a folder, down to one level more than is accepted."""
    waiting = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(here) as entries:
            for entry in entries:
                yield here / entry.name
                if depth < MAX_DEPTH and entry.is_dir(follow_symlinks=False):
                    waiting.append((here / entry.name, depth + 1))


def require_folder(folder: Path) -> None:
    """Check that the folder of a program which failed still exists.

    Raises:
        SandboxError: It was removed, which may be why the program failed.
    """
    if not folder.is_dir():
        reason = f"{folder} was removed while it was in use"
        raise SandboxError(
            "a compiled program was removed",
            reason,
            f"leave {folder.parent} unchanged, then type the same command",
        )


def require_space(folder: Path) -> None:
    """Check that the disk of a compiler which failed is not full.

    Raises:
        StoreError: It is full, which may be why the compiler failed.
    """
    with _room():
        if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
            raise OSError("the compiler failed and the disk is full")


def fault(folder: Path) -> str | None:
    """Return why the files that a compiler made are not accepted, or None.

    `lay_open` comes first: a compiler could hide files in unreadable folders.
    """
    with contextlib.suppress(OSError):  # without isolation, files may vanish meanwhile
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
    """Return the result of a compiler's run in `folder`, whose path in the sandbox is `inside`.

    If the files are not accepted or the compiler exceeded a limit, the log starts with the reason.

    Raises:
        SandboxError: The machine was paused, so the compiler's time is unknown.
    """
    if run.paused:
        raise SandboxError("a program could not be compiled", "the machine was paused", "try again")
    reason = fault(folder)
    ok = run.clean and reason is None
    if not ok:
        require_space(folder)
    # Without the paths of this sandbox, so that an error reads the same in every sandbox.
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
    # A compiler has several processes: if the kernel ends one at a limit, another reports it.
    if limit is None and not ok:
        if TOO_LARGE.search(log):
            limit = "file"
        # The kernel counts CPU time in ticks, so less precisely than the supervisor.
        elif KILLED.search(log) and run.cpu_ns > 0.75 * limits.cpu_ns:
            limit, run = "cpu", dataclasses.replace(run, limit="cpu")
    # Contains "error", like messages of compilers: the first line with it is the verdict's reason.
    first = reason or (
        f"error: the compiler exceeded its limit of {exceeded[limit]}" if limit else ""
    )
    return Compiled(program, folder, ok, f"{first}\n{log}" if first else log, run.without_output())
