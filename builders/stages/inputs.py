"""Test inputs for every problem: those that came with it first, then generated ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from venus_toolkit.builders.curation.placement import draw
from venus_toolkit.builders.functions import FunctionProblem, complete
from venus_toolkit.builders.inputs.flat import with_structures
from venus_toolkit.builders.inputs.invariants import needed
from venus_toolkit.builders.inputs.make_inputs import ProblemInputs, make_inputs, validator_of
from venus_toolkit.builders.inputs.programs import generator_text, validator_text
from venus_toolkit.builders.inputs.run_generator import large_sizes, more_inputs
from venus_toolkit.builders.inputs.spec import Validator, spec_of
from venus_toolkit.builders.quality.choose import (
    GIVEN,
    ChosenTests,
    SelectionContext,
    Separate,
    choose,
    price,
)
from venus_toolkit.builders.quality.coverage import ObservedRun, RunMode, observe
from venus_toolkit.builders.quality.minimal import size_of
from venus_toolkit.builders.quality.separating import (
    CPU_NS,
    INSTRUCTIONS,
    PROGRAMS,
    Search,
    count_each,
    separating,
    time_each,
)
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.build_context import SANDBOX, BuildContext, Unit
from venus_toolkit.builders.stages.problem_state import ProblemState
from venus_toolkit.builders.stages.step import Step, Where
from venus_toolkit.builders.stages.validate import has_full_confidence
from venus_toolkit.core import __version__
from venus_toolkit.core.activity import doing
from venus_toolkit.core.records import (
    CORRECTNESS,
    EFFICIENCY,
    NS_PER_S,
    Expectation,
    Problem,
    Solution,
    TestCase,
    from_plain,
    to_plain,
)
from venus_toolkit.dataset.funnel import BELOW, Dropped
from venus_toolkit.execution.engine import Worker
from venus_toolkit.execution.engine.executor import SandboxFailure, known
from venus_toolkit.execution.judging.checker import Answer
from venus_toolkit.execution.judging.generators import LARGE, Request
from venus_toolkit.execution.measuring.counting import counter_facts
from venus_toolkit.execution.measuring.ranking import Costs
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.signatures import BATCH

STAGE = "generate"
MOST_LOOKED_AT = 100  # agreed and disputed inputs that are searched for what programs need
SOURCES = 10  # canonical solutions whose source says what is read


def make_test_inputs(context: BuildContext, entries: Sequence[Entry]) -> list[ProblemState]:
    """Return each problem with its inputs, in the order given."""

    def read(kept: Mapping[str, Any]) -> ProblemInputs:
        tests = tuple(from_plain(TestCase, test) for test in kept["tests"])
        return ProblemInputs(**{**kept, "tests": tests, "reasons": tuple(kept["reasons"])})

    step = Step[FunctionProblem, ProblemInputs](
        name=STAGE,
        problem=lambda each: each.entry.problem.slug,
        work=partial(_inputs, context),
        where=Where.HERE,
        depends_on=partial(_depends_on, context),
        plain=lambda made: to_plain(made._asdict()),
        read=read,
        # A model that failed is asked again by the next build.
        keeps=lambda made: context.model is None or made.way in ("own", "model"),
        drops=_drops,
    )
    todo = []
    for entry in entries:
        completed = complete(entry, context.executor.languages)
        context.no_runner |= {
            (entry.problem.slug, name): why for name, why in completed.missing.items()
        }
        if completed.refused:
            context.drop(STAGE, entry.problem.slug, entry.problem.slug, completed.refused)
        else:
            todo.append(completed)
    found: dict[str, ProblemState] = {}
    for (entry, *_), made in context.results(step, todo):
        # The generator and the validator that were used are published with the problem.
        generator = made.generator_source or entry.problem.generator
        problem = replace(entry.problem, generator=generator, validator=made.validator_source)
        found[problem.slug] = ProblemState(entry._replace(problem=problem), made, made.tests)
    return [found[entry.problem.slug] for entry in entries if entry.problem.slug in found]


def _drops(completed: FunctionProblem, made: ProblemInputs) -> Iterator[Dropped]:
    slug = completed.entry.problem.slug
    for test_id, reason in {**completed.unfit, **made.dropped}.items():
        yield Dropped(STAGE, slug, test_id, reason)
    if not made.tests:
        # First why there are no runners, where that is so: both need the signature.
        whys = [
            f"no runner: {reason}".replace("\n", "; ")
            for reason in dict.fromkeys(completed.missing.values())
        ]
        told = "; ".join(made.reasons) or "no way to make inputs fits it"
        fix = (
            "; to keep the problem, write generator.py and validator.py (docs/problems.md), give "
            "ten tests, or set a lower min_confidence in [generation] of the plan"
        )
        whys.append(
            f"{BELOW if made.confidence else 'no inputs'}: {told}{fix if made.confidence else ''}"
        )
        yield Dropped(STAGE, slug, slug, "; ".join(whys))


def described(completed: FunctionProblem) -> Problem:
    """Return the problem as inputs are made for it: with all known types in its starter code."""
    problem = completed.entry.problem
    if completed.typed:
        problem = replace(problem, starter_code={**problem.starter_code, "python": completed.typed})
    return with_structures(problem, completed.signature, completed.entry.tests)


def _depends_on(context: BuildContext, completed: FunctionProblem) -> object:
    plan, problem = context.plan, described(completed)
    own = problem.generator and plan.generation.ways[0] == "own"
    matters: list[object] = [problem, plan.model]
    if own:
        # Its generator sees neither statement nor model: all that these say is what refuses its
        # inputs.
        read = [unit.solution for unit in context.canonical(completed.entry)[:SOURCES]]
        matters = [problem.generator, validator_of(problem, completed.entry.tests, read)]
    python = context.executor.version(context.languages["python"])
    few = len(completed.entry.tests) <= plan.generation.generated
    # What is chosen from a pool depends on the solutions, and on how they are compiled and run.
    counter = counter_facts(plan.counter)
    one_by_one = own and few and not counter and "FAMILIES" not in (problem.generator or "")
    solutions = () if one_by_one else completed.entry.solutions
    chosen_by = [[each.solution_id, each.language, each.expected, each.code] for each in solutions]
    used = sorted({each.language for each in solutions} & set(context.executor.languages))
    versions = [context.executor.version(context.languages[name]) for name in used]
    return [
        __version__,
        matters,
        completed.entry.tests,
        plan.generation,
        python,
        chosen_by,
        versions,
        *([counter] if counter else []),
    ]


def _inputs(context: BuildContext, completed: FunctionProblem, worker: Worker) -> ProblemInputs:
    sandbox, options, entry = context.executor.sandbox, context.plan.generation, completed.entry

    most_asked = 3  # canonical solutions that try a model's inputs

    def refused(tests: Sequence[TestCase]) -> dict[str, str]:
        """Return, by test id, why a canonical solution cannot take an input.

        A limit is no reason.
        """
        asked: list[dict[str, str]] = []
        # Before the vote of all solutions: a model can still be told what is wrong with its
        # generator.
        for unit in context.canonical(entry)[:most_asked]:
            program = context.program(unit)
            suite = context.suite(entry.problem, tests, unit.solution.language)
            votes = context.executor.vote(worker, suite, program) if program else None
            if isinstance(votes, SandboxFailure):
                context.drop(SANDBOX, entry.problem.slug, unit.solution.solution_id, votes.reason)
            elif votes:
                pairs = zip(tests, votes.of_each, strict=True)
                asked.append(
                    {test.test_id: vote.reason for test, vote in pairs if vote.kind == "fails"}
                )
        # One that takes no input at all says nothing of the inputs, where another one takes some.
        telling = [failed for failed in asked if len(failed) < len(tests)] or asked
        return {name: why for failed in reversed(telling) for name, why in failed.items()}

    programs = [unit.solution for unit in context.canonical(entry)[:SOURCES]]
    with doing("making inputs"):
        made = make_inputs(
            sandbox,
            described(completed),
            entry.tests,
            options,
            worker.cores,
            context.model,
            refused,
            programs,
        )
    return _chosen(context, entry, made, worker)


def _chosen(
    context: BuildContext, entry: Entry, made: ProblemInputs, worker: Worker
) -> ProblemInputs:
    """Return the inputs that are chosen where more were made, or given, than there shall be.

    The pool stays here: it is large, and it can be made again.
    """
    options = context.plan.generation
    if len(made.tests) <= options.generated:
        return _with_efficiency(context, entry, made, worker)
    # Given tests alone have no roles: what programs cost is measured on all of them, as they came.
    roles = any(test.kind != GIVEN for test in made.tests)
    count = options.chosen if roles else options.generated
    with doing(f"choosing {count} of {len(made.tests)} inputs"):
        found = choose(
            _bench(context, entry, made, worker), made.tests, count, options.efficiency_tests, roles
        )
    kept = {test.test_id for test in found.tests}
    given = [test for test in made.tests if test.kind == GIVEN]
    cut = {
        test.test_id: "the tests that are kept show what it shows"
        for test in given
        if test.test_id not in kept
    }
    made = _with_needed(entry, made, found)
    notes = [f"{len(cut)} of {len(given)} given tests are cut, by what they add"] if cut else []
    return made._replace(dropped=made.dropped | cut, reasons=(*made.reasons, *found.notes, *notes))


def _with_needed(entry: Entry, made: ProblemInputs, found: ChosenTests) -> ProblemInputs:
    """Return the chosen inputs, with a generator that keeps what accepted programs seem to need.

    The tests that break it are dropped, and the promise is published as suspected.
    """
    made = made._replace(tests=found.tests)
    spec = spec_of(made.generator_source or "")
    if spec is None or not found.disputed:
        return made
    known = [*spec.samples, *(test.stdin for test in found.tests if test.kind == GIVEN)]
    readings = needed(
        spec,
        known,
        found.agreed[:MOST_LOOKED_AT],
        found.disputed[:MOST_LOOKED_AT],
        entry.problem.statement,
    )
    if not readings:
        return made
    wider = replace(spec, readings=(*spec.readings, *readings))
    validator = Validator(replace(spec, readings=tuple(readings)), ("suspected",))
    broken = {
        test.test_id: f"suspected: {reasons[0]}"
        for test in found.tests
        if test.kind != GIVEN and (reasons := validator.reasons(test.stdin))
    }
    return made._replace(
        tests=tuple(test for test in found.tests if test.test_id not in broken),
        generator_source=generator_text(wider),
        validator_source=validator_text(wider),
        dropped=made.dropped | broken,
        reasons=(*made.reasons, *(f"suspected: {reading.sentence}" for reading in readings)),
    )


def _with_efficiency(
    context: BuildContext, entry: Entry, made: ProblemInputs, worker: Worker
) -> ProblemInputs:
    """Return inputs that were made one by one, the large ones for efficiency.

    With a counter those that separate.

    On all others programs cost the start of their process. Without a counter, or where nothing
    separates, their class of size decides: times of a few runs on a busy machine are no reason to
    measure on these tests and not on those.
    """
    large, count = (
        [
            test
            for test in made.tests
            if test.size in LARGE and has_full_confidence(test, made.confidence)
        ],
        context.plan.generation.efficiency_tests,
    )
    if not large or not count:
        return made
    counted = counter_facts(context.plan.counter)
    chosen = _separate(context, entry, made, worker)(large, count) if counted else ()
    largest = sorted(large, key=size_of, reverse=True)[:count]
    found = {
        test.test_id: test
        for test in chosen or [replace(test, role=EFFICIENCY) for test in largest]
    }
    others = [replace(test, role=CORRECTNESS) for test in made.tests if test.test_id not in found]
    return made._replace(tests=(*others, *found.values()))


def _separate(context: BuildContext, entry: Entry, made: ProblemInputs, worker: Worker) -> Separate:
    """Return what finds inputs on which accepted solutions differ in cost.

    By counts where the plan has a counter.
    """
    plan, problem, executor = context.plan, entry.problem, context.executor
    counted = bool(counter_facts(plan.counter))
    accepted: dict[str, list[Solution]] = defaultdict(list)
    for unit in context.canonical(entry):
        accepted[unit.solution.language].append(unit.solution)
    # One language, for between two costs differ by more than between ideas. Not that of the plan:
    # tests are shared by the builds of all languages.
    several = [name for name, listed in accepted.items() if len(listed) > 1]
    chosen = min(several, key=lambda name: price(context.languages[name]), default="")
    listed = sorted(accepted[chosen], key=lambda each: draw(each.solution_id, plan.quality.seed))[
        :PROGRAMS
    ]
    programs = [one for each in listed if (one := context.program(Unit(entry, each)))]

    # CPU time that a run may take, uncounted, where inputs are sought that separate
    searched_ns = NS_PER_S

    def read(one: Program, tests: Sequence[TestCase]) -> Costs:
        limits = plan.limits(problem.limits, one.language.id)
        limits = limits.changed(
            cpu_ns=min(limits.cpu_ns, searched_ns), wall_ns=min(limits.wall_ns, 2 * searched_ns)
        )
        stdins = [test.stdin for test in tests]
        if counted:
            found = executor.run(worker, count_each, one, stdins, limits, plan.counter)
        else:
            found = executor.run(worker, time_each, one, stdins, limits)
        return known(found, f"inputs of {problem.slug} that separate cannot be found")

    def make(asked: Sequence[Request]) -> list[TestCase]:
        return more_inputs(
            executor.sandbox, made.generator_source, made.validator_source, asked, worker.cores
        )

    language = context.languages.get(chosen)
    search = Search(
        programs,
        Program(language, language.empty) if language and language.empty else None,
        read,
        make,
        large_sizes(made.generator_source),
        INSTRUCTIONS if counted else CPU_NS,
        f"{problem.slug} {plan.generation.seed}",
    )
    return partial(separating, search)


def _bench(
    context: BuildContext, entry: Entry, made: ProblemInputs, worker: Worker
) -> SelectionContext:
    """Return what inputs are chosen with: the programs of a problem, and where they run."""
    plan, problem, executor = context.plan, entry.problem, context.executor

    def rank(each: Solution) -> tuple[tuple[int, str], float]:
        return price(context.languages[each.language]), draw(each.solution_id, plan.quality.seed)

    tried = 20  # wrong, and slow, and accepted solutions that inputs are chosen with, by lot

    def of(expected: Expectation) -> dict[str, Program]:
        """Return solutions by name: those first that cost least to run, of equals by lot."""
        listed = [
            each
            for each in entry.solutions
            if each.expected == expected and each.language in executor.languages
        ]
        found = {
            each.solution_id: context.program(Unit(entry, each))
            for each in sorted(listed, key=rank)[:tried]
        }
        return {name: each for name, each in found.items() if each}

    def run(one: Program, tests: Sequence[TestCase], how: RunMode) -> list[ObservedRun]:
        limits, lines = plan.limits(problem.limits, one.language.id), None
        if (
            how == RunMode.TOGETHER
            and problem.style == "function"
            and BATCH in problem.runners.get(one.language.id, "")
        ):
            lines = tests[0].stdin.count("\n") if tests else None
        stdins = [test.stdin for test in tests]
        texts = problem.comparison.kind != "exact"
        with doing(f"running a {one.language.name} program on {len(tests)} inputs"):
            found = executor.run(worker, observe, one, stdins, limits, how, lines, texts)
        return known(found, f"inputs of {problem.slug} cannot be chosen")

    # made where it is asked
    checker = cache(partial(context.suite(problem, ()).rules.checker, executor.sandbox))

    def same(answers: Sequence[Answer]) -> list[bool]:
        return checker().passes(answers)

    accepted = list(of(Expectation.ACCEPTED).values())
    separate = _separate(context, entry, made, worker)
    several = problem.comparison.several
    wrong, slow = of(Expectation.WRONG), of(Expectation.SLOW)
    return SelectionContext(accepted, wrong, slow, run, same, separate, made.confidence, several)
