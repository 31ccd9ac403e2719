"""The output folder: a durable journal, atomic writes, one writer, and disk errors.

test_build_again.py stops builds at a stage; the tests here kill them during writes, or make the
disk fail.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.errors import StoreError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import json_lines
from venus_toolkit.core.store import (
    JOURNAL,
    WORK,
    Store,
    checksum,
    intact,
    read_json,
    read_json_lines,
    read_manifest,
    write_whole,
)
from venus_toolkit.execution.machine.doctor import check_toolchain, why_not_isolated

ROOT = Path(__file__).resolve().parents[2]
PROBLEM = why_not_isolated()
needs_isolation = pytest.mark.skipif(
    PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"
)
needs_cpp = pytest.mark.skipif(
    not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed"
)
Shop = Any  # tests/conftest.py: Workshop


def in_another_process(script: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    head = (
        "import os, signal, sys, time\nfrom pathlib import Path\nfrom venus_toolkit.core.store "
        "import Store\n"
    )
    return subprocess.run(
        [sys.executable, "-c", head + script, *words],
        capture_output=True,
        text=True,
        env=environment,
    )


# ------------------------------------------------------------------ journal


def test_value_is_found_by_stage_and_key(tmp_path: Path) -> None:
    value = {"text": "Ω\n", "numbers": [1, 2.5, None], "large": 2**63, "nested": {"a": [True]}}
    with Store(tmp_path) as store:
        assert store.get("judge", "k") is None
        store.put("judge", "k", value)
        assert store.get("judge", "k") == value
        assert store.get("measure", "k") is None
        assert (store.has("judge", "k"), store.has("judge", "other")) == (True, False)
        store.put("judge", "k", 2)
        assert store.get("judge", "k") == 2
    with Store(tmp_path) as store:
        assert store.get("judge", "k") == 2


def test_a_large_value(tmp_path: Path, thorough: bool) -> None:
    """An output of 60 MB, which the output limit allows, must fit into the journal."""
    large = {"output": "ab\n" * ((20 if thorough else 1) << 20), "more": ["\ud800", 1]}
    with Store(tmp_path) as store:
        store.put("stage", "key", large)
        assert store.has("stage", "key")
        assert store.get("stage", "key") == large
        assert store.values("stage") == [large]


def test_threads_may_write_at_the_same_time(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        threads = [
            threading.Thread(target=lambda n=n: [store.put(f"s{n}", str(k), k) for k in range(20)])
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(store.get(f"s{n}", str(k)) == k for n in range(8) for k in range(20))


def test_values_survive_a_kill(tmp_path: Path) -> None:
    script = "store = Store(Path(sys.argv[1]))\nfor n in range(50): store.put('s', str(n), n)\n"
    done = in_another_process(script + "os.kill(os.getpid(), signal.SIGKILL)", str(tmp_path))
    assert done.returncode == -signal.SIGKILL
    with Store(tmp_path) as store:
        assert [store.get("s", str(n)) for n in range(50)] == list(range(50))


def test_empty_journal_is_created_again(tmp_path: Path) -> None:
    """A full disk or a kill right after its creation leaves an empty journal."""
    (tmp_path / WORK).mkdir()
    (tmp_path / WORK / JOURNAL).write_bytes(b"")
    with Store(tmp_path) as store:
        store.put("s", "k", 1)
        assert store.get("s", "k") == 1


def test_lookup_time_does_not_grow_with_the_journal(tmp_path: Path) -> None:
    """A full scan of a journal of 200 MB would take 0.1 s."""
    with Store(tmp_path) as store:
        for number in range(300):
            store.put("s", str(number), "x" * 100_000)
        begun = time.process_time()  # not the wall clock: other work may use the processor
        for number in range(300):
            assert store.has("s", str(number))
        assert time.process_time() - begun < 3


# ------------------------------------------------------------------ files


def test_writes_are_atomic(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        with store.writing("data/a.txt") as draft:
            draft.write_text("half")
            assert not (tmp_path / "data/a.txt").exists()
            draft.write_text("whole")
        assert (tmp_path / "data/a.txt").read_text() == "whole"

        def raise_in_block() -> None:
            with store.writing("data/a.txt") as draft:
                draft.write_text("broken")
                raise KeyError("a mistake of ours")

        with pytest.raises(KeyError):
            raise_in_block()
        assert (tmp_path / "data/a.txt").read_text() == "whole"
        assert [path.name for path in (tmp_path / "data").iterdir()] == ["a.txt"], (
            "no draft remains"
        )


def test_concurrent_writes_to_a_shared_file(tmp_path: Path) -> None:
    texts = [f"{number}".encode() * 100_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: write_whole(tmp_path / "kept" / "a", text, shared=True), texts))
    assert (tmp_path / "kept" / "a").read_bytes() in texts
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["a"], "no draft remains"


def test_json_lines_are_split_at_line_feeds_only(tmp_path: Path) -> None:
    values = [{"reason": "one\u2028line\x85"}, [1, None], "é"]
    (tmp_path / "a.jsonl").write_text(json_lines(values), encoding="utf-8")
    assert read_json_lines(tmp_path / "a.jsonl") == values


@pytest.mark.parametrize("text", [None, "", "{ half", "[]", "\xff"])
def test_json_without_an_object_is_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "a.json").write_text(text, encoding="latin-1")
    assert read_json(tmp_path / "a.json") is None


def test_manifest_and_checksums(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) is None
    (tmp_path / "manifest.json").write_text("{ half")
    assert read_manifest(tmp_path) is None
    with Store(tmp_path) as store:
        store.write_text("a.txt", "a")
        store.write_text("manifest.json", '{"files": {}}')
    assert read_manifest(tmp_path) == {"files": {}}
    files = {"files": {"a.txt": checksum(tmp_path / "a.txt")}}
    assert (
        checksum(tmp_path / "a.txt")
        == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    )
    assert intact(tmp_path, files)
    assert not intact(tmp_path, {})
    (tmp_path / "a.txt").write_text("b")
    assert not intact(tmp_path, files)
    (tmp_path / "a.txt").unlink()
    assert not intact(tmp_path, files)


# ------------------------------------------------------------------ one writer, and disks


def refusal(act: Callable[[], object]) -> StoreError:
    with pytest.raises(StoreError) as caught:
        act()
    assert caught.value.exit_code == 3
    assert caught.value.why
    assert caught.value.fix
    return caught.value


def test_one_folder_takes_one_build(tmp_path: Path) -> None:
    with Store(tmp_path):
        error = refusal(lambda: Store(tmp_path))
        assert error.what == f"another build is writing into {tmp_path}"
        assert error.fix == "wait for it, or choose another --out"
        done = in_another_process("Store(Path(sys.argv[1]))", str(tmp_path))
        assert "another build is writing" in done.stderr
        with Store(tmp_path / "other"):
            pass
    Store(tmp_path).close()


def test_dead_build_releases_its_lock(tmp_path: Path) -> None:
    script = (
        "store = Store(Path(sys.argv[1])); store.put('s', 'k', 1); os.kill(os.getpid(), "
        "signal.SIGKILL)"
    )
    in_another_process(script, str(tmp_path))
    with Store(tmp_path) as store:
        assert store.get("s", "k") == 1


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = refusal(lambda: Store(tmp_path / "file" / "out"))
    assert error.what == f"cannot write into {tmp_path / 'file' / 'out'}"
    assert error.why == "Not a directory"
    assert "--out" in error.fix


@pytest.mark.skipif(
    os.geteuid() == 0, reason="root may write everywhere: another test mounts a disk read-only"
)
def test_folder_without_write_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert refusal(lambda: Store(tmp_path / "out")).why == "Permission denied"


def test_disk_full_during_a_write(tmp_path: Path) -> None:
    with Store(tmp_path) as store:

        def write() -> None:
            with store.writing("a.txt"):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        error = refusal(write)
        assert error.what == f"cannot write {tmp_path / 'a.txt'}"
        assert error.why == "No space left on device"
        assert error.fix.startswith("finished work is kept: make room")
        assert not (tmp_path / "a.txt").exists()


def test_a_journal_that_is_damaged(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.put("s", "k", "x" * 100_000)
    journal = tmp_path / WORK / JOURNAL
    whole = journal.read_bytes()
    journal.write_bytes(whole[:64] + b"\xff" * (len(whole) - 64))
    with Store(tmp_path) as store:
        error = refusal(lambda: store.get("s", "k"))
    assert error.what == f"cannot write the journal in {tmp_path / WORK}"
    # The folder above must stay: it contains the finished files.
    assert (
        error.fix == "its journal is damaged: remove the folder .venus, and its work is done again"
    )
    assert "Traceback" not in str(error)
    shutil.rmtree(tmp_path / WORK)
    with Store(tmp_path) as store:
        assert store.get("s", "k") is None


def test_bug_is_not_blamed_on_the_disk(tmp_path: Path) -> None:
    with Store(tmp_path) as store, pytest.raises(TypeError):
        store.put("s", "k", object())


# ------------------------------------------------------------------ whole builds

MORE = pytest.mark.only_thorough
BRIEF = ("--lang", "python", "--repeats", "1", "--min-solutions", "1", "--mutants", "0")
FULL = (*BRIEF, "--tests", "8")
WORDS = (*BRIEF, "--tests", "4")
KILLER = """
import os, pathlib, signal, sys
left = int(sys.argv.pop(1))
replace = pathlib.Path.replace
def fatal(self, target):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(self, target)
pathlib.Path.replace = fatal
from tests.brief import main
main()
"""


@needs_isolation
@pytest.mark.thorough
def test_build_resumes_after_a_kill_before_any_file(shop: Shop, thorough: bool) -> None:
    """The manifest is written last: a folder without it is unfinished, one with it is complete."""
    shop.problem()
    for number in range(1, 6) if thorough else (1, 4):
        argv = [sys.executable, "-c", KILLER, str(number), *shop.argv(*WORDS)[3:]]
        done = subprocess.run(
            argv, capture_output=True, text=True, env=shop.environment(), timeout=300
        )
        assert done.returncode == -signal.SIGKILL, (number, done.stderr)
        assert not (shop.out / "manifest.json").exists()
    assert shop.build_apart(*WORDS).returncode == 0
    disturbed, drafts = (
        shop.outcome(),
        [path for path in shop.out.rglob("*") if "draft" in path.name],
    )
    assert drafts == []
    shop.out = shop.folder / "undisturbed"
    assert shop.build_apart(*WORDS).returncode == 0
    assert disturbed == shop.outcome()


@needs_isolation
def test_two_builds_into_one_folder(shop: Shop) -> None:
    shop.problem()
    with Store(shop.out):
        done = shop.build_apart(*WORDS)
    assert done.returncode == 3
    assert done.stderr == (
        f"venus: another build is writing into {shop.out}: one folder takes one build at a time\n"
        "  wait for it, or choose another --out\n"
    )
    assert shop.build_apart(*WORDS).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts a small file system, if that is allowed."""
    folder = tmp_path / "disk"

    def mount(size: str) -> Path:
        folder.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "venus-test", str(folder)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"cannot mount a small file system: {done.stderr.strip()}")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, left: int) -> Path:
    """Fill a disk except for `left` bytes; return the file to remove."""
    room = os.statvfs(folder)
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        file.write(b"x" * (room.f_bavail * room.f_frsize - left))
    return ballast


@needs_isolation
@pytest.mark.parametrize(
    "left", [0, pytest.param(64 << 10, marks=MORE), pytest.param(200 << 10, marks=MORE), 400 << 10]
)
def test_a_full_disk(shop: Shop, disk: Callable[[str], Path], left: int) -> None:
    """The disk may fill when the journal is created, while it grows, or during a write."""
    wide = {
        "generator.py": shop.twice["generator.py"].replace(
            '\\n"', "{' ' * 100_000}{str(seed) * 90_000}\""
        )
    }
    for name in ("plus", "times", "shift"):
        code = shop.twice[f"solutions/python/{name}.py"]
        wide[f"solutions/python/{name}.py"] = code.replace("input()", "input()[:9]")
    shop.problem("twice", wide)
    shop.out = disk("8m") / "out"
    ballast = fill(shop.out.parent, left)
    done = shop.build_apart(*FULL)
    assert "Traceback" not in done.stderr
    assert done.returncode == 3
    assert "cannot write" in done.stderr
    assert "finished work is kept: make room" in done.stderr
    ballast.unlink()
    done = shop.build_apart(*FULL)
    assert done.returncode == 0, done.stderr
    assert shop.manifest["tests"]["kept"] == 8


@needs_isolation
@needs_cpp
@pytest.mark.parametrize(
    "size", [*(pytest.param(size, marks=MORE) for size in ("16k", "48k", "128k")), "32k"]
)
def test_full_temporary_folder_is_not_a_verdict(
    shop: Shop, disk: Callable[[str], Path], size: str
) -> None:
    """If a compiler cannot write its output, the program gets no verdict."""
    shop.small()
    words = ("--lang", "cpp", "--problem", "add-two", *WORDS[2:], "--min-solutions", "2")
    done = shop.build_apart(*words, temporary=disk(size))
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.returncode == 3
        assert str(shop.folder / "disk") in done.stderr
        assert "TMPDIR" in done.stderr
        done = shop.build_apart(*words)
        assert done.returncode == 0, done.stderr
    verdicts = shop.manifest["configs"]["cpp"]["verdicts"]
    assert list(verdicts.items()) == [("accepted", 2), ("time_limit", 1), ("wrong_answer", 1)], (
        "not as they were judged"
    )
    assert [row for row in shop.dropped if row["stage"] != "generate"] == []


@needs_isolation
def test_a_read_only_disk(shop: Shop, disk: Callable[[str], Path]) -> None:
    shop.problem()
    shop.out = disk("1m") / "out"
    subprocess.run(["mount", "-o", "remount,ro", str(shop.out.parent)], check=True)
    done = shop.build_apart(*WORDS)
    assert done.returncode == 3
    assert done.stderr.startswith(f"venus: cannot write into {shop.out}: Read-only file system\n")
    assert "choose another --out" in done.stderr
