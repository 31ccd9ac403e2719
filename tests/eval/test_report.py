"""Reports agree with the rows, and external text is never markup."""

from __future__ import annotations

import base64
import doctest
import gzip
import itertools
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.eval.report_runs import BETTER, CODE, RunSpec, write_run
from venus_toolkit.core import formatting
from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.formatting import (
    count_with_noun,
    markdown,
    one_line,
    p_value,
    percent,
    percent_range,
    points,
    size,
    time,
    visible,
    without_zeros,
)
from venus_toolkit.eval import report
from venus_toolkit.eval.report.charts import (
    MEMORY,
    TIME,
    axis_over,
    cost_scatter,
    iteration_charts,
    place_bars,
    rank_strips,
)
from venus_toolkit.eval.report.paper_figures import draw_figures, label_of
from venus_toolkit.eval.report.report_facts import (
    METRICS,
    RunComparison,
    compare_runs,
    find_facts,
    metric_of,
    places_of,
)
from venus_toolkit.eval.report.report_page import render_html, write_report
from venus_toolkit.eval.report.runs import open_runs
from venus_toolkit.eval.report.samples_page import render_samples
from venus_toolkit.eval.report.task_views import (
    MAX_CHARACTERS,
    MAX_LINES,
    compare_code,
    truncate,
    view_tasks,
)
from venus_toolkit.eval.scoring.results import read_results
from venus_toolkit.eval.scoring.statistics import Interval, holm
from venus_toolkit.eval.scoring.summary import compare_results, summarise_results

Cli = Callable[..., Any]
HOSTILE = (
    "</script><img src=x onerror=\"document.title='pwned'\">'|`[a](http://evil.test)` "
    "$\\frac{1}{2}$"
)


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return write_run(tmp_path / "good", RunSpec("good", speed=4, failing=0.05))


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return write_run(tmp_path / "bad", RunSpec("bad", speed=0.3, failing=0.5, seed=2))


# ------------------------------------------------------------------ numbers


def test_leaderboard_agrees_with_the_evaluation(good: Path) -> None:
    [line] = find_facts([good])[0].leaderboard
    whole = summarise_results(read_results(good))[0]
    assert line.scores == whole
    assert metric_of(line.scores, "passed") == whole.pass_at_1
    assert line.tokens == 36 * 150
    assert line.cost is None


def test_better_run_is_first(good: Path, bad: Path) -> None:
    facts = find_facts([bad, good])[0]
    assert [(line.run, line.name, line.place) for line in facts.leaderboard] == [
        (1, "good", 1),
        (0, "bad", 2),
    ]


def test_equal_runs_share_a_place(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, RunSpec()) for name in "ab"]
    facts = find_facts(folders)[0]
    assert [line.place for line in facts.leaderboard] == [1, 1]
    assert all(
        comparison.p_value == comparison.corrected == 1.0 and not comparison.differs
        for comparison in facts.comparisons
    )
    assert all(comparison.tasks_needed is None for comparison in facts.comparisons)


def test_comparisons_are_corrected_for_multiplicity(good: Path, bad: Path) -> None:
    comparisons = compare_runs(open_runs([good, bad]))
    assert [comparison.metric for comparison in comparisons] == list(METRICS)
    for comparison, column in zip(
        comparisons[:2], ("passed", "percentile_time_repeats"), strict=True
    ):
        expected = compare_results(read_results(good), read_results(bad), column)
        assert comparison.p_value == expected.p_value
        assert comparison.difference.estimate == pytest.approx(expected.difference.estimate)
    assert [comparison.corrected for comparison in comparisons] == holm(
        [comparison.p_value for comparison in comparisons]
    ).tolist()


def test_places_ignore_insignificant_differences() -> None:
    def compared(first: int, second: int, difference: float, corrected: float) -> RunComparison:
        return RunComparison(
            first, second, "time", Interval(difference, 0, 0, 0.95, 9), 0.0, corrected, None
        )

    comparisons = [compared(0, 1, 0.3, 0.01), compared(0, 2, 0.1, 0.2), compared(1, 2, -0.2, 0.04)]
    assert places_of(3, "time", comparisons) == [1, 3, 1]
    assert places_of(3, "memory", comparisons) == [1, 1, 1]


def test_unranked_run_is_compared_by_passing(tmp_path: Path, good: Path) -> None:
    facts = find_facts([good, write_run(tmp_path / "b", RunSpec("unranked", humans=0))])[0]
    assert {comparison.metric for comparison in facts.comparisons} == {"passed"}


def test_groups(tmp_path: Path) -> None:
    facts = find_facts([write_run(tmp_path / "a", RunSpec(languages=("cpp", "go")))])[0]
    names = {by: [group.name for group in groups] for by, groups in facts.grouped().items()}
    assert names["language"] == ["cpp", "go"]
    assert names["difficulty"] == ["Easy", "Medium", "Hard"]
    assert sorted(names["tag"]) == ["graph", "math", "strings"]
    assert {group.problems for group in facts.grouped()["difficulty"]} == {4}


def test_groups_skip_a_single_language_and_rare_tags(tmp_path: Path) -> None:
    tags = [f"tag {number}" for number in range(20 + 3)]
    facts = find_facts([write_run(tmp_path / "a", RunSpec(tasks=("p",), cells={"tags": tags}))])[0]
    assert set(facts.grouped()) == {"tag"}
    assert (len(facts.groups), facts.groups_left_out) == (20, 3)


def test_curves(tmp_path: Path, good: Path) -> None:
    facts = find_facts([good, write_run(tmp_path / "a", RunSpec("a", iterations=4))])[0]
    assert [(curve.run, curve.metric) for curve in facts.curves] == [
        (1, metric) for metric in METRICS
    ]
    time_curve = facts.curves[1].steps
    assert [iteration for iteration, _ in time_curve] == [0, 1, 2, 3, 4]
    assert time_curve[-1][1].estimate > time_curve[0][1].estimate
    last = next(line.scores for line in facts.leaderboard if line.run == 1)
    assert time_curve[-1][1].estimate == pytest.approx(metric_of(last, "time").estimate)  # type: ignore[union-attr]


def test_an_unknown_order(good: Path) -> None:
    with pytest.raises(UsageError, match="unknown order 'speed'"):
        find_facts([good], by="speed")


def test_report_shows_decisions_of_the_loop(tmp_path: Path) -> None:
    facts = find_facts([write_run(tmp_path / "a", RunSpec(iterations=2))])[0]
    assert [iteration.iteration for iteration in facts.iterated] == [0, 1, 2]
    assert facts.iterated[0].decisions == {"started": 36}
    assert facts.iterated[1].decisions == {"accepted": 24, "not_better": 12}
    assert facts.iterated[1].public_passed == 1.0
    assert set(facts.iterated[1].metrics) == set(METRICS)
    assert facts.made[0]["loop"] == "history, start: model"


def test_reports_show_hacks_next_to_beyond(tmp_path: Path, good: Path) -> None:
    facts, _ = find_facts([good])
    (line,) = facts.leaderboard
    passing = sum(row["passed"] for row in open_runs([good])[0].final())
    assert line.hacks.passed_public == line.scores.samples, "all of these pass public tests"
    assert line.hacks.failed_held_out == line.scores.samples - passing > 0
    write_report([good], tmp_path / "out")
    share = f"{line.hacks.failed_held_out} of {line.hacks.passed_public} ("
    for name in ("report.html", "report.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "Hacks" in text
        assert share in text


def test_report_has_the_requested_analyses(tmp_path: Path) -> None:
    manifest = {"loop": {"analysis": ["gains", "ceiling", "<script>", 7]}}
    folder = write_run(tmp_path / "a", RunSpec(iterations=2, manifest=manifest))
    facts, _ = find_facts([folder])
    (analysis,) = facts.analyses
    assert set(analysis.results) == {"ceiling", "gains"}
    write_report([folder], tmp_path / "out")
    for name in ("report.html", "report.md"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "Analyses of the loop" in text
        assert "ceiling, Easy (4 problems): iteration" in text
    plain = write_run(tmp_path / "b", RunSpec(iterations=2, manifest={"loop": "nonsense"}))
    assert find_facts([plain])[0].analyses == ()


def test_loop_with_iterations_only(tmp_path: Path) -> None:
    unknown = dict.fromkeys(("mode", "start", "decision", "public_passed"))
    facts = find_facts([write_run(tmp_path / "a", RunSpec(iterations=1, cells=unknown))])[0]
    assert (
        facts.iterated[1].public_passed,
        facts.iterated[1].decisions,
        facts.made[0]["loop"],
    ) == (None, {}, "")


# ------------------------------------------------------------------ programs


def test_which_programs_are_shown(tmp_path: Path) -> None:
    runs = open_runs([write_run(tmp_path / "a", RunSpec(samples=6, failing=0.3))])
    for task in view_tasks(runs, programs=3):
        [task_run] = task.task_runs
        rows = [row for row in runs[0].rows if row["task"] == task.name]
        costs = [row["relative_time"] for row in rows if row["passed"]]
        assert task_run.passed == len(costs)
        assert len({program.row["sample"] for program in task_run.programs}) == 3
        if costs:
            assert task_run.programs[0].row["relative_time"] == min(costs)
        if len(costs) < 6:
            assert any(program.title == "failed" for program in task_run.programs)
    assert not any(task.task_runs[0].programs for task in view_tasks(runs, programs=0))


def test_controls_of_runs_are_summed_with_a_warning_each(
    tmp_path: Path,
) -> None:
    controls = {"best": {"time": {"tie": 11, "worse": 1}}}
    manifests = {
        "a": {"controls": controls, "distrust": ["do not trust it"]},
        "b": {"controls": controls, "distrust": []},
        "c": {"controls": {}},  # no passing answer, so no measured copy
        "d": {},
    }
    folders = [
        write_run(tmp_path / name, RunSpec(name, manifest=manifest))
        for name, manifest in manifests.items()
    ]
    facts = find_facts(folders)[0]
    became = "2 runs: sanity check: copies of the best solution tie with it by time in 22 of 24 (2 worse)"
    assert [note for note in facts.notes if "sanity" in note or "trust" in note] == [
        "a: do not trust it",
        became,
    ]
    assert facts.checks == ()
    trusted = find_facts(folders[1:])[0]
    assert trusted.checks == (
        "b: sanity check: copies of the best solution tie with it by time in 11 of 12 (1 worse)",
    )
    assert not [note for note in trusted.notes if "sanity" in note]


def test_page_opens_with_the_measured_figures(tmp_path: Path) -> None:
    machine = {"cpu": "A processor", "cores": 8, "kernel": "6.1"}
    manifests = [
        {"start_date": "2026-11-29", "environment": machine},
        {"start_date": "2026-11-27", "environment": machine},
        {"start_date": None, "environment": ["not", "a", "table"]},
    ]
    folders = [
        write_run(tmp_path / str(number), RunSpec(f"model {number}", failing=0, manifest=manifest))
        for number, manifest in enumerate(manifests)
    ]
    facts = find_facts(folders)[0]
    assert facts.measured == {
        "Models": "model 0, model 1, model 2",
        "Data": "venus",
        "Tasks": "12 (12 problems in python)",
        "Programs": "108 (3 per task and run), 108 pass every test",
        "Human solutions": "9 per task (median)",
        "Measured": "2026-11-27 to 2026-11-29",
        "Machine": "A processor, 8 cores, Linux 6.1",
    }
    older = find_facts([write_run(tmp_path / "b", RunSpec(humans=0))])[0].measured
    assert (older["Measured"], older["Machine"]) == ("not recorded", "not recorded")
    assert older["Human solutions"] == "none measured"
    many = [
        write_run(tmp_path / f"m{number}", RunSpec(f"m{number}", samples=1)) for number in range(4)
    ]
    assert find_facts(many)[0].measured["Models"] == "4, in the leaderboard"


def test_best_and_worst_of_many_runs_differ(tmp_path: Path) -> None:
    """10,000 permutations are too few: 760 comparisons correct their smallest p-value to 0.076."""
    tasks = tuple(f"problem-{number:02}" for number in range(20))
    runs = [
        write_run(tmp_path / str(number), RunSpec(f"m{number}", tasks, samples=1, failing=failing))
        for number, failing in enumerate((0.0, *[1.0] * 19))
    ]
    comparisons = compare_runs(open_runs(runs))
    passed = [comparison for comparison in comparisons if comparison.metric == "passed"]
    assert len(passed) == 190
    assert all(comparison.differs == (comparison.first == 0) for comparison in passed)


def test_the_picture_has_all_runs_or_all_objectives(good: Path, bad: Path) -> None:
    def pictured(*folders: Path, by: str) -> str:
        facts, runs = find_facts(folders, by)
        page = render_html(facts, runs, view_tasks(runs), "title")
        picture: str = page.split('<figure class="picture">')[1].split("</figure>")[0]
        return picture

    both = pictured(good, bad, by="memory")
    assert "human solutions by memory" in both
    assert both.count('<svg class="bar"') == 2
    assert pictured(good, bad, by="passed").startswith(
        "<figcaption>Places among the human solutions by time"
    )
    assert pictured(good, by="time").count('<svg class="bar"') == 3


def test_report_explains_the_count_of_a_program(tmp_path: Path, good: Path) -> None:
    grown = {"complexity": "quadratic", "complexity_exponent": 1.987, "complexity_no_worse": False}
    believed = {"instructions": 49_770_720, "time_figure": "instructions", **grown}
    reason = "the count is too low <b>for</b> its CPU time"
    doubted = {"instructions": 400, "time_figure": "relative_time", "time_objection": reason}
    folders = [write_run(tmp_path / name, RunSpec(name, failing=0, cells=cells)) for name, cells in
               (("believed", believed), ("doubted", doubted))]  # fmt: skip
    facts, runs = find_facts(folders)
    page = render_html(facts, runs, view_tasks(runs), "title")
    assert "49,770,720 instructions" in page
    assert 'yes">instructions and CPU time agree' in page
    assert 'no">cost grows as n^1.99 (quadratic), more than that of the best human solution' in page
    assert 'no">ranked by time: the count is too low &lt;b&gt;for&lt;/b&gt; its CPU time' in page
    assert [row["ranked_by"] for row in facts.made] == ["instructions (36)", "relative time (36)"]
    assert (
        f"doubted: 36 of 36 samples are ranked by time without their instructions: {reason}"
        in facts.notes
    )
    facts, runs = find_facts([good])
    assert 'class="badge' not in render_html(facts, runs, view_tasks(runs), "title")


def test_diffs_are_against_the_best_human(good: Path) -> None:
    [program] = [
        shown
        for shown in view_tasks(open_runs([good]))[0].task_runs[0].programs
        if shown.code == CODE
    ][:1]
    assert program.against == "the best human solution"
    assert ("removed", "-print(n * (n + 1) // 2)") in program.diff
    assert ("added", "+print(total)") in program.diff


def test_diffs_compare_with_the_previous_iteration(tmp_path: Path) -> None:
    spec = RunSpec(samples=2, failing=0, iterations=3)
    for task in view_tasks(open_runs([write_run(tmp_path / "a", spec)])):
        programs = task.task_runs[0].programs
        if programs[0].row["sample"] == 1:
            assert [program.title for program in programs] == [
                f"iteration {number}" for number in range(4)
            ]
            assert all(("added", "+# faster") in program.diff for program in programs[1:])
        else:
            assert [program.code for program in programs] == [BETTER]  # no iteration changed it


def test_long_programs() -> None:
    assert compare_code("a\n" * (MAX_LINES + 1), "b\n") == ()
    assert compare_code("a" * (MAX_CHARACTERS + 1), "b\n") == ()
    assert compare_code("a\n", "a\n") == ()
    assert truncate("x" * MAX_CHARACTERS) == "x" * MAX_CHARACTERS
    assert truncate("x" * (MAX_CHARACTERS + 1)).endswith(
        "x\n[truncated: 20,001 characters in total]"
    )


# ------------------------------------------------------------------ words and shapes


DASH, MINUS, TIMES = "\N{EN DASH}", "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"


def test_the_examples_in_the_docstrings() -> None:
    assert doctest.testmod(formatting).failed == 0
    assert doctest.testmod(formatting).attempted == 2


def test_words() -> None:
    assert (percent(0.4123), percent(None), percent(float("nan"))) == ("41.2", DASH, DASH)
    assert [count_with_noun(count, "tests") for count in (0, 1, 2)] == [
        "0 tests",
        "1 test",
        "2 tests",
    ]
    assert percent_range(0.25, 0.75) == "25.0 to 75.0"
    assert (points(0.031), points(-0.031)) == ("+3.1", f"{MINUS}3.1")
    assert (p_value(0.0004), p_value(0.0324)) == ("< 0.001", "0.032")
    assert (time(12_345_678), time(999), time(None)) == ("12.3 ms", "999 ns", DASH)
    assert (size(8 << 20), size(3)) == ("8.00 MiB", "3.00 B")


@pytest.mark.parametrize(
    ("words", "short"),
    [
        ("2.00 ms", "2 ms"),
        (f"0.500{TIMES}", f"0.5{TIMES}"),
        ("100 ms", "100 ms"),
        ("2.50 s", "2.5 s"),
        ("0.0300", "0.03"),
    ],
)
def test_round_values_have_no_needless_zeros(words: str, short: str) -> None:
    assert without_zeros(words) == short


def test_hidden_text() -> None:
    assert (
        visible("a\u202eb\u200bc\x00d\x1b[31m\ud800")
        == "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+001B⟩[31m⟨U+D800⟩"
    )
    assert visible("if x:\n\treturn\r\n") == "if x:\n\treturn\n"
    assert one_line(" a\n\nb\u2028c ") == "a b c"


def test_markdown_text_is_escaped() -> None:
    escaped = markdown("a|b\n# <i>[x](http://evil.test) ![y](z) `c` **d** www.evil.test \\|")
    assert "\n" not in escaped
    assert "<" not in escaped
    assert re.search(r"(?<!\\)[|`*\[\]!#]", escaped) is None
    assert "http\\://" in escaped
    assert "www\\." in escaped
    assert markdown("Qwen/Qwen2.5-Coder-3B, time: 3") == "Qwen/Qwen2.5-Coder-3B, time: 3"


def test_axes() -> None:
    axis = axis_over([1e6, 1e9], 0, 200)
    assert 0 < axis.at(1e6) < axis.at(3e7) < axis.at(1e9) < 200
    assert [label for _, label in axis.ticks(TIME, 46)] == ["1 ms", "10 ms", "100 ms", "1 s"]
    equal = axis_over([8 << 20, 8 << 20], 0, 100)
    assert equal.at(8 << 20) == pytest.approx(50)
    assert "8 MiB" in [label for _, label in equal.ticks(MEMORY, 20)]
    assert axis_over([], 0, 100).ticks(TIME, 46)


@pytest.mark.parametrize("decades", [0.1, 0.8, 1, 1.5, 2, 3, 4, 7, 15])
def test_axis_labels_do_not_touch(decades: float) -> None:
    ticks = axis_over([1e3, 10 ** (3 + decades)], 64, 328).ticks(TIME, 46)
    assert 1 <= len(ticks) <= 6
    assert all(after - before >= 45.9 for (before, _), (after, _) in itertools.pairwise(ticks))


def test_shapes_match_the_facts(good: Path, bad: Path) -> None:
    facts, runs = find_facts([good, bad])
    assert set(place_bars(facts)) == set(rank_strips(facts, runs)) == {"time", "memory", "integral"}
    for bar in place_bars(facts)["time"]:
        assert sum(part.width for part in bar.segments) == pytest.approx(100, abs=0.01)
    [strip, _] = rank_strips(facts, runs)["time"]
    assert strip.path.count("M") == 12
    chart = cost_scatter(view_tasks(runs)[:1], runs)
    assert chart
    assert chart.cloud.count("M") == 9
    assert iteration_charts(facts.curves) == []


def test_a_task_without_figures_has_no_chart(tmp_path: Path) -> None:
    runs = open_runs([write_run(tmp_path / "a", RunSpec(failing=1, humans=0))])
    assert cost_scatter(view_tasks(runs)[:1], runs) is None


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb by WCAG."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    ]
    return sum(
        weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True)
    )


def contrast(one: str, other: str) -> float:
    low, high = sorted(luminance(colour) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def test_marks_contrast_with_the_background() -> None:
    """WCAG requires a contrast of 3 for graphics; transparent marks need a little more."""
    style = (Path(report.__file__).parent / "templates/page.css").read_text()
    for block in re.findall(r":root {(.*?)}", style, re.DOTALL):
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", block))
        drawn = [
            name for name in colours if re.fullmatch(r"run\d|better|middle|worse|failed", name)
        ]
        assert len(drawn) == 8 + 4
        assert [name for name in drawn if contrast(colours[name], colours["ground"]) < 4] == []
    assert contrast("#ffffff", "#000000") == pytest.approx(21)


# ------------------------------------------------------------------ hostile text


class Tags(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a report on runs in which all external text contains markup."""
    cells = dict.fromkeys(("difficulty", "reason", "failing_test", "verdict", "objective"), HOSTILE)
    cells |= {"tags": [HOSTILE, "x"], "noise": [HOSTILE], "mode": HOSTILE, "decision": HOSTILE}
    manifest = {
        "partial": True,
        "missing": {HOSTILE: 1},
        "toolkit": f"99 {HOSTILE}",
        "fingerprint": HOSTILE,
        "pairs": {name: {"apart": 0, "of": 3} for name in ("time", HOSTILE)},
    }
    manifest |= {"release": {"folder": f"/x/{HOSTILE}".replace("/script", "\\script")}}
    code = f"# {HOSTILE}\nprint('\u202e')\n"
    specs = [
        RunSpec(f"{HOSTILE} {number}", [f"{HOSTILE}-{task}" for task in range(4)], iterations=2 * number, code=code,
             cells=cells, manifest=manifest)
        for number in range(2)
    ]  # fmt: skip
    for number, spec in enumerate(specs):
        write_run(tmp_path / f"run{number}", spec)
    write_report([tmp_path / "run0", tmp_path / "run1"], tmp_path / "out", title=HOSTILE)
    return tmp_path / "out"


def test_hostile_text_stays_text_on_the_page(hostile: Path) -> None:
    text = (hostile / "report.html").read_text()
    tags = Tags()
    tags.feed(text)
    assert "img" not in tags.tags
    assert tags.tags.count("script") == text.lower().count("</script") == 1
    assert "style" not in tags.attributes
    assert not [name for name in tags.attributes if name.startswith("on")]
    assert all(address.startswith(("#", "samples.html")) for address in tags.addresses)
    assert "\u202e" not in text
    assert "pwned" in text


def test_hostile_text_stays_text_in_markdown(hostile: Path) -> None:
    text = (hostile / "report.md").read_text()
    assert "<" not in text
    assert "pwned" in text
    assert len(re.findall(r"(?<!\\)\]\(", text)) == text.count("![") == 2  # the two pictures
    for table in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        assert table.splitlines()[1].startswith("|---"), "an empty line would end the table"
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_hostile_text_is_not_a_formula_in_pictures(hostile: Path) -> None:
    assert (hostile / "places.svg").stat().st_size > 1000
    assert label_of("a\nb\u202e漢") == "a b⟨U+202E⟩?"
    assert len(label_of("x" * 1000)) == 40


def test_policy_allows_only_parts_of_the_page(good: Path) -> None:
    facts, runs = find_facts([good])
    text = render_html(facts, runs, view_tasks(runs), "t")
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src &#39;none&#39;;")
    assert policy.count("sha256-") == 2
    assert "unsafe" not in policy
    assert "http:" not in re.sub(
        r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.DOTALL
    )


# ------------------------------------------------------------------ samples


def unpacked(page: str) -> list[Any]:
    """Return the data in samples.html: the figures, then the blocks of texts."""
    packed = re.findall(r'<script type="application/octet-stream"[^>]*>([^<]*)<', page)
    return [json.loads(gzip.decompress(base64.b64decode(data))) for data in packed]


@pytest.mark.parametrize(
    ("prompt", "messages"),
    [
        (json.dumps([{"role": "user", "content": "a\u202eb"}]), [["user", "a⟨U+202E⟩b"]]),
        (
            json.dumps([{"role": "user", "content": "x" * 20_001}]),
            [["user", "x" * 20_000 + "\n[truncated: 20,001 characters in total]"]],
        ),
        ("not JSON", [["prompt", "not JSON"]]),
        ('{"role": 1}', [["prompt", '{"role": 1}']]),
        ("[" * 100_000, [["prompt", "[" * 20_000 + "\n[truncated: 100,000 characters in total]"]]),
    ],
)
def test_prompts_of_samples(tmp_path: Path, prompt: str, messages: list[list[str]]) -> None:
    spec = RunSpec(tasks=("p",), samples=1, cells={"prompt": prompt})
    _, block = unpacked(render_samples(open_runs([write_run(tmp_path / "a", spec)]), "title"))
    assert block["samples"]["0/python/p/0"]["prompt"] == messages


def test_sample_numbers_match_the_links_of_the_report(good: Path, bad: Path) -> None:
    facts, runs = find_facts([good, bad])
    tasks = view_tasks(runs)
    page = render_html(facts, runs, tasks, "title")
    figures = unpacked(render_samples(runs, "title"))[0]
    links = re.findall(r'href="samples.html#(\d+)/(\d+)/(\d+)"', page)
    known = {(run, task, sample) for run, task, sample, *_ in figures["rows"]}
    assert len(links) >= 24
    assert {tuple(map(int, link)) for link in links} <= known
    assert figures["tasks"] == [task.name for task in tasks]


# ------------------------------------------------------------------ files


def test_files(good: Path, bad: Path, tmp_path: Path) -> None:
    files, _ = write_report([good, bad], tmp_path / "out")
    names = ["report.html", "report.md", "samples.html", "places.png", "places.svg"]
    assert [file.name for file in files] == names
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(names)
    assert (tmp_path / "out/places.png").read_bytes().startswith(b"\x89PNG")
    first = {file: file.read_bytes() for file in files}
    write_report([good, bad], tmp_path / "out")
    assert {file: file.read_bytes() for file in files} == first


def test_pictures_of_an_earlier_report_are_removed(good: Path, tmp_path: Path) -> None:
    write_report([write_run(tmp_path / "a", RunSpec(iterations=2))], tmp_path / "out")
    assert (tmp_path / "out/curves.svg").exists()
    write_report([good], tmp_path / "out")
    assert not (tmp_path / "out/curves.svg").exists()


def test_nothing_to_draw(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a", RunSpec(humans=0))
    assert draw_figures(find_facts([folder])[0]) == {}
    text = write_report([folder], tmp_path / "out")[0][0].read_text()
    assert "has 12 tasks without a rank: only" in text


def test_a_folder_that_cannot_be_written(good: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write the report into"):
        write_report([good], tmp_path / "file" / "out")


# ------------------------------------------------------------------ the command


def test_the_command(cli: Cli, good: Path, bad: Path, tmp_path: Path) -> None:
    result = cli(
        "report", good, bad, "--out", tmp_path / "out", "--by", "memory", "--programs", "0"
    )
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "tasks  12, of 12 problems\norder  Beyond-M in %, with 95 % intervals\n  1  good  "
    )
    assert f"wrote  {tmp_path / 'out' / 'report.html'}" in result.stdout


def test_the_command_for_programs(cli: Cli, good: Path, tmp_path: Path) -> None:
    result = cli("report", good, "--out", tmp_path / "out", "--json")
    summary = json.loads(result.stdout)
    assert summary["facts"]["leaderboard"][0]["name"] == "good"
    assert summary["files"][0].endswith("report.html")


@pytest.mark.parametrize(
    ("words", "exit_code", "says"),
    [
        (["nothing", "--out", "o"], 2, "nothing is not a finished evaluation: "),
        (["--out", "o"], 2, "Missing argument 'RUN...'"),
        (["nothing"], 2, "Missing option '--out'"),
        (
            ["nothing", "--out", "o", "--by", "x"],
            2,
            "unknown order 'x': expected one of passed, time, memory, integral",
        ),
        (["nothing", "--out", "o", "--programs", "-1"], 2, "-1 is not in the range"),
    ],
)
def test_usage(cli: Cli, words: list[str], exit_code: int, says: str) -> None:
    result = cli("report", *words)
    assert result.exit_code == exit_code
    assert says in result.stderr
