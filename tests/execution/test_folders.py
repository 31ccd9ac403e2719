"""What a compiler made, moved to where programs find it.

Who may do what with it, and what is not accepted.
"""

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
def made(tmp_path: Path) -> Path:
    """A folder as a compiler leaves it that means no good, or has a strange umask."""
    made = tmp_path / "made"
    (made / "inner").mkdir(parents=True)
    for name, mode in {"main": 0o6777, "secret": 0o600, "run": 0o700, "inner/data": 0o666}.items():
        (made / name).write_text(name)
        (made / name).chmod(mode)
    (made / "inner").chmod(0o1777)
    (made / "link").symlink_to("/etc/passwd")
    return made


def test_programs_may_read_and_execute_but_not_write(made: Path, tmp_path: Path) -> None:
    """Nor does a program become another user by what a compiler left."""
    before = os.stat("/etc/passwd")
    os.mkfifo(made / "pipe")
    folders.move_out(made, tmp_path / "out")
    sizes = folders.lay_open(tmp_path / "out")
    assert sizes == {"main": 4, "secret": 6, "run": 3, "inner/data": 10, "link": len("/etc/passwd")}
    found = modes(tmp_path / "out")
    assert found.pop("link")
    assert found == {
        "main": "555",
        "secret": "444",
        "run": "555",
        "inner": "755",
        "inner/data": "444",
    }
    assert list(made.iterdir()) == []
    assert os.stat("/etc/passwd") == before


def test_what_is_nested_too_deep_is_not_accepted(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * folders.MAX_DEPTH)
    deep.mkdir(parents=True)
    assert folders.fault(tmp_path) is None
    (deep / "d").mkdir()
    assert "more than 32 deep" in (folders.fault(tmp_path) or "")


def test_what_is_too_large_is_not_accepted(tmp_path: Path) -> None:
    with (tmp_path / "main").open("wb") as file:
        file.truncate(folders.MAX_ARTIFACT_BYTES)
    assert folders.fault(tmp_path) is None
    (tmp_path / "more").write_text("x")
    assert "larger than 1024 MiB" in (folders.fault(tmp_path) or "")


def test_a_folder_that_cannot_be_written_says_what_to_do(tmp_path: Path) -> None:
    program = Program(load_languages()["python"], "print(1)")
    with pytest.raises(StoreError) as caught:
        folders.write_source(tmp_path / "missing", program)
    assert caught.value.what == "cannot write the program to be compiled"
    assert "TMPDIR" in caught.value.fix


def test_a_failed_compiler_is_believed_where_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders.require_space(tmp_path)
    monkeypatch.setattr(folders, "LEAST_FREE_BYTES", 1 << 62)
    with pytest.raises(StoreError, match="the disk is full"):
        folders.require_space(tmp_path)


@pytest.mark.isolation
@pytest.mark.skipif(why_not_isolated() is not None, reason="programs cannot be isolated here")
def test_a_program_that_somebody_removed_is_no_runtime_error() -> None:
    """Whoever tidies up the store by hand changes no verdict."""
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


def test_nothing_is_hidden_in_folders_that_nobody_may_read(tmp_path: Path) -> None:
    """The suite may run as root, who reads everything: the folders are asked for their modes."""
    hidden = tmp_path / "made" / "hidden" / "inner"
    hidden.mkdir(parents=True)
    with (hidden / "main").open("wb") as file:
        file.truncate(folders.MAX_ARTIFACT_BYTES + 1)
    for folder in (hidden, hidden.parent):
        folder.chmod(0)
    assert "larger than 1024 MiB" in (folders.fault(tmp_path / "made") or "")
    assert modes(tmp_path / "made") == {
        "hidden": "755",
        "hidden/inner": "755",
        "hidden/inner/main": "444",
    }
