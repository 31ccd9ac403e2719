"""docs/security.md and the tests agree: every claim is tested, and every attack is documented."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bench.cheats.residuals import SECTION, cheats

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "security.md"
BACKENDS = ("local", "docker", "unsafe")
ANSWERS = ("yes", "no", "partly")
FILES = [
    *sorted((ROOT / "tests/contract").glob("test_*.py")),
    *sorted((ROOT / "tests/native").glob("test_*.py")),
]


class Claim(NamedTuple):
    """A row of the document: an action, whether each backend prevents it, and the tests."""

    what: str
    answers: dict[str, str]
    trials: list[str]


def claims(text: str) -> Iterator[Claim]:
    """Yield the rows of every table with a column for each backend."""
    for line in SECTION.sub("", text).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if (
            line.startswith("| ")
            and len(cells) == len(BACKENDS) + 2
            and not cells[-1].startswith("tried")
        ):
            answers = {
                backend: re.split(r"\W", cell)[0]
                for backend, cell in zip(BACKENDS, cells[1:-1], strict=True)
            }
            yield Claim(cells[0], answers, re.findall(r"`([^`]+)`", cells[-1]))


def attacks() -> dict[str, set[str]]:
    """Return the backends that run each attack of attacks.toml, by its name.

    A name may be in two tables.
    """
    found: dict[str, set[str]] = {}
    table = tomllib.loads((ROOT / "tests/contract/attacks.toml").read_text())
    for kind in ("run", "compile", "compiler"):
        for row in table[kind]:
            found.setdefault(row["name"], set()).update(BACKENDS[: 2 if row.get("isolated") else 3])
    return found


def trials() -> dict[str, set[str]]:
    """Return the backends that each test covers, by its name.

    Tests in tests/native cover all of them, since all use the same supervisor.
    """
    found = {}
    for file in FILES:
        tree = ast.parse(file.read_text())
        everywhere = [ast.unparse(node) for node in tree.body if isinstance(node, ast.Assign)]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                marks = [
                    *map(ast.unparse, node.decorator_list),
                    *(each for each in everywhere if "pytestmark" in each),
                ]
                found[node.name] = set(
                    BACKENDS[: 2 if any("isolation" in mark for mark in marks) else 3]
                )
    return found


def complaints(text: str) -> list[str]:
    """Return the faults of the document."""
    rows, known = list(claims(text)), {**trials(), **attacks()}
    named = {name for claim in rows for name in claim.trials}
    said = [f"nothing is called {name}" for name in sorted(named - set(known))]
    said += [f"the attack {name} is not in the document" for name in sorted(set(attacks()) - named)]
    for claim in rows:
        said += [
            f"{claim.what}: {word} is no answer"
            for word in claim.answers.values()
            if word not in ANSWERS
        ]
        tried = {backend for name in claim.trials for backend in known.get(name, ())}
        claimed = {backend for backend, word in claim.answers.items() if word != "no"}
        said += [
            f"{claim.what}: nothing tries it on {backend}" for backend in sorted(claimed - tried)
        ]
    return said


def test_document_matches_the_attacks() -> None:
    assert complaints(PAGE.read_text()) == []


def test_table_of_cheats_matches_the_suite() -> None:
    """`python -m bench.cheats` writes the table, with figures of the machine where it ran."""
    found = SECTION.search(PAGE.read_text())
    assert found
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in found.group().splitlines()[2:]
    ]
    assert [row[:3] for row in rows] == [
        [f"`{each.family}/{each.name}`", each.does, each.stops] for each in cheats()
    ]
    # These were measured without a Docker daemon; the code that stops them is the same for all
    # backends.
    unknown = [row[0] for row in rows if not {"", "not measured"}.isdisjoint(row[3:])]
    assert all(name.startswith(("`count/", "`memo/")) for name in unknown), unknown


def test_claims_and_attacks_are_found() -> None:
    assert len(list(claims(PAGE.read_text()))) >= 25
    assert len(attacks()) >= 70
    assert attacks()["fork-bomb"] == set(BACKENDS)
    assert attacks()["change-clock"] == {"local", "docker"} == trials()["test_no_home_folder"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("`fork-bomb`", "`spoon-bomb`", "nothing is called spoon-bomb"),
        ("`fork-bomb`", "", "the attack fork-bomb is not in the document"),
        ("| fills the disk | yes", "| fills the disk | sure", "fills the disk: sure is no answer"),
        (
            "the same | no | `fill-scratch`",
            "the same | yes | `fill-scratch`",
            "fills the disk: nothing tries it on unsafe",
        ),
        ("`dump-core`", "", "dumps core: nothing tries it on docker"),
    ],
)
def test_wrong_document_is_detected(old: str, new: str, says: str) -> None:
    text = PAGE.read_text()
    assert old in text
    assert says in complaints(text.replace(old, new))


# ------------------------------------------------------------------ decisions of each input


def decisions(text: str) -> list[list[str]]:
    """Return the rows of the table of inputs and their allowed decisions."""
    table = text[text.index("## Who decides what") :].split("\n\n")
    lines = next(part for part in table if part.startswith("| input")).splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def every_test() -> set[str]:
    return {
        name for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^\s*def (test_\w+)", file.read_text(), re.MULTILINE)
    }  # fmt: skip


def undone(rows: list[list[str]]) -> list[str]:
    """Return missing modules and tests of the rows, and inputs without enforcement or tests."""
    known, missing = every_test(), list[str]()
    for what, _, modules, tests in rows:
        missing += [
            name for name in re.findall(r"`([^`]+)`", modules) if not (ROOT / name).is_file()
        ]
        missing += [name for name in re.findall(r"`([^`]+)`", tests) if name not in known]
        missing += [what] if not modules or not tests else []
    return missing


def test_every_input_is_enforced_and_tested() -> None:
    rows = decisions(PAGE.read_text())
    assert undone(rows) == []
    named = " ".join(row[0] for row in rows)
    for word in (
        "project file", "plan", "recipe", "prompts", "problem folder", "release", "answer", "HTTP", "environment",
        "column map", "language folder", "archive", "suite", "package", "dataset", "model card", "statement",
    ):  # fmt: skip
        assert word in named, word


def test_row_without_a_test_is_detected() -> None:
    rows = [
        ["input", "anything", "`venus_toolkit/core/nothing.py`", "`test_nothing`"],
        ["other", "", "", ""],
    ]
    assert undone(rows) == ["venus_toolkit/core/nothing.py", "test_nothing", "other"]
