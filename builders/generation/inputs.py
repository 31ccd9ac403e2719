"""The test inputs of a problem, whichever way they are made: what a build calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from venus_toolkit.builders.generation.derive import NotDerived, derive
from venus_toolkit.builders.generation.model import Accepts, try_generator, try_validator, write_program
from venus_toolkit.builders.generation.render import mutated_source
from venus_toolkit.builders.generation.run import Generated, generate, refusals
from venus_toolkit.builders.generation.statement import find_samples
from venus_toolkit.builders.generation.typed import typed_inputs
from venus_toolkit.errors import SourceError, UsageError
from venus_toolkit.llm import Generator
from venus_toolkit.records import Problem, TestCase
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.supervisor import Cores

WAYS = ("own", "model", "derived", "mutated", "types", "given")
MUTATED_CONFIDENCE = 0.3
TYPES_CONFIDENCE = 0.1
MODEL_CONFIDENCE = 0.9
MOST_EMBEDDED = 20
LONGEST_EMBEDDED = 20_000


@dataclass(frozen=True, slots=True)
class InputOptions:
    """How inputs are made.

    tests is how many there shall be, given ones included. ways are tried in this order until one gives inputs; a
    model is only asked where one is handed in. min_confidence: what a derived generator is believed from. rounds:
    answers that a model may give for one program.
    """

    tests: int = 20
    seed: int = 0
    ways: tuple[str, ...] = WAYS
    min_confidence: float = 0.25
    rounds: int = 3

    def __post_init__(self) -> None:
        unknown = sorted(set(self.ways) - set(WAYS))
        if unknown or not self.ways:
            raise UsageError(f"unknown ways to make inputs: {', '.join(unknown) or 'none is named'}",
                             "known are " + ", ".join(WAYS), "see docs/generation.md")  # fmt: skip


class Inputs(NamedTuple):
    """The inputs of a problem, what was dropped (by test id, with its reason), and how they were made.

    generator_source and validator_source are the programs that were used, to be published. reasons says in words what
    lowers the confidence and why likelier ways were not gone.
    """

    tests: tuple[TestCase, ...]
    dropped: dict[str, str]
    way: str
    confidence: float
    reasons: tuple[str, ...] = ()
    generator_source: str | None = None
    validator_source: str | None = None


class _Source(NamedTuple):
    """A generator, how sure it is, and why not surer."""

    code: str
    confidence: float
    reasons: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    """What the ways need, and what they say of why they could not be gone."""

    sandbox: Sandbox
    problem: Problem
    given: Sequence[TestCase]
    options: InputOptions
    cores: Cores | None
    model: Generator | None
    accepts: Accepts | None
    validator: str | None = None
    refused: list[str] = field(default_factory=list)


def make_inputs(
    sandbox: Sandbox,
    problem: Problem,
    given: Sequence[TestCase],
    options: InputOptions,
    cores: Cores | None = None,
    model: Generator | None = None,
    accepts: Accepts | None = None,
) -> Inputs:
    """Return the inputs of `problem`: the given ones first, then generated ones up to ``options.tests``.

    Args:
        sandbox: Where generators and validators run.
        problem: Its own generator and validator are used where it has them.
        given: Tests that came with it; their expected outputs are kept.
        options: How many, and which ways may be gone.
        cores: Where to run.
        model: Asked for a generator (and a validator) where the problem has none of its own.
        accepts: Runs canonical solutions on inputs and says, by test id, why one is not accepted: part of the trial
            of a model's generator.

    Raises:
        SandboxError: The sandbox failed.
    """
    work = _Work(sandbox, problem, given, options, cores, model, accepts, problem.validator)
    kept = tuple(given[: options.tests])
    missing = options.tests - len(kept)
    for way in options.ways if missing > 0 else ():
        source = _SOURCES[way](work) if way in _SOURCES else None
        if source:
            made = _run(work, source, missing, kept)
            if made.tests:
                tests, reasons = kept + made.tests, (*source.reasons, *work.refused)
                return Inputs(tests, made.dropped, way, source.confidence, reasons, source.code, work.validator)
            work.refused.append(f"{way}: {next(iter(made.dropped.values()), 'it made no inputs')}")
    return Inputs(kept, {}, "given", 1.0 if kept else 0.0, tuple(work.refused), None, work.validator)


def _run(work: _Work, source: _Source, count: int, kept: Sequence[TestCase]) -> Generated:
    """Run a generator; drops what the validator refuses and what was given already."""
    try:
        made = generate(
            work.sandbox, replace(work.problem, generator=source.code), count, work.options.seed, work.cores
        )
        dropped = dict(made.dropped)
        fresh = list(made.tests)
        if work.validator and fresh:
            said = refusals(work.sandbox, work.validator, [test.stdin for test in fresh], work.cores)
            dropped |= {test.test_id: why for test, why in zip(fresh, said, strict=True) if why}
    except SourceError as error:
        return Generated((), {"generator": str(error)})
    known = {test.stdin: test.test_id for test in kept}
    dropped |= {test.test_id: f"the same input as {known[test.stdin]}" for test in fresh if test.stdin in known}
    return Generated(tuple(test for test in fresh if test.test_id not in dropped), dropped)


# ------------------------------------------------------------------ ways


def _own(work: _Work) -> _Source | None:
    return _Source(work.problem.generator, 1.0) if work.problem.generator else None


def _by_model(work: _Work) -> _Source | None:
    if work.model is None:
        return None
    samples = _right_inputs(work)
    if work.validator is None:
        written = write_program(
            "validator", work.model, work.problem, samples,
            lambda code: try_validator(work.sandbox, code, samples), work.options.rounds,
        )  # fmt: skip
        work.validator = written.code
        if written.code is None:
            work.refused.append(f"model, validator: {written.reason}")
    written = write_program(
        "generator", work.model, work.problem, samples,
        lambda code: try_generator(work.sandbox, work.problem, code, work.validator, work.accepts), work.options.rounds,
    )  # fmt: skip
    if written.code is None:
        work.refused.append(f"model: {written.reason}")
        work.validator = work.problem.validator
        return None
    return _Source(written.code, MODEL_CONFIDENCE, () if work.validator else ("no validator checks its inputs",))


def _derived(work: _Work) -> _Source | None:
    try:
        found = derive(work.problem, [test.stdin for test in work.given])
    except NotDerived as error:
        work.refused.append(f"derived: {error}")
        return None
    if found.confidence < work.options.min_confidence:
        work.refused.append(f"derived: confidence {found.confidence}: {'; '.join(found.reasons)}")
        return None
    return _Source(found.source, found.confidence, found.reasons)


def _mutated(work: _Work) -> _Source | None:
    inputs = [text for text in _right_inputs(work) if len(text) <= LONGEST_EMBEDDED][:MOST_EMBEDDED]
    if not inputs:
        work.refused.append("mutated: there is no given input to vary")
        return None
    return _Source(mutated_source(work.problem.slug, inputs), MUTATED_CONFIDENCE, ("inputs are variations",))


def _from_types(work: _Work) -> _Source | None:
    inputs = typed_inputs(work.problem, MOST_EMBEDDED, work.options.seed)
    if not inputs:
        work.refused.append("types: the starter code says no types")
        return None
    reason = "inputs are random values of the types, allowed or not"
    return _Source(mutated_source(work.problem.slug, inputs), TYPES_CONFIDENCE, (reason,))


def _right_inputs(work: _Work) -> list[str]:
    """Return inputs that are known to be allowed: samples in the statement, and given tests."""
    samples = [sample.stdin for sample in find_samples(work.problem.statement)]
    return list(dict.fromkeys([*samples, *(test.stdin for test in work.given)]))


_SOURCES = {"own": _own, "model": _by_model, "derived": _derived, "mutated": _mutated, "types": _from_types}
