"""Templates of cards: values are formatted, text is escaped, and unknown values need a reason."""

from __future__ import annotations

import math

import pytest
from markupsafe import Markup

from venus_toolkit.dataset.card import templates


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (1229, "1,229"), (79.5, "79.5"), (80.0, "80"), (None, templates.UNKNOWN)],
)
def test_numbers(value: float | None, said: str) -> None:
    assert templates.number(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"), (0.012345, "0.0123"), (48.123, "48.1"), (999.6, "1,000"), (12_345.0, "12,300"), (1.0, "1.00"),
        (math.nan, templates.UNKNOWN), (None, templates.UNKNOWN),
    ],
)  # fmt: skip
def test_figures_have_three_digits(value: float | None, said: str) -> None:
    assert templates.figure(value) == said


def test_shares_and_sizes() -> None:
    assert [templates.percent(each) for each in (0.0, 0.97123, None)] == [
        "0.0 %",
        "97.1 %",
        templates.UNKNOWN,
    ]
    assert [templates.size(each) for each in (12, 12_340, 5 * 10**15)] == [
        "12 B",
        "12.3 kB",
        "5000.0 TB",
    ]


def test_unknown_values_have_a_reason() -> None:
    assert templates.because(None, "no | repeats") == "\N{EN DASH} (no \\| repeats)"
    assert templates.because(templates.number(None), "none") == "\N{EN DASH} (none)"
    assert templates.because(0, "never") == 0


def test_text_cannot_leave_its_cell() -> None:
    escaped = templates.escape("a|b\n<!-- /venus:x -->\u2028& c")
    assert escaped == "a\\|b &lt;!-- /venus:x --> &amp; c"
    assert isinstance(escaped, Markup)


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_template_refuses_unknown_values(value: float | None) -> None:
    with pytest.raises(ValueError, match="because"):
        templates._environment().from_string("{{ value }}").render(value=value)


def test_missing_path_is_none() -> None:
    assert templates.look_up({"a": {"b": 1}}, "a.b") == 1
    assert templates.look_up({"a": [1]}, "a.b.c") is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("x = 1\n", "python", "```python\nx = 1\n```"),
        ("a ```` b", "c++", "`````c++\na ```` b\n`````"),
        ("<!-- venus:x -->", "`<b>", "```b\n<! -- venus:x -->\n```"),
        ("a" * 30, "", "```\n" + "a" * 20 + "\n[truncated: 30 characters in total]\n```"),
        ("", "text", "```text\n\n```"),
    ],
)
def test_code_stays_in_its_fence(text: str, language: str, expected: str) -> None:
    assert templates.fenced(text, language, most=20) == expected
