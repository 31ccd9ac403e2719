"""Nothing of a test is in a prompt.

Every prompt about the bundled corpus is searched for expected outputs.

What a prompt shows on purpose is taken out first: the statement, with its samples, and the programs
of people. What is left must have no expected output of four characters or more, nor a line of one,
and no input of a test.
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
LEAST = 4  # characters; shorter outputs are in any text
LONGEST = 2000  # characters of a test that is kept
LINES = 20  # of an output that are searched for by themselves
SHORT = 40  # characters that a judge quotes whole


class Case(NamedTuple):
    """A problem of the corpus with tests, programs that pass, and judgements on one that does not."""

    entry: Entry
    tests: tuple[TestCase, ...]
    right: tuple[Solution, ...]
    wrong: Solution
    judgements: tuple[Judgement, ...]

    def leaks(self, text: str) -> list[str]:
        """What of the expected outputs is in a text, apart from the statement and from programs of people."""
        for shown in (self.entry.problem.statement, *(each.code for each in self.entry.solutions)):
            text = text.replace(shown.strip(), "\n")
        outputs = [test.stdout or "" for test in self.tests]
        pieces = {
            piece.strip() for output in outputs for piece in (output, *output.splitlines()[:LINES])
        }
        # A single word of an input may stand anywhere; several of them do not by chance.
        pieces |= {test.stdin.strip() for test in self.tests if len(test.stdin.split()) > 1}
        there = [each for each in pieces if len(each) >= LEAST and each in text]
        return [each for each in there if re.search(rf"(?<![\w.]){re.escape(each)}(?!\w)", text)]


def run(code: str, stdin: str) -> str:
    """What a program of our own corpus prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], input=stdin, capture_output=True, text=True, timeout=60
    )
    return done.stdout


def case(entry: Entry) -> Case:
    problem = entry.problem
    solutions = [each for each in entry.solutions if each.language == "python"]
    right = tuple(each for each in solutions if each.expected == "accepted")[:5]
    wrong = next(each for each in solutions if each.expected == "wrong")
    space: dict[str, Any] = {}
    exec(problem.generator or "", space)
    inputs = [
        space["generate"](seed, size) for seed, size in ((0, "small"), (1, "small"), (0, "medium"))
    ]
    if problem.style == "stdin":
        outputs = [run(right[0].code, text) for text in inputs]
    else:  # a function has no main program here: any value stands for its result
        outputs = [f"{90417 + 7919 * number}\n" for number in range(len(inputs))]
    pairs = [pair for pair in zip(inputs, outputs, strict=True) if len(pair[1]) < LONGEST]
    tests = tuple(
        TestCase(f"t{number}", stdin[:LONGEST], stdout)
        for number, (stdin, stdout) in enumerate(pairs)
    )
    first = {test: (test.stdout or "").splitlines()[0] for test in tests}
    told, expected = max(first.items(), key=lambda item: len(item[1]) * (len(item[1]) <= SHORT))
    judgements = (
        Judgement(Verdict.WRONG_ANSWER, difference(told.stdout or "", b"0\n"), told.test_id),
        Judgement(
            Verdict.RUNTIME_ERROR, f"exit code 1: AssertionError: wanted {expected}", told.test_id
        ),
        Judgement(
            Verdict.WRONG_ANSWER,
            f"refused by the evaluator: {difference(expected, b'x')}",
            told.test_id,
        ),
    )
    return Case(entry, tests, right, wrong, judgements)


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {
        entry.problem.slug: case(entry)
        for entry in read(str(CORPUS), LANGUAGES)
        if isinstance(entry, Entry)
    }


@pytest.fixture(scope="module")
def release(cases: dict[str, Case], tmp_path_factory: pytest.TempPathFactory) -> Release:
    def row(each: Case) -> dict[str, Any]:
        passed = [
            solution_row(one, Judgement(Verdict.ACCEPTED), measured(1.37 + number), None)
            for number, one in enumerate(each.right)
        ]
        failing = [
            solution_row(numbered(each.wrong, number), judgement, None, None)
            for number, judgement in enumerate(each.judgements)
        ]
        problem = each.entry.problem
        return problem_row(problem, "python", problem.limits, each.tests, [*passed, *failing], {})

    rows = [row(each) for each in cases.values()]
    return write_release(tmp_path_factory.mktemp("leaks"), {"train": rows})


def numbered(solution: Solution, number: int) -> Solution:
    """The same wrong program as another solution."""
    return replace(
        solution,
        solution_id=f"{solution.solution_id}-{number}",
        code=f"{solution.code}# {number}\n",
    )


def derived(release: Release, **options: Any) -> Iterator[tuple[str, str]]:
    """The title of each row of every derived set, and all that the row says."""
    for kind in KINDS.values():
        derive(kind, release.folder, [PYTHON], make_derive_options(per_problem=2, **options))
        for objective in OBJECTIVES:
            for file in open_release(release.folder).files(f"python-{kind.name}", objective):
                for row in pq.read_table(file).to_pylist():
                    yield row["title"], "\n".join(strings(row))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from strings(each)


@pytest.mark.parametrize(
    ("states", "prompts"), [("paper", ""), ("loop", ""), ("failing=1", ""), ("loop", "paper")]
)
def test_no_row_of_a_derived_set_and_no_export_has_an_expected_output(
    states: str, prompts: str, release: Release, cases: dict[str, Case], tmp_path: Path
) -> None:
    rows_of_sets = derived(release, states=states, prompts=prompts)
    found = [(title, cases[title].leaks(text)) for title, text in rows_of_sets]
    assert {title for title, _ in found} == set(cases)
    assert [each for each in found if each[1]] == []
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
    assert [leak for text in texts for each in cases.values() if each.entry.problem.statement in text
            for leak in each.leaks(text)] == []  # fmt: skip


def test_cold_start_asks_without_any_expected_output(
    release: Release, cases: dict[str, Case]
) -> None:
    options = make_derive_options()
    (config,) = open_configs(release.folder, [PYTHON], options)
    picks, _ = config.select(KINDS["grpo"], lambda *_: None)
    for source in config.sources(KINDS["grpo"], picks):
        said = prompt_columns(source, source.chosen[0], "thinking")["prompt_text"]
        assert cases[source.problem["title"]].leaks(said) == []


class Leaky:
    """A bench on which nothing passes, and which says the most that a judge can say."""

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self._left = [*judgements] * 9

    def assess(self, code: str, rivals: Sequence[str] = (), passed: bool = False) -> Assessment:
        assert not rivals, "nothing passes"
        return Assessment((ProgramAssessment(Judged(self._left.pop())),))


def asked(release: Release, cases: dict[str, Case], **loop: Any) -> Iterator[tuple[Case, str]]:
    """Every prompt of a loop whose answers fail."""
    options = EvalOptions("m", str(release.folder), ("python",))
    for key in list_tasks(release, [PYTHON], "train"):
        task, each = load(key), cases[key.title]
        trajectory = Trajectory(task, options, LoopOptions(4, **loop))
        for number in range(4):
            yield each, "\n".join(message.content for message in trajectory.question()[0])
            answer = Completion(f"```python\n# attempt {number}\n```")
            trajectory.take(answer, Leaky(each.judgements))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_no_prompt_of_a_loop_has_an_expected_output(
    mode: str, release: Release, cases: dict[str, Case]
) -> None:
    prompts = list(asked(release, cases, mode=mode))
    assert [leak for each, text in prompts for leak in each.leaks(text)] == []
    if mode not in ("no-feedback", "independent"):
        assert any("passed all tests: no (wrong answer)" in text for _, text in prompts)
    if mode == NO_ORIGINAL:
        assert any("does not pass its tests. Write one that does" in text for _, text in prompts)


def test_no_prompt_of_an_evaluation_has_an_expected_output(
    release: Release, cases: dict[str, Case]
) -> None:
    for key in list_tasks(release, [PYTHON], "train"):
        for form in FORMS:
            text = "\n".join(each.content for each in load(key).prompt("time", form, None))
            assert cases[key.title].leaks(text) == []


def test_no_message_of_an_environment_has_an_expected_output(cases: dict[str, Case]) -> None:
    tasks = SimpleNamespace(language=lambda _: PYTHON)
    environment = SimpleNamespace(reward=SimpleNamespace(grader=SimpleNamespace(tasks=tasks)))
    episode = Episode(environment, SimpleNamespace(type="time"))  # type: ignore[arg-type]
    for each in cases.values():
        for judgement in each.judgements:
            outcome = AnswerOutcome(False, verdict=str(judgement.verdict), reason=judgement.reason)
            message = episode._message(outcome, 2)
            assert each.leaks(message) == []
            assert str(judgement.verdict).replace("_", " ") in message
    log = AnswerOutcome(False, verdict="compile_error", reason="line 3: invalid syntax")
    assert "compile error: line 3: invalid syntax" in episode._message(log, 2), (
        "a compiler knows no test"
    )


@pytest.mark.parametrize("templates", ["", "paper"])
def test_no_prompt_of_a_later_turn_of_training_has_an_expected_output(
    templates: str, release: Release, cases: dict[str, Case]
) -> None:
    """The state after an answer: in training made by the function that makes that of the loop."""
    tokens = {"input_ids": [[0]]}
    trainer = SimpleNamespace(
        processing_class=SimpleNamespace(apply_chat_template=lambda *_, **__: tokens),
        model=SimpleNamespace(config=SimpleNamespace(max_position_embeddings=1 << 20)),
        args=SimpleNamespace(max_completion_length=1),
        use_vllm=False,
    )
    for key in list_tasks(release, [PYTHON], "train"):
        task, each = load(key), cases[key.title]
        request = task.request("time", "thinking")
        tasks = SimpleNamespace(language=lambda _: PYTHON, starter=lambda _: "")
        grader = SimpleNamespace(tasks=tasks, request=lambda _, known=request: known)
        reward: Any = SimpleNamespace(grader=grader)
        turns = Turns([], reward, 2, template_folder(templates))
        state = GroupState(SimpleNamespace(), ())  # type: ignore[arg-type]
        for judgement in each.judgements:
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
            assert each.leaks(text) == []
            loop = replace(request, templates=template_folder(templates))
            shown = loop.after(code.strip(), str(judgement.verdict), judgement.reason)
            assert after.prompt == conversation(render_prompt(shown))


def test_a_program_of_ones_own_is_asked_about_without_its_tests(
    cases: dict[str, Case], tmp_path: Path
) -> None:
    each = next(one for one in cases.values() if one.entry.problem.style == "stdin")
    file = tmp_path / "own.py"
    file.write_text(each.right[0].code)
    planned = {name: plan_optimisation(file, each.tests, LANGUAGES, model="m", feedback=name, out=tmp_path)
               for name in ("verdict", "diff")}  # fmt: skip
    told = [test for test in each.tests if len((test.stdout or "").strip()) >= LEAST]
    tests = [replace(test, stdin="1 1\n1\n") for test in told]  # a long input would not be shown
    said = {name: plan._task(tests).statement for name, plan in planned.items()}
    assert each.leaks(said["verdict"]) == []
    assert each.leaks(said["diff"])


def test_the_search_finds_what_diff_shows(release: Release, cases: dict[str, Case]) -> None:
    """The checker says no: by name the same prompts quote tests, and card and manifest say so."""
    rows = list(derived(release, states="failing=1", feedback=DIFF))
    told = {
        slug
        for slug, each in cases.items()
        if each.leaks("\n".join(one.reason for one in each.judgements))
    }
    assert len(told) >= 9, (
        "outputs of the others are shorter than a search can tell from other text"
    )
    assert {title for title, text in rows if cases[title].leaks(text)} == told
    opened = open_release(release.folder)
    assert opened.manifest["derived"]["python-grpo"]["options"]["feedback"] == DIFF
    assert "quote expected outputs of tests" in (release.folder / "README.md").read_text()
    assert any(
        each.leaks(text) for each, text in asked(release, cases, mode=HISTORY, feedback=DIFF)
    )


def test_a_sample_of_the_statement_excuses_no_hidden_test(cases: dict[str, Case]) -> None:
    each = next(iter(cases.values()))
    statement, output = (
        each.entry.problem.statement,
        (each.tests[0].stdout or "").strip().zfill(LEAST),
    )
    shown = each._replace(
        entry=each.entry._replace(
            problem=_with_statement(each, f"{statement}\nSample output: {output}\n")
        ),
        tests=(TestCase("hidden", "x", f"{output}\n"),),
    )
    text = shown.entry.problem.statement
    assert shown.leaks(text) == []
    assert len(shown.leaks(f"{text}\nexpected {output}, got 0")) == 1


def _with_statement(each: Case, statement: str) -> Any:
    return replace(each.entry.problem, statement=statement)
