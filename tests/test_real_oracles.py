"""Which of other people's tasks may be looked at, and the oracles: for these alone, and each says no."""

from __future__ import annotations

import pytest

from tests.real.oracles.__main__ import Oracle, oracles, refusal, sources
from tests.real.split import aside, for_development, function_for_development

ORACLES = oracles()
# An allowed input of some oracles, and one that is not.
SHOWN = {
    "abc251_g": ("3\n0 0\n1 0\n0 1\n1\n0 0\n1\n5 5\n", "3\n0 0\n0 1\n1 0\n1\n0 0\n1\n5 5\n"),
    "abc317_a": ("2 3 9\n5 999\n", "2 9 3\n5 999\n"),
    "agc058_a": ("1\n2 1\n", "1\n2 2\n"),
    "minimize-maximum-component-cost": ("2\n[[0, 1, 5]]\n1\n", "3\n[[0, 1, 5]]\n1\n"),
    "statistics-from-a-large-sample": (f"[{'0, ' * 255}3]\n", f"[{'1, ' * 255}1]\n"),
    "remove-k-digits": ('"10"\n2\n', '"01"\n2\n'),
}


def test_what_may_be_looked_at() -> None:
    assert for_development("abc275_d")
    assert for_development("arc172_a")
    assert for_development("agc060_b")
    assert not for_development("abc276_d")
    assert not for_development("arc172")
    assert not for_development("xyz275_d")
    assert function_for_development(146)
    assert not function_for_development(147)


def test_a_third_is_aside() -> None:
    assert 0.25 < sum(aside(f"abc{number}_a") for number in range(101, 301, 2)) / 100 < 0.42


def test_there_is_an_oracle_for_thirty_of_each() -> None:
    tasks = [slug for slug in ORACLES if "_" in slug]
    assert len(tasks) >= 30
    assert len(ORACLES) - len(tasks) >= 30
    assert not [slug for slug in ORACLES if aside(slug)]
    assert not [slug for slug in tasks if not for_development(slug)]


@pytest.mark.parametrize(("slug", "shown"), SHOWN.items())
def test_oracles_say_yes_and_no(slug: str, shown: tuple[str, str]) -> None:
    good, bad = shown
    assert refusal(ORACLES[slug], good) is None
    assert refusal(ORACLES[slug], bad) is not None
    assert refusal(ORACLES[slug], good + "1\n") is not None, "a line too many"
    assert refusal(ORACLES[slug], "") is not None


def test_oracles_are_written_as_programs_of_their_own() -> None:
    written = dict(sources())
    assert written.keys() == ORACLES.keys()
    for slug, (good, bad) in SHOWN.items():
        space: dict[str, Oracle] = {}
        exec(written[slug], space)  # what we wrote ourselves
        assert space["validate"](good)  # type: ignore[func-returns-value]
        with pytest.raises(ValueError):  # noqa: PT011 - any reason will do
            space["validate"](bad)
