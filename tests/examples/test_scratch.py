"""A base model from scratch; runs in `nox -s torch-test`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from examples.reproduce.scratch import (
    Lesson,
    Scratch,
    make_base,
    make_tokenizer,
    read_base,
)
from venus_toolkit.models.client import Message

pytest.importorskip(
    "tokenizers", reason="tokenizers is not installed: nox -s torch-test", exc_type=ImportError
)
pytest.importorskip(
    "torch", reason="torch is not installed: nox -s torch-test", exc_type=ImportError
)

pytestmark = pytest.mark.filterwarnings("ignore")
LESSONS = [
    Lesson(
        (Message("system", "Python."), Message("user", f"Print {n}.")),
        f"number = {n}\nprint(number)\n",
    )
    for n in range(10, 60)
]
HOW = Scratch(
    vocabulary=320, hidden=32, layers=1, heads=2, context=64, steps=60, batch=16, learning_rate=1e-2
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(LESSONS, folder, HOW)
    return folder


def test_training_reduces_the_loss(base: Path) -> None:
    facts = read_base(base)
    assert facts["losses"][-1] < 0.3 * facts["losses"][0]
    assert facts["parameters"] > 1000


def test_existing_model_is_not_trained_again(base: Path) -> None:
    before = (base / "model.safetensors").stat().st_mtime_ns
    assert make_base(LESSONS, base, HOW) == read_base(base)
    assert (base / "model.safetensors").stat().st_mtime_ns == before


def test_incomplete_base_model_has_no_facts(tmp_path: Path) -> None:
    assert read_base(tmp_path) == {}
    (tmp_path / "base.json").write_text('{"lessons": ')
    assert read_base(tmp_path) == {}


def test_tokens_are_lines_and_digits() -> None:
    tokenizer: Any = make_tokenizer([lesson.answer for lesson in LESSONS], HOW)
    tokens = [
        tokenizer.decode([token])
        for token in tokenizer("number = 42\nprint(number)\n")["input_ids"]
    ]
    assert tokens == ["number = ", "4", "2", "\n", "print(number)\n"]
    assert tokenizer.decode(tokenizer("é\t♥")["input_ids"]) == "é\t♥"
