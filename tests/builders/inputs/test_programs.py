"""The published programs: a few lines with a specification, run next to its runtime."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from venus_toolkit.builders.inputs.programs import generator_text, validator_text
from venus_toolkit.builders.inputs.spec import Spec, draw, spec_of
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Many, Scalar
from venus_toolkit.builders.inputs.spec.promises import Compare, Reading
from venus_toolkit.execution.judging.host_programs import RUNTIME, inputs_runtime

SPEC = Spec(
    "p",
    Layout("lines", (Line((Scalar("n"),)), Line((Many("A", "n", Scalar("A")),)))),
    (
        Reading("1 <= n <= 9", (Compare("1", "<=", "n"), Compare("n", "<=", "9"))),
        Reading("0 <= A_i <= 5", (Compare("0", "<=", "A[i]"), Compare("A[i]", "<=", "5"))),
    ),
)


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a line of Python in a folder, without installed packages."""
    line = f"import sys; sys.path.insert(0, '.'); {code}"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", line], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "generator.py").write_text(generator_text(SPEC))
    (tmp_path / "validator.py").write_text(validator_text(SPEC))
    (tmp_path / RUNTIME).write_bytes(inputs_runtime())
    return tmp_path


def test_programs_run_without_the_toolkit(folder: Path) -> None:
    drawn = run(folder, "import generator; sys.stdout.write(generator.generate(7, 'multiscale'))")
    assert drawn.stdout == draw(SPEC, 7, "multiscale"), drawn.stderr
    for text, allowed in ((drawn.stdout, True), ("2\n1 6\n", False), ("2\n1\n", False)):
        result = run(folder, f"import validator; validator.validate({text!r})")
        assert (result.returncode == 0) is allowed, result.stderr
    assert "broken: 0 <= A_i <= 5" in run(
        folder, "import validator; validator.validate('1\\n6\\n')"
    ).stderr  # fmt: skip


def test_programs_contain_their_specification() -> None:
    assert spec_of(generator_text(SPEC)) == spec_of(validator_text(SPEC)) == SPEC
    assert spec_of("def generate(seed, size): ...") is None


@pytest.mark.parametrize("end", ["\n", "\r", "\x0c", "\u2028", "\x00", '"""\n', "'''\n", "\\"])
def test_untrusted_words_never_become_code(end: str, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    words = f"p{end}open({str(seen)!r}, 'w') #"
    spec = replace(SPEC, name=words, readings=(Reading(words, ()), *SPEC.readings))
    (tmp_path / RUNTIME).write_bytes(inputs_runtime())
    for name, text in (("generator", generator_text(spec)), ("validator", validator_text(spec))):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
        assert run(tmp_path, f"import {name}").returncode == 0
        assert spec_of(text) == spec
    assert not seen.exists()


def test_runtime_is_reproducible() -> None:
    inputs_runtime.cache_clear()
    first = inputs_runtime()
    inputs_runtime.cache_clear()
    assert inputs_runtime() == first != inputs_runtime(compiled=True)
