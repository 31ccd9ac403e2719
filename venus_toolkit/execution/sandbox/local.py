"""The sandbox on this machine: bubblewrap isolates the supervisor and its programs.

A program sees the toolchain (read-only), its own folder (read-only once compiled), a private /tmp
of limited size and the /proc of its own PID namespace. It has no network, no home folder and a
cleared environment. If started by root, each program has its own unprivileged user, and the
supervisor stays root. Otherwise both share one unprivileged user, and the supervisor, process 1 of
the namespace, can be neither signalled nor traced. The ``unsafe`` sandbox runs without bubblewrap.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.core.temporary import remove
from venus_toolkit.core.toolchain import Toolchain, find_toolchain
from venus_toolkit.execution.sandbox import (
    Compiled,
    Program,
    Sandbox,
    bubblewrap,
    cgroups,
    folders,
    supervisor,
)
from venus_toolkit.execution.sandbox.compiled import CompiledStore, Preparations, program_key
from venus_toolkit.execution.sandbox.emulator import (
    Command,
    Emulator,
    EmulatorPaths,
    counted_command,
    emulation_limits,
)
from venus_toolkit.execution.sandbox.session import PATIENCE_S, Child, SupervisedSession
from venus_toolkit.execution.sandbox.starvation import FairSession
from venus_toolkit.execution.sandbox.supervisor import COUNTED, Cores, Sampling


class Stage(NamedTuple):
    """The purpose and the options of a session.

    Attributes:
        compiling: Whether it compiles, into a writable folder, or runs.
        limits: The limits that the supervisor enforces.
        cores: The cores of the program and its supervisor.
        sampling: How memory is sampled.
        stated: For a counted run, the limits that its command line contains; else None.
        emulator: Counts the instructions of a counted run; None: the processor counts them.
        prepared: A folder of prepared files for the compiler.
    """

    compiling: bool
    limits: Limits
    cores: Cores | None = None
    sampling: Sampling | None = None
    stated: Limits | None = None
    emulator: Emulator | None = None
    prepared: Path | None = None


class LocalSandbox(Sandbox):
    """Compiles and runs programs on this machine.

    Args:
        isolate: Whether bubblewrap isolates programs; False is the ``unsafe`` sandbox.

    Raises:
        SandboxError: This machine cannot isolate programs.
    """

    counts = True

    def __init__(self, isolate: bool = True) -> None:
        self.name = "local" if isolate else "unsafe"
        self._isolate = isolate
        self._own_user = isolate and os.geteuid() == 0
        if isolate:
            bubblewrap.require_isolation()
        supervisor.binary()
        cgroups.sweep()
        self._root = folders.make_root()
        # Without isolation any program could write into the user's store, so this sandbox has a
        # temporary one.
        self._store = CompiledStore(None if isolate else self._root / "compiled")
        self._preparations = Preparations(self._store, self._key, self.compile)
        self._mutex = threading.Lock()
        self._serial = itertools.count()

    def close(self) -> None:
        """Remove every temporary file."""
        remove(self._root)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the properties of this sandbox that are stored with the results."""
        return {
            "sandbox": self.name,
            "isolation": "bubblewrap" if self._isolate else "none",
            "privileges": "own user" if self._own_user else "shared user",
            "cgroup_version": cgroups.version(),
            "supervisor": supervisor.version(),
        }

    def toolchain(self, language: Language) -> Toolchain:
        """Return the tools of `language` on this machine."""
        return find_toolchain(language)

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return the earlier result, possibly of another process."""
        return self._store.compile(
            self._key(program), program, lambda: self._compile(program, cores)
        )

    def compiled(self, program: Program) -> Compiled | None:
        """Return the earlier result of `compile` for the same program, or None."""
        return self._store.find(self._key(program), program)

    def _key(self, program: Program) -> str:
        tools = find_toolchain(program.language)
        return program_key(program, f"{self.name} {tools.version} {tools.path}")

    def _compile(self, program: Program, cores: Cores | None) -> Compiled:
        tries: list[Path] = []
        with self._preparations.ready(program) as prepared:

            def compiler(limits: Limits) -> SupervisedSession:
                # A new folder for each try: an earlier one may have left incomplete files.
                tries.append(self._folder(str(next(self._serial))))
                folders.write_source(tries[-1], program)
                return self._session(
                    program, tries[-1], Stage(True, limits, cores, prepared=prepared)
                )

            with FairSession(compiler, program.language.compile_limits) as session:
                (run,) = session.run([b""])
        for folder in tries[:-1]:
            remove(folder)
        return folders.accept(program, tries[-1], run, bubblewrap.WORK)

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> SupervisedSession:
        """Return a session that enforces `limits` on each run of `compiled`."""
        return self._stored_session(compiled, Stage(False, limits, cores, sampling))

    def counting_session(
        self,
        compiled: Compiled,
        limits: Limits,
        emulator: Emulator | None,
        cores: Cores | None = None,
    ) -> SupervisedSession:
        """Return a session whose runs include their instruction counts."""
        enforced = (
            emulation_limits(limits, compiled.program.language.counting) if emulator else limits
        )
        return self._stored_session(
            compiled, Stage(False, enforced, cores, COUNTED, limits, emulator)
        )

    def _stored_session(self, compiled: Compiled, stage: Stage) -> SupervisedSession:
        program, cores = compiled.program, stage.cores
        lease = self._store.lease(self._key(program), program, lambda: self.compile(program, cores))
        try:
            return self._session(program, compiled.folder, stage, lease.close)
        except BaseException:
            lease.close()
            raise

    def _session(
        self, program: Program, folder: Path, stage: Stage, after: Callable[[], None] = lambda: None
    ) -> SupervisedSession:
        command, options = self._command(program, stage)
        own = self._own_user and not stage.compiling
        user = folders.session_uid() if own else folders.unprivileged_uid()
        environment = self._environment(program, stage)
        view = self._view(program, folder, stage, environment, user) if self._isolate else None
        # Made last, so that no group is left if another step fails. Captured outputs are files in
        # memory that count towards the group, so its limit includes them.
        room = stage.limits.memory_bytes + 2 * stage.limits.output_bytes
        cgroup = cgroups.make_cgroup(room, stage.limits.processes)
        fds = cgroup.fds if cgroup else {}
        extra = [word for name, fd in fds.items() for word in (name, str(fd))]
        extra += [*self._options(folder, stage, user), *options]
        executable = bubblewrap.SUPERVISOR if view else str(supervisor.binary())
        words = supervisor.argv(
            executable,
            stage.limits,
            command,
            cores=stage.cores,
            sampling=stage.sampling,
            extra=extra,
        )
        if view:
            words = [*bubblewrap.argv(view), *words]
        if cgroup:
            # Outermost, so that every process of bubblewrap starts in the group.
            words = [str(supervisor.binary()), "join", *cgroup.procs, "--", *words]

        def clean_up() -> None:
            try:
                if cgroup:
                    cgroup.remove()
            finally:
                after()

        make_room = cgroup.make_room if cgroup else lambda size: None
        check = partial(folders.require_folder, folder)
        patience_s = stage.limits.wall_ns / NS_PER_S + PATIENCE_S
        start = partial(_popen, words, environment, tuple(fds.values()))
        return SupervisedSession(start, clean_up, make_room, check, patience_s)

    def _command(self, program: Program, stage: Stage) -> Command:
        language, source = program.language, program.source
        if stage.compiling:
            return Command(
                language.argv("compile", stage.limits, source, self._prepared(stage)), []
            )
        if not stage.stated:
            return Command(language.argv("run", stage.limits, source), [])
        place = None
        if stage.emulator:
            place = EmulatorPaths((str(stage.emulator.program),), str(stage.emulator.plugin))
            if self._isolate:
                place = EmulatorPaths((bubblewrap.EMULATOR,), bubblewrap.PLUGIN)
        counted = counted_command(place, language, source, stage.stated)
        # A custom command may read its input before the fork server starts.
        own = language.base is None and language.counting.fork_server
        if self._isolate and place and own:
            counted.options.append("--fork-server")
        return counted

    def _prepared(self, stage: Stage) -> str:
        """Return the path of the prepared files for the compiler; empty if there are none."""
        if stage.prepared is None:
            return ""
        return bubblewrap.PREPARED if self._isolate else str(stage.prepared)

    def _options(self, folder: Path, stage: Stage, user: int) -> list[str]:
        if not self._isolate:
            # Not for isolation: a PID namespace allows killing all processes that a run leaves.
            return ["--namespaces", "--chdir", str(folder)]
        options = [
            "--seccomp",
            "--hide",
            "--last-pid",
            bubblewrap.LAST_PID,
            "--chdir",
            bubblewrap.WORK,
        ]
        if not stage.compiling:
            options += ["--untouched"]
            options += [word for place in bubblewrap.SCRATCH for word in ("--wipe", place)]
        return [*options, "--uid", str(user), "--gid", str(user)] if self._own_user else options

    def _view(
        self,
        program: Program,
        folder: Path,
        stage: Stage,
        environment: Mapping[str, str],
        user: int,
    ) -> bubblewrap.View:
        language = program.language
        # a list of users that contains only this one
        users = self._root / f"users-{user}"
        with self._mutex:
            if not users.exists():
                folders.write_users(users, {"venus": user})
        return bubblewrap.View(
            toolchain=find_toolchain(language),
            folder=folder,
            writable=stage.compiling,
            scratch_bytes=folders.COMPILE_SCRATCH_BYTES
            if stage.compiling
            else folders.SCRATCH_BYTES,
            environment=environment,
            users=users,
            emulator=stage.emulator,
            prepared=stage.prepared,
        )

    def _environment(self, program: Program, stage: Stage) -> dict[str, str]:
        own = {
            "PATH": ":".join(find_toolchain(program.language).path),
            "HOME": "/tmp",
            "LANG": "C.UTF-8",
        }
        own |= program.language.environment
        own |= program.language.prepared_environment(self._prepared(stage))
        if stage.stated:
            own |= program.language.counted_environment(stage.stated)
        if self._isolate:
            return own
        # Without a private /tmp, temporary files go into a folder that the sandbox removes.
        scratch = str(self._folder("scratch"))
        moved = {
            name: value.replace("/tmp", scratch) for name, value in own.items() if name != "PATH"
        }
        return {**own, **moved, "TMPDIR": scratch}

    def _folder(self, name: str) -> Path:
        """Return a folder of the sandbox that the user of programs owns."""
        return folders.make_folder(
            self._root / name, folders.unprivileged_uid() if self._own_user else None
        )


@functools.cache
def _starter() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="venus-starter")


def _popen(words: Sequence[str], environment: Mapping[str, str], fds: tuple[int, ...]) -> Child:
    pipe = subprocess.PIPE
    try:
        # A sandbox dies with the thread that started it (PR_SET_PDEATHSIG), so this thread lives as
        # long as the process.
        process = _starter().submit(
            # In its own process group: otherwise Ctrl-C in a terminal would also end the program,
            # which would get a verdict for it.
            subprocess.Popen, words, env=environment, pass_fds=fds, process_group=0, stdin=pipe, stdout=pipe,
            stderr=pipe,
        )  # fmt: skip
        return Child(process.result())
    except OSError as error:
        raise SandboxError("cannot start the sandbox", str(error), "type: venus doctor") from error
