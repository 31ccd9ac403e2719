"""Programs on this machine: bubblewrap around the supervisor, or nothing around it when told ``unsafe``.

Inside, a program finds the toolchain read-only, its own folder (read-only once compiled), a private /tmp of limited
size, /proc of its own PID namespace, no network, no home folder and a cleared environment. As root the program runs as
an unprivileged user of its own while the supervisor stays root; otherwise both share one unprivileged user, and the
supervisor, process 1 of the namespace, can be neither signalled nor traced.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit import supervisor
from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language, Toolchain, find_toolchain
from venus_toolkit.records import Limits
from venus_toolkit.sandbox import Compiled, Program, bubblewrap, cgroups, folders
from venus_toolkit.sandbox.compilations import Compilations
from venus_toolkit.sandbox.session import Child, SupervisedSession
from venus_toolkit.supervisor import Cores, Sampling
from venus_toolkit.temporary import remove


class Stage(NamedTuple):
    """What a session is for: compiling (the folder is writable and caches are shared) or running."""

    name: str
    limits: Limits
    cores: Cores | None = None
    sampling: Sampling | None = None

    @property
    def compiling(self) -> bool:
        """Whether the compiler runs, not the program."""
        return self.name == "compile"


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
            bubblewrap.require_isolation()
        supervisor.binary()
        cgroups.sweep()
        self._root = folders.make_root()
        self._compilations = Compilations()
        self._mutex = threading.Lock()
        self._serial = itertools.count()

    def __enter__(self) -> LocalSandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        self.close()

    def close(self) -> None:
        """Remove every compiled program."""
        remove(self._root)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what is enforced and how."""
        return {
            "sandbox": self.name,
            "isolation": "bubblewrap" if self._isolate else "none",
            "privileges": "own user" if self._own_user else "shared user",
            "cgroup_version": cgroups.version(),
            "supervisor": supervisor.version(),
        }

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` on this machine.

        Raises:
            ToolchainError: They are missing.
        """
        return find_toolchain(language)

    @property
    def _own_user(self) -> bool:
        return self._isolate and os.geteuid() == 0

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what an earlier call made of the same program."""
        return self._compilations.once(program, lambda: self._compile(program, cores))

    def _compile(self, program: Program, cores: Cores | None) -> Compiled:
        folder = self._new_folder(program)
        with self._session(program, folder, Stage("compile", program.language.compile_limits, cores)) as session:
            (run,) = session.run([b""])
        fault = folders.fault(folder)
        log = (run.stdout + run.stderr).decode("utf-8", "replace").replace(bubblewrap.WORK + "/", "")
        log = log.replace(f"{folder}/", "")
        ok = run.clean and fault is None
        if not ok:
            folders.require_space(folder)
        return Compiled(program, folder, ok, folders.compile_log(log, run, fault), run.without_output())

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> SupervisedSession:
        """Return a session in which each run of `compiled` is held to `limits`."""
        return self._session(compiled.program, compiled.folder, Stage("run", limits, cores, sampling))

    def discard(self, compiled: Compiled) -> None:
        """Remove the files of a compiled program."""
        self._compilations.forget(compiled)
        remove(compiled.folder)

    # -------------------------------------------------------------- sessions

    def _session(self, program: Program, folder: Path, stage: Stage) -> SupervisedSession:
        room = stage.limits.memory_bytes + 2 * stage.limits.output_bytes
        cgroup = cgroups.make_cgroup(room, stage.limits.processes)
        command = program.language.argv(stage.name, stage.limits)
        fds = cgroup.fds if cgroup else {}
        user = self._user(stage)
        extra = [word for name, fd in fds.items() for word in (name, str(fd))] + self._options(folder, stage, user)
        executable = bubblewrap.SUPERVISOR if self._isolate else str(supervisor.binary())
        words = supervisor.argv(
            executable, stage.limits, command, cores=stage.cores, sampling=stage.sampling, extra=extra
        )
        environment = self._environment(program)
        if self._isolate:
            view = self._view(program, folder, stage, environment)
            words = [*bubblewrap.argv(view._replace(users=self._users(user))), *words]
        if cgroup:
            words = [str(supervisor.binary()), "join", *cgroup.procs, "--", *words]
        clean_up = cgroup.remove if cgroup else lambda: None
        make_room = cgroup.make_room if cgroup else lambda size: None
        check = partial(folders.require_folder, folder)
        return SupervisedSession(lambda: _popen(words, environment, tuple(fds.values())), clean_up, make_room, check)

    def _options(self, folder: Path, stage: Stage, user: int) -> list[str]:
        if not self._isolate:
            return ["--namespaces", "--chdir", str(folder)]
        options = ["--seccomp", "--chdir", bubblewrap.WORK]
        if not stage.compiling:
            options += [word for place in bubblewrap.SCRATCH for word in ("--wipe", place)]
        return [*options, "--uid", str(user), "--gid", str(user)] if self._own_user else options

    def _user(self, stage: Stage) -> int:
        return folders.session_uid() if self._own_user and not stage.compiling else folders.unprivileged_uid()

    def _users(self, user: int) -> Path:
        """Return the folder with the list of users in which `user` finds itself, and nobody else."""
        with self._mutex:
            folder = self._root / f"users-{user}"
            return folder if folder.exists() else folders.write_users(folder, {"venus": user})

    def _view(self, program: Program, folder: Path, stage: Stage, environment: Mapping[str, str]) -> bubblewrap.View:
        return bubblewrap.View(
            toolchain=find_toolchain(program.language),
            folder=folder,
            writable=stage.compiling,
            scratch_bytes=folders.COMPILE_SCRATCH_BYTES if stage.compiling else folders.SCRATCH_BYTES,
            environment=environment,
            shared=self._shared(program) if stage.compiling else {},
        )

    def _environment(self, program: Program) -> dict[str, str]:
        own = {"PATH": ":".join(find_toolchain(program.language).path), "HOME": "/tmp", "LANG": "C.UTF-8"}
        own |= program.language.environment
        if self._isolate:
            return own
        scratch = self._folder("scratch")
        return {name: value.replace("/tmp", str(scratch)) if name != "PATH" else value for name, value in own.items()}

    def _shared(self, program: Program) -> dict[str, Path]:
        cache = program.language.compile_cache
        return {cache: self._folder(f"cache-{program.language.id}")} if cache else {}

    # -------------------------------------------------------------- folders

    def _folder(self, name: str) -> Path:
        """Return a folder of the sandbox that belongs to the user that programs run as."""
        return folders.make_folder(self._root / name, folders.unprivileged_uid() if self._own_user else None)

    def _new_folder(self, program: Program) -> Path:
        folder = self._folder(str(next(self._serial)))
        folders.write_source(folder, program)
        return folder


@functools.cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="venus-starter")


def _popen(words: Sequence[str], environment: Mapping[str, str], fds: tuple[int, ...]) -> Child:
    pipe = subprocess.PIPE
    try:
        # Sandboxes die with the thread that started them (PR_SET_PDEATHSIG): this one lives as long as we do.
        process = _starter().submit(
            subprocess.Popen, words, env=environment, pass_fds=fds, stdin=pipe, stdout=pipe, stderr=pipe
        )
        return Child(process.result())
    except OSError as error:
        raise SandboxError("cannot start the sandbox", str(error), "type: venus doctor") from error
