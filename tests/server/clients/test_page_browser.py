"""The page at / in a real Chromium: it works, is accessible, and contacts only its server."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.browser import CONTRAST, Browser, Page, find_chromium, read_axe, until, violations
from tests.server.clients.conftest import Served, own_settings, serving
from venus_toolkit.server import routes

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not find_chromium(), reason="there is no Chromium: type tools/setup-machine --browser"
    ),
]
HOSTILE = (
    "</pre><script>document.title = 'pwned'</script><img src=x onerror=\"document.title='pwned'\">"
)
SCREENS = [(1280, False), (1280, True), (360, False), (360, True)]
KEY = "a key"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as chromium:
        yield chromium


@pytest.fixture
def page(browser: Browser, served: Served) -> Page:
    opened = browser.open(f"{served.url}/")
    until(opened, "document.querySelectorAll('#language option').length > 0")
    return opened


def test_axe_finds_no_violations(browser: Browser, served: Served) -> None:
    axe = read_axe()
    if axe is None:
        pytest.skip("axe-core is not available: npm or its registry is missing")
    for width, dark in ((1280, False), (390, True)):
        page = browser.open(f"{served.url}/", width=width, dark=dark)
        until(page, "document.querySelectorAll('#language option').length > 0")
        run(page, language="python", code="print(1)")
        assert violations(page, axe) == []


def fill(page: Page, **values: Any) -> None:
    """Put values into the fields with these ids."""
    for name, value in values.items():
        field = "checked" if isinstance(value, bool) else "value"
        page.value(f"document.getElementById('{name}').{field} = {json.dumps(value)}")


def run(page: Page, **values: Any) -> str:
    """Fill the form, run, wait, and return the verdict."""
    fill(page, **values)
    page.value("document.getElementById('run').click()")
    until(page, "!document.getElementById('run').disabled")
    return text(page, "#verdict strong")


def text(page: Page, selector: str) -> str:
    content: str = page.value(f"document.querySelector('{selector}').textContent")
    return content


# ------------------------------------------------------------------ running programs


def test_a_program_runs(page: Page) -> None:
    verdict = run(
        page,
        language="python",
        code="print(input()[::-1])\nheld = bytearray(64 << 20)",
        stdin="abc\n",
    )
    assert verdict == "ran successfully"
    assert text(page, "#texts pre") == "cba\n"
    figures = text(page, "#figures")
    for name in ("Time", "CPU time", "Peak memory", "MiB·ms", "Exit"):
        assert name in figures
    assert "Relative time" not in figures
    assert page.complaints() == []


def test_memory_is_drawn(page: Page) -> None:
    run(page, language="python", code="held = bytearray(64 << 20)", stdin="")
    label = page.value("document.querySelector('#chart svg').getAttribute('aria-label')")
    assert "at most" in label
    assert page.value("document.querySelector('#chart .curve').points.length") > 3
    heights = page.value(
        "[...document.querySelector('#chart .curve').points].map((each) => each.y)"
    )
    bottom, top = page.value("[0, document.querySelector('#chart .peak').y1.baseVal.value]")
    assert min(heights) == pytest.approx(top, abs=30)
    assert max(heights) > bottom


def test_measuring_adds_the_relative_time(page: Page) -> None:
    run(page, language="python", code="print(sum(range(10**5)))", stdin="", measure=True)
    assert "Relative time" in text(page, "#figures")
    assert "spread" in text(page, "#figures")


@pytest.mark.parametrize(
    ("values", "verdict", "words"),
    [
        (
            {"language": "python", "code": "raise ValueError('mine')"},
            "runtime error",
            "ValueError: mine",
        ),
        (
            {"language": "python", "code": "while True: pass", "seconds": 0.5},
            "time limit",
            "time limit",
        ),
        (
            {"language": "python", "code": "held = bytearray(1 << 30)", "memory": 64},
            "memory limit",
            "",
        ),
        ({"language": "cpp", "code": "int main() { return }"}, "compile error", "error"),
    ],
)
def test_failures_have_a_reason(
    page: Page, values: dict[str, Any], verdict: str, words: str
) -> None:
    assert run(page, **values) == verdict
    assert words in text(page, "#verdict")


def test_the_example_of_each_language_runs(page: Page, served: Served) -> None:
    assert page.value(
        "[...document.querySelectorAll('#language option')].map((each) => each.value)"
    ) == [
        language["id"] for language in requests.get(f"{served.url}/v1/languages", timeout=10).json()
    ]
    fill(page, language="cpp")
    page.value("document.getElementById('example').click()")
    until(page, "document.getElementById('code').value.includes('main')")
    assert run(page) == "ran successfully"


def test_a_run_can_be_cancelled(page: Page, served: Served) -> None:
    busy = {"language": "python", "code": "import time; time.sleep(3)"}
    for _ in served.service.pool.workers:
        requests.post(f"{served.url}/v1/jobs", json=busy, timeout=10)
    fill(page, language="python", code="print(1)")
    page.value("document.getElementById('run').click()")
    until(page, "document.getElementById('state').textContent.startsWith('Waiting')")
    page.value("document.getElementById('cancel').click()")
    until(page, "document.getElementById('state').textContent === 'Cancelled.'")
    assert page.value("document.getElementById('result').hidden")


# ------------------------------------------------------------------ hostile output and failures


def test_output_is_shown_as_text(page: Page) -> None:
    code = (
        f"import sys\nprint({HOSTILE!r})\nprint({HOSTILE!r}, file=sys.stderr)\nraise "
        f"ValueError({HOSTILE!r})"
    )
    run(page, language="python", code=code, stdin="")
    assert HOSTILE in text(page, "#texts pre")
    assert page.value("document.title") == "Venus: run a program"
    assert page.value("document.images.length") == 0
    assert page.complaints() == []


def test_policy_blocks_injected_scripts(page: Page) -> None:
    page.value(
        "document.body.insertAdjacentHTML('beforeend', `<img src='data:,' "
        "onerror='document.title=1'>`)"
    )
    page.value(
        "{ const s = document.createElement('script'); s.text = 'document.title = 2'; "
        "document.body.append(s); 0 }"
    )
    page.value(
        "fetch('https://example.org/').catch(() => 0).then(() => new Promise((r) => "
        "setTimeout(r, 200)))"
    )
    assert page.value("document.title") == "Venus: run a program"
    refused = "\n".join(page.complaints())
    for directive in ("script-src", "connect-src"):
        assert directive in refused


def test_page_contacts_only_the_server(page: Page, served: Served) -> None:
    run(page, language="python", code="print(1)")
    addresses = [address for address in page.requests() if not address.startswith("data:")]
    assert addresses
    assert all(address.startswith(served.url) for address in addresses)


def test_unreachable_server_is_reported(browser: Browser, tmp_path: Path) -> None:
    with serving(own_settings(tmp_path)) as short:
        page = browser.open(f"{short.url}/")
        until(page, "document.querySelectorAll('#language option').length > 0")
    run(page, code="print(1)")
    assert "does not answer" in text(page, "#trouble")


def test_full_queue_is_reported(browser: Browser, tmp_path: Path) -> None:
    with serving(own_settings(tmp_path, workers=1, queue_jobs=1)) as small:
        page = browser.open(f"{small.url}/")
        until(page, "document.querySelectorAll('#language option').length > 0")
        requests.post(
            f"{small.url}/v1/jobs",
            json={"language": "python", "code": "import time; time.sleep(2)"},
        )
        run(page, code="print(1)")
        assert "the queue is full" in text(page, "#trouble")
        assert "Try again in" in text(page, "#trouble")


def test_api_key_is_requested_and_used(browser: Browser, tmp_path: Path) -> None:
    with serving(own_settings(tmp_path, keys=(KEY,))) as closed:
        page = browser.open(f"{closed.url}/")
        until(page, "!document.getElementById('unlock').hidden")
        assert page.value("document.activeElement.id") == "key"
        assert "API key" in text(page, "#trouble")
        page.call("Input.insertText", {"text": KEY})
        page.press("Enter")
        until(page, "document.querySelectorAll('#language option').length > 0")
        assert page.value("document.getElementById('trouble').hidden")
        assert run(page, code="print(1)") == "ran successfully"


# ------------------------------------------------------------------ accessibility


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_page_fits_and_is_readable(page: Page, width: int, dark: bool, tmp_path: Path) -> None:
    page.show(width, dark=dark)
    run(
        page,
        language="python",
        code=f"import sys\nprint('x' * 500)\nraise ValueError('y' * 300)  # {'z' * 200}",
    )
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value(CONTRAST) == []
    ground = page.value("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(20, 23, 26)" if dark else "rgb(255, 255, 255)")
    assert page.value("document.querySelector('#chart svg').viewBox.baseVal.width") <= width
    assert page.screenshot(tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_fields_are_large_enough_for_touch(page: Page) -> None:
    page.show(360)
    heights = (
        "[...document.querySelectorAll('#ask button:not([hidden]), #ask select')].map((e) => "
        "e.offsetHeight)"
    )
    assert min(page.value(heights)) >= 40
    sizes = (
        "[...document.querySelectorAll('input, select, textarea')].map((e) => "
        "parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(page.value(sizes)) >= 16, "phones zoom in on smaller fields"


def test_chart_is_redrawn_on_resize(page: Page) -> None:
    run(page, language="python", code="print(1)")
    page.show(360)
    until(page, "document.querySelector('#chart svg').viewBox.baseVal.width < 360")


def test_controls_have_accessible_names(page: Page) -> None:
    run(page, language="python", code="print(1)")
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = (
        "image",
        "img",
        "button",
        "link",
        "combobox",
        "textbox",
        "spinbutton",
        "checkbox",
        "region",
    )
    spoken = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]
    assert {"button", "combobox", "textbox", "spinbutton", "checkbox"} <= {
        n["role"]["value"] for n in spoken
    }
    assert [node for node in spoken if not node.get("name", {}).get("value")] == []


def test_heading_levels_have_no_gaps(page: Page) -> None:
    run(page, language="python", code="print(1)")
    levels = page.value(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((each) => Number(each.tagName[1]))"
    )
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_page_works_by_keyboard(page: Page) -> None:
    reached = []
    for _ in range(9):
        page.press("Tab")
        reached.append(page.value("document.activeElement.id"))
    program = "editor" if has_editor(page) else "code"
    assert reached[:8] == [
        "language",
        "example",
        program,
        "stdin",
        "seconds",
        "memory",
        "measure",
        "run",
    ]
    fill(page, language="python", code="print('typed')")
    page.value("document.getElementById('run').focus()")
    page.press("Enter")
    until(page, "document.activeElement.id === 'result-head'")
    assert text(page, "#texts pre") == "typed\n"


def has_editor(page: Page) -> bool:
    return bool(page.value("typeof editorFor === 'function'"))


def in_editor(page: Page, expression: str) -> Any:
    return page.value(
        f"(() => {{ const editor = document.getElementById('editor').shadowRoot; return "
        f"{expression} }})()"
    )


def test_editor_text_is_run_and_highlighted(page: Page) -> None:
    if not has_editor(page):
        pytest.skip("the editor is not bundled: type tools/editor/bundle")
    assert page.value("document.getElementById('code').hidden")
    page.value("document.getElementById('language').value = 'python'")
    page.value("document.getElementById('language').dispatchEvent(new Event('change'))")
    page.value("document.querySelector('label[for=code]').click()")
    page.call("Input.insertText", {"text": "for each in 'ab': print(each)"})
    until(page, "document.getElementById('code').value.startsWith('for each')")
    colours = (
        "new Set([...editor.querySelectorAll('.cm-line span')].map((each) => "
        "getComputedStyle(each).color)).size"
    )
    assert in_editor(page, colours) >= 2, "keywords and strings have different colours"
    page.value("document.getElementById('run').click()")
    until(page, "document.activeElement.id === 'result-head'")
    assert text(page, "#texts pre") == "a\nb\n"
    page.value("document.getElementById('example').click()")
    until(page, "!document.getElementById('code').value.startsWith('for each')")
    assert "for each" not in in_editor(page, "editor.textContent")
    assert page.complaints() == []


def test_text_area_replaces_a_missing_editor(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_editor", lambda: None)
    routes.render_page.cache_clear()
    with serving(own_settings(tmp_path)) as bare:
        page = browser.open(f"{bare.url}/")
        until(page, "document.querySelectorAll('#language option').length > 0")
        assert "editor.js" not in requests.get(f"{bare.url}/", timeout=10).text
        assert requests.get(f"{bare.url}/editor.js", timeout=10).status_code == 404
        assert not has_editor(page)
        run(page, language="python", code="print('plain')", stdin="")
        assert text(page, "#texts pre") == "plain\n"
    routes.render_page.cache_clear()


def test_ctrl_enter_runs_the_program(page: Page) -> None:
    fill(page, language="python", code="print('typed')")
    page.value("document.getElementById('code').focus()")
    page.value(
        "document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }))"
    )
    until(page, "document.activeElement.id === 'result-head'")


def test_wrong_limits_are_not_sent(page: Page) -> None:
    before = len(page.requests())
    fill(page, language="python", code="print(1)", seconds=-1)
    page.value("document.getElementById('run').click()")
    assert page.value("document.getElementById('seconds').validity.valid") is False
    assert page.requests()[before:] == []


def test_route_list_needs_no_other_server(browser: Browser, served: Served) -> None:
    page = browser.open(f"{served.url}/docs")
    until(page, "document.querySelectorAll('.opblock').length > 5")
    assert all(asked.startswith((served.url, "data:")) for asked in page.requests())
    assert not page.complaints()
