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
    """The tools of a language on this machine.

    Folders for PATH, folders to mount in a sandbox, and their version.
    """

    path: tuple[str, ...]
    mounts: tuple[str, ...]
    version: str


@functools.cache
def find_toolchain(language: Language) -> Toolchain:
    """Return where the tools of `language` are on this machine.

    Raises:
        ToolchainError: A program of it is missing or does not start; the message says what to
            install.
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
    carried = ""  # the folder of a toolchain that is installed beside this toolkit
    if language.package:
        with contextlib.suppress(metadata.PackageNotFoundError):
            carried = str(
                metadata.distribution(language.package.name).locate_file(language.package.folder)
            )
    if carried and Path(carried, "bin").is_dir():
        search = f"{carried}/bin{os.pathsep}{search}"
    else:
        carried = ""
    # What begins with ./ is the compiled program, which is not there yet.
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
    # A mount may be a symbolic link; inside the sandbox its target must exist as well.
    mounts += [str(Path(match).resolve()) for match in mounts]
    if root and Path(root).is_dir():
        mounts.append(root)
    # A sandbox always shows /usr.
    outside = tuple(dict.fromkeys(path for path in mounts if not f"{path}/".startswith("/usr/")))
    # Before the system's folders, where another version of the tools may be.
    own = (f"{root}/bin",) if root in (*outside, carried) else ()
    path = (*own, "/usr/local/bin", "/usr/bin", "/bin")
    return Toolchain(path=path, mounts=outside, version=version)


def _first_line(argv: Sequence[str], search: str) -> str | None:
    # Variables such as PYTHONHOME are meant for this interpreter, not for one that is asked its
    # version.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    environment["PATH"] = search
    try:
        done = run_tool(argv, 60, cwd="/", env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return None
    # some tools say their version on standard error
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def installed(languages: Iterable[Language]) -> tuple[list[Language], dict[str, ToolchainError]]:
    """Return the installed languages, and why the others are not, by id."""
    here, missing = [], {}
    for language in languages:
        try:
            find_toolchain(language)
            here.append(language)
        except ToolchainError as error:
            missing[language.id] = error
    return here, missing
