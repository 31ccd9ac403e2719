"""Untrusted folders: links, `..`, absolute names, pipes and devices give no access outside."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.reading.tables import read_table
from venus_toolkit.builders.sources import Entry, choose_source
from venus_toolkit.core.errors import ReleaseError, SourceError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.untrusted.beneath import read_beneath, refusal
from venus_toolkit.dataset.release import open_release
from venus_toolkit.execution.judging.files import read_tests
from venus_toolkit.execution.judging.project import read_project

LANGUAGES = load_languages()
MINE = "a file of the user"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An untrusted folder, next to a user's file."""
    (tmp_path / "secret.py").write_text(MINE)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/1.in").write_text(MINE)
    (tmp_path / "cloned").mkdir()
    return tmp_path / "cloned"


def link(path: Path) -> None:
    path.symlink_to(secret_of(path))


def secret_of(path: Path) -> Path:
    return next(parent / "secret.py" for parent in path.parents if (parent / "secret.py").exists())


def relative(path: Path) -> None:
    path.symlink_to(os.path.relpath(secret_of(path), path.parent))


def chain(path: Path) -> None:
    (path.parent / "between").symlink_to(secret_of(path))
    path.symlink_to("between")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


TRAPS = (link, relative, chain, pipe, device)
Trap = Callable[[Path], None]


@pytest.mark.parametrize("trap", TRAPS)
def test_nothing_outside_is_read(folder: Path, trap: Trap) -> None:
    trap(folder / "a.py")
    assert refusal(folder / "a.py", folder)
    with pytest.raises(
        SourceError, match=r"a\.py is not read: it (leads out of|is neither)"
    ) as caught:
        read_beneath(folder / "a.py", folder)
    assert caught.value.fix


def test_names_that_lead_out_are_refused(folder: Path) -> None:
    (folder / "linked").symlink_to("../secrets")
    for name in (
        "../secret.py",
        "x/../../secret.py",
        str(folder.parent / "secret.py"),
        "linked/1.in",
        ".",
        "",
    ):
        with pytest.raises((SourceError, OSError)):
            read_beneath(folder / name, folder)


def test_link_to_the_same_folder_is_followed(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data/a").write_text("own")
    (folder / "one").symlink_to("data/a")
    (folder / "two").symlink_to(folder / "data")
    assert read_beneath(folder / "one", folder) == b"own"
    assert read_beneath(folder / "two/a", folder) == b"own"


def test_the_folder_itself_may_be_a_link(folder: Path) -> None:
    (folder / "a").write_text("own")
    (folder.parent / "shortcut").symlink_to(folder)
    assert read_beneath(folder.parent / "shortcut/a", folder.parent / "shortcut") == b"own"


def test_hub_snapshot_reaches_only_its_blobs(folder: Path) -> None:
    repository = folder / "datasets--me--Venus"
    snapshot = repository / "snapshots/0123"
    snapshot.mkdir(parents=True)
    (repository / "blobs").mkdir()
    (repository / "blobs/aa").write_text("own")
    (snapshot / "data.parquet").symlink_to("../../blobs/aa")
    assert read_beneath(snapshot / "data.parquet", snapshot) == b"own"
    (snapshot / "other").symlink_to("../../../../secret.py")
    with pytest.raises(SourceError, match="leads out of"):
        read_beneath(snapshot / "other", snapshot)


def test_absent_file_is_missing_not_refused(folder: Path) -> None:
    assert refusal(folder / "nothing", folder) == ""
    with pytest.raises(FileNotFoundError):
        read_beneath(folder / "nothing", folder)


# ------------------------------------------------------------------ readers of untrusted folders


@pytest.mark.parametrize("trap", TRAPS)
def test_a_project_stays_in_its_folder(folder: Path, trap: Trap) -> None:
    (folder / "main.py").write_text("print(1)")
    (folder / "lib").mkdir()
    trap(folder / "lib/data")
    with pytest.raises(UsageError, match=r"lib/(data|between)"):
        read_project(folder, "python3 main.py", LANGUAGES)


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("name", ["1.in", "1.out"])
def test_tests_stay_in_their_folder(folder: Path, trap: Trap, name: str) -> None:
    (folder / "1.in").write_text("1\n")
    (folder / name).unlink(missing_ok=True)
    trap(folder / name)
    with pytest.raises(UsageError, match=f"{name} is not read"):
        read_tests(folder)


FILES = (
    "statement.md", "problem.toml", "generator.py", "validator.py", "evaluator.py", "starter/python.py",
    "runners/python.py", "tests/1.in", "tests/1.out", "checker.cpp", "solutions/python/a.py",
)  # fmt: skip


@pytest.mark.parametrize("trap", [relative, pipe])
@pytest.mark.parametrize("name", FILES)
def test_a_problem_stays_in_its_folder(folder: Path, trap: Trap, name: str) -> None:
    for path, text in {
        "problem.toml": 'title = "Two"\n', "statement.md": "Print 2.\n", "tests/1.in": "1\n", "tests/1.out": "2\n",
        "solutions/python/b.py": "print(2)\n",
    }.items():  # fmt: skip
        (folder / "two" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "two" / path).write_text(text)
    place = folder / "two" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    trap(place)
    try:
        items = list(choose_source(f"folder:{folder}").read(LANGUAGES))
    except SourceError:
        return
    assert MINE not in str(items)
    # A pipe in place of an optional file counts as missing.
    whole = [item for item in items if isinstance(item, Entry)]
    assert any(place.name in item.reason for item in items if not isinstance(item, Entry)) or (
        trap is pipe and whole
    )


def test_problem_link_is_rejected(folder: Path) -> None:
    other = folder.parent / "private"
    other.mkdir()
    (other / "problem.toml").write_text('title = "Mine"\n')
    (other / "statement.md").write_text(MINE)
    (folder / "own").symlink_to(other)
    (rejected,) = choose_source(f"folder:{folder}").read(LANGUAGES)
    assert not isinstance(rejected, Entry)
    assert "the problem own is not read: it leads out of" in rejected.reason


def test_tables_stay_in_their_folder(folder: Path) -> None:
    (folder.parent / "mine.jsonl").write_text('{"a": 1}\n')
    (folder / "train.jsonl").symlink_to("../mine.jsonl")
    with pytest.raises(SourceError, match=r"train\.jsonl is not read: it leads out of"):
        list(read_table(str(folder)))


@pytest.mark.parametrize("name", ["{}/secret.txt", "../secret.txt", "link.txt"])
def test_dataset_card_names_only_its_own_files(folder: Path, name: str) -> None:
    (folder.parent / "secret.txt").write_text(MINE)
    (folder / "link.txt").symlink_to("../secret.txt")
    named = name.format(folder.parent)
    (folder / "README.md").write_text(
        f'---\nconfigs:\n- config_name: default\n  data_files: "{named}"\n---\n'
    )
    with pytest.raises(SourceError, match="its card names a file that does not belong to it"):
        list(read_table(str(folder)))


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize(
    "name", ["data/python/train-0.parquet", "README.md", "data", "CITATION.cff"]
)
def test_a_release_stays_in_its_folder(folder: Path, trap: Trap, name: str) -> None:
    (folder / "manifest.json").write_text('{"configs": {"python": {}}}')
    assert open_release(folder)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    trap(folder / name)
    with pytest.raises(ReleaseError, match="is not read: it "):
        open_release(folder)


def test_a_manifest_that_is_a_pipe_is_refused(folder: Path) -> None:
    os.mkfifo(folder / "manifest.json")
    with pytest.raises(UsageError, match=r"manifest\.json is not read"):
        open_release(folder)


def test_archives_are_never_unpacked() -> None:
    """Archives may name any path, so nothing unpacks them.

    The one exception reads a single file, of a known name and size, from the wheel of the embedded
    model. Writing archives is allowed.
    """
    root = Path(__file__).parents[2]
    folders = ("venus_toolkit", "builders", "training", "eval", "examples")
    unpacks = re.compile(r'extractall\(|\.extract\(|unpack_archive\(|ZipFile\((?!\w+, "w")')
    users: list[Any] = [
        file for folder in folders for file in (root / folder).rglob("*.py")
        if unpacks.search(file.read_text())
    ]  # fmt: skip
    assert users == [root / "venus_toolkit/models/embedded.py"]


def test_code_of_a_model_is_never_run() -> None:
    """By default, transformers asks on the terminal whether to run code that comes with a model."""
    root = Path(__file__).parents[2]
    files = [root / "venus_toolkit/models/in_process.py", *(root / "training").rglob("*.py")]
    calls = [
        node
        for f in files
        for node in ast.walk(ast.parse(f.read_text()))
        if isinstance(node, ast.Call)
    ]
    loads = [call for call in calls if ast.unparse(call.func).endswith((".from_pretrained", "LLM"))]
    assert len(loads) >= 4
    for call in loads:
        arguments = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
        assert arguments.get("trust_remote_code") == "False", ast.unparse(call)
