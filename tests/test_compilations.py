"""Programs are compiled once, whoever asks, however many at the same time; a failure is not remembered."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.errors import SandboxError
from venus_toolkit.language import load_languages
from venus_toolkit.sandbox import Compiled, Program
from venus_toolkit.sandbox.compilations import Compilations

PYTHON = load_languages()["python"]
PROGRAM = Program(PYTHON, "print(1)")
RUN: Any = None


@pytest.fixture
def make() -> Callable[[], Compiled]:
    """Makes another compiled program each time."""
    return lambda: Compiled(PROGRAM, Path(), True, "", RUN)


def never() -> Compiled:
    raise AssertionError("compiled twice")


def test_once(make: Callable[[], Compiled]) -> None:
    compilations = Compilations()
    assert compilations.once(PROGRAM, make) is compilations.once(PROGRAM, never)


def test_other_programs_are_others(make: Callable[[], Compiled]) -> None:
    compilations = Compilations()
    others = [
        PROGRAM._replace(source="print(2)"),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, id="other")),
        PROGRAM._replace(language=dataclasses.replace(PYTHON, compile_argv=("true",))),
    ]
    made = [compilations.once(program, make) for program in (PROGRAM, *others)]
    assert len({id(compiled) for compiled in made}) == 4


def test_whoever_comes_meanwhile_waits(make: Callable[[], Compiled]) -> None:
    """Two threads that ask at the same time get the same; a second folder would stay unused."""
    compilations, begun, may_end = Compilations(), threading.Event(), threading.Event()

    def slowly() -> Compiled:
        begun.set()
        assert may_end.wait(20)
        return make()

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(compilations.once, PROGRAM, slowly)
        assert begun.wait(20)
        second = threads.submit(compilations.once, PROGRAM, never)
        may_end.set()
        assert first.result() is second.result()


def test_a_failure_is_not_remembered(make: Callable[[], Compiled]) -> None:
    compilations = Compilations()

    def fail() -> Compiled:
        raise SandboxError("the sandbox stopped")

    with pytest.raises(SandboxError, match="stopped"):
        compilations.once(PROGRAM, fail)
    assert compilations.once(PROGRAM, make).ok


def test_what_is_forgotten_is_made_again(make: Callable[[], Compiled]) -> None:
    compilations, other = Compilations(), PROGRAM._replace(source="print(2)")
    first, kept = compilations.once(PROGRAM, make), compilations.once(other, make)
    compilations.forget(first)
    assert compilations.once(PROGRAM, make) is not first
    assert compilations.once(other, never) is kept
