"""The sandbox that runners are tried in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from venus_toolkit.sandbox import Sandbox, open_sandbox
from venus_toolkit.sandbox.bubblewrap import isolation_problem


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    if isolation_problem():
        pytest.skip(f"no isolation: {isolation_problem()}")
    with open_sandbox("local") as place:
        yield place
