"""The sandbox in which the tests run runners."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.bubblewrap import isolation_problem
from venus_toolkit.execution.sandbox.opening import open_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    if isolation_problem():
        pytest.skip(f"no isolation: {isolation_problem()}")
    with open_sandbox("local") as place:
        yield place
