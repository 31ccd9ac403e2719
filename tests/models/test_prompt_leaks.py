"""Prompts contain nothing of a test: every prompt about the bundled corpus is searched for outputs.

The search first removes intended parts: the statement, with its samples, and human programs. The
rest must not contain an expected output of four characters or more, a line of one, or a test input.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow.parquet as pq
import pytest

from tests.builders.derive.made import measured, write_release
from venus_toolkit.builders.derive.derive_options import make_derive_options
from venus_toolkit.builders.derive.derived_sets import derive, open_configs
from venus_toolkit.builders.derive.exporting import export_llamafactory, export_skyrl, export_verl
from venus_toolkit.builders.derive.kinds import KINDS, prompt_columns
from venus_toolkit.builders.release_rows import problem_row, solution_row
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, read
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Judgement, Solution, TestCase, Verdict
from venus_toolkit.dataset.release import Release, open_release
from venus_toolkit.eval.asking.tasks import list_tasks, load
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.eval.loop.iterative_loop import (
    HISTORY,
    MODES,
    NO_ORIGINAL,
    LoopOptions,
    Trajectory,
)
from venus_toolkit.eval.loop.own_program import plan_optimisation
from venus_toolkit.execution.engine.assessment import Assessment, ProgramAssessment
from venus_toolkit.execution.engine.work import Judged
from venus_toolkit.execution.judging.comparison import difference
from venus_toolkit.models.client import Completion, conversation
from venus_toolkit.models.prompts import (
    DIFF,
    FORMS,
    OBJECTIVES,
    render_prompt,
    template_folder,
)
from venus_toolkit.training.environment import Episode
from venus_toolkit.training.reward.grading import AnswerOutcome
from venus_toolkit.training.reward.rewards import Reward
from venus_toolkit.training.turns import GroupState, Turns

LANGUAGES = load_languages()
PYTHON = LANGUAGES["python"]
LEAST = 4  # characters; shorter outputs occur in any text
LONGEST = 2000  # characters of a test; longer ones are dropped
LINES = 20  # lines of an output to search for
SHORT = 40  # characters of an output that a judge quotes in full


class LeakProblem(NamedTuple):
    """A problem of the corpus with tests, correct programs, and judgements on a wrong one."""

    entry: Entry
    tests: tuple[TestCase, ...]
    right: tuple[Solution, ...]
    wrong: Solution
    judgements: tuple[Judgement, ...]

    def leaks(self, text: str) -> list[str]:
        """Return the test data in a text, except in the statement and in human programs."""
        for shown in (
            self.entry.problem.statement,
            *(solution.code for solution in self.entry.solutions),
        ):
            text = text.replace(shown.strip(), "\n")
        outputs = [test.stdout or "" for test in self.tests]
        pieces = {
            piece.strip() for output in outputs for piece in (output, *output.splitlines()[:LINES])
        }
        # A single word of an input may occur by chance, several words hardly do.
        pieces |= {test.stdin.strip() for test in self.tests if len(test.stdin.split()) > 1}
        there = [piece for piece in pieces if len(piece) >= LEAST and piece in text]
        return [piece for piece in there if re.search(rf"(?<![\w.]){re.escape(piece)}(?!\w)", text)]


def run(code: str, stdin: str) -> str:
    """Return the output of a program of the corpus."""
    done = subprocess.run(
        [sys.executable, "-c", code], input=stdin, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def make_problem(entry: Entry) -> LeakProblem:
    problem = entry.problem
    solutions = [solution for solution in entry.solutions if solution.language == "python"]
    right = tuple(solution for solution in solutions if solution.expected == "accepted")[:5]
    wrong = next(solution for solution in solutions if solution.expected == "wrong")
    space: dict[str, Any] = {}
    exec(problem.generator or "", space)
    inputs = [
        space["generate"](seed, size) for seed, size in ((0, "small"), (1, "small"), (0, "medium"))
    ]
    if problem.style == "stdin":
        outputs = [run(right[0].code, text) for text in inputs]
    else:  # functions are not run here: any value can be the result
        outputs = [f"{90417 + 7919 * number}\n" for number in range(len(inputs))]
    pairs = [pair for pair in zip(inputs, outputs, strict=True) if len(pair[1]) < LONGEST]
    tests = tuple(
        TestCase(f"t{number}", stdin[:LONGEST], stdout)
        for number, (stdin, stdout) in enumerate(pairs)
    )
    first = {test: (test.stdout or "").splitlines()[0] for test in tests}
    quoted, expected = max(first.items(), key=lambda item: len(item[1]) * (len(item[1]) <= SHORT))
    judgements = (
        Judgement(Verdict.WRONG_ANSWER, difference(quoted.stdout or "", b"0\n"), quoted.test_id),
        Judgement(
            Verdict.RUNTIME_ERROR, f"exit code 1: AssertionError: wanted {expected}", quoted.test_id
        ),
        Judgement(
            Verdict.WRONG_ANSWER,
            f"refused by the evaluator: {difference(expected, b'x')}",
            quoted.test_id,
        ),
    )
    return LeakProblem(entry, tests, right, wrong, judgements)


@pytest.fixture(scope="module")
def cases() -> dict[str, LeakProblem]:
    return {
        entry.problem.slug: make_problem(entry)
        for entry in read(str(CORPUS), LANGUAGES)
        if isinstance(entry, Entry)
    }


@pytest.fixture(scope="module")
def release(cases: dict[str, LeakProblem], tmp_path_factory: pytest.TempPathFactory) -> Release:
    def row(problem: LeakProblem) -> dict[str, Any]:
        passed = [
            solution_row(one, Judgement(Verdict.ACCEPTED), measured(1.37 + number), None)
            for number, one in enumerate(problem.right)
        ]
        failing = [
            solution_row(numbered(problem.wrong, number), judgement, None, None)
            for number, judgement in enumerate(problem.judgements)
        ]
        source = problem.entry.problem
        return problem_row(source, "python", source.limits, problem.tests, [*passed, *failing], {})

    rows = [row(problem) for problem in cases.values()]
    return write_release(tmp_path_factory.mktemp("leaks"), {"train": rows})


def numbered(solution: Solution, number: int) -> Solution:
    """Return the same wrong program as another solution."""
    return replace(
        solution,
        solution_id=f"{solution.solution_id}-{number}",
        code=f"{solution.code}# {number}\n",
    )


def derived(release: Release, **options: Any) -> Iterator[tuple[str, str]]:
    """Yield the title and the whole text of each row of every derived set."""
    for kind in KINDS.values():
        derive(kind, release.folder, [PYTHON], make_derive_options(per_problem=2, **options))
        for objective in OBJECTIVES:
            for file in open_release(release.folder).files(f"python-{kind.name}", objective):
                for row in pq.read_table(file).to_pylist():
                    yield row["title"], "\n".join(strings(row))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from strings(item)


@pytest.mark.parametrize(
    ("states", "prompts"), [("paper", ""), ("loop", ""), ("failing=1", ""), ("loop", "paper")]
)
def test_derived_sets_and_exports_have_no_outputs(
    states: str, prompts: str, release: Release, cases: dict[str, LeakProblem], tmp_path: Path
) -> None:
    rows_of_sets = derived(release, states=states, prompts=prompts)
    leaks = [(title, cases[title].leaks(text)) for title, text in rows_of_sets]
    assert {title for title, _ in leaks} == set(cases)
    assert [leak for leak in leaks if leak[1]] == []
    opened = open_release(release.folder)
    assert "quote expected outputs of tests" not in (release.folder / "README.md").read_text()
    for export in (export_llamafactory, export_verl, export_skyrl):
        export(opened, tmp_path / export.__name__)
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    rows = [
        row
        for file in written
        if file.suffix == ".parquet"
        for row in pq.read_table(file).to_pylist()
    ]
    texts = [
        *("\n".join(strings(row)) for row in rows),
        *(f.read_text() for f in written if f.suffix != ".parquet"),
    ]
    assert len(rows) > len(cases)
    assert [leak for text in texts for problem in cases.values() if problem.entry.problem.statement in text
            for leak in problem.leaks(text)] == []  # fmt: skip


def test_cold_start_prompts_have_no_outputs(
    release: Release, cases: dict[str, LeakProblem]
) -> None:
    options = make_derive_options()
    (config,) = open_configs(release.folder, [PYTHON], options)
    picks, _ = config.select(KINDS["grpo"], lambda *_: None)
    for source in config.sources(KINDS["grpo"], picks):
        prompt = prompt_columns(source, source.chosen[0], "thinking")["prompt_text"]
        assert cases[source.problem["title"]].leaks(prompt) == []


class LeakyBench:
    """Rejects every program, with the judgements whose reasons quote most."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self._left = [*judgements] * 9

    def assess(self, code: str, rivals: Sequence[str] = (), passed: bool = False) -> Assessment:
        assert not rivals, "nothing passes"
        return Assessment((ProgramAssessment(Judged(self._left.pop())),))


def asked(
    release: Release, cases: dict[str, LeakProblem], **loop: Any
) -> Iterator[tuple[LeakProblem, str]]:
    """Yield every prompt of a loop whose answers fail."""
    options = EvalOptions("m", str(release.folder), ("python",))
    for key in list_tasks(release, [PYTHON], "train"):
        task, problem = load(key), cases[key.title]
        trajectory = Trajectory(task, options, LoopOptions(4, **loop))
        for number in range(4):
            yield problem, "\n".join(message.content for message in trajectory.question()[0])
            answer = Completion(f"```python\n# attempt {number}\n```")
            trajectory.take(answer, LeakyBench(problem.judgements))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_loop_prompts_have_no_outputs(
    mode: str, release: Release, cases: dict[str, LeakProblem]
) -> None:
    prompts = list(asked(release, cases, mode=mode))
    assert [leak for problem, text in prompts for leak in problem.leaks(text)] == []
    if mode not in ("no-feedback", "independent"):
        assert any("passed all tests: no (wrong answer)" in text for _, text in prompts)
    if mode == NO_ORIGINAL:
        assert any("does not pass its tests. Write one that does" in text for _, text in prompts)


def test_evaluation_prompts_have_no_outputs(
    release: Release, cases: dict[str, LeakProblem]
) -> None:
    for key in list_tasks(release, [PYTHON], "train"):
        for form in FORMS:
            text = "\n".join(message.content for message in load(key).prompt("time", form, None))
            assert cases[key.title].leaks(text) == []


def test_environment_messages_have_no_outputs(cases: dict[str, LeakProblem]) -> None:
    tasks = SimpleNamespace(language=lambda _: PYTHON)
    environment = SimpleNamespace(reward=SimpleNamespace(grader=SimpleNamespace(tasks=tasks)))
    episode = Episode(environment, SimpleNamespace(type="time"))  # type: ignore[arg-type]
    for problem in cases.values():
        for judgement in problem.judgements:
            outcome = AnswerOutcome(False, verdict=str(judgement.verdict), reason=judgement.reason)
            message = episode._message(outcome, 2)
            assert problem.leaks(message) == []
            assert str(judgement.verdict).replace("_", " ") in message
    log = AnswerOutcome(False, verdict="compile_error", reason="line 3: invalid syntax")
    assert "compile error: line 3: invalid syntax" in episode._message(log, 2), (
        "the compiler sees no test"
    )


@pytest.mark.parametrize("templates", ["", "paper"])
def test_prompts_of_later_turns_have_no_outputs(
    templates: str, release: Release, cases: dict[str, LeakProblem]
) -> None:
    """Training and the loop build the state after an answer with the same function."""
    tokens = {"input_ids": [[0]]}
    trainer = SimpleNamespace(
        processing_class=SimpleNamespace(apply_chat_template=lambda *_, **__: tokens),
        model=SimpleNamespace(config=SimpleNamespace(max_position_embeddings=1 << 20)),
        args=SimpleNamespace(max_completion_length=1),
        use_vllm=False,
    )
    for key in list_tasks(release, [PYTHON], "train"):
        task, problem = load(key), cases[key.title]
        request = task.request("time", "thinking")
        tasks = SimpleNamespace(language=lambda _: PYTHON, starter=lambda _: "")
        grader = SimpleNamespace(tasks=tasks, request=lambda _, known=request: known)
        reward: Any = SimpleNamespace(grader=grader)
        turns = Turns([], reward, 2, template_folder(templates))
        state = GroupState(SimpleNamespace(), ())  # type: ignore[arg-type]
        for judgement in problem.judgements:
            outcome = AnswerOutcome(
                False,
                verdict=str(judgement.verdict),
                reason=judgement.reason,
                reward=Reward(0.1, 0, 0, 0),
            )
            code = "# an answer\n"
            after = turns._after(state, f"```python\n{code}```", outcome, trainer)
            text = "\n".join(message["content"] for message in after.prompt)
            assert code.strip() in text
            assert str(judgement.verdict).replace("_", " ") in text
            assert problem.leaks(text) == []
            loop = replace(request, templates=template_folder(templates))
            shown = loop.after(code.strip(), str(judgement.verdict), judgement.reason)
            assert after.prompt == conversation(render_prompt(shown))


def test_own_program_prompts_have_no_tests(cases: dict[str, LeakProblem], tmp_path: Path) -> None:
    problem = next(one for one in cases.values() if one.entry.problem.style == "stdin")
    file = tmp_path / "own.py"
    file.write_text(problem.right[0].code)
    planned = {name: plan_optimisation(file, problem.tests, LANGUAGES, model="m", feedback=name, out=tmp_path)
               for name in ("verdict", "diff")}  # fmt: skip
    long = [test for test in problem.tests if len((test.stdout or "").strip()) >= LEAST]
    tests = [replace(test, stdin="1 1\n1\n") for test in long]  # long inputs are not shown
    statements = {name: plan._task(tests).statement for name, plan in planned.items()}
    assert problem.leaks(statements["verdict"]) == []
    assert problem.leaks(statements["diff"])


def test_search_finds_quotes_of_diff(release: Release, cases: dict[str, LeakProblem]) -> None:
    """With feedback `diff`, prompts quote tests; card and manifest say so."""
    rows = list(derived(release, states="failing=1", feedback=DIFF))
    slugs = {
        slug
        for slug, problem in cases.items()
        if problem.leaks("\n".join(one.reason for one in problem.judgements))
    }
    assert len(slugs) >= 9, "the outputs of the others are too short for the search"
    assert {title for title, text in rows if cases[title].leaks(text)} == slugs
    opened = open_release(release.folder)
    assert opened.manifest["derived"]["python-grpo"]["options"]["feedback"] == DIFF
    assert "quote expected outputs of tests" in (release.folder / "README.md").read_text()
    assert any(
        problem.leaks(text) for problem, text in asked(release, cases, mode=HISTORY, feedback=DIFF)
    )


def test_shown_sample_does_not_hide_a_leak(cases: dict[str, LeakProblem]) -> None:
    problem = next(iter(cases.values()))
    statement, output = (
        problem.entry.problem.statement,
        (problem.tests[0].stdout or "").strip().zfill(LEAST),
    )
    shown = problem._replace(
        entry=problem.entry._replace(
            problem=_with_statement(problem, f"{statement}\nSample output: {output}\n")
        ),
        tests=(TestCase("hidden", "x", f"{output}\n"),),
    )
    text = shown.entry.problem.statement
    assert shown.leaks(text) == []
    assert len(shown.leaks(f"{text}\nexpected {output}, got 0")) == 1


def _with_statement(problem: LeakProblem, statement: str) -> Any:
    return replace(problem.entry.problem, statement=statement)
