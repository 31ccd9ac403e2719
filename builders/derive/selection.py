"""Which solutions make the rows of a derived set: drawn by lot from those that are apart, near duplicates left out.

Only figures and the texts of drawn solutions are in memory, of one row group at a time. What is kept of it are numbers:
the texts are read again when the rows are written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.derive.kinds import Choices, Kind
from venus_toolkit.builders.derive.likeness import Likeness
from venus_toolkit.builders.derive.lots import draws, lot
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.builders.derive.reading import Batch, Place, Places, Train
from venus_toolkit.builders.derive.separation import FIGURES, costs_of, dearer

MOST = 512  # solutions of a problem that are compared with each other; of more, so many are drawn
TRIES = 8  # times per_problem choices are looked at before a problem is left with fewer rows
COLUMNS = ("code", "passed", *FIGURES)

NOT_MEASURED = "passing solutions that were not measured"
ONCE = "solutions measured once, so that their noise is not known"
SAMPLED = f"solutions beyond {MOST} of one problem"
FEW = "problems with fewer than two solutions to compare"
CLOSE = "problems whose solutions are not apart beyond the noise"
ALIKE = "choices of which two programs are near duplicates"
BALANCED = "rows beyond what the other objectives have"

Progress = Callable[[str, int, int], None]


class Pick(NamedTuple):
    """A row to be: the row group and the row in it, and the numbers of its solutions among those of the row group."""

    place: Place
    row: int
    objective: str
    turn: int
    members: tuple[int, ...]


@dataclass(slots=True)
class Selection:
    """The rows to be, in the order of the release, and by objective how much was set aside for which reason."""

    picks: list[Pick]
    dropped: dict[str, Counter[str]]

    def of(self, objective: str) -> list[Pick]:
        """Return the rows of one objective."""
        return [pick for pick in self.picks if pick.objective == objective]

    def without(self, kept: Sequence[Pick]) -> Selection:
        """Return what is left when only `kept` are, with the others counted."""
        before, after = (Counter(pick.objective for pick in picks) for picks in (self.picks, kept))
        beyond = before - after
        dropped = {name: counts + Counter({BALANCED: beyond[name]}) for name, counts in self.dropped.items()}
        return Selection(list(kept), dropped)


@dataclass(slots=True)
class Slot:
    """A problem in one objective, for which choices are drawn until it has enough rows."""

    row: int
    objective: str
    places: Places
    choices: Choices
    order: Iterator[int]
    kept: list[tuple[int, ...]] = field(default_factory=list)

    def draw(self, count: int) -> list[tuple[int, ...]]:
        """Return the next choices: none where all were tried."""
        picked = (self.choices.pick(number) for number in islice(self.order, count))
        return [tuple(int(self.places[member]) for member in members) for members in picked]


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects the rows of one config.

    Attributes:
        kind: Which solutions make a row.
        language: The id of the language; part of every lot.
        rank: What the release ranks by in time: ``relative`` or ``absolute``.
        options: How rows are sampled.
        likeness: What tells near duplicates.
    """

    kind: Kind
    language: str
    rank: str
    options: DeriveOptions
    likeness: Likeness

    @property
    def wanted(self) -> int:
        """How many rows a problem gives in an objective, at most."""
        return min(self.options.per_problem, self.kind.most or self.options.per_problem)

    def select(self, train: Train, progress: Progress) -> Selection:
        """Return the rows that the train split gives."""
        dropped: dict[str, Counter[str]] = {name: Counter() for name in self.options.objectives}
        picks: list[Pick] = []
        for number, batch in enumerate(train.read(("title",), COLUMNS, train.places), 1):
            slots = [slot for row in range(len(batch)) for slot in self._slots(batch, row, dropped)]
            self._fill(batch.column("code"), slots, dropped)
            picks += [
                Pick(batch.place, slot.row, slot.objective, turn, members)
                for slot in slots
                for turn, members in enumerate(slot.kept)
            ]
            progress(f"select {self.language}", number, len(train.places))
        selection = Selection(picks, dropped)
        return selection.without(self._balanced(picks)) if self.options.balance else selection

    # -------------------------------------------------------------- what there is to choose from

    def _slots(self, batch: Batch, row: int, dropped: Mapping[str, Counter[str]]) -> Iterator[Slot]:
        title = batch.table.column("title")[row].as_py()
        start, end = int(batch.starts[row]), int(batch.ends[row])
        figures = {name: values[start:end] for name, values in batch.figures.items()}
        passed = batch.passed[start:end]
        for objective in self.options.objectives:
            costs, counts = costs_of(figures, objective, self.rank, self.options), dropped[objective]
            counts[NOT_MEASURED] += int((passed & ~costs.measured).sum())
            counts[ONCE] += int((passed & costs.measured & ~costs.comparable).sum())
            names = (self.options.seed, self.kind.name, self.language, objective, title)
            (usable,) = np.nonzero(passed & costs.comparable)
            if len(usable) > MOST:
                counts[SAMPLED] += len(usable) - MOST
                usable = np.sort(usable[list(islice(draws(len(usable), *names, "sample"), MOST))])
            choices = self.kind.choices(dearer(costs.take(usable), self.options))
            if not choices.total:
                counts[FEW if len(usable) < 2 else CLOSE] += 1
                continue
            tried = islice(draws(choices.total, *names), TRIES * self.wanted)
            yield Slot(row, objective, usable + start, choices, tried)

    # -------------------------------------------------------------- near duplicates

    def _fill(self, codes: pa.StringArray, slots: Sequence[Slot], dropped: Mapping[str, Counter[str]]) -> None:
        """Draw for all slots at once, again for those that lack rows, until nothing is left to draw."""
        wanted = self.wanted
        lacking = list(slots)
        while lacking:
            drawn = [(slot, members) for slot in lacking for members in slot.draw(wanted - len(slot.kept))]
            alike = self._near(codes, [members for _, members in drawn])
            for (slot, members), near in zip(drawn, alike, strict=True):
                if near:
                    dropped[slot.objective][ALIKE] += 1
                else:
                    slot.kept.append(members)
            found = {id(slot) for slot, _ in drawn}
            lacking = [slot for slot in lacking if id(slot) in found and len(slot.kept) < wanted]

    def _near(self, codes: pa.StringArray, chosen: Sequence[tuple[int, ...]]) -> list[bool]:
        """Return for each choice whether two of its programs are near duplicates."""
        pairs = [(number, *pair) for number, members in enumerate(chosen) for pair in combinations(members, 2)]
        used = sorted({member for _, *pair in pairs for member in pair})
        places = {member: place for place, member in enumerate(used)}
        shingles = self.likeness.shingles(codes.take(pa.array(used, pa.int64())))
        left, right = ([places[pair[side]] for pair in pairs] for side in (1, 2))
        near = {pair[0] for pair, same in zip(pairs, self.likeness.alike(shingles, left, right), strict=True) if same}
        return [number in near for number in range(len(chosen))]

    # -------------------------------------------------------------- balance

    def _balanced(self, picks: Sequence[Pick]) -> list[Pick]:
        """Return equally many rows of every objective that has any: a problem's first rows go before its second."""
        by_objective: dict[str, list[Pick]] = defaultdict(list)
        for pick in picks:
            by_objective[pick.objective].append(pick)
        least = min(map(len, by_objective.values()), default=0)
        kept: set[Pick] = set()
        for objective, listed in by_objective.items():
            names = (self.options.seed, self.kind.name, self.language, objective, "balance")
            kept.update(sorted(listed, key=lambda p: (p.turn, lot(*names, p.place, p.row)))[:least])
        return [pick for pick in picks if pick in kept]
