"""Derived sets of a small release: rows, dropped solutions and reasons, loading."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from tests.builders.derive.made import (
    LANGUAGES,
    code,
    measured,
    problem,
    solution,
    usual_release,
    usual_solutions,
    write_release,
)
from venus_toolkit.builders.derive.derive_options import make_derive_options
from venus_toolkit.builders.derive.derived_sets import derive
from venus_toolkit.builders.derive.kinds import KINDS
from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.card.dataset_card import check_dataset_card
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.dataset.test_cases import digest_of_tests
from venus_toolkit.models.answers import block_complaint, read_answer
from venus_toolkit.models.prompts import OBJECTIVES

pytestmark = pytest.mark.usefixtures("drawn_once")
PYTHON = LANGUAGES["python"]
Cli = Callable[..., Any]


def derive_set(release: Release, kind: str = "sft", **options: Any) -> Release:
    derive(KINDS[kind], release.folder, [PYTHON], make_derive_options(**options))
    return open_release(release.folder)


def rows(release: Release, kind: str = "sft", objective: str = "time") -> list[dict[str, Any]]:
    files = release.files(f"python-{kind}", objective)
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def facts(release: Release, kind: str = "sft") -> dict[str, Any]:
    manifest_facts: dict[str, Any] = release.manifest["derived"][f"python-{kind}"]
    return manifest_facts


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return usual_release(tmp_path / "release")


# ------------------------------------------------------------------ rows


def test_user_prompts_replace_the_toolkits(release: Release, tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    own.mkdir()
    (own / "improve.md.j2").write_text("Faster, please: {{ original_solution | trim }}")
    for kind in KINDS:
        derived = derive_set(release, kind, prompts=str(own))
        assert all(row["prompt_text"].startswith("Faster, please: ") for row in rows(derived, kind))
        assert facts(derived, kind)["options"]["prompts"] == str(own)


def test_paper_prompts_by_name(
    release: Release, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("derive", "grpo", release.folder, "--lang", "python", "--objective", "time")
    done = cli(*words, "--prompts", "paper")
    assert done.exit_code == 0, done.stderr
    opened = open_release(release.folder)
    assert all(row["prompt_text"].startswith("## Instructions") for row in rows(opened, "grpo"))
    assert facts(opened, "grpo")["options"]["prompts"] == "paper", "no path of this machine"
    assert cli(*words, "--prompts", tmp_path / "none").exit_code == 2
    (tmp_path / "venus.toml").write_text('prompts = "paper"\n')
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    done = cli(*words)
    assert done.exit_code == 0, f"a project file may name them, without trust: {done.stderr}"
    assert facts(open_release(release.folder), "grpo")["options"]["prompts"] == "paper"


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_sft_answer_is_cheaper_than_prompt(release: Release, objective: str) -> None:
    """Lesson 21: the answer is the cheaper one. Figures are those of the row's solutions."""
    known = {s["solution_id"]: s for slug in ("double", "twice") for s in usual_solutions(slug)}
    derived_rows = rows(derive_set(release, per_problem=5), objective=objective)
    assert len(derived_rows) == 10
    for row in derived_rows:
        original, answer = known[row["input_solution_id"]], known[row["answer_solution_id"]]
        assert row["type"] == objective
        assert original[objective] >= 1.1 * answer[objective]
        assert (row["input_performance"], row["performance"]) == (
            original[objective],
            answer[objective],
        )
        assert original["code"].strip() in row["prompt_text"]
        assert read_answer(row["response"], PYTHON).code == answer["code"].strip("\n")


def test_dpo_roles(
    release: Release,
) -> None:
    derived_rows = rows(derive_set(release, "dpo"), "dpo")
    assert len(derived_rows) == 6
    for row in derived_rows:
        best, middle, worst = (
            row[f"{name}_performance"] for name in ("chosen", "input", "rejected")
        )
        assert best * 1.1 <= middle
        assert middle * 1.1 <= worst
        codes = [read_answer(row[name], PYTHON).code for name in ("chosen_text", "rejected_text")]
        assert codes[0] != codes[1]


def test_grpo_rows_refer_to_tests(release: Release) -> None:
    """Lesson 23: a row has no tests, and no solution but the original in its prompt."""
    derived_rows = rows(derive_set(release, "grpo", per_problem=7), "grpo")
    assert sorted(row["title"] for row in derived_rows) == ["double", "twice"]
    tests = pq.read_table(release.files("python", "train")[0], columns=["test_cases"]).to_pylist()
    for row in derived_rows:
        assert row["tests_sha256"] in {digest_of_tests(problem_row) for problem_row in tests}
        assert (row["config"], row["split"], row["revision"]) == ("python", "train", "")
        small = {name: value for name, value in row.items() if not name.startswith("prompt")}
        assert len(json.dumps(small)) < 1000
        assert "<solution>" in row["prompt_text"]


@pytest.fixture
def many(tmp_path: Path) -> Release:
    """A release of forty problems, each with passing solutions and a failing one."""
    slugs = [f"task{number}" for number in range(40)]
    return write_release(
        tmp_path / "many",
        {"train": [problem(n, s, usual_solutions(s)) for n, s in enumerate(slugs)]},
    )


def states(release: Release, **options: Any) -> Counter[str]:
    return Counter(row["state"] for row in rows(derive_set(release, "grpo", **options), "grpo"))


def test_states_have_their_shares(many: Release) -> None:
    assert states(many) == {"passing": 40}
    assert states(many, states="new=1", per_problem=3) == {"new": 40}, "there is one first question"
    counts = states(many, states="loop", per_problem=1)
    assert counts.total() == 40
    assert 4 <= counts["new"] <= 16
    assert 4 <= counts["failing"] <= 16
    assert 12 <= counts["passing"] <= 28


def test_prompt_of_each_state(many: Release) -> None:
    derive_set(
        many, "grpo", states="new=1,failing=1,passing=1", per_problem=3, objectives=("time",)
    )
    derived_rows = rows(open_release(many.folder), "grpo")
    for row in derived_rows:
        text, original = row["prompt_text"], row["original_solution_id"]
        assert ("## Original solution" in text) == (row["state"] != "new")
        assert ("passed all tests: no (wrong answer)" in text) == (row["state"] == "failing")
        assert ("passed all tests: yes" in text) == (row["state"] == "passing")
        assert (original == "") == (row["state"] == "new")
        assert original.endswith("/11") == (row["state"] == "failing"), "the only one that fails"
        assert "<solution>" in text
    assert len({(row["title"], row["original_solution_id"]) for row in derived_rows}) == len(
        derived_rows
    )


@pytest.mark.parametrize(
    "states_text", ["half", "new", "new=-1", "new=0", "new=1,old=1", "new=nan", ""]
)
def test_invalid_states_are_refused(states_text: str) -> None:
    with pytest.raises(UsageError, match="are not states") as refused:
        make_derive_options(states=states_text)
    assert "--states new=1" in refused.value.fix


@pytest.mark.parametrize("kind", ["sft", "dpo"])
def test_lesson_22_answers_have_the_form_of_the_prompt(release: Release, kind: str) -> None:
    answers = {"sft": ("completion",), "dpo": ("chosen", "rejected")}[kind]
    for row in rows(derive_set(release, kind), kind):
        assert "exactly one Markdown code block, marked `python`" in row["prompt"][-1]["content"]
        assert [message["role"] for message in row["prompt"]] == ["system", "user"]
        for name in answers:
            (message,) = row[name]
            assert message["role"] == "assistant"
            assert block_complaint(message["content"], PYTHON) == ""
            plain = {"completion": "response"}.get(name, f"{name}_text")
            assert row[plain] == message["content"]
        assert row["prompt_text"] == row["prompt"][-1]["content"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_test_split_is_not_used(release: Release, kind: str) -> None:
    derived = derive_set(release, kind, per_problem=50)
    for objective in OBJECTIVES:
        assert {row["title"] for row in rows(derived, kind, objective)} == {"double", "twice"}
        assert "hidden" not in str(rows(derived, kind, objective))


def test_units_match_published_data(release: Release) -> None:
    row = rows(derive_set(release), objective="memory")[0]
    assert f"peak memory: {row['input_memory']:.0f} KiB" in row["prompt_text"]


# ------------------------------------------------------------------ dropped solutions


def release_of(folder: Path, *solutions: dict[str, Any], rank: str = "absolute") -> Release:
    return write_release(folder, {"train": [problem(1, "one", solutions)]}, rank)


def reasons(release: Release, **options: Any) -> str:
    with pytest.raises(UsageError) as caught:
        derive_set(release, **options)
    return str(caught.value)


def test_lesson_21_no_pair_within_noise(tmp_path: Path) -> None:
    noisy = [
        solution(n, "one", measured(1 + n / 5, 1, wall_spread=0.3, integral_spread=0.3))
        for n in range(2)
    ]
    assert "problems whose solutions are not apart beyond the noise: 1" in reasons(
        release_of(tmp_path, *noisy)
    )
    derived = derive_set(release_of(tmp_path, *noisy), noise=0.1)
    assert [row["input_solution_id"] for row in rows(derived)] == ["one/1"]


def test_near_duplicates_do_not_share_a_row(tmp_path: Path) -> None:
    copy = code(0).replace("print(2", "print( 2")
    alike = [solution(0, "one", measured(1)), solution(1, "one", measured(3), copy)]
    assert "near duplicates" in reasons(release_of(tmp_path, *alike))
    assert (
        len(
            rows(
                derive_set(
                    release_of(tmp_path, *alike, solution(2, "one", measured(9))),
                    objectives=("time",),
                )
            )
        )
        == 2
    )


def test_unmeasured_and_failing_solutions_are_unused(tmp_path: Path) -> None:
    unmeasured = measured(wall_ns=None, peak_bytes=None, integral_byte_ns=None)
    release = release_of(
        tmp_path,
        solution(0, "one", measured()),
        solution(1, "one", None),
        solution(2, "one", unmeasured),
    )
    text = reasons(release)
    assert "problems with fewer than two solutions to compare: 1" in text
    assert "passing solutions that were not measured: 1" in text


def test_solutions_measured_once_need_assumed_spread(tmp_path: Path) -> None:
    once = [
        solution(n, "one", measured(1 + n, wall_spread=None, integral_spread=None, repeats=1))
        for n in range(3)
    ]
    release = release_of(tmp_path, *once)
    assert "solutions measured once, so that their noise is not known: 3" in reasons(
        release, objectives=("time",)
    )
    assert "--assume-spread" in reasons(release, objectives=("time",))
    assert rows(derive_set(release, objectives=("time",), assume_spread=0.1))


def test_relative_rank_is_used_for_sampling(tmp_path: Path) -> None:
    """The solutions differ by wall time, but not by the time relative to the reference program."""
    pair = [
        solution(0, "one", measured(1, relative_time=1.0)),
        solution(1, "one", measured(2, relative_time=1.001)),
    ]
    assert rows(derive_set(release_of(tmp_path, *pair), objectives=("time",)))
    assert "not apart" in reasons(
        release_of(tmp_path, *pair, rank="relative"), objectives=("time",)
    )


def test_objectives_are_balanced(tmp_path: Path) -> None:
    """All solutions of `flat` take the same memory.

    Only `one` has memory pairs, and their number limits the other objectives.
    """
    flat = [solution(n, "flat", measured(1 + n, memory=1)) for n in range(5)]
    one = [solution(n, "one", measured(1 + n)) for n in range(5)]
    release = write_release(tmp_path, {"train": [problem(1, "flat", flat), problem(2, "one", one)]})
    balanced = derive_set(release, per_problem=3)
    assert {
        name: split["rows"] for name, split in facts(balanced)["splits"].items()
    } == dict.fromkeys(OBJECTIVES, 3)
    titles = Counter(row["title"] for row in rows(balanced))
    assert set(titles) == {"flat", "one"}, "a problem's first rows go before another's second"
    assert facts(balanced)["dropped"]["time"] == {"rows beyond what the other objectives have": 3}
    free = facts(derive_set(release, per_problem=3, balance=False))["splits"]
    assert {name: split["rows"] for name, split in free.items()} == {
        "time": 6,
        "memory": 3,
        "integral": 6,
    }


def test_rows_per_problem_are_limited(release: Release) -> None:
    assert Counter(row["title"] for row in rows(derive_set(release, per_problem=2))) == {
        "double": 2,
        "twice": 2,
    }


def test_many_solutions_are_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venus_toolkit.builders.derive.selection.MAX_COMPARED", 4)
    derived = derive_set(release_of(tmp_path, *usual_solutions("one")), objectives=("time",))
    assert facts(derived)["dropped"]["time"]["solutions beyond 4 of one problem"] == 7
    assert rows(derived)


# ------------------------------------------------------------------ files


def test_seed_determines_the_bytes(tmp_path: Path) -> None:
    one, two, other = (usual_release(tmp_path / name) for name in ("one", "two", "other"))
    contents = [
        {
            file.name: file.read_bytes()
            for name in OBJECTIVES
            for file in derive_set(release_copy, seed=seed).files("python-sft", name)
        }
        for release_copy, seed in ((one, 5), (two, 5), (other, 6))
    ]
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_manifest_is_complete(release: Release) -> None:
    derived = derive_set(release, seed=3, objectives=("time", "memory"))
    manifest_facts = facts(derived)
    assert (
        manifest_facts["kind"],
        manifest_facts["language"],
        manifest_facts["seed"],
        manifest_facts["rank"],
    ) == (
        "sft",
        "python",
        3,
        "absolute",
    )
    assert manifest_facts["options"]["per_problem"] == 9, "about as many as in the paper"
    assert manifest_facts["splits"]["time"] == {
        "files": ["derived/python-sft/time-00000-of-00001.parquet"],
        "rows": 18,
    }
    assert derived.complaints() == []
    assert derived.configs()["python-sft"] == {
        name: f"derived/python-sft/{name}-*.parquet" for name in ("time", "memory")
    }


def test_files_of_earlier_run_are_removed(release: Release) -> None:
    derive_set(release)
    derived = derive_set(release, objectives=("time",))
    assert derived.splits("python-sft") == ("time",)
    assert derived.complaints() == []


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_derived_set_loads_by_name(
    release: Release, kind: str, streaming: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from datasets import load_dataset

    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    derived = derive_set(release, kind)
    loaded = load_dataset(
        str(release.folder),
        f"python-{kind}",
        split="time",
        streaming=streaming,
        cache_dir=str(tmp_path / "cache"),
    )
    assert list(loaded) == rows(derived, kind)
    assert list(loaded.features) == KINDS[kind].schema.names


def test_card_lists_derived_sets(release: Release) -> None:
    derived = derive_set(release)
    readme = derived.folder / "README.md"
    header = yaml.safe_load(readme.read_text().split("---\n")[1])
    assert "python-sft" in [header_config["config_name"] for header_config in header["configs"]]
    assert check_dataset_card(derived.folder) == []
    assert derive_set(release, objectives=("time",)).complaints() == []
    assert check_dataset_card(derived.folder) == []


# ------------------------------------------------------------------ the command, and bad input


def test_command_output(release: Release, cli: Cli) -> None:
    done = cli("derive", "sft", release.folder, "--lang", "py", "--per-problem", "1")
    assert done.exit_code == 0, done.stderr
    assert "python-sft           2 time, 2 memory, 2 integral" in done.stdout
    assert "load_dataset(" in done.stdout
    plain = json.loads(cli("derive", "grpo", release.folder, "--lang", "all", "--json").stdout)
    assert plain["derived"]["python-grpo"]["splits"]["time"]["rows"] == 2


@pytest.mark.parametrize(
    ("words", "error", "fix"),
    [
        (("--lang", "cobol"), "unknown language 'cobol'", "venus languages list"),
        (("--lang", "rust"), "has no config rust: it has python", "venus build --lang rust"),
        (("--lang", "python", "--objective", "energy"), "unknown objective energy", "all three"),
        (
            ("--lang", "python", "--noise", "1e9"),
            "problems whose solutions are not apart beyond the noise: 2",
            "--noise",
        ),
    ],
)
def test_command_errors(
    release: Release, cli: Cli, words: tuple[str, ...], error: str, fix: str
) -> None:
    done = cli("derive", "sft", release.folder, *words)
    assert done.exit_code == 2
    assert error in done.stderr
    assert fix in done.stderr
    assert not (release.folder / "derived").exists()


def test_folder_without_release(tmp_path: Path, cli: Cli) -> None:
    done = cli("derive", "dpo", tmp_path, "--lang", "python")
    assert (done.exit_code, "is not a release" in done.stderr) == (2, True)


def test_release_without_train_split(tmp_path: Path) -> None:
    release = write_release(tmp_path, {"test": [problem(1, "one", usual_solutions("one"))]})
    with pytest.raises(ReleaseError, match="no train split"):
        derive_set(release)


def test_unreadable_file(release: Release) -> None:
    file = release.files("python", "train")[0]
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ReleaseError, match="download the release again"):
        derive_set(release)


def test_file_without_a_column(release: Release) -> None:
    file = release.files("python", "train")[0]
    pq.write_table(pq.read_table(file).drop_columns(["style"]), file)
    with pytest.raises(ReleaseError, match="no column style"):
        derive_set(release)
