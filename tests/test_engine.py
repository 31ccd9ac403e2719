"""Which core does what."""

from __future__ import annotations

import pytest

from venus_toolkit import engine
from venus_toolkit.engine import Engine
from venus_toolkit.supervisor import Cores


@pytest.mark.parametrize(("cores", "beside"), [([0], {0}), ([0, 1], {0}), ([2, 3, 5, 7], {2, 5}), ([0, 1, 2], {0, 2})])
def test_other_work_stays_off_the_cores_of_programs(
    monkeypatch: pytest.MonkeyPatch, cores: list[int], beside: set[int]
) -> None:
    monkeypatch.setattr(engine, "usable_cores", lambda: cores)
    there = Engine()
    assert there.beside() == beside
    used: set[Cores] = {given for _, given in there.measuring(lambda _, given: given, range(20))}
    assert len(cores) == 1 or not {given.program for given in used} & beside
