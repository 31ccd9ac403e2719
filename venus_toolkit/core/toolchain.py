"""Finds the tools of a language on this machine."""

from __future__ import annotations

import contextlib
import functools
import glob
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import ToolchainError
from venus_toolkit.core.interruption import run_tool
from venus_toolkit.core.language import Language


class Toolchain(NamedTuple):
    """The tools of a language on this machine: folders for PATH, mounts of a sandbox, version."""

    path: tuple[str, ...]
    mounts: tuple[str, ...]
    version: str


@functools.cache
def find_toolchain(language: Language) -> Toolchain:
    """Return the tools of `language` on this machine.

    Raises:
        ToolchainError: A program is missing or does not start; the message says what to install.
    """
    if language.base:
        return find_toolchain(language.base)
    install = (
        "type: apt-get install " + " ".join(language.debian)
        if language.debian
        else "install it and try again"
    )
    if language.package:
        install += f", or: pip install {language.package.name}"
    needed = {
        argv[0]
        for argv in (language.version_argv, language.compile_argv, language.run_argv)
        if argv
    }
    search = os.environ.get("PATH", os.defpath)
    packaged = ""  # the folder of a toolchain that a Python package contains
    if language.package:
        with contextlib.suppress(metadata.PackageNotFoundError):
            packaged = str(
                metadata.distribution(language.package.name).locate_file(language.package.folder)
            )
    if packaged and Path(packaged, "bin").is_dir():
        search = f"{packaged}/bin{os.pathsep}{search}"
    else:
        packaged = ""
    # A command with ./ is the compiled program, which does not exist yet.
    missing = sorted(
        tool for tool in needed if not tool.startswith("./") and not shutil.which(tool, path=search)
    )
    if missing:
        raise ToolchainError(
            f"{language.name} is not installed", f"{', '.join(missing)} not found in PATH", install
        )
    version = _first_line(language.version_argv, search)
    root = _first_line(language.sysroot_argv, search) if language.sysroot_argv else ""
    if version is None or root is None:
        raise ToolchainError(
            f"{language.name} does not start", f"{' '.join(language.version_argv)} failed", install
        )
    mounts = [match for pattern in language.mounts for match in glob.glob(pattern)]
    # A mount may be a symbolic link, whose target must exist inside the sandbox too.
    mounts += [str(Path(match).resolve()) for match in mounts]
    if root and Path(root).is_dir():
        mounts.append(root)
    # Every sandbox mounts /usr.
    outside = tuple(dict.fromkeys(path for path in mounts if not f"{path}/".startswith("/usr/")))
    # Before the system's folders, which may have another version of the tools.
    own = (f"{root}/bin",) if root in (*outside, packaged) else ()
    path = (*own, "/usr/local/bin", "/usr/bin", "/bin")
    return Toolchain(path=path, mounts=outside, version=version)


def _first_line(argv: Sequence[str], search: str) -> str | None:
    # Variables such as PYTHONHOME are meant for this interpreter, not for a queried one.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    environment["PATH"] = search
    try:
        process = run_tool(argv, 60, cwd="/", env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return None
    # Some tools print their version on standard error.
    lines = (process.stdout or process.stderr).strip().splitlines()
    return lines[0] if process.returncode == 0 and lines else None


def installed(languages: Iterable[Language]) -> tuple[list[Language], dict[str, ToolchainError]]:
    """Return the installed languages, and the errors of the others by id."""
    available, missing = [], {}
    for language in languages:
        try:
            find_toolchain(language)
            available.append(language)
        except ToolchainError as error:
            missing[language.id] = error
    return available, missing
