"""Selects the solutions for the rows of a derived set.

Samples solutions whose costs differ beyond the noise, without near duplicates.

Memory holds the figures, and the texts of sampled solutions, of one row group at a time. The result
is row numbers; the texts are read again when rows are written.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, count, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.curation.shingles import jaccard
from venus_toolkit.builders.curation.similarity import program_shingles
from venus_toolkit.builders.derive.derive_options import FAILING, NEW, PASSING, DeriveOptions
from venus_toolkit.builders.derive.kinds import SetKind
from venus_toolkit.builders.derive.separation import FIGURES, costlier, costs_of
from venus_toolkit.builders.derive.train_split import Batch, Places, RowGroup, Train
from venus_toolkit.core.language import Language

if TYPE_CHECKING:
    import duckdb

MAX_COMPARED = 512  # of a problem with more solutions, a random sample is compared


Progress = Callable[[str, int, int], None]


class Pick(NamedTuple):
    """A selected row: its row group, row number, objective, turn, and the numbers of solutions.

    turn counts the earlier rows of the same problem and objective.
    """

    place: RowGroup
    row: int
    objective: str
    turn: int
    members: tuple[int, ...]


@dataclass(slots=True)
class Slot:
    """A problem in one objective: choices are drawn until it has enough rows."""

    row: int
    objective: str
    drawn: Iterator[tuple[int, ...]]
    selected: list[tuple[int, ...]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects the rows of one config.

    Attributes:
        kind: The kind of derived set.
        language: Its id is part of the seed of every sample.
        rank: The release's ranking by time: a key of TIMES.
        options: The sampling of rows.
        database: Cuts programs into tokens.
    """

    kind: SetKind
    language: Language
    rank: str
    options: DeriveOptions
    database: duckdb.DuckDBPyConnection

    def select(
        self, train: Train, progress: Progress
    ) -> tuple[list[Pick], dict[str, Counter[str]]]:
        """Return the selected rows in the order of the release, and the drops.

        The drops are counted by objective and reason.
        """
        dropped: dict[str, Counter[str]] = {name: Counter() for name in self.options.objectives}
        picks: list[Pick] = []
        most = None if self._mixes else self.kind.most
        row_limit = self.options.per_problem or self.kind.per_problem
        row_limit = min(row_limit, most or row_limit)
        solution_columns = ("code", "passed", *FIGURES)
        for number, batch in enumerate(
            train.read(("title", "ranked"), solution_columns, train.places), 1
        ):
            slots = [
                slot
                for row in range(len(batch))
                for slot in self._slots(batch, row, row_limit, dropped)
            ]
            self._fill(batch.solutions.field("code"), slots, row_limit, dropped)
            picks += [
                Pick(batch.place, slot.row, slot.objective, turn, members)
                for slot in slots
                for turn, members in enumerate(slot.selected)
            ]
            progress(f"select {self.language.id}", number, len(train.places))
        return self._balance(picks, dropped) if self.options.balance else picks, dropped

    def _slots(
        self, batch: Batch, row: int, row_limit: int, dropped: Mapping[str, Counter[str]]
    ) -> Iterator[Slot]:
        title = batch.table.column("title")[row].as_py()
        start, end = int(batch.starts[row]), int(batch.ends[row])
        figures = {name: values[start:end] for name, values in batch.figures.items()}
        passed = batch.passed[start:end]
        tries = 8  # maximum number of choices drawn for each row; then a problem gets fewer rows
        not_measured = "passing solutions that were not measured"
        once = "solutions measured once, so that their noise is not known"
        few = "problems with fewer than two solutions to compare"
        unranked = "problems whose solutions are separated less than the plan's min_separation"
        close = "problems whose solutions are not apart beyond the noise"
        for objective in self.options.objectives:
            if not batch.ranked[row]:
                dropped[objective][unranked] += 1
                continue
            costs, counts = (
                costs_of(figures, objective, self.rank, self.options),
                dropped[objective],
            )
            counts[not_measured] += int((passed & ~costs.measured).sum())
            counts[once] += int((passed & costs.measured & ~costs.comparable).sum())
            # Each sample has its own seed, independent of other problems and objectives.
            names = (self.options.seed, self.kind.name, self.language.id, objective, title)
            (usable,) = np.nonzero(passed & costs.comparable)
            if len(usable) > MAX_COMPARED:
                excess = len(usable) - MAX_COMPARED
                counts[f"solutions beyond {MAX_COMPARED} of one problem"] += excess
                sample = islice(draws(len(usable), *names, "sample"), MAX_COMPARED)
                usable = np.sort(usable[list(sample)])
            choices = self.kind.choices(costlier(costs.take(usable), self.options))
            if not choices.total:
                counts[few if len(usable) < 2 else close] += 1
                if not self._mixes:
                    continue
            drawn = map(choices.pick, islice(draws(choices.total, *names), tries * row_limit))
            choices_of_slot = _translate(drawn, usable + start)
            if self._mixes:
                (failing,) = np.nonzero(~passed)
                places = draws(len(failing), *names, FAILING)
                states = {
                    NEW: iter([()]),
                    FAILING: _translate(((place,) for place in places), failing + start),
                    PASSING: choices_of_slot,
                }
                choices_of_slot = mix_states(states, self.options.shares, *names)
            yield Slot(row, objective, choices_of_slot)

    @property
    def _mixes(self) -> bool:
        """Whether rows begin from other states than a passing solution."""
        return self.kind.states and set(self.options.shares) != {PASSING}

    def _fill(
        self,
        codes: pa.StringArray,
        slots: Sequence[Slot],
        row_limit: int,
        dropped: Mapping[str, Counter[str]],
    ) -> None:
        """Draw choices for all slots at once, and again for slots that still lack rows."""
        missing = list(slots)
        near_duplicate = "choices of which two programs are near duplicates"
        while missing:
            drawn = [
                (slot, members)
                for slot in missing
                for members in islice(slot.drawn, row_limit - len(slot.selected))
            ]
            alike = self._find_near(codes, [members for _, members in drawn])
            for (slot, members), near in zip(drawn, alike, strict=True):
                if near:
                    dropped[slot.objective][near_duplicate] += 1
                else:
                    slot.selected.append(members)
            # A slot without a draw is exhausted. By id, because slots are not hashable.
            drawn_from = {id(slot) for slot, _ in drawn}
            missing = [
                slot
                for slot in missing
                if id(slot) in drawn_from and len(slot.selected) < row_limit
            ]

    def _find_near(self, codes: pa.StringArray, chosen: Sequence[tuple[int, ...]]) -> list[bool]:
        """Return, for each choice, whether two of its programs are near duplicates."""
        pairs = [
            (number, *pair)
            for number, members in enumerate(chosen)
            for pair in combinations(members, 2)
        ]
        used = sorted({member for _, *pair in pairs for member in pair})
        places = {member: place for place, member in enumerate(used)}
        texts = codes.take(pa.array(used, pa.int64()))
        shingles = program_shingles(self.database, self.language, texts, self.options.near_tokens)
        left, right = (
            shingles.take(pa.array([places[pair[side]] for pair in pairs], pa.int64()))
            for side in (1, 2)
        )
        alike = jaccard(left, right) >= self.options.near
        near = {number for (number, *_), same in zip(pairs, alike, strict=True) if same}
        return [number in near for number in range(len(chosen))]

    def _balance(self, picks: Sequence[Pick], dropped: Mapping[str, Counter[str]]) -> list[Pick]:
        """Return the same number of rows for every objective that has any.

        Every problem's first row is taken before any problem's second row.
        """
        by_objective: dict[str, list[Pick]] = defaultdict(list)
        for pick in picks:
            by_objective[pick.objective].append(pick)
        least = min(map(len, by_objective.values()), default=0)
        remaining: set[Pick] = set()
        for objective, listed in by_objective.items():
            names = (self.options.seed, self.kind.name, self.language.id, objective, "balance")
            remaining.update(
                sorted(listed, key=lambda p: (p.turn, uniform(*names, p.place, p.row)))[:least]
            )
            dropped[objective]["rows beyond what the other objectives have"] += len(listed) - least
        return [pick for pick in picks if pick in remaining]


def mix_states(
    states: Mapping[str, Iterator[tuple[int, ...]]], shares: Mapping[str, float], *names: object
) -> Iterator[tuple[int, ...]]:
    """Yield choices, each from a state sampled by its share; exhausted states drop out."""
    left = dict(shares)
    for turn in count():
        chosen = None
        while left and chosen is None:
            point = uniform(*names, "state", turn) * sum(left.values())
            state = next(
                name
                for name, end in zip(left, accumulate(left.values()), strict=True)
                if point < end
            )
            chosen = next(states[state], None)
            if chosen is None:
                del left[state]
        if chosen is None:
            return
        yield chosen


def _translate(choices: Iterable[tuple[int, ...]], places: Places) -> Iterator[tuple[int, ...]]:
    for members in choices:
        yield tuple(int(places[member]) for member in members)


def draws(count: int, *names: object) -> Iterator[int]:
    """Yield the numbers below `count`, each once, in a random order seeded by `names`.

    A lazy Fisher-Yates shuffle: only moved positions are stored.
    """
    # Seeding by text does not depend on the hash seed of the process.
    rng = random.Random("/".join(map(str, names)))
    moved: dict[int, int] = {}
    for last in range(count - 1, -1, -1):
        # Only `random` guarantees the same numbers in every version of Python.
        place = int(rng.random() * (last + 1))
        yield moved.get(place, place)
        if place != last:
            moved[place] = moved.get(last, last)
        moved.pop(last, None)


def uniform(*names: object) -> float:
    """Return a random number in [0, 1) seeded by `names`."""
    return random.Random("/".join(map(str, names))).random()
