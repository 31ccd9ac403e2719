"""The user-mode emulator (QEMU) with our counting plugin: its files and its command lines.

Sandboxes run these command lines; counting.py defines the counts.
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
CANNOT_COUNT = "instructions cannot be counted by emulation"
TEST_PROGRAM = "/bin/true"  # the program that tests the emulator
KIT = "/run/venus-emulator"  # a folder in a container
EMULATOR_BYTES = 512 * MIB  # for translated code, and for the emulator itself in each process
WALL_TIME_FACTOR = 4
# `max` rather than the host's processor: with fewer features memcpy takes an instruction per byte.
OPTIONS = ("-cpu", "max", "-seed", "1")


class Emulator(NamedTuple):
    """The emulator's program, our plugin, and the emulator's version."""

    program: Path
    plugin: Path
    version: str


class EmulatorPaths(NamedTuple):
    """The emulator's command without options, and the path of the plugin, inside a sandbox."""

    command: tuple[str, ...]
    plugin: str


class Command(NamedTuple):
    """The command line that a supervisor runs, and options of the supervisor."""

    words: list[str]
    options: list[str]


def counted_command(
    place: EmulatorPaths | None, language: Language, source: str, limits: Limits
) -> Command:
    """Return the command that counts a program's instructions.

    The emulator at `place` counts them, or the processor if it is None. `limits` are inserted into
    the language's command, for example as the size of a heap.
    """
    argv = language.argv("count", limits, source)
    return command(place, language.counting, argv) if place else Command(argv, ["--pmu"])


def command(place: EmulatorPaths, counting: InstructionCounting, argv: Sequence[str]) -> Command:
    """Return the command that counts `argv` with an emulator."""
    plugin = ",".join([place.plugin, *(f"constant={name}" for name in counting.constants)])
    words = [*place.command, *OPTIONS, "-plugin", plugin, "-0", argv[0]]
    # The emulator needs the path of the program, not just its name.
    return Command([*words, *argv], ["--count", "--look-up", str(len(words))])


def copy_kit(emulator: Emulator, folder: Path) -> EmulatorPaths:
    """Copy the emulator, the plugin and their libraries into a folder to be mounted at `KIT`.

    A container has other libraries or none, so the loader is copied as well.

    Raises:
        MachineError: The libraries cannot be found.
    """
    listing = run_tool(["ldd", str(emulator.program)]).stdout
    libraries = [Path(path) for path in re.findall(r"(/\S+) \(0x", listing)]
    loader = next((library.name for library in libraries if library.name.startswith("ld-")), None)
    if loader is None:
        raise MachineError(
            CANNOT_COUNT,
            f"the libraries of {emulator.program} cannot be found: {listing.strip()[:200]}",
            INSTALL,
        )
    folder.mkdir(mode=0o755, exist_ok=True)
    for file in (emulator.program, emulator.plugin, *libraries):
        shutil.copy(file, folder / file.name)
        (folder / file.name).chmod(0o755)
    command = (f"{KIT}/{loader}", "--library-path", KIT, f"{KIT}/{emulator.program.name}")
    return EmulatorPaths(command, f"{KIT}/{emulator.plugin.name}")


def emulation_limits(limits: Limits, counting: InstructionCounting) -> Limits:
    """Return limits under emulation that a program within its normal `limits` does not exceed."""
    return limits.changed(
        cpu_ns=int(limits.cpu_ns * counting.slowdown),
        # Counting is allowed on a busy machine, where a run may wait for a core most of the time.
        wall_ns=int(WALL_TIME_FACTOR * limits.wall_ns * counting.slowdown),
        memory_bytes=limits.memory_bytes + EMULATOR_BYTES,
        # The emulator adds a thread to each process, and a fork server is a process, too.
        processes=2 * limits.processes + 4,
        open_files=limits.open_files + 8,
    )


def plugin() -> Path:
    """Return the path of the compiled plugin.

    Raises:
        MachineError: It is not compiled, or its source is newer.
    """
    if not PLUGIN.is_file():
        raise MachineError(
            CANNOT_COUNT,
            f"the plugin is not compiled: {PLUGIN} does not exist",
            "type: make native",
        )
    if SOURCE.is_file() and SOURCE.stat().st_mtime > PLUGIN.stat().st_mtime + 1:
        raise MachineError(
            CANNOT_COUNT, f"the plugin is out of date: {SOURCE.name} is newer", "type: make native"
        )
    return PLUGIN


def find_emulator() -> Emulator:
    """Return the emulator of this machine's own processor, tested on a small program.

    Raises:
        MachineError: No emulator works; the message has the reason.
    """
    machine = platform.machine()
    if machine not in PROCESSORS:
        reason = f"this processor is {machine}; the plugin supports {' and '.join(PROCESSORS)}"
        raise MachineError(CANNOT_COUNT, reason, "use another machine, or --counter off")
    program = shutil.which(f"qemu-{machine}")
    if not program:
        raise MachineError(CANNOT_COUNT, f"qemu-{machine} is not installed", INSTALL)
    return check_emulator(Path(program), plugin())


@functools.cache
def check_emulator(program: Path, plugin: Path) -> Emulator:
    """Return the emulator `program` with the plugin, tested on a small program.

    Raises:
        MachineError: The emulator does not count its instructions.
    """
    emulator = Emulator(program, plugin, _version(program))
    words, options = command(
        EmulatorPaths((str(program),), str(plugin)), InstructionCounting(), [TEST_PROGRAM]
    )
    argv = supervisor.argv(str(supervisor.binary()), Limits(), words, extra=options)
    run, complaint = supervisor.one_run(argv)
    if run is None:
        raise MachineError(
            CANNOT_COUNT, complaint or "the supervisor does not start", "type: venus doctor"
        )
    if run.instructions is None:
        output = (run.stdout + run.stderr).decode("utf-8", "replace")
        raise MachineError(CANNOT_COUNT, _refusal(emulator.version, output), INSTALL)
    return emulator


def _refusal(version: str, output: str) -> str:
    """Return why an emulator does not count, according to its output."""
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
            f"QEMU {version} has a plugin interface that this toolkit does not support: "
            f"{output.strip()[:300]}"
        )
    return f"QEMU {version} does not run the plugin: {output.strip()[:300] or 'no reason given'}"


def _version(program: Path) -> str:
    try:
        output = run_tool([str(program), "--version"], 20).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(CANNOT_COUNT, f"{program} does not start: {error}", INSTALL) from error
    match = re.search(r"version (\S+)", output)
    return match.group(1) if match else "of unknown version"
