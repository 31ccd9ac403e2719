"""``venus card --check`` reports every number that was changed by hand, and outdated pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.card.card_check import NOTHING, CardFinding
from venus_toolkit.dataset.card.dataset_card import check_dataset_card, write_dataset_card

pytestmark = pytest.mark.usefixtures("drawn_once")


@pytest.fixture
def edit(release: Path) -> Callable[[str, str], int]:
    """Return a function that replaces one match in the README, and returns its line number."""

    def change(pattern: str, by: str) -> int:
        text = (release / "README.md").read_text()
        found = re.search(pattern, text)
        assert found, pattern
        (release / "README.md").write_text(
            text[: found.start()] + found.expand(by) + text[found.end() :]
        )
        return text[: found.start()].count("\n") + 1

    return change


def test_fresh_card_has_no_findings(pristine: Path) -> None:
    assert check_dataset_card(pristine) == []


@pytest.mark.parametrize(
    ("pattern", "by", "said"),
    [
        (r"[\d,]+ solutions in 7", "1 solutions in 7", "1"),  # in a sentence
        (r"\| time \| cpp \| [\d,]+", "| time | cpp | 12345", "12345"),  # in a table
        (r"counted in at most 4", "counted in at most 5", "5"),  # in prose
        (r"seed: 0\)", "seed: 7)", "7"),  # from the manifest
        (r"du2025afterburner", "du2024afterburner", "2024"),  # in the citation
    ],
)
def test_a_number_changed_by_hand(
    release: Path, edit: Callable[[str, str], int], pattern: str, by: str, said: str
) -> None:
    line = edit(pattern, by)
    (finding,) = check_dataset_card(release)
    assert (finding.line, finding.said) == (line, said)
    assert finding.true != said
    assert f"line {line}: the card says {said}, the data say {finding.true}" in str(finding)


def test_every_number_of_every_block_is_watched(release: Path) -> None:
    """Raise every generated number by one: every line with a number is reported."""
    readme = release / "README.md"
    head, body = readme.read_text().split("\n---\n", 1)
    body = re.sub(r"(?<=[ |])\d+(?=[ |.,)])", lambda found: str(int(found[0]) + 1), body)
    before = readme.read_text().split("\n")
    readme.write_text(f"{head}\n---\n{body}")
    changed = {
        number for number, (old, new) in enumerate(zip(before, readme.read_text().split("\n"), strict=True), 1)
        if old != new
    }  # fmt: skip
    assert len(changed) > 50
    assert {finding.line for finding in check_dataset_card(release)} == changed


def test_words_changed_by_hand(release: Path, edit: Callable[[str, str], int]) -> None:
    line = edit("Differences smaller than", "Differences larger than")
    (finding,) = check_dataset_card(release)
    assert finding.line == line
    assert "larger" in finding.said
    assert "smaller" in finding.true


def test_removed_and_added_rows(release: Path, edit: Callable[[str, str], int]) -> None:
    edit(r"\| `problem_id` .*\n", "")
    line = edit(r"\| `code` .*\n", r"\g<0>| `made_up` | int64 |  | nothing |\n")
    lost, added = check_dataset_card(release)
    assert (lost.said, "`problem_id`" in lost.true) == (NOTHING, True)
    assert (added.line, added.true) == (line + 1, NOTHING)


def test_the_header(release: Path, edit: Callable[[str, str], int]) -> None:
    rows = edit(r"num_examples: \d+", "num_examples: 999")
    path = edit(r"path: data/go/train-\*\.parquet", "path: data/go/*.parquet")
    licence = edit("license: other", "license: mit")
    edit("pretty_name: Venus", "pretty_name: Mars")
    found = {finding.line: finding for finding in check_dataset_card(release)}
    assert found[rows].said == "999"
    assert found[rows].where == "dataset_info.default.splits.train.num_examples"
    assert found[path].where == "configs.go.data_files.train.path"
    assert (found[licence].said, found[licence].true) == ("mit", "other")
    assert len(found) == 3


def test_missing_key_or_tag(release: Path, edit: Callable[[str, str], int]) -> None:
    edit(r"size_categories:\n- n<1K\n", "")
    edit(r"- rust\n", "")
    assert {(each.said, each.true, each.where) for each in check_dataset_card(release)} == {
        (NOTHING, "['n<1K']", "size_categories"),
        (NOTHING, "rust", "tags"),
    }


def test_changed_data(release: Path) -> None:
    (file,) = release.glob("data/go/train-*.parquet")
    table = pq.read_table(file)
    rows = table.to_pylist()
    for row in rows:
        row["solutions"] = row["solutions"][1:]
    pq.write_table(table.from_pylist(rows, schema=table.schema), file)
    found = check_dataset_card(release)
    assert any(finding.where.startswith("| go |") for finding in found)
    assert any(
        finding.said.startswith("assets/") and finding.true == "another picture"
        for finding in found
    )


def test_outdated_croissant(release: Path) -> None:
    file = release / "croissant.json"
    whole = file.read_text()
    for text in (whole.replace("cr:Int64", "sc:Text", 1), None):
        file.unlink()
        if text is not None:
            file.write_text(text)
        (finding,) = check_dataset_card(release)
        assert (finding.said, finding.true) == ("croissant.json", "other metadata")
    assert write_dataset_card(release)
    assert file.read_text() == whole
    assert check_dataset_card(release) == []


def test_check_draws_no_picture(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A current picture is kept, whichever version of matplotlib drew it, and is a valid image."""
    from PIL import Image

    monkeypatch.setattr("venus_toolkit.dataset.card.distribution_charts.Picture.draw", None)
    assert check_dataset_card(release) == []
    assert write_dataset_card(release) is False
    with Image.open(release / "assets/time.png") as image:
        image.load()
        assert {"Venus-Facts", "Venus-Bytes", "Software"} <= set(image.info)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda drawn, other: other, "it shows other data"),
        (lambda drawn, other: drawn + b"x", "it was changed after it was drawn"),
        (
            lambda drawn, other: drawn[:5000] + b"xy" + drawn[5002:],
            "it was changed after it was drawn",
        ),
        (lambda drawn, other: drawn[:-200] + drawn[-12:], "it was changed after it was drawn"),
        (lambda drawn, other: b"no picture", "it shows other data"),
        (lambda drawn, other: None, "it is missing"),
    ],
    ids=["other", "longer", "two bytes", "no seal", "none", "missing"],
)
def test_pictures(release: Path, change: Callable[[bytes, bytes], bytes | None], why: str) -> None:
    """Three bad pictures are reported separately."""
    files = [release / f"assets/{name}.png" for name in ("time", "memory", "integral")]
    drawn = [file.read_bytes() for file in files]
    for number, file in enumerate(files):
        content = change(drawn[number], drawn[number - 1])
        file.unlink()
        if content is not None:
            file.write_bytes(content)
    found = check_dataset_card(release)
    assert {finding.where for finding in found} == {why}
    assert len({finding.line for finding in found}) == len(files)
    assert all(finding.line > 1 for finding in found)


def test_missing_or_unknown_section(release: Path, edit: Callable[[str, str], int]) -> None:
    edit(r"(?s)<!-- venus:quality -->.*<!-- /venus:quality -->", "")
    line = edit(
        "<!-- venus:limits -->",
        "<!-- venus:later -->\n<!-- /venus:later -->\n\n<!-- venus:limits -->",
    )
    unknown, gone = sorted(
        check_dataset_card(release), key=lambda finding: finding.true == NOTHING, reverse=True
    )
    assert (unknown.line, unknown.said) == (line, "<!-- venus:later -->")
    assert "quality" in gone.where


def test_own_text_is_not_checked(release: Path) -> None:
    with (release / "README.md").open("a") as file:
        file.write("\n## Mine\n\n12 solutions, 13 problems.\n")
    assert check_dataset_card(release) == []


def test_missing_card(release: Path) -> None:
    (release / "README.md").unlink()
    (finding,) = check_dataset_card(release)
    assert "venus card" in finding.where


def test_deleted_markers(release: Path, edit: Callable[[str, str], int]) -> None:
    line = edit(r"<!-- venus:columns -->\n\n(?=## Columns)", "")
    with pytest.raises(UsageError, match="columns"):
        check_dataset_card(release)
    edit(r"<!-- /venus:columns -->\n", "")
    with pytest.raises(UsageError, match=f"line {line} of README.md: '## Columns'"):
        check_dataset_card(release)


def test_finding_has_plain_values(release: Path, edit: Callable[[str, str], int]) -> None:
    edit(r"seed: 0\)", "seed: 7)")
    (finding,) = check_dataset_card(release)
    assert CardFinding(**json.loads(json.dumps(finding._asdict()))) == finding
