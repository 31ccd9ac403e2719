"""Programs that remember inputs between runs, and their honest twin."""

from __future__ import annotations

from pathlib import Path

# The runs in which a program cheats; `met` counts earlier runs on the same input, including the
# judged one. The last two only harm themselves.
CHEATS = {
    "always": "met >= 1",
    "second-repeat-only": "met == 2",
    "after-the-first-repeat": "met >= 2",
    "odd-runs": "met % 2 == 1",
    "last-repeat": "met == 3",
}


def remembering(when: str, folder: str = "", salt: int = 0, loops: int = 50_000_000) -> str:
    """Return a C++ program that cheats in some runs; `when` "false" is the honest twin.

    It stores results in a folder, or without one in the page cache.
    """
    text = (Path(__file__).parent / "programs" / "memo.cpp").read_text()
    values = {
        '"FOLDER"': f'"{folder}"',
        "SALT;": f"{salt};",
        "LOOPS;": f"{loops}L;",
        "WHEN_ANY": "false" if when == "false" else "true",
        "(WHEN)": f"({when})",
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text
