"""Files written by a compiler: their permissions and limits."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

import pytest

from bench.chaos.traces import cgroups
from venus_toolkit.core.errors import SandboxError, StoreError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Limits
from venus_toolkit.execution.machine.doctor import why_not_isolated
from venus_toolkit.execution.sandbox import Program, folders
from venus_toolkit.execution.sandbox.local import LocalSandbox


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): f"{path.lstat().st_mode & 0o7777:o}"
        for path in folder.rglob("*")
    }


@pytest.fixture
def artifacts(tmp_path: Path) -> Path:
    """The files of a malicious compiler, or of one with an unusual umask."""
    artifacts = tmp_path / "artifacts"
    (artifacts / "inner").mkdir(parents=True)
    for name, mode in {"main": 0o6777, "secret": 0o600, "run": 0o700, "inner/data": 0o666}.items():
        (artifacts / name).write_text(name)
        (artifacts / name).chmod(mode)
    (artifacts / "inner").chmod(0o1777)
    (artifacts / "link").symlink_to("/etc/passwd")
    return artifacts


def test_programs_may_read_and_execute_but_not_write(artifacts: Path, tmp_path: Path) -> None:
    """Set-user-id bits and links of a compiler have no effect."""
    before = os.stat("/etc/passwd")
    os.mkfifo(artifacts / "pipe")
    folders.move_out(artifacts, tmp_path / "out")
    sizes = folders.lay_open(tmp_path / "out")
    assert sizes == {"main": 4, "secret": 6, "run": 3, "inner/data": 10, "link": len("/etc/passwd")}
    modes_of_files = modes(tmp_path / "out")
    assert modes_of_files.pop("link")
    assert modes_of_files == {
        "main": "555",
        "secret": "444",
        "run": "555",
        "inner": "755",
        "inner/data": "444",
    }
    assert list(artifacts.iterdir()) == []
    assert os.stat("/etc/passwd") == before


def test_deeply_nested_folders_are_refused(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * folders.MAX_DEPTH)
    deep.mkdir(parents=True)
    assert folders.fault(tmp_path) is None
    (deep / "d").mkdir()
    assert "more than 32 deep" in (folders.fault(tmp_path) or "")


def test_large_artifacts_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "main").open("wb") as file:
        file.truncate(folders.MAX_ARTIFACT_BYTES)
    assert folders.fault(tmp_path) is None
    (tmp_path / "more").write_text("x")
    assert "larger than 1024 MiB" in (folders.fault(tmp_path) or "")


def test_unwritable_folder_has_a_fix(tmp_path: Path) -> None:
    program = Program(load_languages()["python"], "print(1)")
    with pytest.raises(StoreError) as caught:
        folders.write_source(tmp_path / "missing", program)
    assert caught.value.what == "cannot write the program to be compiled"
    assert "TMPDIR" in caught.value.fix


def test_failed_compiler_is_trusted_unless_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders.require_space(tmp_path)
    monkeypatch.setattr(folders, "MIN_FREE_BYTES", 1 << 62)
    with pytest.raises(StoreError, match="the disk is full"):
        folders.require_space(tmp_path)


@pytest.mark.isolation
@pytest.mark.skipif(why_not_isolated() is not None, reason="programs cannot be isolated here")
def test_removed_program_is_not_a_runtime_error() -> None:
    """A user who removes files from the store must not cause a verdict."""
    program = Program(load_languages()["python"], f"print(input())  # {uuid.uuid4()}\n")
    with LocalSandbox() as sandbox:
        compiled = sandbox.compile(program)
        with sandbox.session(compiled, Limits()) as session:
            (first,) = session.run([b"1\n"])
            assert first.clean
            shutil.rmtree(compiled.folder)
            with pytest.raises(SandboxError, match="a compiled program was removed"):
                list(session.run([b"2\n"]))


@pytest.mark.isolation
@pytest.mark.skipif(why_not_isolated() is not None, reason="programs cannot be isolated here")
def test_a_session_of_a_closed_sandbox_leaves_no_control_group() -> None:
    """Ctrl-C closes the sandbox while worker threads still open sessions in it."""
    sandbox = LocalSandbox()
    compiled = sandbox.compile(Program(load_languages()["python"], "print(1)"))
    before = cgroups({os.getpid()})
    sandbox.close()
    with pytest.raises(StoreError):
        sandbox.session(compiled, Limits())
    assert cgroups({os.getpid()}) == before


def test_unreadable_folders_are_measured(tmp_path: Path) -> None:
    """Root can read every folder, so the test checks the modes as well."""
    hidden = tmp_path / "artifacts" / "hidden" / "inner"
    hidden.mkdir(parents=True)
    with (hidden / "main").open("wb") as file:
        file.truncate(folders.MAX_ARTIFACT_BYTES + 1)
    for folder in (hidden, hidden.parent):
        folder.chmod(0)
    assert "larger than 1024 MiB" in (folders.fault(tmp_path / "artifacts") or "")
    assert modes(tmp_path / "artifacts") == {
        "hidden": "755",
        "hidden/inner": "755",
        "hidden/inner/main": "444",
    }
