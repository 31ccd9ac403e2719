"""The funnel: the losses of all stages add up, in numbers, text and picture, also for a finished build."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Workshop
from venus_toolkit.cli.data.build import draw_report, print_report
from venus_toolkit.cli.plots import draw_funnel
from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.dataset.funnel import (
    BAR,
    Dropped,
    Funnel,
    FunnelStep,
    bar,
    funnel,
    read_funnel,
    render,
)

DROPPED = [
    Dropped("ingest", "p9", "p9", "not as documented"),
    Dropped("duplicates", "p1", "p1/cpp/b", "same text: a", {"language": "cpp"}),
    Dropped("quarantine", "p1", "p1/go/c", "dissents"),
    Dropped("validate", "p1", "t7", "disagreement"),
    Dropped("threshold cpp", "p2", "p2", "3 passing solutions in cpp, the threshold is 16"),
    Dropped("threshold go", "p2", "p2", "1 passing solutions in go, the threshold is 16"),
    Dropped("threshold go", "p3", "p3", "1 passing solutions in go, the threshold is 16"),
    Dropped("sample cpp", "p1", "d", "40 solutions, 2 are kept"),
]
FOUND = {"problems": 4, "solutions": {"cpp": 30, "go": 20}}
KEPT = ({"p1", "p3"}, {"cpp": 25, "go": 16})


def test_stages_subtract_their_losses() -> None:
    found = funnel(FOUND, DROPPED, *KEPT)
    assert found.problems == (
        FunnelStep("found", 0, 4),
        FunnelStep("ingest", 1, 3),
        FunnelStep("threshold", 1, 2),
        FunnelStep("kept", 0, 2),
    )
    assert found.solutions["cpp"] == (
        FunnelStep("found", 0, 30),
        FunnelStep("duplicates", 1, 29),
        FunnelStep("sample", 1, 28),
        FunnelStep("with their problems", 3, 25),
        FunnelStep("kept", 0, 25),
    )
    assert [step.stage for step in found.solutions["go"]] == [
        "found",
        "with their problems",
        "kept",
    ]


def test_funnel_without_source_counts() -> None:
    found = funnel(None, DROPPED, *KEPT)
    assert found.problems[0].left == 4
    assert found.solutions["cpp"][0].left == 27
    assert all(step.stage != "not accounted for" for step in found.problems)


def test_unexplained_losses_are_shown() -> None:
    found = funnel({"problems": 3, "solutions": {"cpp": 20, "go": 20}}, DROPPED, *KEPT)
    assert FunnelStep("not accounted for", -1, 2) in found.problems
    assert FunnelStep("not accounted for", -7, 25) in found.solutions["cpp"]


rows = st.builds(
    Dropped,
    st.sampled_from(["ingest", "duplicates", "validate", "threshold cpp", "something new"]),
    st.sampled_from(["p1", "p2", "p3"]),
    st.sampled_from(["p1", "p2", "a", "b"]),
    st.just("why"),
    st.none() | st.just({"language": "cpp"}),
)


@given(st.lists(rows, max_size=20), st.integers(0, 9), st.integers(0, 50), st.integers(0, 50))
def test_the_steps_always_add_up(
    dropped: list[Dropped], problems: int, found: int, kept: int
) -> None:
    source = {"problems": problems, "solutions": {"cpp": found}}
    counted = funnel(source, dropped, {"p1"}, {"cpp": kept})
    for steps in (counted.problems, *counted.solutions.values()):
        assert [each.left for each in steps[1:]] == [
            b.left - a.lost for a, b in zip(steps[1:], steps, strict=False)
        ]
        assert steps[0].lost == steps[-1].lost == 0


def test_the_table_shows_every_step_with_a_bar() -> None:
    lines = render(funnel(FOUND, DROPPED, *KEPT)).splitlines()
    assert lines[0] == "problems"
    assert lines[1].split() == ["found", "4", "█" * BAR]
    assert lines[2].split() == ["ingest", "3", "-1", "█" * (BAR * 3 // 4)]
    assert "solutions, go" in lines
    assert max(map(len, lines)) <= 100


def test_bars_are_exact_to_an_eighth() -> None:
    assert bar(0, 10) == ""
    assert bar(1, 10**9) == "▏"
    assert bar(10, 10) == "█" * BAR
    assert bar(1, 2 * BAR) == "▌"
    assert bar(0, 0) == ""


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_the_picture_is_drawn(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"funnel.{ending}"
    draw_funnel(file, funnel(FOUND, DROPPED, *KEPT), "a build")
    assert file.stat().st_size > 5000


def test_empty_build_is_drawn(tmp_path: Path) -> None:
    nothing = funnel({"problems": 0, "solutions": {}}, [], (), {})
    assert render(nothing)
    draw_funnel(tmp_path / "funnel.png", nothing, "nothing")
    with pytest.raises(StoreError, match="cannot write the picture"):
        draw_funnel(tmp_path / "none" / "funnel.png", nothing, "nothing")


def test_finished_build_has_a_funnel(
    built: Workshop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = Path(shutil.copytree(built.out, tmp_path / "out"))
    found: Funnel = read_funnel(out)
    assert found.problems[-1].left == len(built.rows("python"))
    assert found.solutions["python"][-1].left == sum(
        len(row["solutions"]) for row in built.rows("python").values()
    )
    print_report(draw_report(out), out)
    assert "solutions, cpp" in capsys.readouterr().out


def test_other_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a finished build"):
        read_funnel(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"configs": {}}))
    with pytest.raises(UsageError, match="not a complete build"):
        read_funnel(tmp_path)
