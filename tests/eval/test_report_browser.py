"""The page in a real Chromium: content policy, layout on a phone, accessibility and keyboard."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import CONTRAST, Browser, Page, find_chromium, read_axe, until, violations
from tests.eval.report_runs import RunSpec, write_run
from venus_toolkit.eval.report.report_page import write_report

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not find_chromium(), reason="there is no Chromium: type tools/setup-machine --browser"
    ),
]

HOSTILE = (
    "</script><img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
)
LONG = "a-name-without-any-place-to-break-it-" * 6
SCREENS = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report on three runs, two of them iterated, with markup and very long names and code."""
    folder = tmp_path_factory.mktemp("report")
    tasks = ("first", f"second {HOSTILE}", LONG)
    cells = {"difficulty": None, "tags": [HOSTILE, LONG], "reason": HOSTILE, "noise": [HOSTILE]}
    cells["memory_curve"] = [[1000, 4096], [2_000_000, 1 << 20]]
    code = f"# {HOSTILE}\nprint('{'x' * 300}')\n"
    specs = [
        RunSpec("plain", tasks, ("cpp", "python"), iterations=3),
        RunSpec(
            HOSTILE,
            tasks,
            ("cpp", "python"),
            iterations=3,
            code=code,
            cells=cells,
            manifest={"partial": True},
        ),
        RunSpec(LONG, tasks, ("cpp", "python"), failing=0.6),
    ]
    folders = [write_run(folder / str(number), spec) for number, spec in enumerate(specs)]
    return write_report(folders, folder / "out", title=f"Models {HOSTILE}")[0][0]


@pytest.fixture
def page(browser: Browser, report: Path) -> Page:
    return browser.open(report)


def open_all(page: Page) -> None:
    page.value("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


# ------------------------------------------------------------------ content policy


def test_page_runs_and_loads_only_its_own_files(page: Page, report: Path) -> None:
    open_all(page)
    assert page.complaints() == []
    assert page.requests() == [report.as_uri()]
    assert page.value("document.title") == f"Models {HOSTILE}"
    assert page.value("document.images.length") == 0
    assert page.value("document.scripts.length") == 1
    assert HOSTILE in page.value(
        "document.querySelector('pre code').closest('section').textContent"
    )


def test_policy_blocks_unescaped_scripts(page: Page) -> None:
    """Markup that gets into the page by mistake neither runs nor loads anything."""
    page.value(
        "document.body.insertAdjacentHTML('beforeend', `<img src='data:,' "
        "onerror='document.title=1'>`)"
    )
    page.value(
        "{ const s = document.createElement('script'); s.text = 'document.title = 2'; "
        "document.body.append(s); 0 }"
    )
    page.value(
        "document.body.insertAdjacentHTML('beforeend', `<img src='https://example.org/x.png'>`)"
    )
    page.value(
        "fetch('https://example.org/').catch(() => 0).then(() => new Promise((r) => "
        "setTimeout(r, 200)))"
    )
    assert page.value("document.title") == f"Models {HOSTILE}"
    refused = "\n".join(page.complaints())
    for directive in ("script-src", "img-src", "default-src"):
        assert directive in refused


# ------------------------------------------------------------------ layout


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_page_fits_and_is_readable(page: Page, width: int, dark: bool, tmp_path: Path) -> None:
    page.show(width, dark=dark)
    assert page.value("document.documentElement.scrollWidth") <= width
    open_all(page)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CONTRAST) == []
    assert page.screenshot(tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_samples_table_fits_a_desktop_screen(samples: Page) -> None:
    samples.show(1280)
    outside = "(each) => each.scrollWidth > each.clientWidth"
    assert samples.value(f"[...document.querySelectorAll('.scroll')].filter({outside}).length") == 0


@pytest.mark.parametrize("width", [390, 1100])
def test_captions_end_with_the_visible_part_of_a_table(page: Page, width: int) -> None:
    page.show(width)
    open_all(page)
    right = "each.getBoundingClientRect().right"
    seen = "each.closest('.scroll, body').getBoundingClientRect().right"
    cut = f"[...document.querySelectorAll('caption')].filter((each) => {right} > {seen} + 1)"
    assert page.value("document.querySelectorAll('caption').length")
    assert page.value(f"{cut}.map((each) => each.textContent)") == []


def test_all_numbers_are_visible_on_a_phone(page: Page) -> None:
    page.show(390)
    open_all(page)
    outside = "(table) => table.parentElement.scrollWidth > table.parentElement.clientWidth"
    assert (
        page.value(f"[...document.querySelectorAll('table.stack')].filter({outside}).length") == 0
    )
    named = "[...document.querySelectorAll('table.stack td:not([data-name]):not(.four)')].length"
    assert page.value(named) == 0, "a number with a hidden heading has a visible label"


def test_dark_mode(page: Page) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.value(ground)
    page.show(1280, dark=True)
    assert (light, page.value(ground)) == ("rgb(255, 255, 255)", "rgb(20, 23, 26)")


def test_chart_text_is_readable_on_a_phone(page: Page) -> None:
    page.show(390)
    scale = "(svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width"
    scales = page.value(
        f"[...document.querySelectorAll('svg.chart')].map({scale}).filter((each) => each > 0)"
    )
    assert scales
    assert min(scales) > 0.95


def test_axe_finds_no_violations(browser: Browser, report: Path, tmp_path: Path) -> None:
    axe = read_axe()
    if axe is None:
        pytest.skip("axe-core cannot be had: npm, or its registry, is not here")
    for width, dark in ((1280, False), (390, True)):
        assert violations(browser.open(report, width=width, dark=dark), axe) == []
    (tmp_path / "bad.html").write_text(
        "<!doctype html><html><title>Bad</title><body><main><img src='x.png'></main>"
    )
    assert any(
        "image-alt" in violation
        for violation in violations(browser.open(tmp_path / "bad.html"), axe)
    )


def test_bad_contrast_is_detected(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "bad.html").write_text(
        "<!doctype html><body><p style='color:#aaa;background:#fff'>pale</p>"
    )
    [[text, ratio]] = browser.open(tmp_path / "bad.html").value(CONTRAST)
    assert text == "pale"
    assert 2 < ratio < 3


# ------------------------------------------------------------------ accessibility and keyboard


def test_controls_have_accessible_names(page: Page) -> None:
    open_all(page)
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = (
        "image",
        "img",
        "button",
        "link",
        "searchbox",
        "combobox",
        "region",
        "navigation",
        "columnheader",
    )
    spoken = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
    assert {"button", "link", "searchbox", "combobox", "region"} <= {
        node["role"]["value"] for node in spoken
    }
    assert [node for node in spoken if not node.get("name", {}).get("value")] == []


def test_heading_levels_have_no_gaps(page: Page) -> None:
    open_all(page)
    levels = page.value(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => Number(each.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_page_works_by_keyboard(page: Page) -> None:
    page.press("Tab")
    assert page.value("document.activeElement.className") == "skip"
    page.value("document.querySelector('details.task > summary').focus()")
    assert page.value("document.querySelector('details.task').open") is False
    page.press("Enter")
    assert page.value("document.querySelector('details.task').open") is True
    page.press("Tab")
    assert page.value("document.activeElement.closest('details.task') !== null")


def test_tables_sort(page: Page) -> None:
    heads = "[...document.querySelectorAll('#leaderboard .sortable thead th')]"
    column = page.value(f"{heads}.findIndex((each) => each.textContent === 'Beyond-T')")
    rows = "[...document.querySelectorAll('#leaderboard .sortable tbody tr')]"
    cells = f"{rows}.map((row) => Number(row.cells[{column}].dataset.value))"
    page.value(f"{heads}[{column}].querySelector('button').focus()")
    page.press("Enter")
    assert page.value(f"{heads}[{column}].getAttribute('aria-sort')") == "ascending"
    assert page.value(cells) == sorted(page.value(cells))
    page.press("Enter")
    assert page.value(f"{heads}[{column}].getAttribute('aria-sort')") == "descending"
    assert page.value(cells) == sorted(page.value(cells), reverse=True)
    names = page.value(
        "[...document.querySelectorAll('#leaderboard .sortable tbody th')].map((each) => "
        "each.textContent)"
    )
    assert len(names) == 3


def filter_by(page: Page, field: str, value: str) -> list[str]:
    """Filter the samples and return the titles of the remaining tasks."""
    page.value(
        f"{{ const field = document.getElementById('{field}'); field.value = {value!r};"
        " field.dispatchEvent(new Event('input', { bubbles: true })); 0 }"
    )
    shown = "[...document.querySelectorAll('details.task')].filter((each) => !each.hidden)"
    titles: list[str] = page.value(
        f"{shown}.map((each) => each.querySelector('.title').textContent)"
    )
    assert page.value("document.getElementById('found').textContent") == f"{len(titles)} of 6"
    return titles


def test_tasks_are_filtered(page: Page) -> None:
    assert filter_by(page, "find", "FIRST") == ["cpp/first", "python/first"]
    assert filter_by(page, "by-language", "cpp") == ["cpp/first"]
    assert filter_by(page, "find", "nothing like this") == []
    assert len(filter_by(page, "find", "")) == 3
    passed = filter_by(page, "by-result", "passed")
    failed = filter_by(page, "by-result", "failed")
    assert len(passed) + len(failed) == 3
    assert failed


def test_page_is_complete_without_scripts(browser: Browser, report: Path) -> None:
    page = browser.open(report)
    page.call("Emulation.setScriptExecutionDisabled", {"value": True})
    page.events.clear()
    page.call("Page.reload")
    page.wait_for("Page.loadEventFired")
    tree = page.call("DOM.getDocument", {"depth": 1})["root"]["nodeId"]

    def count(selector: str) -> int:
        return len(
            page.call("DOM.querySelectorAll", {"nodeId": tree, "selector": selector})["nodeIds"]
        )

    assert count("#filters[hidden]") == 1
    assert count("details.task:not([hidden])") == 6
    assert count("thead button") == 0
    assert count("svg.chart") > 6


# ------------------------------------------------------------------ samples


@pytest.fixture
def samples(browser: Browser, report: Path) -> Page:
    page = browser.open(report.with_name("samples.html"))
    until(page, "document.querySelectorAll('#samples tbody tr').length")
    return page


def choose(page: Page, **values: str) -> None:
    for name, value in values.items():
        page.value(f"document.getElementById('{name.replace('_', '-')}').value = '{value}'; 0")
    page.value("document.getElementById('filters').dispatchEvent(new Event('input')); 0")


def cells(page: Page, column: int) -> list[str]:
    texts: list[str] = page.value(
        "[...document.querySelectorAll('#samples tbody tr')].map((row) => "
        f"row.cells[{column}].textContent)"
    )
    return texts


def test_samples_are_filtered_and_sorted(samples: Page) -> None:
    assert samples.complaints() == []
    assert "samples" in samples.value("document.getElementById('found').textContent")
    choose(samples, by_outcome="failed", by_run="2")
    assert {name[:20] for name in cells(samples, 2)} == {LONG[:20]}
    assert set(cells(samples, 3)) != {"accepted"}
    choose(samples, by_outcome="passed")
    for way in (1, -1):
        samples.value("document.querySelectorAll('#samples thead button')[5].click(); 0")
        values = [float(cell.replace(",", "")) for cell in cells(samples, 5) if cell[0].isdigit()]
        assert values == sorted(values, reverse=way < 0)
    choose(samples, by_outcome="", find="no such task")
    assert cells(samples, 0) == []


def open_sample(page: Page, row: int = 0) -> None:
    page.value(f"document.querySelectorAll('#samples tbody button')[{row}].click(); 0")
    until(page, "document.getElementById('sample').open")


def view(page: Page, name: str) -> str:
    """Choose a view of the open sample, and return its text."""
    picture = (
        f"[...document.querySelectorAll('#views button')].find((e) => e.textContent === '{name}')"
    )
    page.value(f"{picture}.click(); 0")
    assert page.value("document.getElementById('view').getAttribute('aria-label')") == name
    text: str = page.value("document.getElementById('view').textContent")
    return text


def test_samples_are_filtered_by_cost_and_text(samples: Page) -> None:
    choose(samples, by_figure="0", least="20", most="200")
    times = [float(cell) for cell in cells(samples, 4)]
    assert times
    assert all(20 <= cell <= 200 for cell in times)
    samples.value("document.querySelector('#filters [type=reset]').click(); 0")
    until(samples, "document.getElementById('found').textContent === '54 of 54 samples'")
    choose(samples, find="onerror")
    assert len(cells(samples, 0)) == 18  # the name of a task
    samples.value("document.getElementById('deep').checked = true")
    choose(samples, find="range total")
    until(samples, "document.getElementById('found').textContent.startsWith('36 ')")


def test_sample_is_compared_with_another_run(samples: Page) -> None:
    choose(samples, by_run="1", against="0")
    heads = samples.value("document.querySelector('#samples thead').textContent")
    assert "there / here" in heads
    open_sample(samples, 1)  # the first programs of the runs are the same
    assert HOSTILE in view(samples, "Code"), "as text"
    assert HOSTILE in view(samples, "Verdict")
    assert "1.0 MiB" in samples.value("document.querySelector('#view svg.curve').textContent")
    assert "From plain to this program" in view(samples, "Diff")
    assert samples.value("document.querySelectorAll('#view .removed').length") > 0
    assert samples.value("document.title").startswith("Samples: Models")
    assert samples.value("document.images.length") == 0
    disabled = "[...document.querySelectorAll('#views button:disabled')].map((e) => e.textContent)"
    assert samples.value(disabled) == ["Prompt", "Reasoning"]


def test_arrow_keys_move_between_samples(samples: Page) -> None:
    open_sample(samples, 1)
    view(samples, "Answer")
    samples.press("ArrowRight")
    until(samples, "document.getElementById('position').textContent === '3 of 54'")
    assert samples.value("document.getElementById('view').getAttribute('aria-label')") == "Answer"
    for _ in range(2):
        samples.press("ArrowLeft")
    until(samples, "document.getElementById('position').textContent === '1 of 54'")
    assert samples.value("document.getElementById('previous').disabled")
    samples.press("1")
    assert samples.value("document.getElementById('view').getAttribute('aria-label')") == "Code"
    samples.press("Escape")
    until(samples, "!document.getElementById('sample').open")
    until(samples, "document.activeElement === document.querySelector('#samples tbody button')")


def test_the_report_leads_to_a_sample(page: Page, browser: Browser) -> None:
    link = page.value("document.querySelector('details.task h4 a').href")
    heading = page.value("document.querySelector('details.task .title').textContent")
    opened = browser.open(link)
    until(opened, "document.getElementById('sample').open")
    assert opened.value("document.getElementById('sample-head').textContent").startswith(heading)
    assert browser.open(link.split("#")[0] + "#9/9/9").complaints() == []


HIGHLIGHTED = {
    "python": ('x = "a#b"  # c "d"\n', ['string:"a#b"', 'comment:# c "d"']),
    "cpp": ("#include <x>\nint f(); // y\n", ["comment:#include <x>", "keyword:int", "call:f", "comment:// y"]),
    "rust": ("fn f<'a>(x: &'a str) -> char { 'b' }", ["keyword:fn", "keyword:str", "keyword:char", "string:'b'"]),
    "constructor": ("if (1) {}", []),
}  # fmt: skip


@pytest.mark.parametrize("language", HIGHLIGHTED)
def test_code_has_colours(samples: Page, language: str) -> None:
    code, expected = HIGHLIGHTED[language]
    parts = f"highlighted({code!r}, {language!r})"
    spans = (
        f"{parts}.filter((e) => e.className).map((e) => e.className.slice(5) + ':' + e.textContent)"
    )
    assert samples.value(spans) == expected
    text = f"{parts}.map((each) => each.textContent ?? each).join('')"
    assert samples.value(text) == code


@pytest.mark.parametrize("piece", ["'", '"', "/*", "\\'", "0.", "`", '"""', "_"])
def test_highlighting_time_is_bounded(samples: Page, piece: str) -> None:
    for language in ("python", "cpp", "rust"):
        code = (
            f"'{piece}'.repeat({200_000 // len(piece)})" if piece != "'" else '"\'".repeat(200000)'
        )
        took = f"{{ const t = performance.now(); highlighted({code}, '{language}'); }}"
        assert samples.value(f"(() => {took[:-1]} return performance.now() - t; }})()") < 20_000


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_samples_fit_and_are_readable(samples: Page, width: int, dark: bool) -> None:
    samples.show(width, dark=dark)
    assert samples.value("document.documentElement.scrollWidth") <= width
    assert samples.value(CONTRAST) == []
    open_sample(samples, 1)
    for name in ("Code", "Diff", "Answer", "Verdict"):
        view(samples, name)
        assert samples.value(CONTRAST) == []
        assert samples.value("document.querySelector('#sample').scrollWidth") <= width


def test_samples_page_is_accessible(samples: Page) -> None:
    axe = read_axe()
    if axe is None:
        pytest.skip("axe-core cannot be had")
    assert violations(samples, axe) == []
    open_sample(samples, 1)
    view(samples, "Diff")
    assert violations(samples, axe) == []
