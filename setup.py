"""Compiles the native programs and puts them into the wheel.

Everything else is in pyproject.toml.
"""

import logging
import os
import subprocess
import sys
from pathlib import Path

from setuptools import Command, Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.errors import CCompilerError

FOLDER = Path("venus_toolkit/execution/native")
# Output names by source name. The compiler reads NAME.flags as @FILE, here and in the Makefile.
NATIVE = {"supervisor": "venus-supervisor", "counter": "venus-counter.so"}
HEADERS = ("count_file.h",)

NO_COMPILER = """the native {name} could not be compiled.
Programs are started, measured and counted by what is built from {source} by `{command}`.
Install a C compiler and the static C library; on Debian and Ubuntu: sudo apt-get install gcc libc6-dev"""


def compile_native(name: str, target: Path) -> None:
    """Compile the source called `name` to `target`.

    Raises:
        CCompilerError: There is no compiler, or it failed; its messages are printed above this
            one.
    """
    source = FOLDER / f"{name}.c"
    command = [
        os.environ.get("CC", "gcc"),
        f"@{FOLDER / name}.flags",
        "-o",
        str(target),
        str(source),
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise CCompilerError(
            NO_COMPILER.format(name=name, source=source, command=" ".join(command))
        ) from error


class BuildNative(Command):
    """The step of `build` that compiles the native programs.

    The protocol setuptools.command.build.SubCommand describes its methods.
    """

    description = "compile the native supervisor and counter"
    user_options = [("build-lib=", "d", "directory the package is assembled in")]  # noqa: RUF012 (setuptools reads it)
    editable_mode = False

    def initialize_options(self) -> None:
        """Set the options to None, before setuptools reads them."""
        self.build_lib: str | None = None

    def finalize_options(self) -> None:
        """Fill in missing options after setuptools has read them."""
        self.set_undefined_options("build_py", ("build_lib", "build_lib"))

    def get_source_files(self) -> list[str]:
        """Return the files that an sdist must hold."""
        sources = [f"{name}.{kind}" for name in NATIVE for kind in ("c", "flags")]
        return [str(FOLDER / file) for file in (*sources, *HEADERS)]

    def get_outputs(self) -> list[str]:
        """Return the files that this command adds to the wheel."""
        return [str(self._built() / file) for file in NATIVE.values()]

    def get_output_mapping(self) -> dict[str, str]:
        """Return where an editable install finds each output in the source tree."""
        return {str(self._built() / file): str(FOLDER / file) for file in NATIVE.values()}

    def run(self) -> None:
        """Compile into the source tree for an editable install, else into the wheel that is being assembled."""
        if not sys.platform.startswith("linux"):
            logging.warning(
                "The native supervisor needs Linux: this installation can run programs only "
                "remotely."
            )
            return
        for name, file in NATIVE.items():
            compile_native(name, (FOLDER if self.editable_mode else self._built()) / file)

    def _built(self) -> Path:
        assert self.build_lib is not None
        return Path(self.build_lib) / FOLDER


class NativeDistribution(Distribution):
    """A distribution that is bound to one platform, like one with extension modules."""

    def has_ext_modules(self) -> bool:
        """Return whether the distribution is bound to a platform."""
        return True


class NativeWheel(bdist_wheel):
    """A wheel that holds a native program, but nothing that depends on the Python version."""

    def get_tag(self) -> tuple[str, str, str]:
        """Return the tag of a wheel for any Python 3, no ABI, and this platform."""
        return "py3", "none", super().get_tag()[2]


build.sub_commands.append(("build_native", None))
setup(
    distclass=NativeDistribution, cmdclass={"build_native": BuildNative, "bdist_wheel": NativeWheel}
)
