"""Which tasks of other people's may be looked at; and that oracles are written for these alone."""

from __future__ import annotations

from tests.real.split import aside, for_development, function_for_development


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
