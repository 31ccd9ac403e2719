"""Programs that remember their inputs from run to run, and their honest twin."""

from __future__ import annotations

from pathlib import Path

# In which runs each cheats; `met` counts the earlier runs on the same input, the judged one among
# them. The last two only harm themselves.
CHEATS = {
    "always": "met >= 1",
    "second-repeat-only": "met == 2",
    "after-the-first-repeat": "met >= 2",
    "odd-runs": "met % 2 == 1",
    "last-repeat": "met == 3",
}


def remembering(when: str, folder: str = "", salt: int = 0, loops: int = 50_000_000) -> str:
    """Return C++ that cheats in some runs; "false" is the honest twin.

    It remembers in a folder, or without one in the page cache.
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
