"""Makes the test inputs of every problem: given inputs first, then generated ones."""

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
MOST_EXAMINED = 100  # agreed inputs, and as many disputed ones, to infer promises programs need
SOURCES = 10  # canonical solutions whose source shows what a program reads


def make_test_inputs(context: BuildContext, entries: Sequence[Entry]) -> list[ProblemState]:
    """Return each problem with its inputs, in the given order."""

    def read(plain: Mapping[str, Any]) -> ProblemInputs:
        tests = tuple(from_plain(TestCase, test) for test in plain["tests"])
        return ProblemInputs(**{**plain, "tests": tests, "reasons": tuple(plain["reasons"])})

    step = Step[FunctionProblem, ProblemInputs](
        name=STAGE,
        problem=lambda completed: completed.entry.problem.slug,
        work=partial(_make_problem_inputs, context),
        where=Where.HERE,
        depends_on=partial(_depends_on, context),
        plain=lambda inputs: to_plain(inputs._asdict()),
        read=read,
        # If the model failed, the next build asks it again.
        keeps=lambda inputs: context.model is None or inputs.way in ("own", "model"),
        drops=_drops,
    )
    todo = []
    for entry in entries:
        completed = complete(entry, context.executor.languages)
        context.no_runner |= {
            (entry.problem.slug, name): reason for name, reason in completed.missing.items()
        }
        if completed.refused:
            context.drop(STAGE, entry.problem.slug, entry.problem.slug, completed.refused)
        else:
            todo.append(completed)
    states: dict[str, ProblemState] = {}
    for (entry, *_), inputs in context.results(step, todo):
        # The generator and the validator that were used are published with the problem.
        generator = inputs.generator_source or entry.problem.generator
        problem = replace(entry.problem, generator=generator, validator=inputs.validator_source)
        states[problem.slug] = ProblemState(entry._replace(problem=problem), inputs, inputs.tests)
    return [states[entry.problem.slug] for entry in entries if entry.problem.slug in states]


def _drops(completed: FunctionProblem, inputs: ProblemInputs) -> Iterator[Dropped]:
    slug = completed.entry.problem.slug
    for test_id, reason in {**completed.unfit, **inputs.dropped}.items():
        yield Dropped(STAGE, slug, test_id, reason)
    if not inputs.tests:
        # Missing runners come first: runners and inputs often fail for the same signature.
        reasons = [
            f"no runner: {reason}".replace("\n", "; ")
            for reason in dict.fromkeys(completed.missing.values())
        ]
        explanation = "; ".join(inputs.reasons) or "no way to make inputs fits it"
        if inputs.confidence:
            fix = (
                "to keep the problem, write generator.py and validator.py (docs/problems.md), give "
                "ten tests, or set a lower min_confidence in [generation] of the plan"
            )
            reasons.append(f"{BELOW}: {explanation}; {fix}")
        else:
            reasons.append(f"no inputs: {explanation}")
        yield Dropped(STAGE, slug, slug, "; ".join(reasons))


def described(completed: FunctionProblem) -> Problem:
    """Return the problem as the makers of inputs need it: its starter code has all known types."""
    problem = completed.entry.problem
    if completed.typed:
        problem = replace(problem, starter_code={**problem.starter_code, "python": completed.typed})
    return with_structures(problem, completed.signature, completed.entry.tests)


def _depends_on(context: BuildContext, completed: FunctionProblem) -> object:
    plan, problem = context.plan, described(completed)
    own = problem.generator and plan.generation.ways[0] == "own"
    matters: list[object] = [problem, plan.model]
    if own:
        # The problem's own generator uses neither statement nor model. The statement only
        # determines the validator.
        sources = [unit.solution for unit in context.canonical(completed.entry)[:SOURCES]]
        matters = [problem.generator, validator_of(problem, completed.entry.tests, sources)]
    python = context.executor.version(context.languages["python"])
    few = len(completed.entry.tests) <= plan.generation.generated
    # A choice from a pool also depends on the solutions and their toolchains.
    counter = counter_facts(plan.counter)
    one_by_one = own and few and not counter and "FAMILIES" not in (problem.generator or "")
    solutions = () if one_by_one else completed.entry.solutions
    chosen_by = [
        [solution.solution_id, solution.language, solution.expected, solution.code]
        for solution in solutions
    ]
    used = sorted({solution.language for solution in solutions} & set(context.executor.languages))
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


def _make_problem_inputs(
    context: BuildContext, completed: FunctionProblem, worker: Worker
) -> ProblemInputs:
    sandbox, options, entry = context.executor.sandbox, context.plan.generation, completed.entry

    most_tried = 3  # canonical solutions that run on a model's inputs

    def find_refusals(tests: Sequence[TestCase]) -> dict[str, str]:
        """Return why a canonical solution fails on an input, by test id.

        A solution that exceeds a limit does not fail.
        """
        failures: list[dict[str, str]] = []
        # This precedes the vote of all solutions, so that a model can still correct its generator.
        for unit in context.canonical(entry)[:most_tried]:
            program = context.program(unit)
            suite = context.suite(entry.problem, tests, unit.solution.language)
            votes = context.executor.vote(worker, suite, program) if program else None
            if isinstance(votes, SandboxFailure):
                context.drop(SANDBOX, entry.problem.slug, unit.solution.solution_id, votes.reason)
            elif votes:
                pairs = zip(tests, votes.of_each, strict=True)
                failures.append(
                    {test.test_id: vote.reason for test, vote in pairs if vote.kind == "fails"}
                )
        # A solution that fails on every input is ignored if another one does not.
        relevant = [reasons for reasons in failures if len(reasons) < len(tests)] or failures
        return {name: reason for reasons in reversed(relevant) for name, reason in reasons.items()}

    programs = [unit.solution for unit in context.canonical(entry)[:SOURCES]]
    with doing("making inputs"):
        inputs = make_inputs(
            sandbox,
            described(completed),
            entry.tests,
            options,
            worker.cores,
            context.model,
            find_refusals,
            programs,
        )
    return _choose_inputs(context, entry, inputs, worker)


def _choose_inputs(
    context: BuildContext, entry: Entry, inputs: ProblemInputs, worker: Worker
) -> ProblemInputs:
    """Return a choice of the inputs if there are more than the plan wants, else all of them.

    Only the choice is journalled: the pool is large and can be generated again.
    """
    options = context.plan.generation
    if len(inputs.tests) <= options.generated:
        return _with_efficiency(context, entry, inputs, worker)
    # Without generated tests, no test has a role: solutions are measured on all given tests.
    roles = any(test.kind != GIVEN for test in inputs.tests)
    count = options.chosen if roles else options.generated
    with doing(f"choosing {count} of {len(inputs.tests)} inputs"):
        selection = choose(
            _selection_context(context, entry, inputs, worker),
            inputs.tests,
            count,
            options.efficiency_tests,
            roles,
        )
    chosen_ids = {test.test_id for test in selection.tests}
    given_tests = [test for test in inputs.tests if test.kind == GIVEN]
    redundant = {
        test.test_id: "the tests that are kept show what it shows"
        for test in given_tests
        if test.test_id not in chosen_ids
    }
    inputs = _with_needed(entry, inputs, selection)
    notes = (
        [f"{len(redundant)} of {len(given_tests)} given tests dropped as redundant"]
        if redundant
        else []
    )
    return inputs._replace(
        dropped=inputs.dropped | redundant, reasons=(*inputs.reasons, *selection.notes, *notes)
    )


def _with_needed(entry: Entry, inputs: ProblemInputs, selection: ChosenTests) -> ProblemInputs:
    """Return the chosen inputs with a generator that keeps promises that accepted programs need.

    Such a promise is published as suspected, and the generated tests that break it are dropped.
    """
    inputs = inputs._replace(tests=selection.tests)
    spec = spec_of(inputs.generator_source or "")
    if spec is None or not selection.disputed:
        return inputs
    examples = [*spec.samples, *(test.stdin for test in selection.tests if test.kind == GIVEN)]
    readings = needed(
        spec,
        examples,
        selection.agreed[:MOST_EXAMINED],
        selection.disputed[:MOST_EXAMINED],
        entry.problem.statement,
    )
    if not readings:
        return inputs
    wider = replace(spec, readings=(*spec.readings, *readings))
    validator = Validator(replace(spec, readings=tuple(readings)), ("suspected",))
    broken = {
        test.test_id: f"suspected: {reasons[0]}"
        for test in selection.tests
        if test.kind != GIVEN and (reasons := validator.reasons(test.stdin))
    }
    return inputs._replace(
        tests=tuple(test for test in selection.tests if test.test_id not in broken),
        generator_source=generator_text(wider),
        validator_source=validator_text(wider),
        dropped=inputs.dropped | broken,
        reasons=(*inputs.reasons, *(f"suspected: {reading.sentence}" for reading in readings)),
    )


def _with_efficiency(
    context: BuildContext, entry: Entry, inputs: ProblemInputs, worker: Worker
) -> ProblemInputs:
    """Return inputs without a pool to choose from, with large ones marked for efficiency.

    On small inputs a program costs little more than the start of its process. With a counter, the
    inputs that separate accepted solutions are marked. Without a counter, or if no input separates
    them, the largest inputs are marked: the times of a few runs on a busy machine are too noisy for
    a choice.
    """
    large, count = (
        [
            test
            for test in inputs.tests
            if test.size in LARGE and has_full_confidence(test, inputs.confidence)
        ],
        context.plan.generation.efficiency_tests,
    )
    if not large or not count:
        return inputs
    counted = counter_facts(context.plan.counter)
    chosen = _separator(context, entry, inputs, worker)(large, count) if counted else ()
    largest = sorted(large, key=size_of, reverse=True)[:count]
    efficiency_tests = {
        test.test_id: test
        for test in chosen or [replace(test, role=EFFICIENCY) for test in largest]
    }
    others = [
        replace(test, role=CORRECTNESS)
        for test in inputs.tests
        if test.test_id not in efficiency_tests
    ]
    return inputs._replace(tests=(*others, *efficiency_tests.values()))


def _separator(
    context: BuildContext, entry: Entry, inputs: ProblemInputs, worker: Worker
) -> Separate:
    """Return a search for inputs on which accepted solutions differ in cost.

    The cost is the number of instructions if the plan has a counter, else CPU time.
    """
    plan, problem, executor = context.plan, entry.problem, context.executor
    counted = bool(counter_facts(plan.counter))
    accepted: dict[str, list[Solution]] = defaultdict(list)
    for unit in context.canonical(entry):
        accepted[unit.solution.language].append(unit.solution)
    # One language, because costs differ more between languages than between algorithms. It need not
    # be one of the plan, because builds of different languages share the tests.
    comparable = [name for name, solutions in accepted.items() if len(solutions) > 1]
    chosen = min(comparable, key=lambda name: price(context.languages[name]), default="")
    drawn = sorted(
        accepted[chosen], key=lambda solution: draw(solution.solution_id, plan.quality.seed)
    )[:PROGRAMS]
    programs = [
        program for solution in drawn if (program := context.program(Unit(entry, solution)))
    ]

    most_cpu_ns = NS_PER_S  # for one run in the search

    def read(program: Program, tests: Sequence[TestCase]) -> Costs:
        limits = plan.limits(problem.limits, program.language.id)
        limits = limits.changed(
            cpu_ns=min(limits.cpu_ns, most_cpu_ns), wall_ns=min(limits.wall_ns, 2 * most_cpu_ns)
        )
        stdins = [test.stdin for test in tests]
        if counted:
            result = executor.run(worker, count_each, program, stdins, limits, plan.counter)
        else:
            result = executor.run(worker, time_each, program, stdins, limits)
        return known(result, f"inputs of {problem.slug} that separate solutions cannot be found")

    def make(requests: Sequence[Request]) -> list[TestCase]:
        return more_inputs(
            executor.sandbox,
            inputs.generator_source,
            inputs.validator_source,
            requests,
            worker.cores,
        )

    language = context.languages.get(chosen)
    search = Search(
        programs,
        Program(language, language.empty) if language and language.empty else None,
        read,
        make,
        large_sizes(inputs.generator_source),
        INSTRUCTIONS if counted else CPU_NS,
        f"{problem.slug} {plan.generation.seed}",
    )
    return partial(separating, search)


def _selection_context(
    context: BuildContext, entry: Entry, inputs: ProblemInputs, worker: Worker
) -> SelectionContext:
    """Return the programs and functions that the choice of a problem's inputs uses."""
    plan, problem, executor = context.plan, entry.problem, context.executor

    def rank(solution: Solution) -> tuple[tuple[int, str], float]:
        return price(context.languages[solution.language]), draw(
            solution.solution_id, plan.quality.seed
        )

    most_tried = 20  # solutions of each label

    def programs_labelled(expected: Expectation) -> dict[str, Program]:
        """Return programs by solution id: cheap languages first, in random order within each."""
        labelled = [
            solution
            for solution in entry.solutions
            if solution.expected == expected and solution.language in executor.languages
        ]
        programs = {
            solution.solution_id: context.program(Unit(entry, solution))
            for solution in sorted(labelled, key=rank)[:most_tried]
        }
        return {name: program for name, program in programs.items() if program}

    def run(program: Program, tests: Sequence[TestCase], mode: RunMode) -> list[ObservedRun]:
        limits, lines = plan.limits(problem.limits, program.language.id), None
        if (
            mode == RunMode.TOGETHER
            and problem.style == "function"
            and BATCH in problem.runners.get(program.language.id, "")
        ):
            lines = tests[0].stdin.count("\n") if tests else None
        stdins = [test.stdin for test in tests]
        texts = problem.comparison.kind != "exact"
        with doing(f"running a {program.language.name} program on {len(tests)} inputs"):
            result = executor.run(worker, observe, program, stdins, limits, mode, lines, texts)
        return known(result, f"inputs of {problem.slug} cannot be chosen")

    # The first use compiles the checker.
    checker = cache(partial(context.suite(problem, ()).rules.checker, executor.sandbox))

    def same(answers: Sequence[Answer]) -> list[bool]:
        return checker().passes(answers)

    accepted = list(programs_labelled(Expectation.ACCEPTED).values())
    separate = _separator(context, entry, inputs, worker)
    several = problem.comparison.several
    wrong, slow = programs_labelled(Expectation.WRONG), programs_labelled(Expectation.SLOW)
    return SelectionContext(accepted, wrong, slow, run, same, separate, inputs.confidence, several)
