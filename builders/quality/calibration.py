"""Figures about human programs that ship with the test recipe.

``python -m tools.calibrate`` measures them and writes RECORD. The card shows them next to the
figures about mutants.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

RECORD = Path(__file__).parent / "calibration.json"
BUILDERS = Path(__file__).parent.parent


@lru_cache
def recipe(builders: Path = BUILDERS) -> str:
    """Return a digest of the programs and data that decide which tests a problem gets.

    Import statements, docstrings and comments do not count: moving a module or rewording its
    documentation does not change the recipe.
    """
    hasher = hashlib.sha256()
    recipe_folders = ("inputs", "quality", "stages")
    # The last two stages run after the tests are decided.
    later = ("stages/results.py", "stages/writing.py")
    no_recipe = {
        builders / name for name in ("quality/calibration.json", "quality/calibration.py", *later)
    }
    ignored = re.compile(
        rb"""^(?:from|import)\ [^(\n]*(?:\([^)]*\))?\n  # an import
        |^\ *r?\"{3}(?:[^"]|"(?!""))*\"{3}\n  # a docstring
        |^\ *\#.*\n|\ \ \#\ .*$  # a comment""",
        re.MULTILINE | re.VERBOSE,
    )
    for path in sorted(
        path
        for folder in recipe_folders
        for path in (builders / folder).rglob("*")
        if path.is_file()
    ):
        if path not in no_recipe and "__pycache__" not in path.parts:
            hasher.update(
                path.relative_to(builders).as_posix().encode()
                + b"\0"
                + ignored.sub(b"", path.read_bytes())
            )
    return hasher.hexdigest()[:12]


def shipped() -> dict[str, Any] | None:
    """Return the shipped figures, with ``current``: whether the recipe is still the same.

    None if no figures ship.
    """
    try:
        record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return {**record, "current": record["recipe"] == recipe()}
