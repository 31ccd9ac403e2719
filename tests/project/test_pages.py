"""Every code block of the documentation runs, is parsed, or states its requirements.

The word after the fence is the kind of the block:

    bash, python, sql   runs in order, page by page, in a folder with `tests/pages/files`, the corpus, and a release in
                        build/demo and build/venus
    toml, json          is parsed
    text, rust          is output, a tree or a picture, and is not run

A block that cannot run everywhere begins with the comment ``# needs …``; shell blocks then have the
kind sh. test_tutorials.py runs the tutorials.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from tests.building import needs_cpp, needs_isolation, run_once, typed_path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^( *)(`{3,})([^\n]*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"(#|--) needs \w")
TYPED = ("bash", "python", "sql")
KINDS = {*TYPED, "sh", "toml", "json", "text", "rust"}
# The start of every script; `make` only checks that its targets exist.
PREAMBLE = """
set -euo pipefail
make() { command make --directory "$ROOT" --dry-run "$@" >/dev/null; }
"""
OWN_CACHE = ("cache.md",)  # pages that clear the cache


class Block(NamedTuple):
    """A code block: its kind, its text, and whether it states requirements."""

    kind: str
    text: str

    @property
    def needy(self) -> bool:
        return bool(NEEDS.match(self.text))


def blocks(text: str) -> list[Block]:
    return [Block(kind.strip(), dedent(code)) for _, _, kind, code in FENCE.findall(text)]


def complaints(text: str) -> Iterator[str]:
    """Yield the faults of the blocks of a page, without running any."""
    for block in blocks(text):
        first = block.text.partition("\n")[0]
        if block.kind not in KINDS:
            yield f"{first}: a block is one of {', '.join(sorted(KINDS))}"
        elif block.kind == "sh" and not block.needy:
            yield f"{first}: a block that is not run begins with '# needs …'"
        elif block.kind == "bash" and block.needy:
            yield f"{first}: a block that needs something is called sh"
        if block.kind in (*TYPED, "sh"):
            yield from (
                f"{line}: longer than 100" for line in block.text.splitlines() if len(line) > 100
            )
        if block.kind == "toml":
            tomllib.loads(block.text)
        elif block.kind == "json":
            for line in block.text.splitlines():
                json.loads(line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs_or_states_its_needs(page: Path) -> None:
    assert list(complaints(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```\nvenus run a.py\n```\n", "a block is one of"),
        ("```console\n$ venus\n```\n", "a block is one of"),
        ("```sh\nvenus publish x\n```\n", "begins with '# needs"),
        ("- a list\n\n  ```sh\n  venus\n  ```\n", "begins with '# needs"),
        ("```bash\n# needs a GPU\nvenus train\n```\n", "is called sh"),
        (f"```bash\nvenus run {'a.py ' * 20}\n```\n", "longer than 100"),
    ],
)
def test_unmarked_block_is_detected(text: str, wrong: str) -> None:
    (found,) = complaints(text)
    assert wrong in found


def test_unparsable_block_is_detected() -> None:
    for text in ("```toml\na = \n```\n", "```json\n{\n```\n"):
        with pytest.raises(ValueError, match=r"(?i)invalid|expect"):
            list(complaints(text))


# ------------------------------------------------------------------ running the blocks


def script(page: Path) -> str:
    """Return all commands of a page as one shell script."""
    typed = []
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.needy or block.kind not in TYPED:
            continue
        if block.kind == "sql":
            query = f"import duckdb\nduckdb.sql({block.text!r}).fetchall()"
            typed.append(
                f"(cd build/venus && python - <<'END-OF-BLOCK'\n{query}\nEND-OF-BLOCK\n)\n"
            )
        elif block.kind == "python":
            typed.append(f"python - <<'END-OF-BLOCK'\n{block.text}END-OF-BLOCK\n")
        else:
            typed.append(block.text)
    return "\n".join(typed)


@pytest.fixture(scope="session")
def demo(shared_folder: Path) -> Path:
    """The output of `make demo`, built once for all workers of a test run."""
    out = shared_folder / "demo"
    words = ["build", "--lang", "cpp", "--plan", "demo", "--out", str(out)]
    command = [sys.executable, "-m", "tests.brief", *words]
    done = run_once(
        out,
        lambda: subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900
        ),
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return out


TYPED_PAGES = [page for page in PAGES if page.parent.name != "tutorials" and script(page)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.name, marks=[*needs_isolation, needs_cpp]) for page in TYPED_PAGES],
)
def test_typed_commands_run(
    page: Path, request: pytest.FixtureRequest, tmp_path: Path, thorough: bool
) -> None:
    if not thorough:
        pytest.skip("--thorough was not given: minutes, and `nox -s thorough-test` has them")
    demo = request.getfixturevalue("demo")  # only after the skip, because it takes a minute
    shutil.copytree(Path(__file__).parents[1] / "pages/files", tmp_path, dirs_exist_ok=True)
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    (tmp_path / "noxfile.py").symlink_to(ROOT / "noxfile.py")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in ("demo", "venus"):
        shutil.copytree(demo, tmp_path / "build" / name)
    environment = {
        **os.environ,
        "PATH": typed_path(tmp_path / "bin"),
        "ROOT": str(ROOT),
    }
    if page.name in OWN_CACHE:
        environment["VENUS_CACHE"] = str(tmp_path / "cache")
    done = subprocess.run(
        ["bash", "-c", PREAMBLE + script(page)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
