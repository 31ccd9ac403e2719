"""The test inputs of a problem, made in any way: a build calls this module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

from venus_toolkit.builders.inputs.believe import MOST_BROKEN
from venus_toolkit.builders.inputs.derive import DerivedSpec, NotDerived
from venus_toolkit.builders.inputs.flat import derived
from venus_toolkit.builders.inputs.model import (
    Accepts,
    try_generator,
    try_validator,
    write_program,
)
from venus_toolkit.builders.inputs.programs import generator_text, validator_text
from venus_toolkit.builders.inputs.run_generator import (
    GeneratedTests,
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

GENERATED, CHOSEN = 20, 100  # tests of a problem if the plan sets no count
WAYS = ("own", "model", "derived", "given")  # most reliable first
SURE = 0.9  # minimum confidence of a generator, unless the plan sets another
ENOUGH_GIVEN = 10  # given tests that suffice alone; fewer if the plan asks for fewer
FEW_CONFIDENCE = 0.5  # if there are fewer given tests, or the problem's own validator refuses some
SAMPLES = ("example-", "sample")  # prefixes of given tests that are the statement's samples


@dataclass(frozen=True, slots=True)
class InputOptions:
    """How to make inputs.

    tests is the number of tests, given ones included; None: GENERATED if a generator makes them
    one by one, CHOSEN if they are chosen from a pool. At most efficiency_tests are for
    efficiency: in addition to those chosen from a pool, among those made one by one.
    candidates is the number of inputs of a pool: generators with families make one. ways are tried
    in this order until one gives inputs; a model is asked only if the caller passes one.
    min_confidence: a way with less confidence is skipped, and a problem without another way is
    dropped. rounds: answers that a model may give for one program.
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
        """How many tests there are if they are made one by one."""
        return self.tests or GENERATED

    @property
    def chosen(self) -> int:
        """How many tests for correctness are chosen from a pool."""
        return self.tests or CHOSEN


class ProblemInputs(NamedTuple):
    """The inputs of a problem, the reasons of dropped ones by test id, and how they were made.

    generator_source and validator_source are the programs that were used, to be published. reasons
    says in words what lowers the confidence and why likelier ways were skipped. Without tests,
    confidence is the best of any way.
    """

    tests: tuple[TestCase, ...]
    dropped: dict[str, str]
    way: str
    confidence: float
    reasons: tuple[str, ...] = ()
    generator_source: str | None = None
    validator_source: str | None = None


class _Source(NamedTuple):
    """A generator, its confidence, and the reasons that lower it."""

    code: str
    confidence: float
    reasons: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    """The arguments of the ways, and the reasons why some gave no inputs."""

    sandbox: Sandbox
    problem: Problem
    given_tests: Sequence[TestCase]
    options: InputOptions
    cores: Cores | None
    model: Generator | None
    accepts: Accepts | None
    programs: Sequence[Solution] = ()
    validator: str | None = None
    derived: DerivedSpec | None = None
    not_derived: str = ""
    contradicted: bool = False
    best: float = 0.0
    reasons: list[str] = field(default_factory=list)


def make_inputs(
    sandbox: Sandbox,
    problem: Problem,
    given_tests: Sequence[TestCase],
    options: InputOptions,
    cores: Cores | None = None,
    model: Generator | None = None,
    accepts: Accepts | None = None,
    programs: Sequence[Solution] = (),
) -> ProblemInputs:
    """Return the inputs of `problem`.

    The given ones first, then generated ones up to ``options.generated``.

    Args:
        sandbox: Runs generators and validators.
        problem: Its own generator and validator are used if it has them.
        given_tests: Tests that came with it; their expected outputs are kept. Those that the
            validator refuses are dropped.
        options: How many, and the ways to try.
        cores: The cores to run on.
        model: Asked for a generator (and a validator) if the problem has none of its own.
        accepts: Runs canonical solutions on inputs and returns, by test id, why one is refused:
            part of the trial of a model's generator.
        programs: Accepted solutions: how they read input shows its layout.

    Raises:
        SandboxError: The sandbox failed.
    """
    work = _Work(sandbox, problem, given_tests, options, cores, model, accepts, programs)
    _read_statement(work)
    refused = _refused_tests(work)
    # All the others stay: quality/choose.py later cuts those that add least.
    work.given_tests = allowed = tuple(test for test in given_tests if test.test_id not in refused)
    counted = count_without_samples(problem, allowed)
    sure = confidence_of_given(problem, allowed, options)
    sure = min(sure, FEW_CONFIDENCE) if work.contradicted else sure
    missing = options.generated - (len(allowed) if sure >= options.min_confidence else counted)
    # Given tests are rarely large, so inputs to measure on come from the pool of the problem's own
    # generator, if it makes one.
    pooled = [way for way in options.ways if way == "own" and families(problem.generator)]
    for way in options.ways if missing > 0 else pooled:
        source = _SOURCES[way](work) if way in _SOURCES else None
        if source and source.confidence < options.min_confidence:
            work.best = max(work.best, source.confidence)
            new_reasons = "; ".join(
                reason for reason in source.reasons if reason not in " ".join(work.reasons)
            )
            work.reasons.append(
                f"{way}: confidence {source.confidence:g}{new_reasons and ': '}{new_reasons}"
            )
        elif source:
            generated = _run_source(work, source, missing, allowed)
            if way == "own" and not generated.tests and work.validator != work.problem.validator:
                # The generator is right about the constraints; a derived validator may not be.
                work.reasons.append(
                    "the validator made from the statement refuses every input of its own generator"
                )
                work.validator = None
                generated = _run_source(work, source, missing, allowed)
            # The next way follows one that gives no inputs: it crashed, or each was refused.
            if generated.tests:
                tests, reasons = allowed + generated.tests, (*source.reasons, *work.reasons)
                return ProblemInputs(
                    tests,
                    refused | generated.dropped,
                    way,
                    source.confidence,
                    reasons,
                    source.code,
                    work.validator,
                )
            work.reasons.append(
                f"{way}: {next(iter(generated.dropped.values()), 'it made no inputs')}"
            )
    if sure < options.min_confidence:
        if allowed:
            enough = f"{min(ENOUGH_GIVEN, options.generated)} are enough"
            work.reasons.append(f"{counted} given tests besides the statement's samples, {enough}")
        # The build drops the problem, and its tests with it.
        return ProblemInputs(
            (), refused, "given", max(sure, work.best), tuple(work.reasons), None, work.validator
        )
    unused_source = _derived_generator(work) if allowed and missing <= 0 else None
    reasons = (*work.reasons, *(unused_source.reasons if unused_source else ()))
    code = unused_source.code if unused_source else None
    return ProblemInputs(allowed, refused, "given", sure, reasons, code, work.validator)


def validator_of(
    problem: Problem, given_tests: Sequence[TestCase], programs: Sequence[Solution] = ()
) -> str | None:
    """Return the problem's own validator, else the one derived from its statement, else None."""
    if problem.validator is not None:
        return problem.validator
    try:
        with PARSING:
            return validator_text(
                derived(problem, [test.stdin for test in given_tests], programs).spec
            )
    except NotDerived:
        return None


def _read_statement(work: _Work) -> None:
    """Set the validator for the inputs of every way: the problem's own, else a derived one."""
    work.validator = work.problem.validator
    try:
        with PARSING:
            work.derived = derived(
                work.problem, [test.stdin for test in work.given_tests], work.programs
            )
    except NotDerived as error:
        work.not_derived = str(error)
    else:
        work.validator = work.validator or validator_text(work.derived.spec)


def _refused_tests(work: _Work) -> dict[str, str]:
    """Return the given tests that the validator refuses, with its reasons; none if they are many.

    A test stays if the validator crashes or times out: large tests are too valuable to lose.
    """
    if not work.validator or not work.given_tests:
        return {}
    try:
        reasons = refusals(
            work.sandbox, work.validator, [test.stdin for test in work.given_tests], work.cores
        )
    except SourceError as error:
        work.reasons.append(f"no given test was validated: {error}")
        return {}
    refused = {
        test.test_id: reason
        for test, reason in zip(work.given_tests, reasons, strict=True)
        if reason and reason.startswith(REFUSED)
    }
    if len(refused) <= MOST_BROKEN * len(work.given_tests):
        return refused
    work.reasons.append(
        f"the validator refuses {len(refused)} of {len(reasons)} given tests, which are kept"
    )
    # A derived validator may have misread the statement. Against the problem's own one, the tests
    # are as likely wrong.
    work.contradicted = work.problem.validator is not None
    return {}


def count_without_samples(problem: Problem, given_tests: Sequence[TestCase]) -> int:
    """Return how many given tests are not samples of the statement."""
    samples = {
        " ".join(sample.stdin.split()) for sample in parse_statement(problem.statement).samples
    }
    tests = (test for test in given_tests if not test.test_id.startswith(SAMPLES))
    return sum(" ".join(test.stdin.split()) not in samples for test in tests)


def confidence_of_given(
    problem: Problem, given_tests: Sequence[TestCase], options: InputOptions
) -> float:
    """Return the confidence of given tests without generated ones."""
    enough = count_without_samples(problem, given_tests) >= min(ENOUGH_GIVEN, options.generated)
    return 1.0 if enough else FEW_CONFIDENCE if given_tests else 0.0


def _run_source(
    work: _Work, source: _Source, count: int, given_tests: Sequence[TestCase]
) -> GeneratedTests:
    """Run a generator; drop inputs that the validator refuses and copies of given tests."""
    known = {test.stdin: test.test_id for test in given_tests}
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
        generated = generate(
            work.sandbox,
            replace(work.problem, generator=source.code),
            count,
            work.options.seed,
            work.cores,
        )
        dropped = dict(generated.dropped)
        fresh = list(generated.tests)
        if work.validator and fresh:
            reasons = refusals(
                work.sandbox, work.validator, [test.stdin for test in fresh], work.cores
            )
            dropped |= {
                test.test_id: reason for test, reason in zip(fresh, reasons, strict=True) if reason
            }
    except SourceError as error:
        return GeneratedTests((), {"generator": str(error)})
    dropped |= {
        test.test_id: f"the same input as {known[test.stdin]}"
        for test in fresh
        if test.stdin in known
    }
    return GeneratedTests(tuple(test for test in fresh if test.test_id not in dropped), dropped)


# ------------------------------------------------------------------ ways


def _own_source(work: _Work) -> _Source | None:
    return _Source(work.problem.generator, 1.0) if work.problem.generator else None


def _model_source(work: _Work) -> _Source | None:
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
            work.reasons.append(f"model, validator: {written.reason}")
    written = write_program(
        "generator", work.model, work.problem, samples,
        lambda code: try_generator(work.sandbox, work.problem, code, work.validator, work.accepts), work.options.rounds,
    )  # fmt: skip
    if written.code is None:
        work.reasons.append(f"model: {written.reason}")
        # Only a validator that was used is published, and the next ways do not use this one.
        _read_statement(work)
        return None
    model_confidence = 0.9
    return _Source(
        written.code,
        model_confidence,
        () if work.validator else ("no validator checks its inputs",),
    )


def _derived_source(work: _Work) -> _Source | None:
    derived_spec = work.derived
    if derived_spec is None:
        work.reasons.append(f"derived: {work.not_derived}")
        return None
    return _Source(generator_text(derived_spec.spec), derived_spec.confidence, derived_spec.reasons)


def _derived_generator(work: _Work) -> _Source | None:
    """Return the derived generator to publish with given tests, if its confidence suffices.

    It makes none of them: it tells mutants from their parents, finds gaps of the tests, and shows
    how costs grow.
    """
    derived_spec = work.derived
    if (
        work.problem.generator
        or "derived" not in work.options.ways
        or not derived_spec
        or derived_spec.confidence < SURE
    ):
        return None
    return _Source(
        generator_text(derived_spec.spec),
        derived_spec.confidence,
        (f"a generator is derived, confidence {derived_spec.confidence:g}",),
    )


def _right_inputs(work: _Work) -> list[str]:
    """Return inputs that are known to be allowed: samples in the statement, and given tests."""
    samples = [sample.stdin for sample in parse_statement(work.problem.statement).samples]
    return list(dict.fromkeys([*samples, *(test.stdin for test in work.given_tests)]))


_SOURCES = {
    "own": _own_source,
    "model": _model_source,
    "derived": _derived_source,
}
