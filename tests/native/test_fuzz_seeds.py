"""The fuzzing seeds of the supervisor, and cases that once broke it, must pass under sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "tools/fuzz/supervisor"
SANITIZED = (
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-Wall",
    "-Wextra",
)


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fuzzing target of AFL++, compiled by gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    made = tmp_path_factory.mktemp("fuzz") / "harness"
    program = made.with_name("program")
    subprocess.run(
        ["gcc", "-O2", "-static", "-o", str(program), str(FOLDER / "program.c")], check=True
    )
    defined = f'-DPROGRAM="{program}"'
    subprocess.run(
        ["gcc", *SANITIZED, defined, "-o", str(made), str(FOLDER / "harness.c")], check=True
    )
    return made


def test_no_seed_breaks_the_supervisor(harness: Path) -> None:
    for seed in sorted((FOLDER / "seeds").iterdir()):
        with seed.open("rb") as case:
            done = subprocess.run([str(harness)], stdin=case, capture_output=True, timeout=20)
        assert done.returncode in (0, 3), (seed.name, done.stderr.decode())
        assert (done.returncode == 0) == (done.stderr == b""), (seed.name, done.stderr.decode())
