"""Which of thousands of candidate inputs become tests, without knowing the wrong programs that they are for.

candidate    an input that a validator passed; a pool is all candidates of a problem
role         ``correctness``: many, tiny where that will do; ``efficiency``: few, among the costliest there are
feature      what an input shows: an edge of an accepted program with how often it was passed, an output, a family
to add       a test adds a feature that no test before it shows, or few of them

Two or three accepted programs run on the pool, traced where their language can do that. Inputs on
which they disagree or crash are no candidates any more. Then, greedily, the input that adds most
for its size is taken: features that are new count in full, those that some tests show already count
less each time. Where there is no coverage, outputs and families are left, so that the choice still
spreads. Every second test is drawn from the pool instead, each family in turn: features favour what
is rare, and many a mistake shows in what is common and tiny. Known wrong programs that survive the
choice are run on the pool, and what kills them is taken as well.

Efficiency tests are the few large inputs that tell accepted programs apart best (separating.py),
the largest one, and those that cost known slow programs most. Where there are no two programs to
tell apart they are those that cost an accepted or a known slow program most, and then those that
are least like the ones taken: in their costs and in the order and the repetition of their values.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from venus_toolkit.builders.quality.coverage import NO_EDGES, ObservedRun, RunMode
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.stages.validate import FULL, condemned, has_full_confidence
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import CORRECTNESS, EFFICIENCY, NS_PER_S, TestCase
from venus_toolkit.execution.judging.checker import Answer
from venus_toolkit.execution.judging.comparison import output_key
from venus_toolkit.execution.sandbox import Program

GIVEN = "given"
SMALL_BYTES = 16 << 10  # inputs beyond are for efficiency alone
UNTRACED = 200  # inputs that a program runs on whose language cannot be traced
LARGEST = 3  # of the largest inputs, in any case
# On 12 contest tasks with 42 wrong programs of people 0.4 to 0.7 rejected 41 with 100 tests, 0 40,
# and 1 39.
DRAWN = 0.5  # of the tests for correctness
STEPS = (16, 64)  # inputs that a known wrong program runs on before all others
FAILS = "fails"  # instead of an answer


Separate = Callable[[Sequence[TestCase], int], Sequence[TestCase]]


@dataclass(frozen=True)
class SelectionContext:
    """What the choice is made with.

    Attributes:
        accepted: Accepted programs, those first that are to be run first.
        wrong: Known wrong programs, by name.
        slow: Known slow programs, by name.
        observe: Runs a program on inputs; fewer results than inputs where it takes too long.
        same: Says which answers are as good as what is expected of them.
        separate: Returns at most so many inputs, of candidates or like them, that tell accepted
            programs apart.
        confidence: That of the generator of the inputs.
        several: Whether other answers may be right than those that `same` accepts.
    """

    accepted: Sequence[Program]
    wrong: Mapping[str, Program]
    slow: Mapping[str, Program]
    observe: Callable[[Program, Sequence[TestCase], RunMode], Sequence[ObservedRun]]
    same: Callable[[Sequence[Answer]], Sequence[bool]]
    separate: Separate = lambda *_: ()
    confidence: float = FULL
    several: bool = False


class ChosenTests(NamedTuple):
    """The tests that were chosen, and what is worth saying of the others.

    Those with roles are in the order of the choice, given ones first: the first few show most, and
    whoever stops at the first failure stops early. Given tests alone stay in their own order.
    agreed and disputed are inputs of candidates on which the accepted programs agree, and disagree
    or fail.
    """

    tests: tuple[TestCase, ...]
    notes: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()


def price(language: Language) -> tuple[int, str]:
    """Return what programs are ordered by.

    Those come first that can be traced on the whole pool, then those on a part of it.
    """
    how = language.coverage
    return (2 if how is None else 1 if how.inputs else 0), language.id


def choose(
    bench: SelectionContext,
    pool: Sequence[TestCase],
    count: int,
    efficiency: int,
    roles: bool = True,
) -> ChosenTests:
    """Return at most `count` tests for correctness and `efficiency` for efficiency.

    Given tests are kept as long as there is room for all of them; else they are chosen from as all
    others are. Without `roles` there are `count` tests in all, none for efficiency alone: the
    largest inputs are among them.
    """
    trial = _CandidatePool(bench, pool, math.inf if not roles else SMALL_BYTES)
    costly = trial.efficient(efficiency) if roles else trial.costliest(min(count, LARGEST))
    if not roles:
        adds = dict(
            [*costly, *trial.pick(count - len(costly), [index for index, _ in costly], drawn=0)]
        )
        kept = [replace(test, adds=adds[index]) for index, test in enumerate(pool) if index in adds]
        return ChosenTests(tuple(kept), tuple(trial.notes))
    given = [index for index, test in enumerate(pool) if test.kind == GIVEN]
    kept_given = given if len(given) <= count else []
    taken = [*kept_given, *(index for index, _ in costly)]
    picks = [(index, GIVEN) for index in kept_given] + trial.pick(count - len(kept_given), taken)
    killers = trial.killers([index for index, _ in (*picks, *costly)])[: count - len(kept_given)]
    # What was taken last adds least: it makes room.
    room = min(len(picks), count - len(killers))
    found = {index: (CORRECTNESS, why) for index, why in (*picks[:room], *killers)}
    found |= {index: (EFFICIENCY, why) for index, why in costly}
    tests = [
        replace(trial.pool[index], role=role, adds=why) for index, (role, why) in found.items()
    ]
    agreed, disputed = (
        tuple(trial.pool[index].stdin for index in places)
        for places in (trial.agreed, trial.disputed)
    )
    return ChosenTests(tuple(tests), tuple(trial.notes), agreed, disputed)


class _CandidatePool:
    """What the accepted programs say of a pool.

    Attributes:
        pool: The candidates, and after them inputs that were sought beside them.
        order: The places of the pool, as it is run.
        small: The candidates for correctness.
        slow: The known slow programs that are used.
        demanding: The candidates for efficiency.
        many: Whether there may be many right answers.
        cpu_ns: What all runs took.
        out: Programs that are wrong themselves, by number.
        right: For each candidate that was run what stands for the right answer.
    """

    def __init__(
        self, bench: SelectionContext, pool: Sequence[TestCase], small_bytes: float
    ) -> None:
        self.bench, self.pool, self.notes = bench, list(pool), list[str]()
        self.bytes = [size_of(test) for test in pool]
        # Of dear languages two: the third says little, and it costs as much as all others together.
        self.dear = len(bench.accepted) > 1 and price(bench.accepted[1].language)[0] > 0
        most_programs = 3  # accepted programs that run on the pool
        self.programs = bench.accepted[: most_programs - self.dear]
        most_slow = 4  # known slow programs that run on them
        self.slow = dict(list(bench.slow.items())[:most_slow])
        self.seen: list[dict[int, ObservedRun]] = []
        self.demanding: list[int] = []
        self.many = False
        self.agreed, self.disputed = list[int](), list[int]()
        self.cpu_ns = 0
        self._compared: dict[tuple[int, str | None, str | None], bool] = {}
        # So that any first part has as much of each family as the whole; given tests first.
        families: dict[str, list[int]] = {}
        for index, test in enumerate(pool):
            families.setdefault(test.size or "", []).append(index)
        share = {
            i: (n + 0.5) / len(family) for family in families.values() for n, i in enumerate(family)
        }
        self.order = sorted(
            range(len(pool)),
            key=lambda index: (pool[index].kind != GIVEN, share[index], self.bytes[index], index),
        )
        places = [index for index in self.order if self.bytes[index] <= small_bytes]
        for program in self.programs:
            found = self._run(
                program, places, RunMode.TRACED if program.language.coverage else RunMode.TOGETHER
            )
            if not any(each.output for each in found.values()):
                # The tracing may be at fault: as the program is, it is accepted.
                found = self._run(program, places[:UNTRACED], RunMode.TOGETHER)
            self.seen.append(found)
        self._settle(places)

    def _run(self, program: Program, places: Sequence[int], how: RunMode) -> dict[int, ObservedRun]:
        coverage = program.language.coverage
        most = (coverage.inputs or len(places)) if coverage else UNTRACED
        # The smallest first: where a program takes too long, that is left out which costs most.
        ordered = sorted(places[:most], key=lambda index: (self.bytes[index], index))
        seen = self.bench.observe(program, [self.pool[index] for index in ordered], how)
        self.cpu_ns += sum(each.cpu_ns for each in seen)
        return dict(zip(ordered, seen, strict=False))

    def _settle(self, places: Sequence[int]) -> None:
        """Leave out a program that is wrong itself, and inputs on which the others disagree."""
        self._compare_all(places, self.seen)
        answers = {index: self._answers(index, self.seen) for index in places}
        alone: dict[int, list[TestCase]] = defaultdict(list)
        for index, three in answers.items():
            for number, each in enumerate(three):
                if (
                    each
                    and len(counted := Counter(filter(None, three))) == 2
                    and counted[each] == 1
                    and len(three) == 3
                ):
                    alone[number].append(self.pool[index])
        asked = max(1, sum(None not in said for said in answers.values()))
        # Of the inputs: a program that alone says otherwise on more of them is wrong itself
        dissent = 0.1
        out = {
            number
            for number, tests in alone.items()
            if len(tests) > dissent * asked and condemned(tests, self.bench.confidence)
        }
        # Of two that disagree nobody knows which is wrong.
        self.out = out if len(out) == 1 and not self.bench.several else set()
        self.notes += [
            f"an accepted program dissents alone on {len(alone[n])} of {asked} candidates"
            for n in self.out
        ]
        said = {index: self._said(each) for index, each in answers.items()}
        ran = [index for index in places if said[index]]
        good = [
            i
            for i in ran
            if len(said[i]) == 1 and FAILS not in said[i] and self._as_given(i, self.seen)
        ]
        if 0 < len(good) < len(ran):
            self.notes.append(
                f"accepted programs disagree or fail on {len(ran) - len(good)} of {len(ran)} "
                "candidates"
            )
        # Of the inputs: with more of them there may be many right answers, which agree later or not
        disputed = 0.5
        if self.bench.several or len(good) < disputed * len(ran):
            # There may be many right answers: whether those are alike is found out later, by all
            # programs.
            self.many = True
            good = [index for index in ran if FAILS not in said[index]] or ran
        if not self.many:
            self.agreed, self.disputed = good, [index for index in ran if index not in set(good)]
        self.right = {index: min(said[index]) for index in good}
        # What nobody ran on is a candidate where nothing else is left.
        self.small = good or list(places)

    def _as_given(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> bool:
        """Whether the output that came with an input is what accepted programs print, where there are both."""
        given, mine = self._given(index), self._first(index, seen)
        return given is None or mine is None or self._alike(index, given, mine)

    def _given(self, index: int) -> ObservedRun | None:
        expected = self.pool[index].stdout
        return (
            None
            if expected is None
            else ObservedRun(output_key(expected.encode()), expected, 0, NO_EDGES)
        )

    def _first(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> ObservedRun | None:
        return next((each[index] for each in seen if index in each and each[index].output), None)

    def _said(self, answers: Sequence[str | None]) -> set[str]:
        return {each for number, each in enumerate(answers) if each and number not in self.out}

    def _answers(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> list[str | None]:
        """Return what each program answers, None where it gives no answer.

        Answers that are as good as each other are equal.
        """
        first = self._first(index, seen)
        return [self._answer(index, first, each.get(index)) for each in seen]

    def _answer(
        self, index: int, first: ObservedRun | None, mine: ObservedRun | None
    ) -> str | None:
        if mine is None or mine.timed_out:
            return None
        if first is None or mine.output is None:
            return FAILS
        return first.output if self._alike(index, first, mine) else mine.output

    def _alike(self, index: int, right: ObservedRun, mine: ObservedRun) -> bool:
        if mine.output == right.output or right.text is None or mine.text is None:
            return mine.output == right.output
        if (index, right.output, mine.output) not in self._compared:
            self._compare([(index, right, mine)])
        return self._compared[index, right.output, mine.output]

    def _compare_all(
        self, places: Sequence[int], seen: Sequence[Mapping[int, ObservedRun]]
    ) -> None:
        """Compare at once what `_answers` and `_as_given` are about to ask of these candidates."""
        asked: list[tuple[int, ObservedRun, ObservedRun]] = []
        for index in places:
            if first := self._first(index, seen):
                asked += [
                    (index, first, each[index])
                    for each in seen
                    if index in each and each[index].output
                ]
                asked += [(index, given, first)] if (given := self._given(index)) else []
        self._compare(asked)

    def _compare(self, asked: Sequence[tuple[int, ObservedRun, ObservedRun]]) -> None:
        """Find out whether outputs are alike.

        An evaluator is a process each time, however many it is asked about.
        """
        # There are texts only where outputs may be alike without being equal.
        answers = {
            (index, right.output, mine.output): Answer(
                right.text, mine.text.encode(), self.pool[index].stdin
            )
            for index, right, mine in asked
            if right.output != mine.output and right.text is not None and mine.text is not None
        }
        keys = list(answers)
        at_once = 200  # answers, of an evaluator
        for some in (keys[first : first + at_once] for first in range(0, len(keys), at_once)):
            self._compared |= zip(
                some, self.bench.same([answers[key] for key in some]), strict=True
            )

    # ------------------------------------------------------------------ correctness

    def pick(self, count: int, kept: Sequence[int], drawn: float = DRAWN) -> list[tuple[int, str]]:
        """Return at most so many small candidates beside those that are kept, each with what it adds.

        `drawn` is the share that is taken as the pool has them, for no feature.
        """
        if count <= 0 or not self.small:
            return []
        table = self._features()
        shown = np.zeros(table.weights.size, np.int64)
        for index in kept:
            shown[table.of(index)] += 1
        left = ~np.isin(table.places, kept)
        picks: list[tuple[int, str]] = []
        sampled = 0
        # A large input adds more than a tiny one, and is harder to understand: it has to add a
        # little more still.
        cost = np.array(
            [math.sqrt(1 + math.log2(1 + self.bytes[index] / 16)) for index in table.places]
        )
        # On 15 tasks with 50 any values near these chose equally well.
        decay = 0.3  # what a feature counts for, for each test that shows it already
        while len(picks) < count and left.any():
            if sampled < drawn * len(picks):
                row, why, sampled = int(left.argmax()), "sample", sampled + 1
            else:
                gains = np.where(left, table.sums(table.weights * decay**shown) / cost, -1.0)
                row = int(gains.argmax())
                new = set(table.kinds[table.rows[row][shown[table.rows[row]] == 0]])
                why = (
                    "coverage"
                    if 0 in new
                    else "output"
                    if 1 in new
                    else "family"
                    if 2 in new
                    else "spread"
                )
            mine = table.rows[row]
            picks.append((table.places[row], why))
            shown[mine] += 1
            left[row] = False
        return picks

    def _features(self) -> _Features:
        rows: list[list[npt.NDArray[np.int64]]] = [[] for _ in self.small]
        for number, seen in enumerate(self.seen):
            for row, index in enumerate(self.small):
                if number not in self.out and index in seen:
                    rows[row].append(seen[index].edges.astype(np.int64) | number << 32)
        outputs, families = dict[str, int](), dict[tuple[str | None, int], int]()
        for row, index in enumerate(self.small):
            if index in self.right:
                said = self.right[index]
                rows[row].append(np.array([1 << 40 | outputs.setdefault(said, len(outputs))]))
            family = self.pool[index].size, int(math.log2(1 + self.bytes[index]))
            rows[row].append(np.array([1 << 41 | families.setdefault(family, len(families))]))
        return _Features(self.small, [np.concatenate(row) for row in rows])

    # ------------------------------------------------------------------ efficiency

    def efficient(self, count: int) -> list[tuple[int, str]]:
        """Return at most so many inputs for efficiency, each with why.

        Those that separate, else the costliest.
        """
        costly = self.costliest(count)
        if not costly and count:
            self.notes.append("no tests for efficiency: no input of full confidence is agreed on")
        if not costly:
            return []
        # Whatever accepted programs cost: slow ones are found out, and the largest size is tried.
        whys = dict(reversed([(why, index) for index, why in costly]))
        kept = [
            (index, why)
            for why, index in whys.items()
            if why.startswith("slows") or why == "largest"
        ]
        kept = kept[: max(0, count - 1)]
        found = self.bench.separate([self.pool[index] for index in self.demanding], count)
        # Inputs that were sought are the generator's, too.
        found = [test for test in found if has_full_confidence(test, self.bench.confidence)]
        if not found:
            return costly
        places = {test.test_id: index for index, test in enumerate(self.pool)}
        picks: list[tuple[int, str]] = []
        for test in found:
            if test.test_id not in places:
                places[test.test_id] = len(self.pool)
                self.pool.append(test)
                self.bytes.append(size_of(test))
            picks.append((places[test.test_id], test.adds or ""))
        first = count - len(kept)
        chosen: dict[int, str] = {}
        for index, why in (*picks[:first], *kept, *picks[first:]):
            chosen.setdefault(index, why)
        return list(chosen.items())[:count]

    def costliest(self, count: int) -> list[tuple[int, str]]:
        """Return at most so many demanding inputs, each with why."""
        places, costs = self._costs()
        if not places or count <= 0:
            return []
        accepted = costs.shape[1] - len(self.slow)
        sizes = np.array([self.bytes[index] for index in places], np.float64)
        # Starting a program costs something on any input.
        least, most = costs.min(axis=0), costs.max(axis=0)
        worth_costing = 1.5  # times the lowest cost: with less than that costs do not differ
        differ = most > worth_costing * least
        # The highest of costs that do not differ is an input that noise chose.
        picks = {int(costs[:, each].argmax()): "cost" for each in range(accepted) if differ[each]}
        for row in np.argsort(-sizes, kind="stable")[:LARGEST]:
            picks.setdefault(int(row), "largest")
        for number, name in enumerate(self.slow, accepted):
            slower = costs[:, number] / costs[:, :accepted].max(axis=1, initial=1)
            picks.setdefault(int(slower.argmax()), f"slows {name}")
        shares = np.where(differ, (costs - least) / np.maximum(most - least, 1), 0)
        relative = np.maximum(shares.max(axis=1, initial=0), sizes / sizes.max(initial=1))
        looks = np.array([_looks(self.pool[index].stdin) for index in places])
        # Of the costs, that make inputs as unlike as another order of all values does
        cost_doublings = 8
        where = np.column_stack([np.log2(costs) / cost_doublings, looks])
        # Of the highest cost, or the size of the largest: what less demanding inputs are not taken
        # for
        costly_share = 0.3
        left = relative >= costly_share
        left[list(picks)] = False
        # Farthest first (Gonzalez 1985): each is as unlike all that are taken as can be.
        while left.any() and len(picks) < count:
            distance = np.min([np.abs(where - where[row]).sum(axis=1) for row in picks], axis=0)
            row = int(np.where(left, distance, -1).argmax())
            picks[row], left[row] = "unlike the others", False
        return [(places[row], why) for row, why in list(picks.items())[:count]]

    def _costs(self) -> tuple[list[int], npt.NDArray[np.float64]]:
        """Return demanding inputs, and what they cost each accepted and each slow program, in nanoseconds.

        One on which accepted programs disagree or fail is no test, nor is one that none of them
        finishes, nor is one in doubt: figures of programs on inputs that are not allowed say
        nothing.
        """
        ran = {index for seen in self.seen for index in seen}
        # Families and size classes that efficiency tests are taken from
        costly_classes = ("max", "corner", "large", "worst")
        most_demanding = 60  # inputs that efficiency tests are chosen from
        sure = {i for i, t in enumerate(self.pool) if has_full_confidence(t, self.bench.confidence)}
        places = [
            index
            for index in self.order
            if index in sure
            and (self.pool[index].size in costly_classes or self.bytes[index] > SMALL_BYTES)
            and (index not in ran or index in self.right)
        ][:most_demanding]
        small = sorted(sure.intersection(self.small), key=lambda index: (-self.bytes[index], index))
        places = places or small[:most_demanding]
        # Where programs are dear, one says what inputs cost.
        numbers = [number for number in range(len(self.programs)) if number not in self.out]
        numbers = numbers[:1] if self.dear else numbers
        accepted = [self.programs[number] for number in numbers]
        seen = [self._run(each, places, RunMode.ALONE) for each in (*accepted, *self.slow.values())]
        if accepted:
            self._compare_all(places, seen[: len(accepted)])
            answers = {index: self._answers(index, seen[: len(accepted)]) for index in places}
            said = {index: {each for each in answers[index] if each} for index in places}
            most = len(accepted) if self.many else 1
            places = [
                index
                for index in places
                if 0 < len(said[index]) <= most
                and FAILS not in said[index]
                and self._as_given(index, seen)
            ]
            for index in places:
                self.right.setdefault(index, min(said[index]))
                for number, each in zip(numbers, seen, strict=False):
                    if index in each:
                        self.seen[number].setdefault(index, each[index])
        self.demanding = places
        costs = [
            [1.0 + each[index].cpu_ns if index in each else 1.0 for each in seen]
            for index in places
        ]
        return places, np.array(costs).reshape(len(places), len(seen))

    # ------------------------------------------------------------------ known wrong programs

    def killers(self, kept: Sequence[int]) -> list[tuple[int, str]]:
        """Return candidates that kill known wrong programs that none of those that are kept kills."""
        found: dict[int, str] = {}
        killers_cpu_ns = 60 * NS_PER_S  # of all known wrong programs together
        until, many = self.cpu_ns + killers_cpu_ns, sum(STEPS)
        for name, program in self.bench.wrong.items():
            if self.cpu_ns < until and self._killer(program, [*kept, *found]) is None:
                killer = self._killer(
                    program, [*self.small[:many], *self.demanding, *self.small[many:]]
                )
                found |= {} if killer is None else {killer: f"kills {name}"}
        return list(found.items())

    def _killer(self, program: Program, places: Sequence[int]) -> int | None:
        known = [index for index in places if index in self.right]
        first = 0
        # Most are killed by the first few.
        for size in (*STEPS, len(known)):
            seen = self._run(program, known[first : first + size], RunMode.TOGETHER)
            for index, each in seen.items():
                if not each.timed_out and not self._is_right(index, each):
                    return index
            first += size
        return None

    def _is_right(self, index: int, mine: ObservedRun) -> bool:
        said = (
            each[index]
            for number, each in enumerate(self.seen)
            if number not in self.out and index in each
        )
        return mine.output is not None and any(
            each.output and self._alike(index, each, mine) for each in said
        )


class _Features:
    """Which features each candidate shows, as rows of numbers.

    What all show tells nothing apart and weighs nothing. kinds: 0 coverage, 1 output, 2 family
    (with the length).
    """

    def __init__(self, places: Sequence[int], rows: Sequence[npt.NDArray[np.int64]]) -> None:
        self.places = places
        names, numbers, counts = np.unique(
            np.concatenate(rows), return_inverse=True, return_counts=True
        )
        self.kinds = np.where(names >= 1 << 41, 2, np.where(names >= 1 << 40, 1, 0))
        ends = np.cumsum([row.size for row in rows])
        self.rows = np.split(numbers, ends[:-1])
        self._numbers, self._starts = numbers, np.concatenate([[0], ends[:-1]])
        tells = (counts < len(rows)) & (self.kinds == 0)
        usual = max(1.0, tells[numbers].sum() / len(rows))
        # what an output and a family weigh, as shares of all edges of a usual input
        output_weight, family_weight = 0.1, 0.3
        self.weights = np.choose(
            self.kinds, [tells * 1.0, output_weight * usual, family_weight * usual]
        )

    def of(self, index: int) -> npt.NDArray[np.int64]:
        """Return the features of a candidate, by its place in the pool."""
        return self.rows[self.places.index(index)] if index in self.places else self.rows[0][:0]

    def sums(self, worth: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each row what its features are worth."""
        return np.add.reduceat(worth[self._numbers], self._starts)


def _looks(stdin: str) -> tuple[float, ...]:
    """Return what an input is like: its length, and how its values repeat and are ordered.

    Each is a number from 0 to 1.
    """
    most_tokens = 20_000  # of an input, to see what it is like
    tokens = stdin[: 8 * most_tokens].split()[:most_tokens]
    pairs = max(1, len(tokens) - 1)
    keys = [(len(token), token) for token in tokens]
    rising = sum(a < b for a, b in pairwise(keys)) / pairs
    equal = sum(a == b for a, b in pairwise(tokens)) / pairs
    return math.log2(1 + len(stdin)) / 24, len(set(tokens)) / max(1, len(tokens)), rising, equal
