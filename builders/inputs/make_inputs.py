"""The test inputs of a problem, whichever way they are made: what a build calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

from venus_toolkit.builders.inputs.believe import MOST_BROKEN
from venus_toolkit.builders.inputs.derive import Derived, NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.model import (
    Accepts,
    try_generator,
    try_validator,
    write_program,
)
from venus_toolkit.builders.inputs.programs import generator_text, validator_text
from venus_toolkit.builders.inputs.run_generator import (
    Generated,
    generate,
    generate_pool,
    refusals,
)
from venus_toolkit.builders.inputs.statements import parse_statement
from venus_toolkit.core.errors import SourceError, UsageError
from venus_toolkit.core.options import FROM_0_TO_1, NOT_NEGATIVE, check_bounds, nearest
from venus_toolkit.core.records import Problem, Solution, TestCase
from venus_toolkit.dataset.funnel import REFUSED
from venus_toolkit.execution.judging.generators import families
from venus_toolkit.execution.judging.host_programs import PARSING
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores
from venus_toolkit.models.client import Generator

GENERATED, CHOSEN = 20, 100  # tests of a problem where nobody says how many
WAYS = ("own", "model", "derived", "given")  # the surest first
SURE = 0.9  # from which a generator is believed where nobody says another confidence
ENOUGH_GIVEN = 10  # given tests that do without generated ones; fewer where the plan asks for fewer
FEW_CONFIDENCE = 0.5  # of fewer given tests, and of those that the problem's own validator refuses
SAMPLES = ("example-", "sample")  # begin the names of given tests that are the statement's samples


@dataclass(frozen=True, slots=True)
class InputOptions:
    """How inputs are made.

    tests is how many there shall be, given ones included; None: GENERATED where a generator makes
    them one by one, CHOSEN where they are chosen from a pool. At most efficiency_tests are for
    efficiency: beside those that are chosen from a pool, among those that are made one by one.
    candidates is how many inputs a pool has: generators that know families make one. ways are tried
    in this order until one gives inputs; a model is only asked where one is handed in.
    min_confidence: a way with less confidence is not gone, and a problem that no other way is left
    for is dropped. rounds: answers that a model may give for one program.
    """

    tests: int | None = None
    efficiency_tests: Annotated[int, NOT_NEGATIVE] = 10
    candidates: int = 3000
    seed: int = 0
    ways: tuple[str, ...] = WAYS
    min_confidence: Annotated[float, FROM_0_TO_1] = SURE
    rounds: int = 3

    def __post_init__(self) -> None:
        unknown = sorted(set(self.ways) - set(WAYS))
        if unknown or not self.ways:
            fix = (nearest(unknown[0], WAYS) if unknown else "") + "see docs/generation.md"
            raise UsageError(f"unknown ways to make inputs: {', '.join(unknown) or 'none is named'}",
                             "known are " + ", ".join(WAYS), fix)  # fmt: skip
        check_bounds(self, "see docs/generation.md")

    @property
    def generated(self) -> int:
        """How many tests there are that are not chosen from a pool."""
        return self.tests or GENERATED

    @property
    def chosen(self) -> int:
        """How many tests for correctness are chosen from a pool."""
        return self.tests or CHOSEN


class ProblemInputs(NamedTuple):
    """The inputs of a problem, what was dropped (by test id, with its reason), and how they were made.

    generator_source and validator_source are the programs that were used, to be published. reasons
    says in words what lowers the confidence and why likelier ways were not gone. Without tests,
    confidence is the best that any way had.
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
    programs: Sequence[Solution] = ()
    validator: str | None = None
    derived: Derived | None = None
    not_derived: str = ""
    contradicted: bool = False
    best: float = 0.0
    refused: list[str] = field(default_factory=list)


def make_inputs(
    sandbox: Sandbox,
    problem: Problem,
    given: Sequence[TestCase],
    options: InputOptions,
    cores: Cores | None = None,
    model: Generator | None = None,
    accepts: Accepts | None = None,
    programs: Sequence[Solution] = (),
) -> ProblemInputs:
    """Return the inputs of `problem`.

    The given ones first, then generated ones up to ``options.generated``.

    Args:
        sandbox: Where generators and validators run.
        problem: Its own generator and validator are used where it has them.
        given: Tests that came with it; their expected outputs are kept. Those that the validator
            refuses are dropped.
        options: How many, and which ways may be gone.
        cores: Where to run.
        model: Asked for a generator (and a validator) where the problem has none of its own.
        accepts: Runs canonical solutions on inputs and says, by test id, why one is not accepted:
            part of the trial of a model's generator.
        programs: Accepted solutions: what they read says how an input is laid out.

    Raises:
        SandboxError: The sandbox failed.
    """
    work = _Work(sandbox, problem, given, options, cores, model, accepts, programs)
    _read_statement(work)
    wrong = _wrong(work)
    # All others: where they are more than wanted, those are cut that add least (quality/choose.py).
    work.given = kept = tuple(test for test in given if test.test_id not in wrong)
    counted = beside_samples(problem, kept)
    sure = confidence_of_given(problem, kept, options)
    sure = min(sure, FEW_CONFIDENCE) if work.contradicted else sure
    missing = options.generated - (len(kept) if sure >= options.min_confidence else counted)
    # Given tests are rarely large: where its own generator makes a pool, inputs to measure on are
    # chosen from that.
    pooled = [way for way in options.ways if way == "own" and families(problem.generator)]
    for way in options.ways if missing > 0 else pooled:
        source = _SOURCES[way](work) if way in _SOURCES else None
        if source and source.confidence < options.min_confidence:
            work.best = max(work.best, source.confidence)
            told = "; ".join(
                reason for reason in source.reasons if reason not in " ".join(work.refused)
            )
            work.refused.append(f"{way}: confidence {source.confidence:g}{told and ': '}{told}")
        elif source:
            made = _run(work, source, missing, kept)
            if way == "own" and not made.tests and work.validator != work.problem.validator:
                # Who wrote the generator knows the constraints; who read them may be wrong.
                work.refused.append(
                    "the validator made from the statement refuses every input of its own generator"
                )
                work.validator = None
                made = _run(work, source, missing, kept)
            # A likelier way that makes nothing (it crashes, or all is refused) makes room for the
            # next one.
            if made.tests:
                tests, reasons = kept + made.tests, (*source.reasons, *work.refused)
                return ProblemInputs(
                    tests,
                    wrong | made.dropped,
                    way,
                    source.confidence,
                    reasons,
                    source.code,
                    work.validator,
                )
            work.refused.append(f"{way}: {next(iter(made.dropped.values()), 'it made no inputs')}")
    if sure < options.min_confidence:
        if kept:
            enough = f"{min(ENOUGH_GIVEN, options.generated)} are enough"
            work.refused.append(f"{counted} given tests beside the statement's samples, {enough}")
        # The rows of the tests go with the problem.
        return ProblemInputs(
            (), wrong, "given", max(sure, work.best), tuple(work.refused), None, work.validator
        )
    beside = _beside(work) if kept and missing <= 0 else None
    reasons = (*work.refused, *(beside.reasons if beside else ()))
    code = beside.code if beside else None
    return ProblemInputs(kept, wrong, "given", sure, reasons, code, work.validator)


def validator_of(
    problem: Problem, given: Sequence[TestCase], programs: Sequence[Solution] = ()
) -> str | None:
    """Return the problem's own validator, else the one that its statement gives.

    None where there is neither.
    """
    if problem.validator is not None:
        return problem.validator
    try:
        with PARSING:
            return validator_text(derived(problem, [test.stdin for test in given], programs).spec)
    except NotDerived:
        return None


def _read_statement(work: _Work) -> None:
    """Take the problem's own validator, else the one that its statement gives.

    It filters whatever any way makes.
    """
    work.validator = work.problem.validator
    try:
        with PARSING:
            work.derived = derived(work.problem, [test.stdin for test in work.given], work.programs)
    except NotDerived as error:
        work.not_derived = str(error)
    else:
        work.validator = work.validator or validator_text(work.derived.spec)


def _wrong(work: _Work) -> dict[str, str]:
    """Return the given tests that the validator refuses, with its reason.

    None where it refuses many of them.

    One that it cannot decide on, as it crashes or takes too long, stays: large tests are dear to
    lose.
    """
    if not work.validator or not work.given:
        return {}
    try:
        said = refusals(
            work.sandbox, work.validator, [test.stdin for test in work.given], work.cores
        )
    except SourceError as error:
        work.refused.append(f"no given test was validated: {error}")
        return {}
    found = {
        test.test_id: why
        for test, why in zip(work.given, said, strict=True)
        if why and why.startswith(REFUSED)
    }
    if len(found) <= MOST_BROKEN * len(work.given):
        return found
    work.refused.append(
        f"the validator refuses {len(found)} of {len(work.given)} given tests, which are kept"
    )
    # One that is derived may have misread; of one that came with the problem nobody knows which of
    # the two is wrong.
    work.contradicted = work.problem.validator is not None
    return {}


def beside_samples(problem: Problem, given: Sequence[TestCase]) -> int:
    """Return how many given tests are more than the samples of the statement, which are examples."""
    samples = {
        " ".join(sample.stdin.split()) for sample in parse_statement(problem.statement).samples
    }
    tests = (test for test in given if not test.test_id.startswith(SAMPLES))
    return sum(" ".join(test.stdin.split()) not in samples for test in tests)


def confidence_of_given(
    problem: Problem, given: Sequence[TestCase], options: InputOptions
) -> float:
    """Return how sure given tests are without generated ones."""
    enough = beside_samples(problem, given) >= min(ENOUGH_GIVEN, options.generated)
    return 1.0 if enough else FEW_CONFIDENCE if given else 0.0


def _run(work: _Work, source: _Source, count: int, kept: Sequence[TestCase]) -> Generated:
    """Run a generator; drops what the validator refuses and what was given already."""
    known = {test.stdin: test.test_id for test in kept}
    try:
        if families(source.code):
            return generate_pool(
                work.sandbox,
                source.code,
                work.validator,
                work.options.candidates,
                work.options.seed,
                known,
                work.cores,
            )
        made = generate(
            work.sandbox,
            replace(work.problem, generator=source.code),
            count,
            work.options.seed,
            work.cores,
        )
        dropped = dict(made.dropped)
        fresh = list(made.tests)
        if work.validator and fresh:
            said = refusals(
                work.sandbox, work.validator, [test.stdin for test in fresh], work.cores
            )
            dropped |= {test.test_id: why for test, why in zip(fresh, said, strict=True) if why}
    except SourceError as error:
        return Generated((), {"generator": str(error)})
    dropped |= {
        test.test_id: f"the same input as {known[test.stdin]}"
        for test in fresh
        if test.stdin in known
    }
    return Generated(tuple(test for test in fresh if test.test_id not in dropped), dropped)


# ------------------------------------------------------------------ ways


def _own(work: _Work) -> _Source | None:
    return _Source(work.problem.generator, 1.0) if work.problem.generator else None


def _by_model(work: _Work) -> _Source | None:
    if work.model is None:
        return None
    samples = _right_inputs(work)
    if work.problem.validator is None:
        written = write_program(
            "validator", work.model, work.problem, samples,
            lambda code: try_validator(work.sandbox, code, samples), work.options.rounds,
        )  # fmt: skip
        work.validator = written.code or work.validator
        if written.code is None:
            work.refused.append(f"model, validator: {written.reason}")
    written = write_program(
        "generator", work.model, work.problem, samples,
        lambda code: try_generator(work.sandbox, work.problem, code, work.validator, work.accepts), work.options.rounds,
    )  # fmt: skip
    if written.code is None:
        work.refused.append(f"model: {written.reason}")
        # A validator is published as one that was used, and the next ways do without this one.
        _read_statement(work)
        return None
    model_confidence = 0.9
    return _Source(
        written.code,
        model_confidence,
        () if work.validator else ("no validator checks its inputs",),
    )


def _derived(work: _Work) -> _Source | None:
    found = work.derived
    if found is None:
        work.refused.append(f"derived: {work.not_derived}")
        return None
    return _Source(generator_text(found.spec), found.confidence, found.reasons)


def _beside(work: _Work) -> _Source | None:
    """Return the derived generator that is published with given tests, where it is sure enough.

    It makes none of them: it tells mutants from their parents, finds what the tests miss, and shows
    how costs grow.
    """
    found = work.derived
    if (
        work.problem.generator
        or "derived" not in work.options.ways
        or not found
        or found.confidence < SURE
    ):
        return None
    return _Source(
        generator_text(found.spec),
        found.confidence,
        (f"a generator is derived, confidence {found.confidence:g}",),
    )


def _right_inputs(work: _Work) -> list[str]:
    """Return inputs that are known to be allowed: samples in the statement, and given tests."""
    samples = [sample.stdin for sample in parse_statement(work.problem.statement).samples]
    return list(dict.fromkeys([*samples, *(test.stdin for test in work.given)]))


_SOURCES = {
    "own": _own,
    "model": _by_model,
    "derived": _derived,
}
