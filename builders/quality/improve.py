"""More tests, as long as they kill something that no test killed before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from venus_toolkit.builders.quality.minimal import minimal_set
from venus_toolkit.builders.quality.options import QualityOptions
from venus_toolkit.records import TestCase

Kills = Mapping[str, Sequence[str]]
Batch = Callable[[int], Sequence[TestCase]]
Suspect = Callable[[int, Sequence[str]], Kills]
Judge = Callable[[Sequence[TestCase], Sequence[str]], Kills]
Agree = Callable[[Sequence[TestCase]], Sequence[TestCase]]


class Improvement(NamedTuple):
    """The tests that were added, what each program is killed by, and how many batches were tried."""

    added: tuple[TestCase, ...]
    kills: dict[str, tuple[str, ...]]
    batches: int


def improve(
    alive: Sequence[str], suspect: Suspect, batch: Batch, agree: Agree, judge: Judge, options: QualityOptions
) -> Improvement:
    """Try batches of inputs on the programs that are still alive; keep those inputs that kill one.

    It stops when nothing is alive, after `options.batches`, or after `options.patience` batches in a row without a new
    kill. All canonical solutions have to agree on a new test, which is expensive: `agree` is asked only about the few
    inputs of a batch on which a program and its parent differ.

    Args:
        alive: The programs that no test kills.
        suspect: Says for programs on which inputs of a batch, given by its number, they differ from their parents.
        batch: Returns the inputs of a batch by its number.
        agree: Returns those inputs that all canonical solutions agree on, with their outputs.
        judge: Says for programs which tests kill them.
        options: batches and patience are used.
    """
    remaining, added, kills = list(alive), list[TestCase](), dict[str, tuple[str, ...]]()
    quiet = number = 0
    while remaining and number < options.batches and quiet < options.patience:
        found = {name: ids for name, ids in suspect(number, remaining).items() if ids}
        good = agree(_fewest(found, batch(number))) if found else ()
        dead = {name: tuple(ids) for name, ids in judge(good, sorted(found)).items() if ids} if good else {}
        killing = {test_id for ids in dead.values() for test_id in ids}
        added += [test for test in good if test.test_id in killing]
        kills |= dead
        remaining = [name for name in remaining if name not in dead]
        quiet = 0 if dead else quiet + 1
        number += 1
    return Improvement(tuple(added), kills, number)


def _fewest(found: Kills, inputs: Sequence[TestCase]) -> tuple[TestCase, ...]:
    return minimal_set(found, inputs, QualityOptions(depth=1, largest=0, at_least=0))
