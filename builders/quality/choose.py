"""Chooses tests from thousands of candidate inputs, without knowing the wrong programs to catch.

candidate    an input that the validator passed; a pool is all candidates of a problem
role         ``correctness``: many tests, tiny if possible; ``efficiency``: few, among the costliest
feature      a trait of an input: an edge of an accepted program with its count, an output, a family
to add       a test adds a feature that no earlier test has, or few of them have

Two or three accepted programs run on the pool, traced if their language supports it. Inputs on
which they disagree or crash stop being candidates. Then a greedy choice takes the input that adds
most for its size: new features count in full, and a feature counts less with every test that has
it. Without coverage, outputs and families still spread the choice. Every second test is drawn from
the pool instead, each family in turn: features favour the rare, while many mistakes show on common,
tiny inputs. Known wrong programs that survive the choice run on the pool, and the inputs that kill
them become tests as well.

Efficiency tests are the few large inputs that best tell accepted programs apart (separating.py),
the largest one, and those that cost known slow programs most. Without two programs to tell apart,
they are the inputs that cost an accepted or a known slow program most, followed by those that
differ most from the chosen ones in cost and in the order and repetition of their values.
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
SMALL_BYTES = 16 << 10  # larger inputs serve efficiency tests only
UNTRACED = 200  # inputs for a program whose language has no tracing
LARGEST = 3  # number of largest inputs that are always chosen
# On 12 contest tasks with 42 wrong human programs, 100 tests rejected 41 at shares from 0.4 to 0.7,
# 40 at 0, and 39 at 1.
DRAWN = 0.5  # share of the correctness tests drawn from the pool regardless of features
STEPS = (16, 64)  # inputs for a known wrong program, one step after the other; all others follow
FAILS = "fails"  # stands for the answer of a program that fails


Separate = Callable[[Sequence[TestCase], int], Sequence[TestCase]]


@dataclass(frozen=True)
class SelectionContext:
    """The programs and functions that the choice uses.

    Attributes:
        accepted: Accepted programs, in the order to run them.
        wrong: Known wrong programs, by name.
        slow: Known slow programs, by name.
        observe: Runs a program on inputs; returns fewer results than inputs if it takes too long.
        same: Returns for each answer whether it is equivalent to the expected one.
        separate: Returns inputs that tell accepted programs apart: candidates or variations of
            them, up to a given number.
        confidence: Confidence, from 0 to 1, that the generator makes only allowed inputs.
        several: Whether answers that `same` rejects may still be right.
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
    """The chosen tests, and notes about the choice.

    Tests with roles are in the order of the choice, given ones first: the first few show most, so a
    run that stops at the first failure stops early. Without roles they stay in the order of the
    pool. `agreed` are candidate inputs on which the accepted programs agree; on `disputed` ones
    they disagree or fail.
    """

    tests: tuple[TestCase, ...]
    notes: tuple[str, ...] = ()
    agreed: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()


def price(language: Language) -> tuple[int, str]:
    """Return the sort key of a language for running accepted programs.

    First the languages that can be traced on the whole pool, then on part of it, then not at all.
    """
    how = language.coverage
    return (2 if how is None else 1 if how.inputs else 0), language.id


def choose(
    context: SelectionContext,
    pool: Sequence[TestCase],
    count: int,
    efficiency: int,
    roles: bool = True,
) -> ChosenTests:
    """Return at most `count` tests for correctness and `efficiency` for efficiency.

    Given tests are kept if there is room for all of them; otherwise they compete with the other
    candidates. Without `roles` there are `count` tests in total, none of them for efficiency alone,
    and the largest inputs are among them.
    """
    candidates = _CandidatePool(context, pool, math.inf if not roles else SMALL_BYTES)
    costly = (
        candidates.efficient(efficiency) if roles else candidates.costliest(min(count, LARGEST))
    )
    if not roles:
        adds = dict(
            [
                *costly,
                *candidates.pick(count - len(costly), [index for index, _ in costly], drawn=0),
            ]
        )
        tests = [
            replace(test, adds=adds[index]) for index, test in enumerate(pool) if index in adds
        ]
        return ChosenTests(tuple(tests), tuple(candidates.notes))
    given_places = [index for index, test in enumerate(pool) if test.kind == GIVEN]
    given_kept = given_places if len(given_places) <= count else []
    reserved = [*given_kept, *(index for index, _ in costly)]
    picks = [(index, GIVEN) for index in given_kept] + candidates.pick(
        count - len(given_kept), reserved
    )
    killers = candidates.killers([index for index, _ in (*picks, *costly)])[
        : count - len(given_kept)
    ]
    # The last picks add least, so they make room for the killers.
    room = min(len(picks), count - len(killers))
    selected = {index: (CORRECTNESS, reason) for index, reason in (*picks[:room], *killers)}
    selected |= {index: (EFFICIENCY, reason) for index, reason in costly}
    tests = [
        replace(candidates.pool[index], role=role, adds=reason)
        for index, (role, reason) in selected.items()
    ]
    agreed, disputed = (
        tuple(candidates.pool[index].stdin for index in places)
        for places in (candidates.agreed, candidates.disputed)
    )
    return ChosenTests(tuple(tests), tuple(candidates.notes), agreed, disputed)


class _CandidatePool:
    """A pool of candidates with the results of the accepted programs on it.

    Attributes:
        pool: The candidates, followed by the inputs that the search for separating ones added.
        order: The indices of the pool, in the order to run them.
        small: The candidates for correctness.
        slow: The known slow programs in use.
        demanding: The candidates for efficiency.
        many_answers: Whether a candidate may have many right answers.
        cpu_ns: CPU time of all runs.
        excluded: Numbers of the accepted programs that turned out to be wrong.
        right: The digest that represents the right answer, for each candidate that was run.
    """

    def __init__(
        self, context: SelectionContext, pool: Sequence[TestCase], small_bytes: float
    ) -> None:
        self.context, self.pool, self.notes = context, list(pool), list[str]()
        self.bytes = [size_of(test) for test in pool]
        # Only two programs if the language is slow: a third adds little information and costs as
        # much as the first two.
        self.costly_language = (
            len(context.accepted) > 1 and price(context.accepted[1].language)[0] > 0
        )
        most_programs = 3  # accepted programs to run on the pool
        self.programs = context.accepted[: most_programs - self.costly_language]
        most_slow = 4  # known slow programs to run on demanding inputs
        self.slow = dict(list(context.slow.items())[:most_slow])
        self.runs: list[dict[int, ObservedRun]] = []
        self.demanding: list[int] = []
        self.many_answers = False
        self.agreed, self.disputed = list[int](), list[int]()
        self.cpu_ns = 0
        self._compared: dict[tuple[int, str | None, str | None], bool] = {}
        # Given tests first, then the families in proportion: every prefix of the order has the same
        # mix of families as the whole pool.
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
            runs = self._run(
                program, places, RunMode.TRACED if program.language.coverage else RunMode.TOGETHER
            )
            if not any(run.output for run in runs.values()):
                # Tracing may be the reason: the unchanged program is accepted.
                runs = self._run(program, places[:UNTRACED], RunMode.TOGETHER)
            self.runs.append(runs)
        self._resolve_disagreements(places)

    def _run(self, program: Program, places: Sequence[int], how: RunMode) -> dict[int, ObservedRun]:
        coverage = program.language.coverage
        most = (coverage.inputs or len(places)) if coverage else UNTRACED
        # Smallest first: if the program takes too long, only the costliest inputs stay unrun.
        ordered = sorted(places[:most], key=lambda index: (self.bytes[index], index))
        runs = self.context.observe(program, [self.pool[index] for index in ordered], how)
        self.cpu_ns += sum(run.cpu_ns for run in runs)
        return dict(zip(ordered, runs, strict=False))

    def _resolve_disagreements(self, places: Sequence[int]) -> None:
        """Exclude an accepted program that is wrong, and inputs on which the others disagree."""
        self._compare_all(places, self.runs)
        answers = {index: self._answers(index, self.runs) for index in places}
        alone: dict[int, list[TestCase]] = defaultdict(list)
        for index, program_answers in answers.items():
            for number, answer in enumerate(program_answers):
                if (
                    answer
                    and len(counted := Counter(filter(None, program_answers))) == 2
                    and counted[answer] == 1
                    and len(program_answers) == 3
                ):
                    alone[number].append(self.pool[index])
        asked = max(1, sum(None not in program_answers for program_answers in answers.values()))
        # A lone dissenter on a larger share of the inputs is itself wrong.
        dissent = 0.1
        out = {
            number
            for number, tests in alone.items()
            if len(tests) > dissent * asked and condemned(tests, self.context.confidence)
        }
        # If two programs dissent, either may be the wrong one.
        self.excluded = out if len(out) == 1 and not self.context.several else set()
        self.notes += [
            f"an accepted program dissents alone on {len(alone[n])} of {asked} candidates"
            for n in self.excluded
        ]
        distinct = {
            index: self._distinct(program_answers) for index, program_answers in answers.items()
        }
        ran = [index for index in places if distinct[index]]
        good = [
            i
            for i in ran
            if len(distinct[i]) == 1
            and FAILS not in distinct[i]
            and self._matches_expected(i, self.runs)
        ]
        if 0 < len(good) < len(ran):
            self.notes.append(
                f"accepted programs disagree or fail on {len(ran) - len(good)} of {len(ran)} "
                "candidates"
            )
        # With a larger share of disputed inputs the problem may have many right answers.
        disputed = 0.5
        if self.context.several or len(good) < disputed * len(ran):
            # All canonical solutions decide later which of these answers are equivalent.
            self.many_answers = True
            good = [index for index in ran if FAILS not in distinct[index]] or ran
        if not self.many_answers:
            self.agreed, self.disputed = good, [index for index in ran if index not in set(good)]
        self.right = {index: min(distinct[index]) for index in good}
        # If no candidate is left, those that no program ran on are better than none.
        self.small = good or list(places)

    def _matches_expected(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> bool:
        """Return False if accepted programs contradict the output that came with an input."""
        expected, mine = self._expected(index), self._first(index, seen)
        return expected is None or mine is None or self._equivalent(index, expected, mine)

    def _expected(self, index: int) -> ObservedRun | None:
        expected = self.pool[index].stdout
        return (
            None
            if expected is None
            else ObservedRun(output_key(expected.encode()), expected, 0, NO_EDGES)
        )

    def _first(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> ObservedRun | None:
        return next((runs[index] for runs in seen if index in runs and runs[index].output), None)

    def _distinct(self, answers: Sequence[str | None]) -> set[str]:
        return {
            answer
            for number, answer in enumerate(answers)
            if answer and number not in self.excluded
        }

    def _answers(self, index: int, seen: Sequence[Mapping[int, ObservedRun]]) -> list[str | None]:
        """Return the answer of each program, or None without one; equivalent answers are equal."""
        first = self._first(index, seen)
        return [self._answer(index, first, runs.get(index)) for runs in seen]

    def _answer(
        self, index: int, first: ObservedRun | None, mine: ObservedRun | None
    ) -> str | None:
        if mine is None or mine.timed_out:
            return None
        if first is None or mine.output is None:
            return FAILS
        return first.output if self._equivalent(index, first, mine) else mine.output

    def _equivalent(self, index: int, right: ObservedRun, mine: ObservedRun) -> bool:
        if mine.output == right.output or right.text is None or mine.text is None:
            return mine.output == right.output
        if (index, right.output, mine.output) not in self._compared:
            self._compare([(index, right, mine)])
        return self._compared[index, right.output, mine.output]

    def _compare_all(
        self, places: Sequence[int], seen: Sequence[Mapping[int, ObservedRun]]
    ) -> None:
        """Compare in one call all pairs that `_answers` and `_matches_expected` will look up."""
        asked: list[tuple[int, ObservedRun, ObservedRun]] = []
        for index in places:
            if first := self._first(index, seen):
                asked += [
                    (index, first, runs[index])
                    for runs in seen
                    if index in runs and runs[index].output
                ]
                asked += [(index, expected, first)] if (expected := self._expected(index)) else []
        self._compare(asked)

    def _compare(self, asked: Sequence[tuple[int, ObservedRun, ObservedRun]]) -> None:
        """Compare pairs of outputs, in batches: every call of an evaluator starts a process."""
        # Texts are present only if different outputs may be equivalent.
        answers = {
            (index, right.output, mine.output): Answer(
                right.text, mine.text.encode(), self.pool[index].stdin
            )
            for index, right, mine in asked
            if right.output != mine.output and right.text is not None and mine.text is not None
        }
        keys = list(answers)
        at_once = 200  # answers for one evaluator process
        for some in (keys[first : first + at_once] for first in range(0, len(keys), at_once)):
            self._compared |= zip(
                some, self.context.same([answers[key] for key in some]), strict=True
            )

    # ------------------------------------------------------------------ correctness

    def pick(
        self, count: int, chosen: Sequence[int], drawn: float = DRAWN
    ) -> list[tuple[int, str]]:
        """Return up to `count` more small candidates than the `chosen` ones, each with a reason.

        `drawn` is the share that is sampled in pool order, regardless of features.
        """
        if count <= 0 or not self.small:
            return []
        table = self._features()
        shown = np.zeros(table.weights.size, np.int64)
        for index in chosen:
            shown[table.of(index)] += 1
        left = ~np.isin(table.places, chosen)
        picks: list[tuple[int, str]] = []
        sampled = 0
        # Larger inputs show more features but are harder to understand, so they have to add more.
        cost = np.array(
            [math.sqrt(1 + math.log2(1 + self.bytes[index] / 16)) for index in table.places]
        )
        # Nearby values chose equally well on 15 tasks with 50 tests.
        decay = 0.3  # factor on the weight of a feature for each test that already has it
        while len(picks) < count and left.any():
            if sampled < drawn * len(picks):
                row, reason, sampled = int(left.argmax()), "sample", sampled + 1
            else:
                gains = np.where(left, table.sums(table.weights * decay**shown) / cost, -1.0)
                row = int(gains.argmax())
                new = set(table.kinds[table.rows[row][shown[table.rows[row]] == 0]])
                reason = (
                    "coverage"
                    if 0 in new
                    else "output"
                    if 1 in new
                    else "family"
                    if 2 in new
                    else "spread"
                )
            mine = table.rows[row]
            picks.append((table.places[row], reason))
            shown[mine] += 1
            left[row] = False
        return picks

    def _features(self) -> _Features:
        rows: list[list[npt.NDArray[np.int64]]] = [[] for _ in self.small]
        for number, seen in enumerate(self.runs):
            for row, index in enumerate(self.small):
                if number not in self.excluded and index in seen:
                    rows[row].append(seen[index].edges.astype(np.int64) | number << 32)
        outputs, families = dict[str, int](), dict[tuple[str | None, int], int]()
        for row, index in enumerate(self.small):
            if index in self.right:
                answer = self.right[index]
                rows[row].append(np.array([1 << 40 | outputs.setdefault(answer, len(outputs))]))
            family = self.pool[index].size, int(math.log2(1 + self.bytes[index]))
            rows[row].append(np.array([1 << 41 | families.setdefault(family, len(families))]))
        return _Features(self.small, [np.concatenate(row) for row in rows])

    # ------------------------------------------------------------------ efficiency

    def efficient(self, count: int) -> list[tuple[int, str]]:
        """Return up to `count` inputs for efficiency, each with the reason for its choice.

        Separating inputs if the search finds any, otherwise the costliest ones.
        """
        costly = self.costliest(count)
        if not costly and count:
            self.notes.append("no tests for efficiency: no input of full confidence is agreed on")
        if not costly:
            return []
        # Always kept, whatever accepted programs cost: one input for each slow program, and the
        # largest.
        by_reason = dict(reversed([(reason, index) for index, reason in costly]))
        fixed = [
            (index, reason)
            for reason, index in by_reason.items()
            if reason.startswith("slows") or reason == "largest"
        ]
        fixed = fixed[: max(0, count - 1)]
        separating = self.context.separate([self.pool[index] for index in self.demanding], count)
        # The search uses the same generator, so its inputs need full confidence too.
        separating = [
            test for test in separating if has_full_confidence(test, self.context.confidence)
        ]
        if not separating:
            return costly
        places = {test.test_id: index for index, test in enumerate(self.pool)}
        picks: list[tuple[int, str]] = []
        for test in separating:
            if test.test_id not in places:
                places[test.test_id] = len(self.pool)
                self.pool.append(test)
                self.bytes.append(size_of(test))
            picks.append((places[test.test_id], test.adds or ""))
        first = count - len(fixed)
        chosen: dict[int, str] = {}
        for index, reason in (*picks[:first], *fixed, *picks[first:]):
            chosen.setdefault(index, reason)
        return list(chosen.items())[:count]

    def costliest(self, count: int) -> list[tuple[int, str]]:
        """Return up to `count` demanding inputs, each with the reason for its choice."""
        places, costs = self._costs()
        if not places or count <= 0:
            return []
        accepted = costs.shape[1] - len(self.slow)
        sizes = np.array([self.bytes[index] for index in places], np.float64)
        # The lowest cost is mostly the start of the program.
        least, most = costs.min(axis=0), costs.max(axis=0)
        worth_costing = 1.5  # ratio to the lowest cost above which a difference is real
        differ = most > worth_costing * least
        # If costs do not differ, only noise decides which is the highest.
        picks = {
            int(costs[:, program].argmax()): "cost"
            for program in range(accepted)
            if differ[program]
        }
        for row in np.argsort(-sizes, kind="stable")[:LARGEST]:
            picks.setdefault(int(row), "largest")
        for number, name in enumerate(self.slow, accepted):
            slower = costs[:, number] / costs[:, :accepted].max(axis=1, initial=1)
            picks.setdefault(int(slower.argmax()), f"slows {name}")
        shares = np.where(differ, (costs - least) / np.maximum(most - least, 1), 0)
        relative = np.maximum(shares.max(axis=1, initial=0), sizes / sizes.max(initial=1))
        shapes = np.array([_shape(self.pool[index].stdin) for index in places])
        # Two inputs whose costs differ by a factor of 2**8 are as different as two whose values
        # are in opposite order.
        cost_doublings = 8
        where = np.column_stack([np.log2(costs) / cost_doublings, shapes])
        # Share of the highest cost or the largest size below which an input is not demanding.
        costly_share = 0.3
        left = relative >= costly_share
        left[list(picks)] = False
        # Farthest-first traversal (Gonzalez 1985): next is the input farthest from all chosen ones.
        while left.any() and len(picks) < count:
            distance = np.min([np.abs(where - where[row]).sum(axis=1) for row in picks], axis=0)
            row = int(np.where(left, distance, -1).argmax())
            picks[row], left[row] = "unlike the others", False
        return [(places[row], reason) for row, reason in list(picks.items())[:count]]

    def _costs(self) -> tuple[list[int], npt.NDArray[np.float64]]:
        """Return demanding inputs, and the CPU times in ns of accepted and slow programs on them.

        An input does not qualify if accepted programs disagree or fail on it, if none of them
        finishes, or if it may not be allowed: times on disallowed inputs are meaningless.
        """
        ran = {index for seen in self.runs for index in seen}
        costly_classes = ("max", "corner", "large", "worst")  # families and size classes
        most_demanding = 60  # inputs to choose efficiency tests from
        sure = {
            i for i, t in enumerate(self.pool) if has_full_confidence(t, self.context.confidence)
        }
        places = [
            index
            for index in self.order
            if index in sure
            and (self.pool[index].size in costly_classes or self.bytes[index] > SMALL_BYTES)
            and (index not in ran or index in self.right)
        ][:most_demanding]
        small = sorted(sure.intersection(self.small), key=lambda index: (-self.bytes[index], index))
        places = places or small[:most_demanding]
        # In a slow language one program is enough to tell what inputs cost.
        numbers = [number for number in range(len(self.programs)) if number not in self.excluded]
        numbers = numbers[:1] if self.costly_language else numbers
        accepted = [self.programs[number] for number in numbers]
        seen = [
            self._run(program, places, RunMode.ALONE)
            for program in (*accepted, *self.slow.values())
        ]
        if accepted:
            self._compare_all(places, seen[: len(accepted)])
            answers = {index: self._answers(index, seen[: len(accepted)]) for index in places}
            distinct = {index: {answer for answer in answers[index] if answer} for index in places}
            most = len(accepted) if self.many_answers else 1
            places = [
                index
                for index in places
                if 0 < len(distinct[index]) <= most
                and FAILS not in distinct[index]
                and self._matches_expected(index, seen)
            ]
            for index in places:
                self.right.setdefault(index, min(distinct[index]))
                for number, runs in zip(numbers, seen, strict=False):
                    if index in runs:
                        self.runs[number].setdefault(index, runs[index])
        self.demanding = places
        costs = [
            [1.0 + runs[index].cpu_ns if index in runs else 1.0 for runs in seen]
            for index in places
        ]
        return places, np.array(costs).reshape(len(places), len(seen))

    # ------------------------------------------------------------------ known wrong programs

    def killers(self, chosen: Sequence[int]) -> list[tuple[int, str]]:
        """Return candidates that kill the known wrong programs that survive the chosen ones."""
        killers: dict[int, str] = {}
        killers_cpu_ns = 60 * NS_PER_S  # total for all known wrong programs
        until, many = self.cpu_ns + killers_cpu_ns, sum(STEPS)
        for name, program in self.context.wrong.items():
            if self.cpu_ns < until and self._killer(program, [*chosen, *killers]) is None:
                killer = self._killer(
                    program, [*self.small[:many], *self.demanding, *self.small[many:]]
                )
                killers |= {} if killer is None else {killer: f"kills {name}"}
        return list(killers.items())

    def _killer(self, program: Program, places: Sequence[int]) -> int | None:
        known = [index for index in places if index in self.right]
        first = 0
        # The first few inputs kill most programs.
        for size in (*STEPS, len(known)):
            seen = self._run(program, known[first : first + size], RunMode.TOGETHER)
            for index, run in seen.items():
                if not run.timed_out and not self._is_right(index, run):
                    return index
            first += size
        return None

    def _is_right(self, index: int, mine: ObservedRun) -> bool:
        answers = (
            runs[index]
            for number, runs in enumerate(self.runs)
            if number not in self.excluded and index in runs
        )
        return mine.output is not None and any(
            answer.output and self._equivalent(index, answer, mine) for answer in answers
        )


class _Features:
    """The features of each candidate, as rows of feature numbers.

    A feature of all candidates has weight 0. `kinds` of features: 0 coverage, 1 output, 2 family
    (with the magnitude of the length).
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
        # weights of an output and a family, as shares of the number of edges of an average input
        output_weight, family_weight = 0.1, 0.3
        self.weights = np.choose(
            self.kinds, [tells * 1.0, output_weight * usual, family_weight * usual]
        )

    def of(self, index: int) -> npt.NDArray[np.int64]:
        """Return the features of a candidate, by its index in the pool."""
        return self.rows[self.places.index(index)] if index in self.places else self.rows[0][:0]

    def sums(self, worth: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each candidate the sum of the worth of its features."""
        return np.add.reduceat(worth[self._numbers], self._starts)


def _shape(stdin: str) -> tuple[float, ...]:
    """Return the length, the variety and the order of an input's values, each from 0 to 1."""
    most_tokens = 20_000  # a prefix is representative enough
    tokens = stdin[: 8 * most_tokens].split()[:most_tokens]
    pairs = max(1, len(tokens) - 1)
    keys = [(len(token), token) for token in tokens]
    rising = sum(a < b for a, b in pairwise(keys)) / pairs
    equal = sum(a == b for a, b in pairwise(tokens)) / pairs
    return math.log2(1 + len(stdin)) / 24, len(set(tokens)) / max(1, len(tokens)), rising, equal
