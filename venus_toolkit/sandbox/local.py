"""Programs on this machine: bubblewrap around the supervisor, or nothing around it when told ``unsafe``.

What bubblewrap shows a program: the toolchain read-only, its own folder (read-only once compiled), a private /tmp of
limited size, /proc of its own PID namespace, no network, no home folder, a cleared environment. As root the program
runs as an unprivileged user of its own while the supervisor stays root; otherwise both share one unprivileged user and the
supervisor, process 1 of the namespace, can be neither signalled nor traced.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from venus_toolkit import supervisor
from venus_toolkit.errors import SandboxError, StoreError
from venus_toolkit.language import Toolchain, find_toolchain
from venus_toolkit.records import MIB, Limits, Run, digest
from venus_toolkit.sandbox import Compiled, Program, cgroups
from venus_toolkit.sandbox.session import SupervisedSession
from venus_toolkit.supervisor import Cores, Sampling

WORK = "/work"
INSIDE = "/run/venus-supervisor"
SCRATCH_BYTES = 64 * MIB
COMPILE_SCRATCH_BYTES = 1024 * MIB
FIRST_UID = 61184  # a range that Debian and systemd leave free
CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_DAC_OVERRIDE")
PREFIX = "venus-sandbox-"
MAX_ARTIFACT_BYTES = 1024 * MIB


class LocalSandbox:
    """Compiles and runs on this machine.

    Args:
        isolate: Whether programs are isolated by bubblewrap; False is the ``unsafe`` sandbox.

    Raises:
        SandboxError: Programs are to be isolated and this machine cannot do it.
    """

    def __init__(self, isolate: bool = True) -> None:
        self.name = "local" if isolate else "unsafe"
        self._isolate = isolate
        if isolate:
            require_isolation()
        supervisor.binary()
        _sweep()
        self._root = _make_root()
        self._compiled: dict[str, Compiled] = {}
        self._lock = threading.Lock()
        self._serial = itertools.count()

    def __enter__(self) -> LocalSandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        self.close()

    def close(self) -> None:
        """Remove every compiled program."""
        shutil.rmtree(self._root, ignore_errors=True)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what is enforced and how."""
        return {
            "sandbox": self.name,
            "isolation": "bubblewrap" if self._isolate else "none",
            "privileges": "own user" if self._isolate and os.geteuid() == 0 else "shared user",
            "cgroup_version": cgroups.version(),
            "supervisor": _supervisor_version(),
        }

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what an earlier call made of the same program."""
        language = program.language
        key = digest(language.id, language.compile_argv, program.source)
        with self._lock:
            if key in self._compiled:
                return self._compiled[key]
        limits = language.compile_limits
        folder = self._new_folder(program)
        command = language.argv("compile", limits)
        with self._supervised(program, folder, limits, command, cores, Sampling(), writable=True) as session:
            (run,) = session.run([b""])
        log = (run.stdout + run.stderr).decode("utf-8", "replace").replace(WORK + "/", "")
        too_big = _size(folder) > MAX_ARTIFACT_BYTES
        compiled = Compiled(program, folder, run.clean and not too_big, _compile_log(log, run, too_big), run.without_output())
        with self._lock:
            return self._compiled.setdefault(key, compiled)

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> SupervisedSession:
        """Return a session in which each run of `compiled` is held to `limits`."""
        command = compiled.program.language.argv("run", limits)
        return self._supervised(compiled.program, compiled.folder, limits, command, cores, sampling or Sampling(), writable=False)

    def discard(self, compiled: Compiled) -> None:
        """Remove the files of a compiled program."""
        with self._lock:
            self._compiled = {key: value for key, value in self._compiled.items() if value is not compiled}
        shutil.rmtree(compiled.folder, ignore_errors=True)

    def _new_folder(self, program: Program) -> Path:
        folder = self._root / str(next(self._serial))
        try:
            folder.mkdir(mode=0o755)
            source = folder / program.language.source_file
            source.write_text(program.source, errors="surrogatepass")
        except OSError as error:
            raise StoreError("cannot write the program to be compiled", str(error), f"free space in {self._root.parent}") from error
        if self._isolate and os.geteuid() == 0:
            uid = _uid()
            os.chown(folder, uid, uid)
            os.chown(source, uid, uid)
        return folder

    def _supervised(
        self, program: Program, folder: Path, limits: Limits, command: Sequence[str], cores: Cores | None, sampling: Sampling, writable: bool
    ) -> SupervisedSession:
        toolchain = find_toolchain(program.language)
        environment = {"PATH": ":".join(toolchain.path), "HOME": "/tmp", "LANG": "C.UTF-8", **program.language.environment}
        cgroup = cgroups.make_cgroup(limits.memory_bytes, limits.processes)
        if self._isolate:
            scratch = COMPILE_SCRATCH_BYTES if writable else SCRATCH_BYTES
            inner = _supervisor_argv(INSIDE, limits, command, cores, sampling, cgroup, _isolated_options())
            argv = [*_bubblewrap(toolchain, folder, environment, scratch, writable), *inner]
        else:
            inner = _supervisor_argv(str(supervisor.binary()), limits, command, cores, sampling, cgroup, ["--namespaces", "--chdir", str(folder)])
            argv = inner
        if cgroup:
            argv = [str(supervisor.binary()), "join", *cgroup.procs, "--", *argv]
        fds = tuple(cgroup.fds.values()) if cgroup else ()
        return SupervisedSession(lambda: _popen(argv, environment, fds), cgroup.remove if cgroup else lambda: None)


# ------------------------------------------------------------------ command lines


def _supervisor_argv(
    executable: str, limits: Limits, command: Sequence[str], cores: Cores | None, sampling: Sampling, cgroup: cgroups.Cgroup | None, extra: list[str]
) -> list[str]:
    fds = [word for name, fd in (cgroup.fds if cgroup else {}).items() for word in (name, str(fd))]
    return supervisor.argv(executable, limits, command, cores=cores, sampling=sampling, extra=[*fds, *extra])


def _isolated_options() -> list[str]:
    options = ["--seccomp", "--chdir", WORK, "--wipe", "/tmp", "--wipe", "/dev/shm"]
    return [*options, "--uid", str(_uid()), "--gid", str(_uid())] if os.geteuid() == 0 else options


def _bubblewrap(toolchain: Toolchain, folder: Path, environment: Mapping[str, str], scratch_bytes: int, writable: bool) -> list[str]:
    words = [shutil.which("bwrap") or "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "venus"]
    words += ["--die-with-parent", "--as-pid-1", "--clearenv"]
    if os.geteuid() == 0:
        words += [word for capability in CAPABILITIES for word in ("--cap-add", capability)]
    else:
        words += ["--unshare-user"]
    words += [word for parent in _parents([*toolchain.mounts, INSIDE, "/etc/any"]) for word in ("--perms", "0755", "--dir", parent)]
    words += ["--ro-bind", "/usr", "/usr", *_system_links()]
    words += [word for mount in toolchain.mounts for word in ("--ro-bind", mount, mount)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    for place in ("/tmp", "/dev/shm"):
        words += ["--perms", "1777", "--size", str(scratch_bytes), "--tmpfs", place]
    words += ["--bind" if writable else "--ro-bind", str(folder), WORK, "--chdir", WORK]
    words += ["--ro-bind", str(supervisor.binary()), INSIDE, "--remount-ro", "/"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return [*words, "--"]


@functools.cache
def _system_links() -> tuple[str, ...]:
    """/bin and its like as this system has them: links into /usr, or folders of their own."""
    words: list[str] = []
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", os.readlink(place), str(place)]
        elif place.is_dir():
            words += ["--ro-bind", str(place), str(place)]
    return (*words, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")


def _parents(places: Sequence[str]) -> list[str]:
    """Return the folders above `places`, outermost first: bubblewrap would make them for root's eyes only."""
    found = {str(parent) for place in places for parent in Path(place).parents if str(parent) != "/"}
    return sorted(found - set(places))


def _popen(argv: Sequence[str], environment: Mapping[str, str], fds: tuple[int, ...]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            argv, env=environment, pass_fds=fds, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise SandboxError("cannot start the sandbox", str(error), "type: venus doctor") from error


def _uid() -> int:
    """Return an unprivileged user for programs of this process: limits on processes count per user."""
    return FIRST_UID + os.getpid() % 4000


# ------------------------------------------------------------------ what this machine can do


def require_isolation() -> None:
    """Check once that bubblewrap works here.

    Raises:
        SandboxError: It does not; the message says what to do.
    """
    problem = isolation_problem()
    if problem:
        what, fix = problem
        raise SandboxError("programs cannot be isolated on this machine", what, f"{fix}, or accept the risk with --sandbox unsafe")


@functools.cache
def isolation_problem() -> tuple[str, str] | None:
    """Return why bubblewrap does not work here and what mends it, or None where it works."""
    if not shutil.which("bwrap"):
        return "bubblewrap (bwrap) is not installed", "type: apt-get install bubblewrap"
    toolchain = Toolchain((), (), "")
    with tempfile.TemporaryDirectory(prefix="venus-probe-") as folder:
        argv = [*_bubblewrap(toolchain, Path(folder), {"PATH": "/usr/bin:/bin"}, MIB, writable=False), "/usr/bin/true"]
        done = subprocess.run(argv, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    fix = "run as root, or type: sysctl -w kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0"
    return f"bubblewrap fails here ({done.stderr.strip() or done.returncode})", fix


@functools.cache
def _supervisor_version() -> str:
    return subprocess.run([str(supervisor.binary()), "--version"], capture_output=True, text=True, check=True).stdout.strip()


# ------------------------------------------------------------------ folders


def _make_root() -> Path:
    try:
        root = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
        root.chmod(0o755)
    except OSError as error:
        raise StoreError("cannot make a working folder", str(error), f"free space in {tempfile.gettempdir()}, or set TMPDIR") from error
    return root


@functools.cache
def _sweep() -> None:
    """Remove what earlier processes left behind that were killed before they could tidy up."""
    cgroups.sweep()
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        pid = folder.name.removeprefix(PREFIX).split("-")[0]
        if pid.isdigit() and not Path("/proc", pid).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _files(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        yield from (Path(root, name) for name in names)


def _size(folder: Path) -> int:
    total = 0
    for file in _files(folder):
        with contextlib.suppress(OSError):
            total += file.lstat().st_size
    return total


def _compile_log(log: str, run: Run, too_big: bool) -> str:
    if too_big:
        return f"the compiled program is larger than {MAX_ARTIFACT_BYTES // MIB} MiB\n{log}"
    return f"the compiler ran into its {run.limit} limit\n{log}" if run.limit else log
