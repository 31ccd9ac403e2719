"""``venus languages check`` tests the signatures and the runner of a language folder."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runners.support import EVERY, LANGUAGES
from venus_toolkit.core.errors import LanguageError, SignatureError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import Verdict
from venus_toolkit.execution.machine.language_check import check_functions, has_functions
from venus_toolkit.execution.sandbox import Sandbox


@pytest.fixture
def python(tmp_path: Path) -> Language:
    """A copy of the Python folder that a test may break."""
    folder = Path(shutil.copytree(LANGUAGES["python"].folder, tmp_path / "python"))
    return replace(LANGUAGES["python"], folder=folder)


def change(language: Language, name: str, before: str, after: str) -> None:
    file = language.folder / name
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.parametrize("language", EVERY)
def test_every_language_passes(sandbox: Sandbox, language: str) -> None:
    assert check_functions(sandbox, LANGUAGES[language]).verdict == Verdict.ACCEPTED


def test_a_runner_that_answers_wrongly_fails(sandbox: Sandbox, python: Language) -> None:
    change(python, "runner.py.j2", "values = list(values)", "values = list(values)[:2]")
    found = check_functions(sandbox, python)
    assert (found.verdict, found.failing_test) == (Verdict.WRONG_ANSWER, "case-3")


def test_a_runner_that_does_not_run_fails(sandbox: Sandbox, python: Language) -> None:
    change(python, "runner.py.j2", "_Runner().run()", "_Walker().run()")
    assert check_functions(sandbox, python).verdict == Verdict.RUNTIME_ERROR


def test_a_runner_without_a_function_to_try_is_refused(sandbox: Sandbox, python: Language) -> None:
    (python.folder / "selftest/function.py").unlink()
    with pytest.raises(LanguageError, match=r"selftest/function\.py is missing"):
        check_functions(sandbox, python)


def test_starter_code_that_is_not_read_back_is_refused(sandbox: Sandbox, python: Language) -> None:
    change(python, "signature.toml", "[written]", '[written]\nint = "float"')
    with pytest.raises(SignatureError, match=r"does not fit starter\.py\.j2"):
        check_functions(sandbox, python)


def test_a_language_without_either_has_nothing_to_check(tmp_path: Path) -> None:
    assert not has_functions(replace(LANGUAGES["python"], folder=tmp_path))
    assert has_functions(LANGUAGES["python"])
