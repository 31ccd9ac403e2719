"""Duplicates: equal text, equal tokens, nearly equal tokens; earlier releases are stable."""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.curation import Source
from tests.curation_data import OTHER, PROGRAM, entry, make_options, problem, solution, staged
from venus_toolkit.builders.curation import similarity
from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.duplicates import SolutionKey, duplicate_solutions
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, read
from venus_toolkit.builders.staging import StagedSource, stage
from venus_toolkit.core.errors import LanguageError, StoreError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Expectation, Solution

LANGUAGES = load_languages()
RENAMED_ONCE = PROGRAM.replace("largest = total\n    for", "largest = total + 0\n    for")
REFORMATTED = (
    PROGRAM.replace("    ", "\t")
    .replace("# reads", "# it reads")
    .replace(" = ", "=")
    .replace("\n", "\r\n")
)


def duplicates(
    staged_source: StagedSource, work: Path, options: CurationOptions | None = None, **more: Any
) -> dict[tuple[str, str], str]:
    """Return the reasons by problem and solution."""
    rows = duplicate_solutions(staged_source, LANGUAGES, options or CurationOptions(), work, **more)
    return {(row.problem, row.item): row.reason for row in rows}


def one_problem(*solutions: Solution) -> StagedSource:
    return staged(Entry(problem(), solutions, ()))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (PROGRAM, "same text: a"),
        (REFORMATTED, "same tokens: a"),
        (RENAMED_ONCE, "near duplicate: a"),
        (OTHER, None),
        (PROGRAM.replace("values", "v").replace("total", "t").replace("index", "i"), None),
    ],
)
def test_levels_of_similarity(code: str, reason: str | None, tmp_path: Path) -> None:
    reasons = duplicates(one_problem(solution("a", PROGRAM), solution("b", code)), tmp_path)
    assert reasons == ({("p", "b"): reason} if reason else {})


def test_near_threshold(tmp_path: Path) -> None:
    pair = one_problem(solution("a", PROGRAM), solution("b", RENAMED_ONCE))
    assert duplicates(pair, tmp_path, make_options(near=0.99)) == {}
    assert duplicates(pair, tmp_path, make_options(near=0.85)) == {("p", "b"): "near duplicate: a"}


@pytest.mark.parametrize("across", ["none", "near"])
def test_pairs_in_portions_equal_pairs_at_once(
    across: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For seven million programs, near pairs and shingles together do not fit into memory."""
    staged_source, options = (
        stage(Source(400, LANGUAGES), tmp_path),
        make_options(across_problems=across),
    )
    at_once = duplicates(staged_source, tmp_path, options)
    monkeypatch.setattr(similarity, "PORTION", 3)
    assert duplicates(staged_source, tmp_path, options) == at_once
    assert sum(reason.startswith("near duplicate") for reason in at_once.values()) > 9


def test_fold_literals_and_words(tmp_path: Path) -> None:
    pair = one_problem(
        solution("a", "print(1)"), solution("b", "print(23)"), solution("c", "write(23)")
    )
    assert duplicates(pair, tmp_path) == {}
    assert duplicates(pair, tmp_path, make_options(fold=["literals"])) == {
        ("p", "b"): "same tokens: a"
    }
    assert len(duplicates(pair, tmp_path, make_options(fold=["literals", "words"]))) == 2


COMMENTED = {
    "python": ('x = "# no comment"  # a comment\n', 'x = "# no comment"\n', 'x = "no comment"\n'),
    "cpp": ('puts("// no"); /* a\n b */ f(); // c\n', 'puts("// no"); f();', 'puts(""); f();'),
    "go": ("s := `// no` // c\n", "s := `// no`", "s := ``"),
    "java": ('String s = "/* no */"; // c\n', 'String s = "/* no */";', 'String s = "";'),
    "javascript": ("let s = '// no' /* c */\n", "let s = '// no'", "let s = ''"),
    "ruby": ("s = '# no' # c\n=begin\nlong\n=end\n", "s = '# no'", "s = ''"),
    "rust": ("let c = '\"'; // \" c\nf();", "let c = '\"'; f();", "let c = '\"';"),
}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_comments_are_ignored_and_strings_are_not(language: str, tmp_path: Path) -> None:
    codes = dict(zip("abc", COMMENTED[language], strict=True))
    staged_source = one_problem(
        *(solution(name, code, language=language) for name, code in codes.items())
    )
    assert duplicates(staged_source, tmp_path) == {("p", "b"): "same tokens: a"}


@pytest.mark.parametrize("second", [REFORMATTED, RENAMED_ONCE])
@pytest.mark.parametrize("claim", [Expectation.WRONG, Expectation.SLOW, Expectation.UNKNOWN])
def test_wrong_program_is_no_duplicate_of_right_one(
    second: str, claim: Expectation, tmp_path: Path
) -> None:
    pair = one_problem(solution("a", PROGRAM), solution("b", second, expected=claim))
    assert duplicates(pair, tmp_path) == {}


def test_contradictory_labels_drop_all_copies(tmp_path: Path) -> None:
    staged_source = one_problem(
        solution("a", PROGRAM),
        solution("b", PROGRAM, expected=Expectation.WRONG),
        solution("c", PROGRAM, expected=Expectation.UNKNOWN),
        solution("d", OTHER),
    )
    reasons = duplicates(staged_source, tmp_path)
    assert set(reasons) == {("p", "a"), ("p", "b"), ("p", "c")}
    assert reasons["p", "a"] == "claimed to be both: accepted and wrong"


def test_unlabelled_copy_gives_way_to_labelled(tmp_path: Path) -> None:
    staged_source = one_problem(
        solution("a", PROGRAM, expected=Expectation.UNKNOWN), solution("b", PROGRAM)
    )
    assert duplicates(staged_source, tmp_path) == {("p", "a"): "same text: b"}


@pytest.mark.parametrize(
    ("across", "dropped"),
    [
        ("none", set()),
        ("exact", {"text"}),
        ("tokens", {"text", "tokens"}),
        ("near", {"text", "tokens", "near"}),
    ],
)
def test_across_problems_option(across: str, dropped: set[str], tmp_path: Path) -> None:
    codes = {"text": PROGRAM, "tokens": REFORMATTED, "near": RENAMED_ONCE, "other": OTHER}
    staged_source = staged(
        entry("p1", {"a": PROGRAM}),
        *(entry(f"p{n}", {k: v}) for n, (k, v) in enumerate(codes.items(), 2)),
    )
    reasons = duplicates(staged_source, tmp_path, make_options(across_problems=across))
    assert {item for _, item in reasons} == dropped
    assert all("in another problem: p1 a" in text for text in reasons.values())


def test_labels_of_different_problems_do_not_contradict(tmp_path: Path) -> None:
    wrong = Entry(problem("p2"), (solution("w", PROGRAM, "p2", expected=Expectation.WRONG),), ())
    assert duplicates(staged(entry("p1", {"a": PROGRAM}), wrong), tmp_path) == {}


def test_dropped_problems_cause_no_drops(tmp_path: Path) -> None:
    staged_source = staged(entry("p1", {"a": PROGRAM}), entry("p2", {"b": PROGRAM}))
    assert duplicates(staged_source, tmp_path, without={"p1"}) == {}


def test_previous_solutions_stay(tmp_path: Path) -> None:
    staged_source = one_problem(
        solution("a", PROGRAM), solution("m", REFORMATTED), solution("z", RENAMED_ONCE)
    )
    assert set(duplicates(staged_source, tmp_path)) == {("p", "m"), ("p", "z")}
    assert set(duplicates(staged_source, tmp_path, previous=[SolutionKey("p", "z")])) == {
        ("p", "a"),
        ("p", "m"),
    }


variants = st.sampled_from(
    [
        PROGRAM,
        REFORMATTED,
        RENAMED_ONCE,
        OTHER,
        OTHER + "\nprint()\n",
        PROGRAM.replace("best", "most"),
        "print(1)",
    ]
)


@settings(max_examples=10, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefgh"), variants, min_size=2), st.data())
def test_growth_neither_restores_nor_drops(codes: dict[str, str], data: st.DataObject) -> None:
    """Solutions of a previous release stay, and its duplicates stay dropped."""
    first = data.draw(st.sets(st.sampled_from(sorted(codes)), min_size=1))
    before = staged(entry("p1", {name: codes[name] for name in first}))
    gone = {name for _, name in duplicates(before, before.folder / "tmp")}
    remaining = first - gone
    after = staged(entry("p1", codes))
    later = {
        name
        for _, name in duplicates(
            after, after.folder / "tmp", previous=[SolutionKey("p1", n) for n in remaining]
        )
    }
    assert not later & remaining
    assert gone <= later


def test_order_of_source_does_not_matter(tmp_path: Path) -> None:
    coded = [
        solution(str(n), random.Random(n // 3).choice([PROGRAM, REFORMATTED, OTHER]))
        for n in range(12)
    ]
    reasons = duplicates(one_problem(*coded), tmp_path)
    assert duplicates(one_problem(*reversed(coded)), tmp_path) == reasons


def test_only_planted_duplicates_are_found(tmp_path: Path) -> None:
    source = Source(3000, LANGUAGES)
    dropped = duplicate_solutions(staged(*source), LANGUAGES, CurationOptions(), tmp_path)
    reasons = {"text": "same text", "tokens": "same tokens", "line": "near duplicate"}
    planted = sum(source.planted[kind] for kind in reasons)
    duplicate_rows = [row for row in dropped if "new" not in row.item]
    assert planted > 400
    assert len(duplicate_rows) >= 0.999 * planted
    assert len(duplicate_rows) == len(dropped)


def test_corpus_has_no_duplicates(tmp_path: Path) -> None:
    assert duplicates(staged(*read(str(CORPUS), LANGUAGES)), tmp_path) == {}


def test_empty_source_has_no_duplicates(tmp_path: Path) -> None:
    assert duplicates(staged(), tmp_path) == {}
    assert duplicates(staged(entry("p1")), tmp_path) == {}


def test_unknown_language_is_compared_by_text(tmp_path: Path) -> None:
    pair = [
        solution(name, code, language="cobol")
        for name, code in (("a", "X."), ("b", "X."), ("c", "X ."))
    ]
    assert duplicates(one_problem(*pair), tmp_path) == {("p", "b"): "same text: a"}


def test_invalid_language_patterns_are_refused(tmp_path: Path) -> None:
    looking = dataclasses.replace(LANGUAGES["python"], strings=re.compile("(?<=x)y"))
    with pytest.raises(LanguageError, match="lexical patterns of python"):
        duplicate_solutions(
            one_problem(solution("a", "1")), {"python": looking}, CurationOptions(), tmp_path
        )


def test_out_of_memory_hint(tmp_path: Path) -> None:
    (tmp_path / "tmp").write_text("a file where the folder should be")
    with pytest.raises(StoreError) as refusal:
        duplicate_solutions(
            one_problem(solution("a", "1")), LANGUAGES, CurationOptions(), tmp_path / "tmp"
        )
    assert refusal.value.fix
