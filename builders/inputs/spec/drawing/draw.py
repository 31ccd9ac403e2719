"""Inputs drawn from a specification.

What the `FAMILIES` are for is said in `state`. The family ``unsure`` is one of `families` only
where promises are suspected: each of its inputs breaks one of them and keeps all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

from ..checking.validate import Validator
from ..promises import Promise
from ..specification import Spec, SpecError
from ..structures import StructureError, flatten, fold
from .plan import LENGTH_LIKE, Plan
from .replay import Old, read_sample
from .state import FAMILIES as FAMILIES  # `draw` takes them
from .state import Drawing, Stuck
from .synthesis import input_of

UNSURE = "unsure"
# Attempts at an input of its family, and at a tiny one where those end in nothing.
ATTEMPTS, TINY_ATTEMPTS, UNSURE_ATTEMPTS = 8, 24, 40
MOST_DRAWN = 24_000_000  # characters of all attempts at one input
MOST_PREPARED = 8  # specifications


def draw(spec: Spec, seed: int, family: str) -> str:
    """Return an input for a seed and a family, or for a size (``1000``, ``n=1000``).

    The same arguments give the same text.

    Raises:
        SpecError: The specification is nonsense, or no input that keeps its promises was met.
    """
    prepared = _prepared(spec)
    if family == UNSURE and prepared.suspected:
        return prepared.unsure(seed)
    drawn, reason = 0, ""
    for text in prepared.attempts(seed, family, ATTEMPTS):
        reasons = prepared.reasons(text)
        if not reasons:
            return text
        drawn, reason = drawn + len(text), reasons[0]
        if drawn > MOST_DRAWN:
            break
    for text in prepared.attempts(seed, "tiny", TINY_ATTEMPTS):
        if not (reasons := prepared.reasons(text)):
            return text
        reason = reasons[0]
    raise SpecError(
        f"no input that keeps all promises was met; missed last: {reason or prepared.stuck}"
    )


def families(spec: Spec) -> tuple[str, ...]:
    """Return the families that `draw` takes for a specification."""
    return (*FAMILIES, UNSURE) if spec.promises("suspected") else FAMILIES


def sizes(spec: Spec) -> dict[str, int]:
    """Return the sizes that inputs may be asked for by a number, each with the largest.

    "" is all of them at once.

    Raises:
        SpecError: The specification is nonsense.
    """
    plan = _prepared(spec).plan
    sized = plan.lengths or (set(plan.scalars) if plan.few else set())
    highs = {name: plan.bounds.open_range(name).high for name in sorted(sized - plan.outer)}
    most = {name: int(min(high, LENGTH_LIKE)) for name, high in highs.items()}
    return {"": max(most.values()), **(most if len(most) > 1 else {})} if most else {}


class _Prepared:
    """A specification with everything that its inputs are drawn and checked with."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.suspected = list(dict.fromkeys(spec.promises("suspected")))
        try:
            self.plan = Plan(spec)
        except (SyntaxError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
            raise (
                error if isinstance(error, SpecError) else SpecError(f"nonsense: {error}")
            ) from None
        self.samples = list(self._read_samples())
        self.stuck = ""
        self.weakened: dict[int, _Prepared] = {}

    def _read_samples(self) -> Iterator[Old]:
        for text in self.spec.samples:
            with suppress(StructureError):
                if sample := read_sample(self.plan.layout, flatten(self.spec.layout, text)):
                    yield sample

    @cached_property
    def validator(self) -> Validator:
        """The validator of this specification."""
        return Validator(self.spec, ("statement", "suspected"))

    def reasons(self, text: str) -> list[str]:
        """Return which promises an input breaks, where drawing does not keep all by itself."""
        return self.validator.reasons(text) if self.plan.untold else []

    def attempts(self, seed: int, family: str, count: int) -> Iterator[str]:
        """Yield the inputs of so many attempts, without those that got stuck."""
        for attempt in range(count):
            try:
                state = Drawing(self.plan, seed, family, self.samples, attempt)
                flat = input_of(state)
                yield fold(self.spec.layout, flat, seed)
            except Stuck as error:
                self.stuck = str(error)

    def unsure(self, seed: int) -> str:
        """Return an input that breaks one suspected promise and no other one."""
        for place in range(len(self.suspected)):
            broken = self.without((seed + place) % len(self.suspected))
            for family in ("tiny", "multiscale"):
                for text in broken.attempts(seed, family, UNSURE_ATTEMPTS):
                    if not broken.validator.reasons(text) and self.validator.reasons(text):
                        return text
        raise SpecError("no input that breaks just one suspected promise was met")

    def without(self, place: int) -> _Prepared:
        """Return the specification without one of its suspected promises."""
        if place not in self.weakened:
            one: Promise = self.suspected[place]
            readings = tuple(
                reading._replace(promises=tuple(p for p in reading.promises if p != one))
                if reading.witness == "suspected"
                else reading
                for reading in self.spec.readings
            )
            self.weakened[place] = _Prepared(replace(self.spec, readings=readings))
        return self.weakened[place]


_PREPARED: dict[int, _Prepared] = {}


def _prepared(spec: Spec) -> _Prepared:
    # By identity: a specification holds mappings, and has no hash. Each is kept alive with its key.
    if id(spec) not in _PREPARED:
        if len(_PREPARED) >= MOST_PREPARED:
            del _PREPARED[next(iter(_PREPARED))]
        _PREPARED[id(spec)] = _Prepared(spec)
    return _PREPARED[id(spec)]
