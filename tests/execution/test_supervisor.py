"""The native supervisor must be compiled from the current source."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from venus_toolkit.core.errors import MachineError
from venus_toolkit.execution.sandbox import supervisor


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The source and the program that the toolkit uses; the source is an hour older."""
    source, program = tmp_path / "supervisor.c", tmp_path / "venus-supervisor"
    monkeypatch.setattr(supervisor, "SOURCE", source)
    monkeypatch.setattr(supervisor, "BINARY", program)
    for file, seconds in ((source, 10_000), (program, 13_600)):
        file.touch()
        os.utime(file, (seconds, seconds))
    return source, program


def refusal() -> MachineError:
    with pytest.raises(MachineError) as caught:
        supervisor.binary()
    assert caught.value.fix == "type: make native"
    return caught.value


def test_compiled_supervisor(files: tuple[Path, Path]) -> None:
    assert supervisor.binary() == files[1]


def test_an_installed_package_has_no_source(files: tuple[Path, Path]) -> None:
    files[0].unlink()
    assert supervisor.binary() == files[1]


def test_missing_supervisor(files: tuple[Path, Path]) -> None:
    files[1].unlink()
    assert refusal().what == "the native supervisor is not compiled"


def test_outdated_supervisor(files: tuple[Path, Path]) -> None:
    os.utime(files[0], (20_000, 20_000))
    error = refusal()
    assert error.what == "the native supervisor is out of date"
    assert error.why == "supervisor.c is newer"
