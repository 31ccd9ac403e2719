"""How a problem package compares: the default validator with its flags, or a validator of its own in Python."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from venus_toolkit.builders.reading.programs import Judged, fill_evaluator
from venus_toolkit.records import Comparison

TOLERANCES = {
    "float_tolerance": ("absolute", "relative"),
    "float_absolute_tolerance": ("absolute",),
    "float_relative_tolerance": ("relative",),
}
SWITCHES = {"case_sensitive": "case_sensitive", "space_change_sensitive": "space_sensitive"}
EXTENSIONS = (".py", ".py3")


def default_validator(flags: Sequence[str]) -> Judged:
    """Return how the default validator compares.

    Raises:
        ValueError: A flag is unknown, or a tolerance is no number.
    """
    tolerances: dict[str, float | None] = {"absolute": None, "relative": None}
    switches = {"case_sensitive": False, "space_sensitive": False}
    words = iter(flags)
    for word in words:
        if word in TOLERANCES:
            tolerances |= dict.fromkeys(TOLERANCES[word], _tolerance(word, next(words, "nothing")))
        elif word in SWITCHES:
            switches[SWITCHES[word]] = True
        else:
            raise ValueError(f"the default validator has no flag {word}")
    return Judged(Comparison("evaluator"), fill_evaluator("kattis", **tolerances, **switches))


def _tolerance(flag: str, word: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise ValueError(f"{flag} wants a number, found {word}")
    return found


def own_validator(folders: Sequence[Path], flags: Sequence[str]) -> Judged:
    """Return how a package's own validator compares.

    Raises:
        ValueError: There is none, there are several, or it is not in Python.
    """
    places = [path for folder in folders for path in _programs(folder)]
    if len(places) != 1:
        raise ValueError(f"the package has {len(places)} output validators, wanted is one")
    (place,) = places
    sources = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    others = [path.name for path in sources if path.suffix not in EXTENSIONS]
    if others or not sources:
        raise ValueError(f"its output validator is not in Python alone: {', '.join(others[:5]) or 'an empty folder'}")
    root = place.parent if place.is_file() else place
    files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sources}
    main = next((name for name in ("main.py", "__main__.py") if name in files), next(iter(files)))
    if len(files) > 1 and main not in ("main.py", "__main__.py"):
        raise ValueError("its output validator has several files and no main.py")
    evaluator = fill_evaluator("kattis_validator", files=files, main=main, flags=list(flags))
    return Judged(Comparison("evaluator"), evaluator)


def _programs(folder: Path) -> Iterator[Path]:
    """Yield the validators in a folder: each file or folder is one, but files beside each other are one together."""
    inside = sorted(path for path in folder.glob("*") if not path.name.startswith("."))
    if folder.name == "output_validator" and any(path.is_file() for path in inside):
        yield folder
        return
    yield from inside
