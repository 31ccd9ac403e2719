"""Which container serves whom: made ahead, found again, used again, removed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language, load_languages
from venus_toolkit.sandbox.docker.container import Room
from venus_toolkit.sandbox.docker.pool import AHEAD, KEPT, Pool

LANGUAGES = load_languages()
SMALL, LARGE = Room(1), Room(2)
CPP, PYTHON = LANGUAGES["cpp"], LANGUAGES["python"]


class FakeContainer:
    """Stands for a container in the pool."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.removed = False
        self.programs: set[str] = set()
        self.room = SMALL

    def remove(self) -> None:
        """Note that it is gone."""
        self.removed = True


@pytest.fixture
def made() -> list[FakeContainer]:
    return []


@pytest.fixture
def make_pool(made: list[FakeContainer]) -> Iterator[Callable[[int], Pool]]:
    pools: list[Pool] = []

    def make(_: Language, number: int) -> Any:
        made.append(FakeContainer(number))
        return made[-1]

    def make_pool(programs: int) -> Pool:
        pools.append(Pool(make, programs))
        return pools[-1]

    yield make_pool
    for pool in pools:
        pool.close()
    assert all(container.removed for container in made)


def test_the_first_request_orders_no_more(make_pool: Callable[[int], Pool], made: list[FakeContainer]) -> None:
    pool = make_pool(1)
    pool.take(CPP, "a", SMALL)
    pool._helpers.submit(int).result()
    assert len(made) == 1


def test_containers_are_made_ahead(make_pool: Callable[[int], Pool], made: list[FakeContainer]) -> None:
    pool = make_pool(1)
    taken = [pool.take(CPP, str(n), SMALL) for n in range(10)]
    assert len(set(taken)) == 10
    pool._helpers.shutdown(wait=True)
    assert len(made) == 10 + AHEAD


def test_a_program_finds_its_container_again(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    mine = pool.take(CPP, "mine", SMALL)
    pool.keep(mine)
    assert pool.take(CPP, "yours", SMALL) is not mine
    assert pool.take(PYTHON, "mine", SMALL) is not mine
    assert pool.take(CPP, "mine", LARGE) is mine
    assert pool.take(CPP, "mine", SMALL) is not mine


def test_a_container_serves_so_many_programs(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(3)
    first = pool.take(CPP, "a", SMALL)
    pool.keep(first)
    for program in "abc":
        assert pool.take(CPP, program, SMALL) is first
        pool.keep(first)
    assert pool.take(CPP, "d", SMALL) is not first
    assert pool.take(CPP, "a", SMALL) is first


def test_the_right_limits_come_first(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(9)
    small, large = (pool.take(CPP, "a", SMALL) for _ in range(2))
    large.room = LARGE
    for container in (large, small):
        pool.keep(container)
    assert pool.take(CPP, "a", LARGE) is large
    pool.keep(large)
    assert pool.take(CPP, "b", SMALL) is small
    assert pool.take(CPP, "b", SMALL) not in (small, large)


def test_only_the_last_are_kept(make_pool: Callable[[int], Pool]) -> None:
    pool = make_pool(1)
    taken = [pool.take(CPP, str(n), SMALL) for n in range(KEPT + 3)]
    for container in taken:
        pool.keep(container)
    pool._helpers.shutdown(wait=True)
    assert [container.removed for container in taken] == [True] * 3 + [False] * KEPT


@pytest.mark.parametrize(("programs", "removed"), [(1, True), (2, False)])
def test_a_forgotten_program(make_pool: Callable[[int], Pool], programs: int, removed: bool) -> None:
    pool = make_pool(programs)
    container = pool.take(CPP, "a", SMALL)
    pool.keep(container)
    pool.forget("a")
    pool._helpers.shutdown(wait=True)
    assert container.removed is removed


def test_a_container_that_cannot_be_made_ahead_is_asked_for_again() -> None:
    failures = [SandboxError("no")]

    def make(_: Language, number: int) -> Any:
        if number == 1 and failures:
            raise failures.pop()
        return FakeContainer(number)

    with contextlib.closing(Pool(make)) as pool:
        pool.take(CPP, "a", SMALL)
        pool._next_fresh(CPP)
        pool._fresh["cpp"][0].exception()
        assert pool.take(CPP, "b", SMALL)
    assert not failures
