"""The figures about human programs that ship with the recipe for tests.

``python -m tools.calibrate`` takes them and writes RECORD. They stand on the card beside the
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


@lru_cache
def recipe() -> str:
    """Return a digest of the programs and data that decide which tests there are.

    Imports are left out of it: where something is imported from makes no other recipe.
    """
    root = Path(__file__).parent.parent
    found = hashlib.sha256()
    # Folders of programs that decide which tests there are
    recipe_folders = ("inputs", "quality", "stages")
    # By then tests are decided
    stages = root / "stages"
    no_recipe = (RECORD, Path(__file__), stages / "results.py", stages / "writing.py")
    imports = re.compile(rb"^(?:from|import) [^(\n]*(?:\([^)]*\))?\n", re.MULTILINE)
    for path in sorted(
        path for folder in recipe_folders for path in (root / folder).rglob("*") if path.is_file()
    ):
        if path not in no_recipe and "__pycache__" not in path.parts:
            found.update(
                path.relative_to(root).as_posix().encode()
                + b"\0"
                + imports.sub(b"", path.read_bytes())
            )
    return found.hexdigest()[:12]


def shipped() -> dict[str, Any] | None:
    """Return what was saved last, with ``current``: whether the recipe is still the same.

    None where nothing ships.
    """
    try:
        kept: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return {**kept, "current": kept["recipe"] == recipe()}
