"""Published releases, read by unmodified clients in separate processes, and the commands themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dataset.hub.conftest import NAME, TOKEN, Start, environment
from tests.dataset.hub.releases import Draft
from tests.dataset.hub.routes import Hub
from venus_toolkit.dataset.hub.publishing import publish

READ = """
from datasets import load_dataset
cpp = load_dataset("venus/demo", "cpp", revision="v1.0.0")
everything = load_dataset("venus/demo", revision="v1.0.0", split="train")
streamed = load_dataset("venus/demo", "cpp", revision="v1.0.0", split="train", streaming=True)
newer = load_dataset("venus/demo", "cpp", split="train")
tests = load_dataset("venus/demo", "tests", split="test")
print([cpp["train"].num_rows, cpp["test"].num_rows, everything.num_rows, newer.num_rows, tests.num_rows])
print(sorted(row["title"] for row in streamed))
print(cpp["train"][0]["solutions"][0]["wall_ns"])
"""


@pytest.mark.slow
def test_load_dataset_by_version_and_streaming(
    hub: Hub, draft: Draft, folder: Path, tmp_path: Path
) -> None:
    publish(folder, NAME)
    draft.add("new")
    assert publish(draft.write(tmp_path / "second").folder, NAME).version == "1.1.0"
    known = {**os.environ, **environment(hub, tmp_path / "reader")}
    done = subprocess.run(
        [sys.executable, "-c", READ], env=known, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "[3, 1, 3, 4, 2]",
        "['sum-0', 'sum-1', 'sum-2']",
        "10000000",
    ]


@pytest.mark.slow
def test_the_commands_one_after_the_other(
    hub: Hub, folder: Path, tmp_path: Path, start: Start
) -> None:
    planned = said(start("publish", str(folder), "--to", NAME, "--dry-run"))
    assert f"{NAME} 1.0.0: not sent (--dry-run)" in planned
    assert "rows       cpp: train 3, test 1" in planned
    done = json.loads(said(start("publish", str(folder), "--to", NAME, "--json")))
    assert (done["status"], done["version"], done["changes"]) == (
        "published",
        "1.0.0",
        ["First release."],
    )
    listed = said(start("releases", NAME))
    assert listed.startswith("1.0.0 ")
    assert "First release." in listed
    assert json.loads(said(start("releases", NAME, "--json")))[0]["commit"] == done["commit"]
    pulled = json.loads(
        said(start("pull", f"{NAME}@1.0.0", "--out", str(tmp_path / "out"), "--json"))
    )
    assert (pulled["version"], pulled["folder"]) == ("1.0.0", str(tmp_path / "out"))


@pytest.mark.slow
def test_errors_have_three_parts(hub: Hub, folder: Path, start: Start) -> None:
    publish(folder, NAME)
    refused = start("publish", str(folder), "--to", "stranger/demo")
    out, err = refused.communicate(timeout=120)
    assert (refused.returncode, out) == (3, "")
    assert "venus: cannot create stranger/demo: your token does not allow it" in err
    assert "use a token that may write there" in err
    assert TOKEN not in err
    assert "Traceback" not in err
    wrong = start("pull", f"{NAME}@9.9.9")
    assert wrong.wait(120) == 2
    assert "it has 1.0.0" in wrong.communicate()[1]


def said(process: subprocess.Popen[str]) -> str:
    """Return the output of a command, which must succeed and print no token."""
    out, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    assert TOKEN not in out + err
    return out
