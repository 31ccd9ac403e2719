"""Helpers for the tests of runners: inputs as text, and programs in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Run
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.sandbox import Compiled, Sandbox
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, render_runner

PROGRAMS = Path(__file__).parent / "programs"
LIMITS = Limits(wall_ns=40 * NS_PER_S, cpu_ns=10 * NS_PER_S, memory_bytes=1024 * MIB)
LANGUAGES = load_languages()
COMPILED = ("cpp", "go", "java", "rust")
QUICK = ("javascript", "python", "ruby")
EVERY = [
    pytest.param(name, marks=pytest.mark.slow) if name in COMPILED else name
    for name in (*COMPILED, *QUICK)
]

INT, VOID = Type(Kind.INT), Type(Kind.VOID)
INTS = Type(Kind.LIST, INT)


def line(value: Any) -> str:
    """Return a value in the format of runners."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def case(*arguments: Any) -> str:
    """Return the input of one test, with one argument per line."""
    return "".join(line(argument) + "\n" for argument in arguments)


def function(
    returns: Type, *parameters: Type, changed: int | None = None, name: str = "solve"
) -> Signature:
    """Return a signature with one function, whose parameters are named a, b, …"""
    named = tuple(Parameter(chr(ord("a") + i), each) for i, each in enumerate(parameters))
    return Signature((Function(name, named, returns, changed),))


def made(
    sandbox: Sandbox, signature: Signature, language: str | Language, solution: str
) -> Compiled:
    """Compile a solution in its runner; the result may be a compile error."""
    chosen = LANGUAGES[language] if isinstance(language, str) else language
    return sandbox.compile(program_of(chosen, solution, runner=render_runner(signature, chosen)))


def ran(
    sandbox: Sandbox, compiled: Compiled, stdins: Iterable[str], limits: Limits = LIMITS
) -> list[Run]:
    """Run a program on each input."""
    assert compiled.ok, compiled.log
    with sandbox.session(compiled, limits) as session:
        return list(session.run([stdin.encode() for stdin in stdins]))


def answers(sandbox: Sandbox, compiled: Compiled, stdins: Sequence[str]) -> list[str]:
    """Return the output of a program on each input; each run must be clean."""
    runs = ran(sandbox, compiled, stdins)
    assert all(run.clean for run in runs), [run.stderr[-500:] for run in runs if not run.clean]
    return [run.stdout.decode() for run in runs]
