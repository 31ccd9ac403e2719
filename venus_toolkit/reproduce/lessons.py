"""What the base model is shown: problems with programs of every shape, slips among them, none of them measured.

It learns how such programs are written, alone and in place of another one, and nothing of what they cost.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from venus_toolkit.answers import fenced
from venus_toolkit.language import Language
from venus_toolkit.prompts import Request, render_prompt
from venus_toolkit.reproduce.problems import Task, draw_shape
from venus_toolkit.training.scratch import Lesson

PROMPTS = Path(__file__).parent / "prompts"
OBJECTIVE = "time"


def base_lessons(
    tasks: Sequence[Task], count: int, slips: float, tagged: float, language: Language, seed: int
) -> list[Lesson]:
    """Return lessons drawn by lot: half of them begin with a program that another one replaces.

    Args:
        tasks: Which problems.
        count: How many lessons.
        slips: The share of programs that stop too early.
        tagged: The share of answers that think first, in tags; the others are a code block alone.
        language: Python.
        seed: Of the lot.
    """
    rng = random.Random(seed)

    def one(task: Task) -> Lesson:
        original = task.program(draw_shape(rng)) if rng.random() < 0.5 else None
        shape = draw_shape(rng)
        code = fenced(task.program(shape, slip=rng.random() < slips), language)
        answer = task.answer_in_tags(shape, code) if rng.random() < tagged else code
        request = Request(language, task.statement, OBJECTIVE, original=original, templates=PROMPTS)
        return Lesson(render_prompt(request), answer)

    return [one(rng.choice(tasks)) for _ in range(count)]
