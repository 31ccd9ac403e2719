"""Helpers for tests of whole builds: requirements on this machine, and options of a small build."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from filelock import FileLock

from venus_toolkit.builders.sources import Entry, Rejected
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.execution.machine.doctor import check_toolchain, why_not_isolated
from venus_toolkit.models.answers import fenced

PROBLEM = why_not_isolated()
needs_cpp = pytest.mark.skipif(
    not check_toolchain(load_languages()["cpp"]).ok, reason="g++ is not installed"
)
needs_isolation = [
    pytest.mark.isolation,
    pytest.mark.skipif(PROBLEM is not None, reason=f"programs cannot be isolated: {PROBLEM}"),
]

Shop = Any  # tests/conftest.py: Workshop
SMALL = ("--tests", "8", "--repeats", "2", "--min-solutions", "2", "--mutants", "2")


def run_once(folder: Path, command: Callable[[], CompletedProcess[str]]) -> CompletedProcess[str]:
    """Run a command that fills a folder shared by all workers of a test run, and return its result.

    The first worker runs it; the others wait for it. Tests may only read or copy the folder.
    """
    said = folder.with_name(f"{folder.name}.json")
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not said.exists():
            done = command()
            ending = [list(map(str, done.args)), done.returncode, done.stdout, done.stderr]
            said.write_text(json.dumps(ending))
    return CompletedProcess(*json.loads(said.read_text()))


def typed_path(folder: Path) -> str:
    """Return a PATH with the `venus` of tests/brief.py and the `python` of the tests.

    Commands on a page have to run, but do not depend on the length of the reference program.
    """
    root = Path(__file__).resolve().parents[1]
    folder.mkdir()
    script = f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m tests.brief "$@"\n'
    (folder / "venus").write_text(script)
    (folder / "venus").chmod(0o755)
    return os.pathsep.join((str(folder), str(Path(sys.executable).parent), os.environ["PATH"]))


def read_entry(folder: Path, languages: Mapping[str, Language]) -> Entry:
    """Return the entry of a problem folder.

    Raises:
        SourceError: The problem or one of its solutions cannot be read.
    """
    found = list(read(str(folder), languages))
    for each in found:
        if isinstance(each, Rejected):
            why, _, fix = each.reason.partition("\n")
            raise SourceError(each.item, why, fix or "see docs/problems.md")
    (entry,) = found
    assert isinstance(entry, Entry)
    return entry


def thought(thinking: str, code: str, language: Language) -> str:
    """Return an answer in the form ``<thinking>…</thinking><solution>…</solution>``."""
    return (
        f"<thinking>\n{thinking.strip()}\n</thinking>\n<solution>\n{fenced(code, language)}\n"
        "</solution>"
    )
