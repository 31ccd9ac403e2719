"""Who answers in the place of a large model when the cold-start set is derived: a lot among the shapes it knows.

The teacher knows the right programs of every problem and nothing of what they cost. Which of its answers are kept, the
derived set decides as it does for any model: they have to pass, and to cost no more than the original.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from venus_toolkit.answers import fenced
from venus_toolkit.language import Language
from venus_toolkit.llm import Completion, Prompt
from venus_toolkit.reproduce.problems import Task, draw_shape

NAME = "teacher"


@dataclass(frozen=True, slots=True)
class Teacher:
    """A generator.

    Args:
        tasks: The problems that it is asked about.
        language: Python.
        seed: Of the lot; the same prompt gets the same answer.
    """

    tasks: Sequence[Task]
    language: Language
    seed: int

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return an answer to each prompt; to one about no problem of these, none, with the reason."""
        known = {task.statement.strip(): task for task in self.tasks}
        return [self._answer(prompt, known.get(prompt[-1].content.split("\n")[0])) for prompt in prompts]

    def _answer(self, prompt: Prompt, task: Task | None) -> Completion:
        if task is None:
            return Completion(None, "the teacher does not know this problem")
        shape = draw_shape(random.Random(f"{self.seed} {prompt[-1].content}"))
        return Completion(task.answer_in_tags(shape, fenced(task.program(shape), self.language)))
