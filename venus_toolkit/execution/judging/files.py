"""Reads a user's programs and tests from files and folders."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, language_of_file
from venus_toolkit.core.records import TestCase
from venus_toolkit.core.untrusted.beneath import read_beneath
from venus_toolkit.core.untrusted.text import storable_values
from venus_toolkit.signatures import parse_signature, render_runner

log = logging.getLogger(__name__)


def read_text(file: Path, noun: str, folder: Path | None = None) -> str:
    """Return a file's text with unchanged line ends; `noun` names it in errors.

    With `folder`, a link that leads out of the folder is refused.
    """
    try:
        # Path.read_text would translate the line ends, which are part of an input.
        return (read_beneath(file, folder) if folder else file.read_bytes()).decode("utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot read the {noun} {file}", reason, f"check the path: ls -l {file.parent}"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the {noun} {file} is not UTF-8 text", str(error), f"type: file {file}"
        ) from error


def read_tests(folder: Path) -> tuple[TestCase, ...]:
    """Return the tests NAME.in, with NAME.out if it exists, in natural order (2 before 10)."""
    if not folder.is_dir():
        reason = "there is no such folder" if not folder.exists() else "it is not a folder"
        raise UsageError(
            f"cannot read the tests in {folder}", reason, "give a folder with NAME.in and NAME.out"
        )
    inputs = sorted(folder.glob("*.in"), key=lambda file: _counting_order(file.stem))
    if not inputs:
        names = ", ".join(sorted(file.name for file in folder.iterdir())[:4]) or "nothing"
        reason = f"no file there is called NAME.in; it holds {names}"
        raise UsageError(
            f"no tests in {folder}",
            reason,
            "name the inputs 1.in, 2.in, ... and their outputs 1.out, 2.out",
        )
    tests = []
    for file in inputs:
        expected = file.with_suffix(".out")
        stdout = (
            read_text(expected, "expected output", folder) if os.path.lexists(expected) else None
        )
        tests.append(TestCase(file.stem, read_text(file, "input", folder), stdout, kind="given"))
    changes = dict[str, str]()
    read: tuple[TestCase, ...] = storable_values(tuple(tests), "test", changes)
    for place, change in changes.items():
        log.warning("%s: %s: %s", folder, place, change)
    return read


def _counting_order(name: str) -> list[tuple[int, str]]:
    # Tuples, so that numbers and words are comparable.
    return [
        (int(word), "") if word.isdecimal() else (-1, word) for word in re.split(r"([0-9]+)", name)
    ]


def program_runner(starter: Path, language: Language, languages: Mapping[str, Language]) -> str:
    """Return the runner in `language` for the function in starter code of any language."""
    signature = parse_signature(
        read_text(starter, "starter code"), language_of_file(starter, languages)
    )
    return render_runner(signature, language)
