"""``venus inspect``: a table or one JSON object; exit code 1 if files and manifest differ."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from venus_toolkit.cli.data.inspect import command
from venus_toolkit.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_USAGE, ReleaseError
from venus_toolkit.dataset.release import Release


def inspect(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_a_whole_release(whole: Release) -> None:
    done = inspect(str(whole.folder))
    assert done.exit_code == EXIT_DONE
    lines = done.output.splitlines()
    assert lines[1].split()[:4] == ["default", "train", "7", "7"]
    assert lines[-1] == "Every file agrees with the manifest."


def test_as_json(whole: Release) -> None:
    found = json.loads(inspect(str(whole.folder), "--json").output)
    assert (found["ok"], found["format"], found["complaints"]) == (True, 1, [])
    (row,) = [row for row in found["splits"] if (row["config"], row["split"]) == ("cpp", "train")]
    assert (row["rows"], row["files"]) == (1, 1)
    assert row["size_bytes"] == whole.files("cpp", "train")[0].stat().st_size


def test_damage_exits_with_1(release: Release) -> None:
    release.files("cpp", "train")[0].write_text("nothing")
    done = inspect(str(release.folder))
    assert done.exit_code == EXIT_FAILED
    assert "data/cpp/train-00000-of-00001.parquet is not what was written" in done.output
    assert "cpp/train cannot be read" in done.output
    assert "Every file" not in done.output
    found = json.loads(inspect(str(release.folder), "--json").output)
    assert (found["ok"], [row["rows"] for row in found["splits"] if row["config"] == "cpp"]) == (
        False,
        [None, 1],
    )


def test_folder_that_is_not_a_release(tmp_path: Path) -> None:
    error = inspect(str(tmp_path)).exception
    assert isinstance(error, ReleaseError)
    assert error.exit_code == EXIT_USAGE
