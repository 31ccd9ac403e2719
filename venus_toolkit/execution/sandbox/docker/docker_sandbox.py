"""The Docker sandbox: programs are compiled and run in containers.

The supervisor is process 1 of the container and stays root, with a few capabilities; compiler and
program have unprivileged users. A container has no network, no swap and a read-only root, and each
language has an image. The daemon must be on this machine, because the program's folder is mounted,
so ``tcp://`` and ``ssh://`` to other machines do not work.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.core.temporary import remove
from venus_toolkit.core.toolchain import Toolchain
from venus_toolkit.execution.sandbox import Compiled, Program, Sandbox, cgroups, folders, supervisor
from venus_toolkit.execution.sandbox.bubblewrap import SUPERVISOR, WORK
from venus_toolkit.execution.sandbox.compiled import CompiledStore, Preparations, program_key
from venus_toolkit.execution.sandbox.docker.container import (
    BUILD,
    LAST_PID,
    PREPARED,
    PROCESSES,
    SCRATCH,
    WIPED,
    Container,
    ContainerLimits,
    ContainerPlan,
    link,
)
from venus_toolkit.execution.sandbox.docker.docker_client import connect, refusals, remove_leftovers
from venus_toolkit.execution.sandbox.docker.language_images import Image, candidates, find_images
from venus_toolkit.execution.sandbox.docker.pool import Lease, Pool
from venus_toolkit.execution.sandbox.emulator import (
    Command,
    Emulator,
    EmulatorPaths,
    copy_kit,
    counted_command,
    emulation_limits,
)
from venus_toolkit.execution.sandbox.session import PATIENCE_S, SupervisedSession
from venus_toolkit.execution.sandbox.supervisor import COUNTED, Cores, Sampling

DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Programs that use a container one after another. With 1, throughput on tiny tests drops by a
# fifth.
PROGRAMS = 32
RESERVED_PROCESSES = 16  # so that a program meets its own limit before that of its container
INPUT_STEP_BYTES = 16 * MIB
VERSION_LIMITS = Limits(wall_ns=60 * NS_PER_S, cpu_ns=60 * NS_PER_S, processes=512)


class ContainerStage(NamedTuple):
    """The purpose and the options of a session.

    Attributes:
        compiling: Whether it compiles or runs.
        limits: The limits that the supervisor enforces.
        cores: The cores of the program and its supervisor.
        sampling: How memory is sampled.
        input_bytes: The size of the largest input.
        stated: For a counted run, the limits that its command line contains; else None.
        emulator: Counts the instructions of a counted run; None: the processor counts them.
        prepared: The path of the prepared files in the container; empty if there are none.
    """

    compiling: bool
    limits: Limits
    cores: Cores | None = None
    sampling: Sampling | None = None
    input_bytes: int = 0
    stated: Limits | None = None
    emulator: Emulator | None = None
    prepared: str = ""

    @property
    def room(self) -> ContainerLimits:
        """The container's limits: the program's, plus memory for input, output and the supervisor.

        The input size is rounded down, so that more sessions can reuse an idle container.
        """
        # the headroom covers the remainder
        input_bytes = self.input_bytes // INPUT_STEP_BYTES * INPUT_STEP_BYTES
        memory_bytes = (
            self.limits.memory_bytes
            + 2 * self.limits.output_bytes
            + input_bytes
            + cgroups.HEADROOM_BYTES
        )
        cores = self.cores
        if cores is None or cores.program is None or cores.sampler is None:
            return ContainerLimits(memory_bytes)
        return ContainerLimits(
            memory_bytes, ",".join(map(str, sorted({cores.program, cores.sampler})))
        )


class DockerSandbox(Sandbox):
    """Compiles and runs programs in containers.

    Args:
        languages: The languages whose images are listed in its facts; None: all built-in ones.
        programs: The number of programs that use a container one after another.

    Raises:
        SandboxError: No daemon answers, or it is too old.
    """

    name = "docker"
    counts = True

    def __init__(
        self, languages: Iterable[Language] | None = None, programs: int = PROGRAMS
    ) -> None:
        supervisor.binary()
        self._client = connect()
        try:
            self._images = find_images(
                self._client, load_languages().values() if languages is None else languages
            )
            with refusals("the Docker daemon does not report its version"):
                daemon_info = self._client.info()
            self._version, self._cgroup_version = (
                daemon_info["ServerVersion"],
                int(daemon_info.get("CgroupVersion") or 1),
            )
            remove_leftovers(self._client)
            self._root = folders.make_root()
        except BaseException:
            self._client.close()
            raise
        self._compiler_uid = folders.unprivileged_uid()
        self._processors = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        self._store = CompiledStore()
        self._preparations = Preparations(self._store, self._key, self.compile)
        self._mutex = threading.Lock()
        self._serial = itertools.count()
        self._pool = Pool(self._make_container, programs)
        self._counting_pool = Pool(self._make_counting_container, programs)
        self._kit: EmulatorPaths | None = None

    def close(self) -> None:
        """Remove every container and every temporary file."""
        self._pool.close()
        self._counting_pool.close()
        self._client.close()
        remove(self._root)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return the properties that are stored with the results, with the digest of each image."""
        return {
            "sandbox": self.name,
            "isolation": "container",
            "privileges": "own user",
            "cgroup_version": self._cgroup_version,
            "supervisor": supervisor.version(),
            "docker": self._version,
            **{f"image_{name}": image.digest for name, image in sorted(self._images.items())},
        }

    def toolchain(self, language: Language) -> Toolchain:
        """Return the version of the compiler or interpreter in the image of `language`."""
        stage = ContainerStage(True, VERSION_LIMITS)
        with SupervisedSession(
            lambda: self._lease(language, "version", Command([*language.version_argv], []), stage)
        ) as session:
            (run,) = session.run([b""])
        lines = (run.stdout or run.stderr).decode("utf-8", "replace").strip().splitlines()
        if not run.clean or not lines:
            reason = f"{' '.join(language.version_argv)} failed in {self._image(language).name}"
            raise ToolchainError(
                f"{language.name} does not start", reason, f"type: venus images check {language.id}"
            )
        return Toolchain((), (), lines[0])

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return the earlier result, possibly of another process."""
        return self._store.compile(
            self._key(program), program, lambda: self._compile(program, cores)
        )

    def compiled(self, program: Program) -> Compiled | None:
        """Return the earlier result of `compile` for the same program, or None."""
        return self._store.find(self._key(program), program)

    def _key(self, program: Program) -> str:
        return program_key(program, f"{self.name} {self._image(program.language).digest}")

    def _compile(self, program: Program, cores: Cores | None) -> Compiled:
        language = program.language
        folder = self._root / f"{next(self._serial)}"
        with self._preparations.ready(program) as prepared:
            inside = self._show_prepared(language, prepared) if prepared else ""
        stage = ContainerStage(True, language.compile_limits, cores, prepared=inside)
        command = Command(language.argv("compile", stage.limits, program.source, inside), [])

        def start() -> Lease:
            write = lambda container: folders.write_source(container.build, program)  # noqa: E731
            move_out = lambda container: folders.move_out(container.build, folder)  # noqa: E731
            return self._lease(language, str(folder), command, stage, write, move_out)

        with SupervisedSession(start) as session:
            (run,) = session.run([b""])
        return folders.accept(program, folder, run, BUILD)

    def _show_prepared(self, language: Language, folder: Path) -> str:
        """Copy prepared files into the containers of a language, and return their path there."""
        mounted = self._prepared_folder(language)
        with self._mutex:
            # A copy, because the store may evict its files, and a running container accepts no new
            # mounts.
            if not any(mounted.iterdir()):
                shutil.copytree(folder, mounted, copy_function=link, dirs_exist_ok=True)
        return PREPARED

    def _prepared_folder(self, language: Language) -> Path:
        return folders.make_folder(self._root / f"prepared-{language.id}")

    def session(
        self,
        compiled: Compiled,
        limits: Limits,
        cores: Cores | None = None,
        sampling: Sampling | None = None,
    ) -> SupervisedSession:
        """Return a session that enforces `limits` on each run of `compiled`."""
        return self._stored_session(compiled, ContainerStage(False, limits, cores, sampling))

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
            compiled,
            ContainerStage(False, enforced, cores, COUNTED, stated=limits, emulator=emulator),
        )

    def _stored_session(self, compiled: Compiled, stage: ContainerStage) -> SupervisedSession:
        program, folder = compiled.program, compiled.folder
        limits, cores = stage.limits, stage.cores
        stored = self._store.lease(
            self._key(program), program, lambda: self.compile(program, cores)
        )
        current: Lease | None = None

        def start() -> Lease:
            nonlocal current
            show = lambda container: container.show(folder)  # noqa: E731
            hide = lambda container: container.show(None)  # noqa: E731
            current = self._lease(
                program.language, str(folder), self._command(program, stage), stage, show, hide
            )
            return current

        def make_room(size: int) -> None:
            """Raise the memory limit for inputs of `size` bytes."""
            nonlocal stage
            stage = stage._replace(input_bytes=max(size, stage.input_bytes))
            if current:
                current.resize(stage.room)

        patience_s = limits.wall_ns / NS_PER_S + PATIENCE_S
        return SupervisedSession(start, stored.close, make_room, patience_s=patience_s)

    def _make_counting_container(self, language: Language, number: int) -> Container:
        return self._make_container(language, number, counting=True)

    def _make_container(self, language: Language, number: int, counting: bool = False) -> Container:
        return Container(
            self._client,
            ContainerPlan(
                image=self._image(language).name,
                slot=self._root / f"{'counting' if counting else 'slot'}-{number}",
                compiler_uid=self._compiler_uid,
                program_uid=folders.PROGRAM_UIDS[number % len(folders.PROGRAM_UIDS)],
                memory_bytes=ContainerStage(True, language.compile_limits).room.memory_bytes,
                processors=self._processors,
                kit=self._root / "emulator" if counting else None,
                # Every container: the one that compiles prepared files compiles programs next.
                prepared=self._prepared_folder(language),
            ),
        )

    def _lease(
        self,
        language: Language,
        program: str,
        command: Command,
        stage: ContainerStage,
        before: Callable[[Container], None] = lambda _: None,
        after: Callable[[Container], None] = lambda _: None,
    ) -> Lease:
        """Have a container supervise a command; call `before` first, and `after` after all runs."""
        pool = self._counting_pool if stage.emulator else self._pool
        container = pool.take(language, program, stage.room)
        try:
            before(container)
            words = self._command_line(container.plan, command, stage)
            container.supervise(words, self._environment(language, stage), stage.room)
        except BaseException:
            container.remove()
            raise
        return Lease(container, pool.keep, after)

    def _command(self, program: Program, stage: ContainerStage) -> Command:
        language, source = program.language, program.source
        if not stage.stated:
            return Command(language.argv("run", stage.limits, source), [])
        with self._mutex:
            if stage.emulator and self._kit is None:
                self._kit = copy_kit(stage.emulator, self._root / "emulator")
        return counted_command(
            self._kit if stage.emulator else None, language, source, stage.stated
        )

    def _command_line(
        self, plan: ContainerPlan, command: Command, stage: ContainerStage
    ) -> list[str]:
        uid = str(plan.compiler_uid if stage.compiling else plan.program_uid)
        wiped = (*WIPED, SCRATCH) if stage.compiling else WIPED
        extra = [
            "--ready",
            "--attended",
            "--uid",
            uid,
            "--gid",
            uid,
            "--chdir",
            BUILD if stage.compiling else WORK,
        ]
        extra += ["--last-pid", LAST_PID, *cgroups.paths(), *command.options]
        extra += [word for place in wiped for word in ("--wipe", place)] + (
            [] if stage.compiling else ["--untouched"]
        )
        limits = stage.limits.changed(
            processes=min(stage.limits.processes, PROCESSES - RESERVED_PROCESSES)
        )
        return supervisor.argv(
            SUPERVISOR,
            limits,
            command.words,
            cores=stage.cores,
            sampling=stage.sampling,
            extra=extra,
        )

    def _environment(self, language: Language, stage: ContainerStage) -> dict[str, str]:
        own = {"HOME": "/tmp", "LANG": "C.UTF-8", **language.environment}
        if stage.compiling:  # temporary files go into a folder that is closed to programs
            own = {name: value.replace("/tmp", SCRATCH) for name, value in own.items()} | {
                "TMPDIR": SCRATCH
            }
            own |= language.prepared_environment(stage.prepared)
        if stage.stated:
            own |= language.counted_environment(stage.stated)
        return {"PATH": DEFAULT_PATH, **self._image(language).environment, **own}

    def _image(self, language: Language) -> Image:
        with self._mutex:
            # A missing image may have been built in the meantime.
            image = self._images.get(language.id) or find_images(self._client, [language]).get(
                language.id
            )
            if image is None:
                reason = "neither " + " nor ".join(candidates(language)) + " is there"
                fix = (
                    f"type: venus images build {language.id}, or without a registry: --from-debian"
                )
                raise ToolchainError(f"{language.name} has no image", reason, fix)
            return self._images.setdefault(language.id, image)
