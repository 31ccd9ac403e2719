"""Libraries that online judges offer in addition to the standard one.

They are data of a language (``[libraries]``). A library is not part of a toolchain: its files are
added to the programs that use it, and to their keys. So it works in every sandbox, and has no cost
for other programs.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path

from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.interruption import run_tool
from venus_toolkit.core.language import Language, Library
from venus_toolkit.core.temporary import cache_folder
from venus_toolkit.execution.sandbox import File, Program
from venus_toolkit.signatures import fill

PATIENCE_S = 300


def program_of(
    language: Language, code: str, files: tuple[File, ...] = (), runner: str | None = None
) -> Program:
    """Return a program, with the libraries that it uses if they are installed.

    A byte order mark is removed, since some compilers refuse it.

    Args:
        language: The language of the program.
        code: The whole program, or a function for the runner.
        files: Other files of the program.
        runner: The program around a function; None: `code` is a whole program.

    Raises:
        LanguageError: The runner has no placeholder for the solution.
    """
    code = code.removeprefix("\ufeff")
    source = code
    libraries = [library for library in language.libraries if library.uses.search(code)]
    if runner:
        filled = fill(runner, code, language)
        source = filled.source
        files = (
            *files,
            *(
                File(name, text.encode("utf-8", "surrogatepass"))
                for name, text in filled.files.items()
            ),
        )
        argv = filled.compile_argv or language.compile_argv
        language = language.with_commands(
            argv, language.run_argv, tuple(language.environment.items())
        )
    for library in libraries:
        if library_files := _files(language, library):
            # The program's own files take precedence.
            paths = {file.path for file in files}
            files = (*files, *(file for file in library_files if file.path not in paths))
            source = library.prelude + source
            language = _with_variables(language, tuple(library.environment.items()))
    return Program(language, source, files)


def installed(language: Language) -> dict[str, bool]:
    """Return whether each library of a language is installed, by its name and version."""
    return {_title(library): bool(_files(language, library)) for library in language.libraries}


def install(language: Language, library: Library) -> None:
    """Install a library for programs of this user, unless it is installed.

    Raises:
        ToolchainError: A command of the installation is missing, or failed.
    """
    folder = _folder(language, library)
    if not library.install or folder.exists():
        return
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    words = {"python": sys.executable, "folder": str(part), "version": library.version}
    try:
        for command in library.install:
            argv = [functools.reduce(_fill, words.items(), word) for word in command]
            done = run_tool(argv, PATIENCE_S, cwd=part)
            if done.returncode:
                raise OSError((done.stderr or done.stdout).strip()[-300:] or f"{argv[0]} failed")
        part.rename(folder)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(
            f"the library {_title(library)} of {language.name} cannot be installed",
            str(error),
            "fix that, then type: venus languages install",
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


@functools.cache  # languages are compared by identity, so equal calls must return the same one
def _with_variables(language: Language, variables: tuple[tuple[str, str], ...]) -> Language:
    return language.called_with((), dict(variables))


def _fill(word: str, value: tuple[str, str]) -> str:
    return word.replace(f"{{{value[0]}}}", value[1])


def _title(library: Library) -> str:
    return f"{library.name} {library.version}".rstrip()


def _folder(language: Language, library: Library) -> Path:
    if not library.install:
        return language.folder / "libraries"
    return (
        cache_folder("libraries")
        / f"{language.id}-{library.name.replace('/', '-')}-{library.version}"
    )


def _files(language: Language, library: Library) -> tuple[File, ...]:
    folder = _folder(language, library)
    return _read(folder, library.files) if folder.is_dir() else ()


@functools.cache  # an installed library never changes: the name of its folder has its version
def _read(folder: Path, patterns: tuple[str, ...]) -> tuple[File, ...]:
    paths = sorted(
        {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    )
    return tuple(File(path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths)
