"""Curation of human-written data: contest programs, and statements from two unrelated sites."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.curation_data import make_options, problem, solution, staged
from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.decontamination import contaminated_problems
from venus_toolkit.builders.curation.duplicates import duplicate_solutions
from venus_toolkit.builders.curation.problems import similar_problems
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.staging import StagedSource
from venus_toolkit.core.language import load_languages

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PROGRAMS = DATA / "coffe" / "code_contests_solutions.json"
STATEMENTS = DATA / "leetcodedataset" / "LeetCodeDataset-v0.3.1-test.jsonl.gz"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not PROGRAMS.is_file(), reason=f"the sample data is not here: {DATA}"),
]


@pytest.fixture(scope="module")
def contests() -> StagedSource:
    """The contest problems of COFFE."""
    told = json.loads(PROGRAMS.read_text())["prompt2groundtruth"]
    entries = []
    for number, (statement, programs) in enumerate(told.items()):
        codes = [program if isinstance(program, str) else program[0] for program in programs]
        solutions = tuple(
            solution(f"s{place}", code, f"c{number}") for place, code in enumerate(codes)
        )
        entries.append(Entry(problem(f"c{number}", statement=statement), solutions, ()))
    return staged(*entries)


def test_few_contest_programs_are_alike(contests: StagedSource, tmp_path: Path) -> None:
    dropped = duplicate_solutions(contests, load_languages(), CurationOptions(), tmp_path)
    assert 7 <= len(dropped) < 0.02 * contests.counts.solutions


def test_contest_problems_are_distinct(contests: StagedSource, tmp_path: Path) -> None:
    assert similar_problems(contests, CurationOptions(), tmp_path) == []


def test_sites_contaminate_only_by_quoting(contests: StagedSource, tmp_path: Path) -> None:
    lines = gzip.decompress(STATEMENTS.read_bytes()).splitlines()
    items = [json.loads(line)["problem_description"] for line in lines]
    file = tmp_path / "items.jsonl"
    options = make_options(benchmarks=[f"other={file}"])
    file.write_text("".join(json.dumps({"prompt": item}) + "\n" for item in items))
    assert contaminated_problems(contests, options, tmp_path) == []
    items[7] += contests.entry("c3").problem.statement
    file.write_text("".join(json.dumps({"prompt": item}) + "\n" for item in items))
    assert [row.problem for row in contaminated_problems(contests, options, tmp_path)] == ["c3"]
