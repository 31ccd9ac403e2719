"""Families of small problems: a sum of n terms that repeat, so that one pass costs time and one period none.

A problem is an operation, two factors and a modulus. Each has programs of six shapes that are all right and cost
differently; a *slip* is one of them that stops a term too early, as people write it. The base model is shown such
programs, none of them measured: it learns how they are written, alone and in place of another one, and nothing of what
they cost. The teacher answers in the place of a large model when the cold-start set is derived.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from venus_toolkit.core.language import Language
from venus_toolkit.models.answers import fenced
from venus_toolkit.models.client import Completion, Prompt
from venus_toolkit.models.prompts import Request, render_prompt
from venus_toolkit.training.scratch import Lesson

MATERIAL = Path(__file__).parent / "material"
PROMPTS = Path(__file__).parent / "prompts"
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(MATERIAL),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
OBJECTIVE = "time"
OPERATIONS = {"sum": "({a}*i+{b})%{m}", "squares": "({a}*i*i+{b})%{m}", "zeros": "({a}*i+{b})%{m}==0"}
MODULI = range(4, 10)
SMALL_TESTS, LARGE_TESTS = 1, 2  # a small test finds mistakes, the large ones cost time
SMALL = range(10, 100)
SPREAD = 0.2  # large inputs are drawn from this share below the largest


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """A problem: an operation over ``(a*i + b) % m`` for i from 1 to n."""

    op: str
    a: int
    b: int
    m: int

    @property
    def slug(self) -> str:
        """Its name, for folders."""
        return f"{self.op}-{self.a}-{self.b}-{self.m}"

    @property
    def term(self) -> str:
        """The term as it is written in Python."""
        return OPERATIONS[self.op].format(a=self.a, b=self.b, m=self.m)

    @property
    def statement(self) -> str:
        """What is asked."""
        return _render("statement.md.j2", op=self.op, term=self.term.replace("==0", "=0"))

    def value(self, i: int) -> int:
        """Return the i-th term.

        >>> Task("squares", 2, 1, 7).value(3), Task("zeros", 3, 0, 6).value(4)
        (5, 1)
        """
        rest = (self.a * i * (i if self.op == "squares" else 1) + self.b) % self.m
        return int(rest == 0) if self.op == "zeros" else rest

    def answer(self, n: int) -> int:
        """Return the sum of the first n terms.

        >>> Task("sum", 2, 1, 5).answer(6)
        13
        """
        period = [self.value(i) for i in range(1, self.m + 1)]
        return n // self.m * sum(period) + sum(period[: n % self.m])

    def program(self, shape: str, slip: bool = False) -> str:
        """Return a program; with a slip it leaves out the last term, or the last period's rest."""
        end = "n" if slip else "n+1"
        return _render(f"shapes/{shape}.py.j2", term=self.term, period=self.m, end=end, slip=slip)

    def answer_in_tags(self, shape: str, code: str) -> str:
        """Return an answer that thinks first, with a code block as its solution."""
        return _render("thinking.md.j2", thought=shapes()[shape].thought, code=code).strip()


def all_tasks() -> list[Task]:
    """Return every problem of which some term within a period is not 0, in order."""
    found = [Task(op, a, b, m) for op in OPERATIONS for m in MODULI for a in range(2, m) for b in range(m)]
    return sorted(task for task in found if task.answer(task.m - 1))


class Shape(NamedTuple):
    """What is thought of a shape, and how common it is."""

    thought: str
    common: int


@cache
def shapes() -> Mapping[str, Shape]:
    """Return the shapes by their names."""
    table = tomllib.loads((MATERIAL / "shapes.toml").read_text(encoding="utf-8"))
    return {name: Shape(**told) for name, told in table.items()}


def draw_shape(rng: random.Random) -> str:
    """Return the name of a shape, drawn by how common it is."""
    return rng.choices(list(shapes()), [shape.common for shape in shapes().values()])[0]


def inputs(task: Task, largest: int) -> list[int]:
    """Return the n of a problem's tests: small ones and large ones, all of which notice a missing last term."""
    rng = random.Random(task.slug)
    large = range(round((1 - SPREAD) * largest), largest)
    found: list[int] = []
    for numbers, count in ((SMALL, SMALL_TESTS), (large, SMALL_TESTS + LARGE_TESTS)):
        while len(found) < count:  # among any nine numbers that follow each other there is one whose last term counts
            number = rng.choice(numbers)
            # A slip leaves out the last term, or the rest of a period: with a term of 0, or no rest, it would pass.
            if task.value(number) and number % task.m and number not in found:
                found.append(number)
    return found


def write_source(tasks: Sequence[Task], folder: Path, largest: int) -> None:
    """Write problems as folders that `venus build` reads; `largest` is the largest n of a test."""
    for number, task in enumerate(tasks, 1):
        own = folder / task.slug
        for inner in ("tests", "solutions/python"):
            (own / inner).mkdir(parents=True, exist_ok=True)
        title = task.slug.replace("-", " ")
        files = {
            "problem.toml": _render("problem.toml.j2", number=number, title=title, op=task.op),
            "statement.md": task.statement,
            **{f"solutions/python/{shape}.py": task.program(shape) for shape in shapes()},
        }
        for place, n in enumerate(inputs(task, largest), 1):
            files |= {f"tests/{place}.in": f"{n}\n", f"tests/{place}.out": f"{task.answer(n)}\n"}
        for name, text in files.items():
            (own / name).write_text(text, encoding="utf-8")


def _render(template: str, **values: Any) -> str:
    return TEMPLATES.get_template(template).render(values)


def base_lessons(
    tasks: Sequence[Task], count: int, slips: float, tagged: float, language: Language, seed: int
) -> list[Lesson]:
    """Return random lessons for the base model: half of them begin with a program that another one replaces.

    A share of `slips` has programs that stop too early. A share that is `tagged` has answers that think first, in tags;
    the others are a code block alone.
    """
    rng = random.Random(seed)
    lessons = []
    for _ in range(count):
        task = rng.choice(tasks)
        original = task.program(draw_shape(rng)) if rng.random() < 0.5 else None
        shape = draw_shape(rng)
        code = fenced(task.program(shape, slip=rng.random() < slips), language)
        answer = task.answer_in_tags(shape, code) if rng.random() < tagged else code
        request = Request(language, task.statement, OBJECTIVE, original=original, templates=PROMPTS)
        lessons.append(Lesson(render_prompt(request), answer))
    return lessons


@dataclass(frozen=True, slots=True)
class Teacher:
    """A generator that knows the right programs of its problems, draws one of their shapes, and knows no costs.

    Which of its answers are kept, the derived set decides as it does for any model: they have to pass, and to cost no
    more than the original. The same prompt gets the same answer.
    """

    tasks: Sequence[Task]
    language: Language
    seed: int

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return an answer to each prompt; to one about no problem of these, none, with the reason."""
        known = {task.statement.strip(): task for task in self.tasks}

        def answer(question: str) -> Completion:
            # In the prompts of a reproduction the statement is the first line.
            task = known.get(question.split("\n")[0])
            if task is None:
                return Completion(None, "the teacher does not know this problem")
            # Seeded with the text itself: hash() of a text differs from process to process.
            shape = draw_shape(random.Random(f"{self.seed} {question}"))
            return Completion(task.answer_in_tags(shape, fenced(task.program(shape), self.language)))

        return [answer(prompt[-1].content) for prompt in prompts]
