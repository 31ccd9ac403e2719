"""Programs in Docker containers, in which they are compiled and then run all their tests.

The supervisor is process 1 of the container and stays root in it, with four capabilities; compiler and program are
unprivileged users of their own. No network, a read-only root, no swap, one image for each language. The daemon has to
be on this machine, because the program's folder is mounted: one reached over ``tcp://`` or ``ssh://`` does not do.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit import supervisor
from venus_toolkit.errors import ToolchainError
from venus_toolkit.language import Language, Toolchain, load_languages
from venus_toolkit.records import MIB, NS_PER_S, Limits
from venus_toolkit.sandbox import Compiled, Program, cgroups, folders
from venus_toolkit.sandbox.bubblewrap import SUPERVISOR, WORK
from venus_toolkit.sandbox.compilations import Compilations
from venus_toolkit.sandbox.docker import names
from venus_toolkit.sandbox.docker.client import Client, connect, refusals, remove_leftovers
from venus_toolkit.sandbox.docker.container import BUILD, CACHE, PROCESSES, SCRATCH, WIPED, Container, Plan, Room
from venus_toolkit.sandbox.docker.pool import Lease, Pool
from venus_toolkit.sandbox.session import SupervisedSession
from venus_toolkit.supervisor import Cores, Sampling
from venus_toolkit.temporary import remove

EVENTS = {1: "/sys/fs/cgroup/memory/memory.oom_control", 2: "/sys/fs/cgroup/memory.events"}
DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PROGRAMS = 32
RESERVED_PROCESSES = 16
INPUT_STEP_BYTES = 16 * MIB
PROGRAM_UIDS = range(65184, 65484)
VERSION_LIMITS = Limits(wall_ns=60 * NS_PER_S, cpu_ns=60 * NS_PER_S, processes=512)


class Stage(NamedTuple):
    """What a session is for: ``compile`` or ``run``."""

    name: str
    limits: Limits
    cores: Cores | None = None
    sampling: Sampling | None = None
    input_bytes: int = 0

    @property
    def compiling(self) -> bool:
        """Whether the compiler runs, not the program."""
        return self.name == "compile"

    @property
    def room(self) -> Room:
        """What its container may take: input, output and the supervisor must take nothing from the program.

        The size of the input is rounded, so that containers with the right limits are found.
        """
        input_bytes = self.input_bytes // INPUT_STEP_BYTES * INPUT_STEP_BYTES  # the headroom takes what is cut off
        memory_bytes = self.limits.memory_bytes + 2 * self.limits.output_bytes + input_bytes + cgroups.HEADROOM_BYTES
        cores = self.cores
        if cores is None or cores.program is None or cores.sampler is None:
            return Room(memory_bytes)
        return Room(memory_bytes, ",".join(map(str, sorted({cores.program, cores.sampler}))))


class Image(NamedTuple):
    """An image as the daemon has it: our name for it, its digest, its environment."""

    name: str
    digest: str
    environment: Mapping[str, str]


class Place:
    """Where a compiled program runs in a session: one container after the other, should one be spent."""

    def __init__(self, lease: Callable[..., Lease], compiled: Compiled, stage: Stage) -> None:
        self._lease = lease
        self._compiled = compiled
        self._stage = stage
        self._current: Lease | None = None

    def start(self) -> Lease:
        """Return a container in which the supervisor of the program waits."""
        language, folder = self._compiled.program.language, self._compiled.folder
        show = lambda container: container.show(folder)  # noqa: E731
        hide = lambda container: container.show(None)  # noqa: E731
        argv = language.argv("run", self._stage.limits)
        self._current = self._lease(language, str(folder), argv, self._stage, show, hide)
        return self._current

    def make_room(self, size: int) -> None:
        """Let inputs of `size` bytes take nothing from the program's memory."""
        self._stage = self._stage._replace(input_bytes=max(size, self._stage.input_bytes))
        if self._current:
            self._current.resize(self._stage.room)


class DockerSandbox:
    """Compiles and runs in containers.

    Args:
        languages: Those that will be needed (their images are the sandbox's facts); None: all built-in ones.
        programs: How many programs a container serves, one after the other.

    Raises:
        SandboxError: No daemon answers, or it is too old.
    """

    name = "docker"

    def __init__(self, languages: Iterable[Language] | None = None, programs: int = PROGRAMS) -> None:
        supervisor.binary()
        self._client = connect()
        try:
            self._images = find_images(self._client, load_languages().values() if languages is None else languages)
            self._info = _info(self._client)
            remove_leftovers(self._client)
            self._root = folders.make_root()
        except BaseException:
            self._client.close()
            raise
        self._compiler_uid = folders.unprivileged_uid()
        self._processors = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        self._compilations = Compilations()
        self._mutex = threading.Lock()
        self._serial = itertools.count()
        self._pool = Pool(self._make_container, programs)

    def __enter__(self) -> DockerSandbox:
        """Return the sandbox itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the sandbox."""
        self.close()

    def close(self) -> None:
        """Remove every container and every compiled program."""
        self._pool.close()
        self._client.close()
        remove(self._root)

    def facts(self) -> Mapping[str, str | bool | int | None]:
        """Return what is enforced and how, and the digest of each language's image."""
        return {
            "sandbox": self.name,
            "isolation": "container",
            "privileges": "own user",
            "cgroup_version": self._info.cgroup_version,
            "supervisor": supervisor.version(),
            "docker": self._info.version,
            **{f"image_{name}": image.digest for name, image in sorted(self._images.items())},
        }

    # -------------------------------------------------------------- the protocol

    def toolchain(self, language: Language) -> Toolchain:
        """Return what the image of `language` calls its compiler or interpreter.

        Raises:
            ToolchainError: There is no image, or it does not hold the tools.
        """
        stage = Stage("compile", VERSION_LIMITS)
        with SupervisedSession(lambda: self._lease(language, "version", language.version_argv, stage)) as session:
            (run,) = session.run([b""])
        lines = (run.stdout or run.stderr).decode("utf-8", "replace").strip().splitlines()
        if not run.clean or not lines:
            why = f"{' '.join(language.version_argv)} failed in {self._image(language).name}"
            raise ToolchainError(f"{language.name} does not start", why, f"type: venus images check {language.id}")
        return Toolchain((), (), lines[0])

    def compile(self, program: Program, cores: Cores | None = None) -> Compiled:
        """Compile `program`, or return what an earlier call made of the same program."""
        return self._compilations.once(program, lambda: self._compile(program, cores))

    def _compile(self, program: Program, cores: Cores | None) -> Compiled:
        language = program.language
        folder = self._root / f"{next(self._serial)}"
        stage = Stage("compile", language.compile_limits, cores)
        argv = language.argv("compile", stage.limits)

        def start() -> Lease:
            write = lambda container: folders.write_source(container.build, program)  # noqa: E731
            move_out = lambda container: folders.move_out(container.build, folder)  # noqa: E731
            return self._lease(language, str(folder), argv, stage, write, move_out)

        with SupervisedSession(start) as session:
            (run,) = session.run([b""])
        fault = folders.fault(folder)
        if not run.clean:
            folders.require_space(folder)
        log = (run.stdout + run.stderr).decode("utf-8", "replace").replace(f"{BUILD}/", "")
        log = folders.compile_log(log, run, fault)
        return Compiled(program, folder, run.clean and fault is None, log, run.without_output())

    def session(
        self, compiled: Compiled, limits: Limits, cores: Cores | None = None, sampling: Sampling | None = None
    ) -> SupervisedSession:
        """Return a session in which each run of `compiled` is held to `limits`."""
        place = Place(self._lease, compiled, Stage("run", limits, cores, sampling))
        return SupervisedSession(place.start, make_room=place.make_room)

    def discard(self, compiled: Compiled) -> None:
        """Remove the files of a compiled program, and a container that can serve no other."""
        self._compilations.forget(compiled)
        self._pool.forget(str(compiled.folder))
        remove(compiled.folder)

    # -------------------------------------------------------------- containers

    def _make_container(self, language: Language, number: int) -> Container:
        cache = None
        if language.compile_cache:
            cache = folders.make_folder(self._root / f"cache-{language.id}", self._compiler_uid, 0o700)
        return Container(
            self._client,
            Plan(
                image=self._image(language).name,
                slot=self._root / f"slot-{number}",
                compiler_uid=self._compiler_uid,
                program_uid=PROGRAM_UIDS[number % len(PROGRAM_UIDS)],
                memory_bytes=Stage("compile", language.compile_limits).room.memory_bytes,
                processors=self._processors,
                cache=cache,
            ),
        )

    def _lease(
        self,
        language: Language,
        program: str,
        argv: Sequence[str],
        stage: Stage,
        before: Callable[[Container], None] = lambda _: None,
        after: Callable[[Container], None] = lambda _: None,
    ) -> Lease:
        """Let a container supervise `argv`, with something done to its folders before, and after all runs."""
        container = self._pool.take(language, program, stage.room)
        try:
            before(container)
            words = self._command_line(container.plan, argv, stage)
            container.supervise(words, self._environment(language, stage), stage.room)
        except BaseException:
            container.remove()
            raise
        return Lease(container, self._pool.keep, after)

    def _command_line(self, plan: Plan, argv: Sequence[str], stage: Stage) -> list[str]:
        uid = str(plan.compiler_uid if stage.compiling else plan.program_uid)
        wiped = (*WIPED, SCRATCH) if stage.compiling else WIPED
        extra = ["--ready", "--attended", "--uid", uid, "--gid", uid, "--chdir", BUILD if stage.compiling else WORK]
        extra += ["--events", EVENTS[self._info.cgroup_version]]
        extra += [word for place in wiped for word in ("--wipe", place)]
        limits = stage.limits.changed(processes=min(stage.limits.processes, PROCESSES - RESERVED_PROCESSES))
        return supervisor.argv(SUPERVISOR, limits, argv, cores=stage.cores, sampling=stage.sampling, extra=extra)

    def _environment(self, language: Language, stage: Stage) -> dict[str, str]:
        own = {"HOME": "/tmp", "LANG": "C.UTF-8", **language.environment}
        if stage.compiling:
            own = {name: _while_compiling(value, language) for name, value in own.items()} | {"TMPDIR": SCRATCH}
        return {"PATH": DEFAULT_PATH, **self._image(language).environment, **own}

    def _image(self, language: Language) -> Image:
        with self._mutex:
            image = self._images.get(language.id) or find_images(self._client, [language]).get(language.id)
            if image is None:
                why = "neither " + " nor ".join(names.candidates(language)) + " is there"
                fix = f"type: venus images build {language.id}, or without a registry: --from-debian"
                raise ToolchainError(f"{language.name} has no image", why, fix)
            return self._images.setdefault(language.id, image)


def _while_compiling(value: str, language: Language) -> str:
    """Return a setting of the language with the places that only the compiler may write to."""
    if language.compile_cache:
        value = value.replace(language.compile_cache, CACHE)
    return value.replace("/tmp", SCRATCH)


class Info(NamedTuple):
    """What the daemon says of itself."""

    version: str
    cgroup_version: int


def _info(client: Client) -> Info:
    with refusals("the Docker daemon cannot be asked about itself"):
        said = client.info()
    return Info(said["ServerVersion"], int(said.get("CgroupVersion") or 1))


def lacking_images(languages: Iterable[Language]) -> list[str]:
    """Return the languages, by id, of which the daemon has no image.

    Raises:
        SandboxError: No daemon answers, or it is too old.
    """
    wanted = list(languages)
    with contextlib.closing(connect()) as client:
        here = find_images(client, wanted)
    return [language.id for language in wanted if language.id not in here]


def find_images(client: Client, languages: Iterable[Language]) -> dict[str, Image]:
    """Return the image of each language that has one, by language.

    Raises:
        SandboxError: The daemon does not say.
    """
    with refusals("the images cannot be listed"):
        listed = client.images(filters={"reference": "venus-*"})
        present = {tag for image in listed for tag in image.get("RepoTags") or ()}
        chosen = {language.id: name for language in languages if (name := names.choose(language, present))}
        return {each: _inspect(client, name) for each, name in chosen.items()}


def _inspect(client: Client, name: str) -> Image:
    said = client.inspect_image(name)
    settings = (setting.partition("=") for setting in said["Config"].get("Env") or ())
    return Image(name, said["Id"], {key: value for key, _, value in settings})
