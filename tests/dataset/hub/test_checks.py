"""Every check accepts a good release, and reports the place and the reason in a faulty one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.dataset.hub.releases import Draft
from tests.dataset.hub.routes import Hub
from venus_toolkit.core.errors import RefusedError
from venus_toolkit.core.store import checksum
from venus_toolkit.dataset.card.dataset_card import write_dataset_card
from venus_toolkit.dataset.hub.publishing import PublishOptions, publish
from venus_toolkit.dataset.hub.release_checks import (
    CHECKS_OF_DATA,
    Allowed,
    Check,
    CheckFinding,
    check_checksums,
    check_leaks,
    check_licences,
    check_loading,
    check_schema,
    check_secrets,
    check_text_files,
    run_checks,
    secret_rules,
)
from venus_toolkit.dataset.release import Release, open_release

TRAIN = "data/cpp/train-00000-of-00001.parquet"
# Not a real key; split, so that secret scanners do not report this file.
KEY = "AKIA" + "Q7ZK2M4XW9PL3RTB"
SECRETS = {
    "hugging-face-token": "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f",
    "api-key": "sk-" + "proj-aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f",
    "aws-access-key": KEY,
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "github-token": "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fGh",
    "github-fine-grained-token": "github_pat_" + "aB3dE5gH7jK9mN1pQ3sT5" * 3,
    "gitlab-token": "glpat-" + "aB3dE5gH7jK9mN1pQ3sT",
    "google-api-key": "AIza" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG",
    "slack-token": "xoxb-" + "123456789012-aB3dE5gH7jK9",
    "web-token": "eyJ"
    + "hbGciOiJIUzI1NiJ9"
    + ".eyJ"
    + "zdWIiOiIxMjM0NTY3ODkwIn0"
    + ".aB3dE5gH7jK9mN1pQ3sT",
    "session-cookie": "LEETCODE_SESSION" + "=aB3dE5gH7jK9mN1pQ3sT5vW7",
}


NOTHING = Allowed()


def found(check: Check, release: Release, allowed: Allowed = NOTHING) -> list[CheckFinding]:
    return list(check(release, allowed))


def rewrite(release: Release, file: str, change: Any) -> Release:
    """Write a changed table in place of a file, and its checksum into the manifest."""
    pq.write_table(change(pq.read_table(release.folder / file)), release.folder / file)
    return say(
        release, {"files": {**release.manifest["files"], file: checksum(release.folder / file)}}
    )


def say(release: Release, facts: dict[str, Any]) -> Release:
    manifest = {**release.manifest, **facts}
    (release.folder / "manifest.json").write_text(json.dumps(manifest))
    return open_release(release.folder)


@pytest.fixture
def release(folder: Path) -> Release:
    return open_release(folder)


@pytest.mark.parametrize("name", [*CHECKS_OF_DATA, "loading", "texts"])
def test_a_good_release_passes(release: Release, name: str) -> None:
    check = {**CHECKS_OF_DATA, "loading": check_loading, "texts": check_text_files}[name]
    assert found(check, release) == []


# ------------------------------------------------------------------ checksums


def test_changed_files_are_found(release: Release) -> None:
    (release.folder / TRAIN).write_bytes(b"x")
    (release.folder / "dropped.jsonl").unlink()
    (release.folder / "data/cpp/train-00007-of-00001.parquet").write_bytes(b"")
    complaints = {finding.where: finding.what for finding in found(check_checksums, release)}
    assert set(complaints) == {TRAIN, "dropped.jsonl", "data/cpp/train-00007-of-00001.parquet"}
    assert "SHA-256 differs" in complaints[TRAIN]
    assert complaints["dropped.jsonl"] == "is missing"


def test_edited_card_is_not_damage(release: Release) -> None:
    (release.folder / "README.md").write_text("mine")
    assert found(check_checksums, release) == []


def test_a_manifest_without_checksums(release: Release) -> None:
    assert found(check_checksums, say(release, {"files": {}}))


# ------------------------------------------------------------------ schema


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop_columns(["category"]), "lacks the column category"),
        (
            lambda table: table.select(table.schema.names[::-1]),
            "does not begin with the columns problem_id",
        ),
        (
            lambda table: table.set_column(1, "title", table["problem_id"]),
            "the column title is int64, not string",
        ),
        (lambda table: table.slice(0, 1), "1 rows, the manifest says 3 problems"),
    ],
    ids=["lacking", "order", "type", "rows"],
)
def test_schema_faults_are_found(release: Release, change: Any, words: str) -> None:
    complaints = [finding.what for finding in found(check_schema, rewrite(release, TRAIN, change))]
    assert any(words in complaint for complaint in complaints), complaints


def test_files_of_one_config_have_the_same_columns(release: Release) -> None:
    changed = rewrite(release, TRAIN, lambda table: table.append_column("extra", table["title"]))
    assert [f.what for f in found(check_schema, changed)] == [
        "has other columns than the first file of its config"
    ]


def test_file_that_is_not_parquet(release: Release) -> None:
    (release.folder / TRAIN).write_bytes(b"PAR1 or so")
    assert any("cannot be read" in finding.what for finding in found(check_schema, release))


def test_a_release_without_a_language(release: Release) -> None:
    assert "lists no language" in str(found(check_schema, say(release, {"configs": {}})))


# ------------------------------------------------------------------ licences


@pytest.mark.parametrize(
    ("licence", "why"),
    [
        ("CC-BY-NC-4.0", "it forbids commercial use"),
        ("unknown", "it is not known to allow redistribution"),
        ("", "it is not known to allow redistribution"),
        ("MIT AND Proprietary", "it is not known to allow redistribution"),
        ("all rights reserved", "it forbids redistribution"),
    ],
)
def test_restricted_licences_are_found(
    draft: Draft, tmp_path: Path, licence: str, why: str
) -> None:
    draft.licences["sum-0", "a"] = licence
    release = draft.write(tmp_path / "licensed")
    (finding,) = found(check_licences, release)
    assert (finding.where, finding.what) == (
        "cpp",
        f"1 solutions under {licence or 'unknown'}: {why}",
    )
    assert found(check_licences, release, Allowed(licences=(licence.upper() or "unknown",))) == []


def test_distributable_licences_pass(draft: Draft, tmp_path: Path) -> None:
    draft.licences["sum-0", "a"] = "mit AND CC-BY-4.0"
    assert found(check_licences, draft.write(tmp_path / "licensed")) == []


# ------------------------------------------------------------------ leaks


def test_leak_into_another_language(draft: Draft, tmp_path: Path) -> None:
    release = Draft(("cpp", "go")).write(tmp_path / "both")
    test = pq.read_table(release.folder / "data/go/test-00000-of-00001.parquet")
    leaky = rewrite(release, TRAIN, lambda table: test)
    (finding,) = found(check_leaks, leaky)
    assert (finding.where, finding.what) == ("cpp/train, sum-3", "is a problem of a test split")


def test_leak_under_another_title(draft: Draft, tmp_path: Path) -> None:
    draft.statements["sum-0"] = draft.statements["sum-3"].upper().replace(" ", "  ")
    (finding,) = found(check_leaks, draft.write(tmp_path / "leaky"))
    assert (finding.where, finding.what) == (
        "cpp/train, sum-0",
        "has the statement of sum-3, a problem of a test split",
    )


@pytest.mark.parametrize("how", ["title", "problem_id", "prompt", "messages", "nothing"])
def test_leak_into_a_derived_set(draft: Draft, tmp_path: Path, how: str) -> None:
    text = f"Make this faster.\n\n{draft.statements['sum-3']}\n"
    rows: dict[str, dict[str, Any]] = {
        "title": {"title": "sum-3", "prompt": "x"},
        "problem_id": {"problem_id": draft.problem("sum-3").problem_id, "prompt": "x"},
        "prompt": {"title": "sum-0", "prompt": text},
        "messages": {"title": "sum-0", "prompt": [{"role": "user", "content": text}]},
        "nothing": {"prompt": "x"},
    }
    draft.derived["cpp-sft"] = [rows[how]]
    (finding,) = found(check_leaks, draft.write(tmp_path / "leaky"))
    assert finding.where == "derived/cpp-sft/time-00000-of-00001.parquet"
    wanted = "has neither a title" if how == "nothing" else "a problem of a test split"
    assert wanted in finding.what


def test_derived_set_of_train_problems_passes(draft: Draft, tmp_path: Path) -> None:
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": draft.statements["sum-0"]}]
    assert found(check_leaks, draft.write(tmp_path / "good")) == []


# ------------------------------------------------------------------ secrets


@pytest.mark.parametrize("rule", SECRETS)
def test_every_kind_of_secret_is_found(draft: Draft, tmp_path: Path, rule: str) -> None:
    draft.codes["sum-1", "b"] += f'string key = "{SECRETS[rule]}";\n'
    (finding,) = found(check_secrets, draft.write(tmp_path / "told"))
    assert finding.where == f"{TRAIN}, sum-1, sum-1/cpp/b, solutions.code"
    assert f"looks like a {rule} " in finding.what
    assert SECRETS[rule] not in str(finding)


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in secret_rules()} == set(SECRETS)


def test_statements_tests_and_the_card_are_searched(draft: Draft, tmp_path: Path) -> None:
    draft.statements["sum-0"] += KEY
    draft.tests["sum-1"] = [f"{KEY}\n"]
    release = draft.write(tmp_path / "told")
    with (release.folder / "README.md").open("a") as card:
        card.write(f"my key is {KEY}\n")
    places = {finding.where for finding in found(check_secrets, release)}
    assert f"{TRAIN}, sum-0, question_content" in places
    assert f"{TRAIN}, sum-1, test_cases" in places
    assert "tests/train-00000-of-00001.parquet, sum-1, t0, input" in places
    assert any(place.startswith("README.md, line ") for place in places)


def test_secret_is_allowed_by_its_id(draft: Draft, tmp_path: Path) -> None:
    draft.codes["sum-1", "b"] += KEY
    release = draft.write(tmp_path / "told")
    (finding,) = found(check_secrets, release)
    name = finding.what.split("id ")[1]
    assert found(check_secrets, release, Allowed(secrets=(name,))) == []
    assert found(check_secrets, release, Allowed(secrets=("aws-access-key-00000000",)))


@pytest.mark.parametrize(
    "harmless",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "task-scheduler-with-a-very-long-name-of-more-than-forty-letters",
        "sk-learn-is-a-library-of-machine-learning-algorithms",
        "hf_hub_download(repo_id)",
        "hash = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'",
        "-----BEGIN PUBLIC KEY-----",
    ],
)
def test_harmless_texts_are_not_secrets(draft: Draft, tmp_path: Path, harmless: str) -> None:
    draft.codes["sum-1", "b"] += f"// {harmless}\n"
    assert found(check_secrets, draft.write(tmp_path / "fine")) == []


# ------------------------------------------------------------------ loading


def test_unloadable_config_is_found(release: Release) -> None:
    card = release.folder / "README.md"
    card.write_text(
        card.read_text().replace("data/cpp/train-*.parquet", "data/cpp/training-*.parquet")
    )
    complaints = found(check_loading, release)
    assert any(
        finding.where == "cpp" and "load_dataset fails" in finding.what for finding in complaints
    ), complaints


def test_config_missing_on_the_card_is_found(release: Release) -> None:
    (release.folder / "README.md").write_text("# nothing\n")
    assert {finding.where for finding in found(check_loading, release)} >= {"cpp", "tests"}


def test_train_split_has_all_rows(draft: Draft, tmp_path: Path) -> None:
    draft.derived["cpp-sft"] = [{"title": "sum-0", "prompt": "x"}]
    release = draft.write(tmp_path / "derived")
    write_dataset_card(release.folder)
    release = open_release(release.folder)
    assert found(check_loading, release) == []
    # A split that the card declares but no file has is also found.
    card = release.folder / "README.md"
    path = "path: derived/cpp-sft/*.parquet"
    assert path in card.read_text()
    card.write_text(card.read_text().replace(path, "path: data/cpp/train-*.parquet"))
    assert [finding.where for finding in found(check_loading, release)] == ["cpp-sft"]


# ------------------------------------------------------------------ all checks


def test_findings_prevent_sending(hub: Hub, draft: Draft, tmp_path: Path) -> None:
    draft.codes["sum-1", "b"] += KEY
    draft.licences["sum-0", "a"] = "unknown"
    told = draft.write(tmp_path / "told").folder
    with pytest.raises(RefusedError, match="is not published") as refused:
        publish(told, "venus/demo")
    assert refused.value.exit_code == 1
    assert "2 findings" in refused.value.why
    assert "--allow-secret ID" in refused.value.fix
    assert "--allow-licence NAME" in refused.value.fix
    assert not [line for line in hub.asked if line.startswith(("PUT", "POST"))]
    (secret,) = [word for word in refused.value.why.split() if word.startswith("aws-access-key-")]
    allowed = Allowed(secrets=(secret,), licences=("unknown",))
    assert publish(told, "venus/demo", PublishOptions(allowed=allowed)).status == "published"


def test_unreadable_file_is_a_finding(release: Release) -> None:
    (release.folder / TRAIN).write_bytes(b"x")
    with pytest.raises(RefusedError) as refused:
        run_checks(release, CHECKS_OF_DATA, Allowed(), lambda *_: None)
    assert "checksums" in refused.value.why
    assert "secrets" not in refused.value.why
