"""`venus sources list` and `show`, and sources by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from venus_toolkit.builders.sources import choose_source, find_source, source_names
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.builders.survey import survey
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("name", source_names())
def test_every_source_has_a_description(name: str) -> None:
    source = find_source(name)
    assert source.about.endswith(".")
    assert len(source.about) < 130
    assert source.read.__doc__
    assert f"| `{name}` |" in (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("appz", "there is no source 'appz': expected one of apps, code_contests"),
        ("appz", "did you mean apps? type: venus sources list"),
        ("kattis", "type: kattis:LOCATION"),
        ("kattis:", "the source kattis needs a location"),
        ("__init__", "there is no source '__init__'"),
        ("mine.csv", "the source mine.csv does not exist: no such file or folder"),
    ],
)
def test_unknown_source(text: str, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        choose_source(text)
    assert words in str(caught.value)


def test_default_location() -> None:
    assert choose_source("code_contests").location == "deepmind/code_contests"
    assert choose_source("apps:a/b?split=test").location == "a/b?split=test"


def test_paths_and_corpus_are_folders(tmp_path: Path) -> None:
    for text in ("corpus", str(tmp_path)):
        chosen = choose_source(text)
        assert (chosen.name, chosen.location) == ("folder", text)


def test_list(cli: Any) -> None:
    shown = cli("sources", "list").stdout
    assert "codeparrot/apps@refs/convert/parquet · MIT" in shown
    rows = json.loads(cli("sources", "list", "--json").stdout)
    assert [row["name"] for row in rows] == source_names()
    assert set(rows[0]) == {"name", "about", "location", "license"}


@pytest.fixture
def table(write_lines: Any) -> Path:
    rows = [
        {"problem_id": n, "question": f"Question {n}?", "solutions": ["a", f"b{n}"]}
        for n in range(5)
    ]
    file: Path = write_lines([{"problem_id": "x1"}, {"problem_id": "x2"}, *rows])
    return file


def test_show(cli: Any, table: Path) -> None:
    shown = cli("sources", "show", f"apps:{table}").stdout
    for line in (
        "problems   5: 5 stdin; 5 algorithms",
        "solutions  python: 10 accepted",
        "tests      0; problems without any: 5",
        "rejected   2 x problem_id must be a whole number, found str 'x1…2'",
        "apps-0 (id 0, Unknown, MIT): apps-0",
        "  Question 0?",
    ):
        assert line + "\n" in shown


def test_show_limit(cli: Any, table: Path) -> None:
    report = json.loads(cli("sources", "show", f"apps:{table}", "--limit", "3", "--json").stdout)
    assert (report["problems"], report["complete"]) == (3, False)
    assert report["example"]["problem"]["slug"] == "apps-0"
    assert "3 and there are more" in cli("sources", "show", f"apps:{table}", "--limit", "3").stdout
    assert json.loads(cli("sources", "show", f"apps:{table}", "--limit", "5", "--json").stdout)[
        "complete"
    ]


def test_show_missing_location(cli: Any) -> None:
    result = cli("sources", "show", "apps:no/such/thing")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "does not exist" in result.stderr
    assert "see docs/sources.md" in result.stderr


def test_bundled_corpus_is_a_source() -> None:
    summary = survey(choose_source("folder").read(load_languages()))
    assert summary.problems == len(list(CORPUS.glob("*/problem.toml")))
    assert summary.rejected == {}


def test_folders_with_one_id(read_source: Any, tmp_path: Path, write_tree: Any) -> None:
    files = {"problem.toml": 'title = "T"\nid = 7\n', "statement.md": "Do."}
    write_tree(
        tmp_path, {f"{name}/{file}": text for name in ("a", "b") for file, text in files.items()}
    )
    result = read_source(f"folder:{tmp_path}")
    assert [problem.slug for problem in result.problems] == ["a"]
    assert result.rejected == [("b", "duplicate problem: same id as a, 7")]
