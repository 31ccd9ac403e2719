"""The problems of a reproduction: outputs of their programs, slips, lessons and the teacher."""

from __future__ import annotations

import doctest
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from examples.reproduce import small_problems
from examples.reproduce.small_problems import (
    OracleGenerator,
    SmallProblem,
    all_tasks,
    base_lessons,
    inputs,
    right_programs,
    shapes,
    write_source,
)
from venus_toolkit.builders.sources.folder import read
from venus_toolkit.core.language import load_languages
from venus_toolkit.models.answers import read_answer
from venus_toolkit.models.client import Message

PYTHON = load_languages()["python"]
TASKS = (
    SmallProblem("repeating", 3, 2, 7),
    SmallProblem("linear", 2, 1, 5),
    SmallProblem("distinct", 4, 2, 31),
    SmallProblem("mixed", 3, 5, 6),
)
TRICKS = {name for name, shape in shapes().items() if shape.trick}


def run(program: str, n: int) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], input=f"{n}\n", capture_output=True, text=True
    ).stdout


def test_doctests_pass() -> None:
    assert doctest.testmod(small_problems).failed == 0


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.slug)
def test_trick_is_right_only_for_its_family(task: SmallProblem) -> None:
    numbers = inputs(task, 2000)
    outputs = {shape: [run(task.program(shape), n) for n in numbers] for shape in shapes()}
    right = {
        shape
        for shape, printed in outputs.items()
        if printed == [f"{task.answer(n)}\n" for n in numbers]
    }
    assert right == set(task.right)
    assert right & TRICKS == {task.family.trick} - {""}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.slug)
def test_tests_detect_every_slip(task: SmallProblem) -> None:
    n = inputs(task, 2000)[0]
    for shape in task.right:
        assert run(task.program(shape, slip=True), n) != f"{task.answer(n)}\n", shape


def test_families_have_equal_size_and_unique_statements() -> None:
    assert len(set(Counter(task.op for task in all_tasks()).values())) == 1
    assert len({task.statement for task in all_tasks()}) == len(all_tasks())


def test_all_tasks_have_useful_tests() -> None:
    for task in all_tasks():
        numbers = inputs(task, 2000)
        assert len(set(numbers)) == 3
        assert all(task.value(n) for n in numbers)


def test_source_is_read_by_the_builder(tmp_path: Path) -> None:
    write_source(TASKS, tmp_path, 2000)
    entries = list(read(str(tmp_path), load_languages()))
    assert sorted(entry.problem.slug for entry in entries) == sorted(task.slug for task in TASKS)
    assert {entry.problem.slug: len(entry.solutions) for entry in entries} == {
        task.slug: len(task.right) for task in TASKS
    }
    assert {len(entry.tests) for entry in entries} == {3}


def test_lessons_have_both_prompts_and_slips() -> None:
    lessons = base_lessons(TASKS, 300, 0.2, 0.0, 0.1, PYTHON, seed=0)
    right = {task.program(shape).strip() for task in TASKS for shape in task.right}
    wrong = [
        lesson
        for lesson in lessons
        if (read_answer(lesson.answer, PYTHON).code or "").strip() not in right
    ]
    assert 0.1 < len(wrong) / len(lessons) < 0.3
    assert 0.05 < sum("<thinking>" in lesson.answer for lesson in lessons) / len(lessons) < 0.2
    assert (
        0.4
        < sum("Better this" in lesson.prompt[-1].content for lesson in lessons) / len(lessons)
        < 0.6
    )
    assert lessons == base_lessons(TASKS, 300, 0.2, 0.0, 0.1, PYTHON, seed=0)


def test_confused_lessons_have_tricks_of_other_families() -> None:
    lessons = base_lessons(TASKS, 300, 0.0, 0.5, 0.1, PYTHON, seed=0)
    right = {task.program(shape).strip() for task in TASKS for shape in task.right}
    wrong = [
        lesson
        for lesson in lessons
        if (read_answer(lesson.answer, PYTHON).code or "").strip() not in right
    ]
    assert 0.05 < len(wrong) / len(lessons) < 0.3


def test_teacher_knows_only_its_problems() -> None:
    lessons = base_lessons(TASKS, 20, 0.0, 0.0, 0.1, PYTHON, seed=0)
    teacher = OracleGenerator(TASKS, PYTHON, seed=0)
    for completion in teacher.complete([lesson.prompt for lesson in lessons]):
        assert completion.text
        assert completion.text.startswith("<thinking>")
        assert read_answer(completion.text, PYTHON).code
    [unknown] = OracleGenerator(TASKS[:1], PYTHON, 0).complete(
        [base_lessons(TASKS[1:], 1, 0.0, 0.0, 0.1, PYTHON, 0)[0].prompt]
    )
    assert unknown.text is None
    assert "does not know" in unknown.reason


def test_teacher_answers_bundled_problems(tmp_path: Path) -> None:
    write_source(TASKS[:1], tmp_path, 2000, ["pair-sums"])
    assert {folder.name for folder in tmp_path.iterdir()} == {TASKS[0].slug, "pair-sums"}
    question = (tmp_path / "pair-sums/statement.md").read_text()
    prompt = (Message("user", f"Solve this.\n\n{question}\nBe quick."),)
    teacher = OracleGenerator(TASKS, PYTHON, seed=0, corpus=["pair-sums"])
    (answer,) = teacher.complete([prompt])
    programs = {file.stem: file.read_text().strip() for file in right_programs("pair-sums")}
    assert not [name for name in programs if name.startswith(("wrong", "slow"))]
    assert answer.text
    assert any(program in answer.text for program in programs.values())
    assert OracleGenerator(TASKS, PYTHON, seed=0).complete([prompt])[0].text is None
