"""The documentation site in a real Chromium is accessible, on a phone and in dark mode."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, find_chromium, read_axe, violations

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        not find_chromium(), reason="there is no Chromium: type tools/setup-machine --browser"
    ),
]

ROOT = Path(__file__).parents[2]
SCREENS = [(1280, False), (390, True)]
PAGES = (
    "index",
    "run",
    "security",
    "reliability",
    "reference/commands",
    "reference/python",
    "tutorials/program",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(words, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    return folder


@pytest.fixture(
    scope="module",
    params=SCREENS,
    ids=lambda screen: f"{screen[0]}-{'dark' if screen[1] else 'light'}",
)
def browser(request: pytest.FixtureRequest) -> Iterator[tuple[Browser, int, bool]]:
    """A new browser for each screen, because the theme remembers the colours of its first page."""
    with Browser() as found:
        yield found, *request.param


def test_the_home_page_shows_a_result(browser: tuple[Browser, int, bool], site: Path) -> None:
    chromium, width, dark = browser
    page = chromium.open(site / "index.html", width=width, dark=dark)
    bars = page.value("[...document.querySelectorAll('meter.result')].map((e) => e.value)")
    text, _, pretrained = (ROOT / "docs/reproduce.md").read_text().partition("<!-- /miniature -->")
    assert "| sft | 0 |" in pretrained, "the page has the same table for another model"
    first = re.findall(r"(?m)^\| (?:base|sft|dpo|grpo) \| 0 \| [^|]*\| ([\d.]+) \(", text)
    assert bars == [float(value) for value in first]
    assert len(bars) == 4


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violations(name: str, browser: tuple[Browser, int, bool], site: Path) -> None:
    axe = read_axe()
    if axe is None:
        pytest.skip("axe-core cannot be had: npm, or its registry, is not here")
    chromium, width, dark = browser
    page = chromium.open(site / f"{name}.html", width=width, dark=dark)
    assert page.value("document.body.dataset.mdColorScheme") == ("slate" if dark else "default")
    assert page.value("document.documentElement.scrollWidth - window.innerWidth") <= 0, (
        "it can be moved sideways"
    )
    found = violations(page, axe)
    assert found == [], "\n".join(found)
