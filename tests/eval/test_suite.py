"""Suites: their files, refusals, and an evaluation on a suite's data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders.sources.test_function_benchmarks import EFFIBENCH, enamel
from tests.building import needs_isolation
from venus_toolkit.builders.given import release_of_given
from venus_toolkit.builders.sources import source_names
from venus_toolkit.core.errors import ReleaseError, SourceError, UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.options import named_files
from venus_toolkit.core.untrusted.trust import granted
from venus_toolkit.eval.asking.suite import FOLDER, filled, read_suite
from venus_toolkit.eval.asking.tasks import list_tasks, load

LANGUAGES = load_languages()
# suites that need the path of their data
NAMED = ("apps", "effibench", "effibench-x", "livecodebench", "mercury", "venus")
HEAD = "class Solution:\n    def double(self, n: int) -> int:\n        "


def question(number: str) -> dict[str, Any]:
    row = {
        "questionTitle": "Double",
        "content": "Return 2n.",
        "difficulty": "Easy",
        "categoryTitle": "Algorithms",
    }
    return {"data": {"question": {**row, "questionFrontendId": number, "topicTags": []}}}


MERCURY = {
    "slug_name": "double-up", "id": "1", "difficulty": "Easy", "prompt": HEAD,
    "meta_info": question("1"),
    "pretty_content": ["Return 2n."], "entry_point": "double",
    "solutions": [
        {"hash": 1, "runtime": "9ms", "solution": HEAD + "return n * 2\n"},
        {"hash": 2, "runtime": "5ms", "solution": HEAD + "return n + n\n"},
    ],
    "test_cases": json.dumps([{"input": "3", "expected": "6"}, {"input": {"n": 50}, "expected": 100}]),
}  # fmt: skip


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def mercury(tmp_path: Path) -> Path:
    rows = [
        MERCURY,
        {
            **MERCURY,
            "slug_name": "no-tests",
            "meta_info": question("2"),
            "id": "2",
            "test_cases": "[]",
        },
    ]
    file = tmp_path / "mercury.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


# ------------------------------------------------------------------ files


@pytest.mark.parametrize("name", named_files(FOLDER))
def test_every_suite_is_valid_and_has_a_source(name: str) -> None:
    named = name if name in NAMED else f"{name}:here"
    suite = read_suite(named)
    assert suite.about
    assert not suite.source or suite.source.partition(":")[0] in source_names()
    assert set(suite.lang) <= set(LANGUAGES)


def test_known_benchmarks_have_suites() -> None:
    benchmarks = {
        "apps",
        "mercury",
        "livecodebench",
        "effibench-x",
        "effibench",
        "enamel",
        "evalperf",
        "pie",
        "ecco",
    }
    assert {"venus", "folder", "coffe", *benchmarks} <= set(named_files(FOLDER))


def test_command_line_overrides_the_suite() -> None:
    suite = read_suite("mercury")
    options = filled(suite, {"lang": ("python",), "samples": 2, "form": None})
    assert (options["form"], options["objective"]) == ("block", "time")
    assert "samples" not in options
    assert "lang" not in options
    with pytest.raises(UsageError, match="needs a language"):
        filled(read_suite("folder:here"), {})


def test_other_location_and_own_suite_file(tmp_path: Path) -> None:
    assert read_suite("mercury:my.jsonl").source == "mercury:my.jsonl"
    file = tmp_path / "mine.toml"
    file.write_text(
        'about = "Mine."\nsource = "folder:here"\nlang = ["cpp"]\nprompts = "words"\n[limits]\n'
        "cpu_s = 2\n"
    )
    with pytest.raises(UsageError, match="prompts = 'words' needs trust: it chooses templates"):
        read_suite(str(file))
    token = granted.set(True)
    suite = read_suite(str(file))
    granted.reset(token)
    assert (suite.name, suite.lang, suite.prompts) == ("mine", ("cpp",), str(tmp_path / "words"))
    assert suite.limits == {"cpu_ns": 2 * 10**9, "wall_ns": 8 * 10**9, "memory_bytes": None}
    assert suite.folder != read_suite("mercury").folder


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("samples = 0", "samples"),
        ('lang = "cpp"', "lang"),
        ("colour = 1", "colour"),
        ("about = 1", "about"),
        ("[limits]\nwall_s = 1", "wall_s"),
        ("[limits]\ncpu_s = -1", "cpu_s"),
        ("this is", "cannot be read"),
    ],
)
def test_malformed_suite_file(tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=word):
        read_suite(str(file))


def test_no_such_suite() -> None:
    with pytest.raises(UsageError, match="expected one of apps"):
        read_suite("humaneval")
    with pytest.raises(UsageError, match="does not say where its data are"):
        read_suite("folder")


# ------------------------------------------------------------------ data


def test_benchmark_becomes_a_release_without_runs(mercury: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    arguments = (f"mercury:{mercury}", tmp_path / "data", LANGUAGES, ["python"], {"cpu_ns": 10**9})
    release = release_of_given(*arguments, lines.append)
    (head,) = list_tasks(release, [LANGUAGES["python"]], "test")
    task = load(head)
    assert (len(task.tests), len(task.references), task.limits.cpu_ns) == (2, 2, 10**9)
    assert task.runner
    assert "class Solution" in task.prompt("time", "block")[1].content
    assert "came with no tests" in (tmp_path / "data" / "dropped.jsonl").read_text()
    assert release.complaints() == []
    release_of_given(*arguments, lines.append)
    assert len(lines) == 1, "read once"
    release_of_given(*arguments[:4], {"cpu_ns": 2 * 10**9}, lines.append)
    assert len(lines) == 2, "other limits need new data"


def test_nothing_to_evaluate_on(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({**MERCURY, "test_cases": "[]"}) + "\n")
    with pytest.raises(SourceError, match="no tests"):
        release_of_given(f"mercury:{file}", tmp_path / "data", LANGUAGES, ["python"], {})


def test_a_release_is_not_overwritten(mercury: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "manifest.json").write_text('{"configs": {}}')
    with pytest.raises(ReleaseError, match="not for the data of a suite"):
        release_of_given(f"mercury:{mercury}", tmp_path / "data", LANGUAGES, ["python"], {})


class TestTheCommand:
    pytestmark = needs_isolation

    def test_a_suite_is_evaluated(
        self, cli: Callable[..., Any], mercury: Path, tmp_path: Path
    ) -> None:
        code = HEAD + "return n << 1\n"
        file = tmp_path / "c.jsonl"
        file.write_text(json.dumps({"slug_name": "double-up", "code": code}) + "\n")
        words = (
            "eval",
            "--suite",
            f"mercury:{mercury}",
            "--model",
            f"replay:{file}",
            "--samples",
            1,
            "--repeats",
            2,
        )
        result = cli(*words, "--out", tmp_path / "run", "--json")
        assert result.exit_code == 0, result.stderr
        scores = json.loads(result.stdout)["scores"][0]
        assert (scores["pass_at_1"][0], scores["ranked"]) == (1.0, 1)
        assert 0 <= scores["efficiency"]["time"]["mercury_beyond"][0] <= 1

    @pytest.mark.slow
    def test_suite_with_generated_inputs_is_built_once(
        self, cli: Callable[..., Any], tmp_path: Path
    ) -> None:
        suite = f"enamel:{enamel(tmp_path)}"
        words = (
            "eval",
            "--suite",
            suite,
            "--model",
            "human:best",
            "--repeats",
            2,
            "--out",
            tmp_path / "run",
            "--json",
        )
        said = cli(*words)
        assert said.exit_code == 0, said.stderr
        assert "once: making tests and running solutions" in said.stderr
        manifest = json.loads(said.stdout)
        assert (manifest["scores"][0]["tasks"], manifest["scores"][0]["pass_at_1"][0]) == (1, 1.0)
        assert manifest["options"]["split"] == "test"
        again = cli(*words[:-2], tmp_path / "again", "--json")
        assert again.exit_code == 0, again.stderr

    def test_suite_may_allow_a_single_reference(
        self, cli: Callable[..., Any], tmp_path: Path
    ) -> None:
        file = tmp_path / "rows.jsonl"
        file.write_text(json.dumps(EFFIBENCH) + "\n")
        code = EFFIBENCH["canonical_solution"].replace(
            "return []", "return [0, 1] if len(nums) > 1 else []"
        )
        rows = [EFFIBENCH | {"canonical_solution": code}]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        words = (
            "eval",
            "--suite",
            f"effibench:{file}",
            "--model",
            "copy",
            "--repeats",
            2,
            "--json",
        )
        result = cli(*words, "--out", tmp_path / "run")
        assert result.exit_code == 0, result.stderr
        published = json.loads(result.stdout)["scores"][0]["published"]
        assert 0.3 < published["net"] < 3
        unranked = cli(*words, "--min-references", 2, "--out", tmp_path / "other")
        assert "of the 2 reference" in json.dumps(json.loads(unranked.stdout)["unranked"])

    def test_refusals(self, cli: Callable[..., Any], tmp_path: Path) -> None:
        rest = ("--model", "replay:x", "--out", tmp_path / "run")
        for words, word in [
            (("--suite", "venus", "--lang", "cpp"), "add --data FOLDER"),
            (("--suite", "nope"), "there is no suite nope"),
            (("--lang", "cpp"), "--data is missing"),
            (("--data", tmp_path), "--lang is missing"),
        ]:
            result = cli("eval", *words, *rest)
            assert (result.exit_code, word in result.stderr) == (2, True), result.stderr
