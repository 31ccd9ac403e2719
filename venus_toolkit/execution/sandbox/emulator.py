"""The user-mode emulator with our counting plugin.

Where it is, what it needs, and the command line that counts.

Only the part of a run that is a command line is here; counting.py says what is counted, sandboxes
run it.
"""

from __future__ import annotations

import functools
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.interruption import run_tool
from venus_toolkit.core.language import InstructionCounting, Language
from venus_toolkit.core.records import MIB, Limits
from venus_toolkit.execution.sandbox import supervisor

PLUGIN = Path(__file__).parents[1] / "native" / "venus-counter.so"
SOURCE = Path(__file__).parents[1] / "native" / "counter.c"
PROCESSORS = ("x86_64", "aarch64")
INSTALL = "type: apt-get install qemu-user"
WHAT = "instructions cannot be counted by emulation"
TRIED = "/bin/true"
KIT = "/run/venus-emulator"  # a folder, in a container
EMULATOR_BYTES = 512 * MIB  # translated code, and the emulator itself in each process
WAITING = 4
# Not `max` of another version of QEMU, and not the processor's own: with fewer features memcpy
# counts each byte.
OPTIONS = ("-cpu", "max", "-seed", "1")


class Emulator(NamedTuple):
    """The emulator's program, our plugin, and the emulator's version."""

    program: Path
    plugin: Path
    version: str


class EmulatorPaths(NamedTuple):
    """How the emulator is called where programs run.

    Its command without options, and the path of the plugin.
    """

    command: tuple[str, ...]
    plugin: str


class Command(NamedTuple):
    """What a supervisor runs for a program to be counted, and the options that it needs for that."""

    words: list[str]
    options: list[str]


def counted_command(
    place: EmulatorPaths | None, language: Language, source: str, limits: Limits
) -> Command:
    """Return how a program in `language`, told of these limits, is counted.

    By an emulator, else the processor.
    """
    argv = language.argv("count", limits, source)
    return command(place, language.counting, argv) if place else Command(argv, ["--pmu"])


def command(place: EmulatorPaths, counting: InstructionCounting, argv: Sequence[str]) -> Command:
    """Return how `argv` is counted by an emulator."""
    plugin = ",".join([place.plugin, *(f"constant={name}" for name in counting.constants)])
    words = [*place.command, *OPTIONS, "-plugin", plugin, "-0", argv[0]]
    # The emulator wants a path for the program where a shell would take a name.
    return Command([*words, *argv], ["--count", "--look-up", str(len(words))])


def copy_kit(emulator: Emulator, folder: Path) -> EmulatorPaths:
    """Copy the emulator, the plugin and the libraries they need into a folder, and return how it is called from there.

    A container has other libraries, or none: so the loader comes along too.

    Raises:
        MachineError: The libraries cannot be found.
    """
    listing = run_tool(["ldd", str(emulator.program)]).stdout
    libraries = [Path(path) for path in re.findall(r"(/\S+) \(0x", listing)]
    loader = next((library.name for library in libraries if library.name.startswith("ld-")), None)
    if loader is None:
        raise MachineError(
            WHAT,
            f"the libraries of {emulator.program} cannot be found: {listing.strip()[:200]}",
            INSTALL,
        )
    folder.mkdir(mode=0o755, exist_ok=True)
    for file in (emulator.program, emulator.plugin, *libraries):
        shutil.copy(file, folder / file.name)
        (folder / file.name).chmod(0o755)
    called = (f"{KIT}/{loader}", "--library-path", KIT, f"{KIT}/{emulator.program.name}")
    return EmulatorPaths(called, f"{KIT}/{emulator.plugin.name}")


def stretched(limits: Limits, counting: InstructionCounting) -> Limits:
    """Return what a counted run is held to, so that it ends by itself where the program holds to its `limits`."""
    return limits.changed(
        cpu_ns=int(limits.cpu_ns * counting.slowdown),
        # Counted on a machine at any load: a run may wait for a core most of the time.
        wall_ns=int(WAITING * limits.wall_ns * counting.slowdown),
        memory_bytes=limits.memory_bytes + EMULATOR_BYTES,
        # Each process has a thread of the emulator's, and a fork server is a process too.
        processes=2 * limits.processes + 4,
        open_files=limits.open_files + 8,
    )


def plugin() -> Path:
    """Return the path of the compiled plugin.

    Raises:
        MachineError: It was never compiled, or its source has changed since.
    """
    if not PLUGIN.is_file():
        raise MachineError(
            WHAT, f"the plugin is not compiled: {PLUGIN} does not exist", "type: make native"
        )
    if SOURCE.is_file() and SOURCE.stat().st_mtime > PLUGIN.stat().st_mtime + 1:
        raise MachineError(
            WHAT, f"the plugin is out of date: {SOURCE.name} is newer", "type: make native"
        )
    return PLUGIN


def find_emulator() -> Emulator:
    """Return the emulator of this machine's own processor, once it has counted a small program.

    Raises:
        MachineError: There is none that does, and the message says why.
    """
    machine = platform.machine()
    if machine not in PROCESSORS:
        reason = f"this processor is {machine}, and the plugin knows {' and '.join(PROCESSORS)}"
        raise MachineError(WHAT, reason, "use another machine, or --counter off")
    program = shutil.which(f"qemu-{machine}")
    if not program:
        raise MachineError(WHAT, f"qemu-{machine} is not installed", INSTALL)
    return tried(Path(program), plugin())


@functools.cache
def tried(program: Path, plugin: Path) -> Emulator:
    """Return the emulator `program` with the plugin, which have counted the instructions of a small program.

    Raises:
        MachineError: They did not.
    """
    emulator = Emulator(program, plugin, _version(program))
    words, options = command(
        EmulatorPaths((str(program),), str(plugin)), InstructionCounting(), [TRIED]
    )
    argv = supervisor.argv(str(supervisor.binary()), Limits(), words, extra=options)
    run, complaint = supervisor.one_run(argv)
    if run is None:
        raise MachineError(WHAT, complaint or "the supervisor does not start", "type: venus doctor")
    if run.instructions is None:
        output = (run.stdout + run.stderr).decode("utf-8", "replace")
        raise MachineError(WHAT, _refusal(emulator.version, output), INSTALL)
    return emulator


def _refusal(version: str, output: str) -> str:
    """Return why an emulator does not count, from what it printed."""
    if "plugin" in output and (
        "unknown option" in output
        or "unrecognized" in output
        or "Usage" in output
        or "usage" in output
    ):
        return (
            f"QEMU {version} is built without plugins, as static builds are (qemu-user-static, "
            "Debian 13)"
        )
    if "API version" in output:
        return (
            f"QEMU {version} has another plugin interface than this toolkit knows: "
            f"{output.strip()[:300]}"
        )
    return f"QEMU {version} does not run the plugin: {output.strip()[:300] or 'no reason given'}"


def _version(program: Path) -> str:
    try:
        output = run_tool([str(program), "--version"], 20).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(WHAT, f"{program} does not start: {error}", INSTALL) from error
    match = re.search(r"version (\S+)", output)
    return match.group(1) if match else "of unknown version"
