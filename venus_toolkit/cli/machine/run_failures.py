"""Explains failures in ``venus run``: where the program crashed, and what to type.

The patterns for tracebacks are part of the language (``[diagnostics]`` in language.toml).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.records import Judgement, Limits, Verdict
from venus_toolkit.execution.sandbox import Program

MAX_FRAMES = 5
MAX_LINES = 5  # of stderr, if no frame is known
LIMIT_OPTIONS = {
    Verdict.TIME_LIMIT: "--limit-wall-s",
    Verdict.MEMORY_LIMIT: "--limit-memory-mib",
    Verdict.OUTPUT_LIMIT: "--limit-output-mib",
}


class TracebackFrame(NamedTuple):
    """A line of the program's own code in a traceback; the text may be empty."""

    file: str
    line: int
    function: str
    text: str


def read_frames(error: str, program: Program, shown_as: str = "") -> list[TracebackFrame]:
    """Return the frames of a traceback in the program's own files, the newest first.

    Args:
        error: The stderr of the program.
        program: The program; frames in other files are left out.
        shown_as: The user's name for the source file, whose name in the sandbox may differ.
    """
    texts = {file.path: file.content.decode("utf-8", "replace") for file in program.files}
    texts[program.source_file] = program.source
    frames: list[TracebackFrame] = []
    for match in program.language.frame.finditer(error):
        place, number = f"/{match['file']}", int(match["line"][:9])
        name = next((path for path in texts if place.endswith(f"/{path}")), None)
        if name is None:
            continue
        lines = texts[name].split("\n")
        text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        file_name = shown_as if shown_as and name == program.source_file else name
        frame = TracebackFrame(file_name, number, match.groupdict().get("function") or "", text)
        # A call into a library and back adds several frames of the same line.
        if frames and frames[-1][:2] == frame[:2]:
            frames.pop()
        frames.append(frame)
    return frames[::-1] if program.language.newest_frame_last else frames


def explanation(
    program: Program, judgement: Judgement, error: str, limits: Limits, file: Path | None
) -> Iterator[tuple[str, str]]:
    """Yield labels and lines that explain where a program failed, and what to type.

    Args:
        program: The program.
        judgement: The verdict on it.
        error: Its stderr in the failing test.
        limits: The limits of a test.
        file: The path of its source file; None for a command.
    """
    verdict = judgement.verdict
    if verdict == Verdict.RUNTIME_ERROR:
        # Line numbers refer to the user's file unless a runner or a prelude was added.
        same = file is not None and file.is_file() and _is_source(file, program)
        frames = read_frames(error, program, file.name if file and same else "")
        for label, frame in zip(("at", *["called by"] * MAX_FRAMES), frames, strict=False):
            function = f" in {frame.function}" if frame.function else ""
            yield label, f"{frame.file}:{frame.line}{function}: {frame.text}"[:200]
        if len(frames) > MAX_FRAMES:
            yield "", f"... and {len(frames) - MAX_FRAMES - 1} more"
        lines = [line for line in error.splitlines() if line.strip()]
        if not frames and len(lines) > 1:
            yield from (("stderr", line[:160]) for line in lines[-MAX_LINES:])
    language = program.language
    if option := LIMIT_OPTIONS.get(verdict):
        doubled_limits = {
            Verdict.TIME_LIMIT: f"{limits.wall_ns / 1e9 * 2:g}",
            Verdict.MEMORY_LIMIT: str(limits.memory_bytes * 2 >> 20),
            Verdict.OUTPUT_LIMIT: str(limits.output_bytes * 2 >> 20),
        }
        yield "type", f"{option} {doubled_limits[verdict]} to allow more"
        if verdict == Verdict.OUTPUT_LIMIT:
            yield "type", "--cmd \"sh -c 'COMMAND > /dev/null'\" to discard its output"
    if verdict == Verdict.COMPILE_ERROR and not language.reference:
        yield "", "the sandbox has the commands in /usr/local/bin, /usr/bin and /bin"
        yield "type", '--project DIR --cmd "./PROGRAM" to run a program of your own'
    log = judgement.compile_log if verdict == Verdict.COMPILE_ERROR else error
    if missing := language.missing_file.search(log):
        yield "type", _add_file(next(filter(None, missing.groups()), ""))
    elif missing := language.missing_library.search(log):
        name = next(filter(None, missing.groups()), "")
        if name not in {library.name for library in language.libraries}:
            yield "type", _add_module(name, program, limits, file)


def _is_source(file: Path, program: Program) -> bool:
    try:
        return file.read_bytes() == program.source.encode("utf-8", "surrogatepass")
    except OSError:
        return False


def _add_file(name: str) -> str:
    # The name comes from the program, so only a plain file name goes into a suggested command.
    plain = name and Path(name).name == name and name.isprintable() and Path(name).is_file()
    option = f"--file {shlex.quote(name)}" if plain else "--file PATH=NAME"
    return f"{option} to put a file next to the program, which sees no other files"


def _add_module(name: str, program: Program, limits: Limits, file: Path | None) -> str:
    language = program.language
    if file is None or not file.is_file():
        return "--project DIR, if it is a module of your own, to add all files of a folder"
    stem = name.rsplit("/", 1)[-1].removeprefix("./")
    names = (stem, f"{stem}{language.extension}", f"{name.replace('.', '/')}{language.extension}")
    exists = any(part.isprintable() and (file.parent / part).is_file() for part in names)
    reason = f"since {stem} is next to {file.name}" if exists else "if it is a module of your own"

    def command(stage: str) -> str:
        argv = language.argv(stage, limits, program.source)
        return shlex.join(file.name if word == program.source_file else word for word in argv)

    options = ["--project", str(file.parent), "--cmd", command("run")]
    if program.source_file not in language.argv("run", limits, program.source):
        argv = language.argv("compile", limits, program.source)
        options += ["--compile", command("compile") if program.source_file in argv else "COMMAND"]
    return f"venus run {shlex.join(options)}, {reason}"
