"""Extras: optional packages, and errors with the command that installs a missing one."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.cli import COMMANDS, EXTRAS
from venus_toolkit.core.errors import MachineError
from venus_toolkit.core.extras import packages, require

ROOT = Path(__file__).resolve().parents[2]
TABLE = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", ["build", "docker", "eval", "serve"])
def test_extras_are_installed_for_tests(extra: str) -> None:
    require(extra)
    assert dict(packages(extra))


def test_extra_includes_packages_of_nested_extras() -> None:
    assert set(packages("eval")) < set(packages("build"))
    assert {"torch", "pyarrow"} <= set(dict(packages("train")))


def test_modules_with_other_names_than_their_package() -> None:
    assert dict(packages("eval"))["pyyaml"] == "yaml"
    assert all(find_spec(module) for _, module in packages("build"))


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("duckdb", "lark"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MachineError) as caught:
        require("build")
    assert caught.value.why == "missing: duckdb, lark"
    assert caught.value.fix == "type: pip install 'venus-toolkit[build]'"


def test_without_metadata_no_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", lacking)
    assert list(packages("build")) == []
    require("build")


def test_every_extra_of_a_command_exists() -> None:
    assert set(EXTRAS) <= set(COMMANDS)
    assert set(EXTRAS.values()) <= set(TABLE)


def test_import_error_of_our_code_is_not_hidden(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "venus_toolkit.dataset.release", None)
    with pytest.raises(ModuleNotFoundError):
        cli("inspect", tmp_path)


# Modules that are installed only with extras.
OPTIONAL = sorted(
    {module for extra in ("build", "docker", "serve", "train") for _, module in packages(extra)}
    - {"markdown_it"}  # a dependency of rich
)
WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({OPTIONAL!r}))
from venus_toolkit.__main__ import main
main()
"""


def without_extras(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as if no extra were installed."""
    command = [sys.executable, "-c", WITHOUT, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_a_program_is_measured_without_any_extra(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    done = without_extras("run", "a.py", "--repeats", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("build", "--lang", "python", "--out", "out"), "build"),
        (("sources", "list"), "build"),
        (("pull", "me/Venus"), "build"),
        (("eval", "--model", "human:best", "--data", "x", "--lang", "cpp", "--out", "o"), "eval"),
        (("report", "x", "--out", "o"), "eval"),
        (("run", "a.py", "--plot", "memory.png"), "eval"),
        (("run", "a.py", "--sandbox", "docker"), "docker"),
        (("images", "list"), "docker"),
        (("serve",), "serve"),
        (("train", "sft", "--data", "x", "--out", "o"), "train"),
        (("train", "sft", "--data", "x", "--dry-run"), "train"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else value,
)
def test_a_command_names_its_extra(tmp_path: Path, words: tuple[str, ...], extra: str) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    done = without_extras(*words, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == f"  type: pip install 'venus-toolkit[{extra}]'"


def test_python_names_the_extra_too(tmp_path: Path) -> None:
    call = f"import venus_toolkit as venus; venus.build('python', {str(tmp_path / 'out')!r})"
    script = WITHOUT.split("from venus_toolkit")[0] + call
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("type: pip install 'venus-toolkit[build]'\n")
