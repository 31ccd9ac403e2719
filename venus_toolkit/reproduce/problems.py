"""Families of small problems: a sum of n terms that repeat, so that one pass costs time and one period none.

A problem is an operation, two factors and a modulus. Each has programs of six shapes that are all right and cost
differently; a *slip* is one of them that stops a term too early, as people write it.
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

MATERIAL = Path(__file__).parent / "material"
OPERATIONS = {"sum": "({a}*i+{b})%{m}", "squares": "({a}*i*i+{b})%{m}", "zeros": "({a}*i+{b})%{m}==0"}
MODULI = range(4, 10)
SMALL_TESTS, LARGE_TESTS = 1, 2
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
    return [*_telling(task, SMALL, SMALL_TESTS, rng), *_telling(task, large, LARGE_TESTS, rng)]


def _telling(task: Task, numbers: range, count: int, rng: random.Random) -> list[int]:
    """Return some numbers whose last term counts; such a number is among any nine that follow each other."""
    found: list[int] = []
    while len(found) < count:
        number = rng.choice(numbers)
        if task.value(number) and number % task.m and number not in found:
            found.append(number)
    return found


def write_source(tasks: Sequence[Task], folder: Path, largest: int) -> None:
    """Write problems as folders that `venus build` reads.

    Args:
        tasks: Which.
        folder: Where to.
        largest: The largest n of a test.
    """
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
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(MATERIAL),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
