"""The pool of containers: reuse and removal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.execution.sandbox.docker.container import ContainerLimits
from venus_toolkit.execution.sandbox.docker.pool import MAX_IDLE, SPARE, Pool

LANGUAGES = load_languages()
SMALL, LARGE = ContainerLimits(1), ContainerLimits(2)
CPP, PYTHON = LANGUAGES["cpp"], LANGUAGES["python"]


class FakeContainer:
    """Stands for a container in the pool."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.removed = False
        self.programs: set[str] = set()
        self.room = SMALL

    def remove(self) -> None:
        self.removed = True


@pytest.fixture
def containers() -> list[FakeContainer]:
    return []


@pytest.fixture
def make_pool(containers: list[FakeContainer]) -> Iterator[Callable[[int], Pool]]:
    pools: list[Pool] = []

    def make(_: Language, number: int) -> Any:
        containers.append(FakeContainer(number))
        return containers[-1]

    def make_pool(programs: int) -> Pool:
        pools.append(Pool(make, programs))
        return pools[-1]

    yield make_pool
    for pool in pools:
        pool.close()
    assert all(container.removed for container in containers)


def test_program_gets_its_container_again(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    mine = pool.take(CPP, "mine", SMALL)
    pool.keep(mine)
    assert pool.take(CPP, "yours", SMALL) is not mine
    assert pool.take(PYTHON, "mine", SMALL) is not mine
    assert pool.take(CPP, "mine", SMALL) is mine
    assert pool.take(CPP, "mine", SMALL) is not mine


def test_container_runs_a_limited_number_of_programs(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(3)
    first = pool.take(CPP, "a", SMALL)
    pool.keep(first)
    for program in "abc":
        assert pool.take(CPP, program, SMALL) is first
        pool.keep(first)
    assert pool.take(CPP, "d", SMALL) is not first
    assert pool.take(CPP, "a", SMALL) is first


def test_equal_limits_are_preferred(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(9)
    small, large = (pool.take(CPP, "a", SMALL) for _ in range(2))
    large.room = LARGE
    for container in (large, small):
        pool.keep(container)
    assert pool.take(CPP, "a", LARGE) is large
    pool.keep(large)
    assert pool.take(CPP, "b", SMALL) is small
    assert pool.take(CPP, "b", SMALL) not in (small, large)


def test_oldest_idle_containers_are_removed(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    containers = [pool.take(CPP, str(n), SMALL) for n in range(MAX_IDLE + 3)]
    for container in containers:
        pool.keep(container)
    pool._helpers.shutdown(wait=True)
    assert [container.removed for container in containers] == [True] * 3 + [False] * MAX_IDLE


def test_limits_change_only_with_enough_containers(
    make_pool: Callable[[int], Pool],
) -> None:
    pool = make_pool(9)
    containers = [pool.take(CPP, str(n), SMALL) for n in range(SPARE - 1)]
    pool.keep(containers[0])
    assert pool.take(CPP, "0", LARGE) is not containers[0]
    assert pool.take(CPP, "0", LARGE) is containers[0]
