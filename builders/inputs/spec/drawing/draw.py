"""Draws inputs from a specification.

`state` describes the `FAMILIES`. `families` adds the family ``unsure`` if a specification has
suspected promises: each of its inputs breaks one of them and satisfies all others.
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
from .replay import SampleBlock, read_sample
from .state import FAMILIES as FAMILIES
from .state import DrawError, Drawing
from .synthesis import input_of

UNSURE = "unsure"
# Attempts at an input of the family, and at a tiny one if those fail; attempts at an unsure input.
ATTEMPTS, TINY_ATTEMPTS, UNSURE_ATTEMPTS = 8, 24, 40
MOST_DRAWN = 24_000_000  # characters of all attempts at one input
MOST_CACHED = 8  # specifications


def draw(spec: Spec, seed: int, family: str) -> str:
    """Return an input for a seed and a family, or for a size (``1000``, ``n=1000``).

    The same arguments give the same text.

    Raises:
        SpecError: The specification is not valid, or every attempt broke a promise.
    """
    generator = _generator(spec)
    if family == UNSURE and generator.suspected:
        return generator.unsure(seed)
    drawn, reason = 0, ""
    for text in generator.attempts(seed, family, ATTEMPTS):
        reasons = generator.reasons(text)
        if not reasons:
            return text
        drawn, reason = drawn + len(text), reasons[0]
        if drawn > MOST_DRAWN:
            break
    for text in generator.attempts(seed, "tiny", TINY_ATTEMPTS):
        if not (reasons := generator.reasons(text)):
            return text
        reason = reasons[0]
    raise SpecError(
        f"no attempt drew an input that keeps all promises; the last: {reason or generator.failure}"
    )


def families(spec: Spec) -> tuple[str, ...]:
    """Return the families that `draw` accepts for a specification."""
    return (*FAMILIES, UNSURE) if spec.promises("suspected") else FAMILIES


def sizes(spec: Spec) -> dict[str, int]:
    """Return the names whose size `draw` can set, with the largest size of each.

    The name "" stands for all of them together.

    Raises:
        SpecError: The specification is not valid.
    """
    plan = _generator(spec).plan
    sized = plan.lengths or (set(plan.scalars) if plan.few else set())
    highs = {name: plan.bounds.open_range(name).high for name in sorted(sized - plan.outer)}
    most = {name: int(min(high, LENGTH_LIKE)) for name, high in highs.items()}
    return {"": max(most.values()), **(most if len(most) > 1 else {})} if most else {}


class _Generator:
    """Draws and checks the inputs of one specification."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.suspected = list(dict.fromkeys(spec.promises("suspected")))
        try:
            self.plan = Plan(spec)
        except (SyntaxError, ValueError, LookupError, ArithmeticError, RecursionError) as error:
            raise (
                error if isinstance(error, SpecError) else SpecError(f"not valid: {error}")
            ) from None
        self.samples = list(self._read_samples())
        self.failure = ""
        self.weakened: dict[int, _Generator] = {}

    def _read_samples(self) -> Iterator[SampleBlock]:
        for text in self.spec.samples:
            with suppress(StructureError):
                if sample := read_sample(self.plan.layout, flatten(self.spec.layout, text)):
                    yield sample

    @cached_property
    def validator(self) -> Validator:
        """The validator of this specification."""
        return Validator(self.spec, ("statement", "suspected"))

    def reasons(self, text: str) -> list[str]:
        """Return the promises that an input breaks; not checked if the plan guarantees them all."""
        return self.validator.reasons(text) if self.plan.unsupported else []

    def attempts(self, seed: int, family: str, count: int) -> Iterator[str]:
        """Yield the inputs of the successful attempts among `count`."""
        for attempt in range(count):
            try:
                state = Drawing(self.plan, seed, family, self.samples, attempt)
                flat = input_of(state)
                yield fold(self.spec.layout, flat, seed)
            except DrawError as error:
                self.failure = f"could not draw {error}"

    def unsure(self, seed: int) -> str:
        """Return an input that breaks exactly one suspected promise."""
        for place in range(len(self.suspected)):
            broken = self.without((seed + place) % len(self.suspected))
            for family in ("tiny", "multiscale"):
                for text in broken.attempts(seed, family, UNSURE_ATTEMPTS):
                    if not broken.validator.reasons(text) and self.validator.reasons(text):
                        return text
        raise SpecError("no drawn input breaks exactly one suspected promise")

    def without(self, place: int) -> _Generator:
        """Return the generator for the specification without one of its suspected promises."""
        if place not in self.weakened:
            left_out: Promise = self.suspected[place]
            readings = tuple(
                reading._replace(promises=tuple(p for p in reading.promises if p != left_out))
                if reading.witness == "suspected"
                else reading
                for reading in self.spec.readings
            )
            self.weakened[place] = _Generator(replace(self.spec, readings=readings))
        return self.weakened[place]


_GENERATORS: dict[int, _Generator] = {}


def _generator(spec: Spec) -> _Generator:
    # By identity: a specification holds mappings, so it has no hash. The generator refers to it,
    # which keeps its id in use.
    if id(spec) not in _GENERATORS:
        if len(_GENERATORS) >= MOST_CACHED:
            del _GENERATORS[next(iter(_GENERATORS))]
        _GENERATORS[id(spec)] = _Generator(spec)
    return _GENERATORS[id(spec)]
