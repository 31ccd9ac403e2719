"""Families of small problems on n terms.

A pass over all terms costs time; each family has its own trick that avoids it.

    repeating   the sum of repeating terms       one period, n // m times
    linear      the sum of growing terms         a formula
    distinct    the number of distinct values    stop after m terms
    mixed       the sum of irregular terms       none: the cheapest pass is best

A trick is wrong for every other family, so the best program depends on the statement. A *slip* is a
program that stops a term too early, a typical human mistake. The base model also sees slips and
tricks of other families, all without costs: it learns to write such programs, alone and as
replacements for others, but not what they cost. The teacher replaces a large model when the
cold-start set is derived.
"""

from __future__ import annotations

import math
import random
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from examples.reproduce.scratch import Lesson
from venus_toolkit.builders.sources.folder import CORPUS
from venus_toolkit.core.language import Language
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.models.answers import fenced
from venus_toolkit.models.client import Completion, Prompt
from venus_toolkit.models.prompts import PromptRequest, render_prompt

MATERIAL = Path(__file__).parent / "material"
PROMPTS = Path(__file__).parent / "prompts"
TEMPLATES = make_environment(
    MATERIAL, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)
OBJECTIVE = "time"


class Family(NamedTuple):
    """A kind of problem: its term, its trick (may be empty), and whether it counts distinct values."""

    term: str
    trick: str
    distinct: bool = False


FAMILIES: Mapping[str, Family] = {
    "repeating": Family("({a}*i+{b})%{m}", "period"),
    "linear": Family("{a}*i+{b}", "formula"),
    "distinct": Family("({a}*i+{b})%{m}", "bounded", distinct=True),
    "mixed": Family("{a}*i*i^{b}", ""),
}


@dataclass(frozen=True, slots=True, order=True)
class SmallProblem:
    """A problem of a family; `m` is the modulus of its terms, or the one that a wrong trick assumes."""

    op: str
    a: int
    b: int
    m: int

    @property
    def slug(self) -> str:
        """The name of its folder."""
        return f"{self.op}-{self.a}-{self.b}-{self.m}"

    @property
    def family(self) -> Family:
        """Its family."""
        return FAMILIES[self.op]

    @property
    def term(self) -> str:
        """The term as a Python expression."""
        return self.family.term.format(a=self.a, b=self.b, m=self.m)

    @property
    def statement(self) -> str:
        """The statement of the problem."""
        return _render("statement.md.j2", distinct=self.family.distinct, term=self.term)

    @property
    def right(self) -> tuple[str, ...]:
        """The shapes of correct programs: the family's trick, and every shape with a full pass."""
        return tuple(
            name for name, shape in shapes().items() if not shape.trick or name == self.family.trick
        )

    def value(self, i: int) -> int:
        """Return the i-th term.

        >>> SmallProblem("repeating", 2, 1, 7).value(3), SmallProblem("linear", 3, 1, 6).value(4)
        (0, 13)
        >>> SmallProblem("mixed", 2, 1, 5).value(3)
        19
        """
        if self.op == "mixed":
            return self.a * i * i ^ self.b
        value = self.a * i + self.b
        return value if self.op == "linear" else value % self.m

    def answer(self, n: int) -> int:
        """Return the expected output for n.

        >>> SmallProblem("repeating", 2, 1, 5).answer(6), SmallProblem("linear", 2, 1, 5).answer(3)
        (13, 15)
        >>> SmallProblem("distinct", 2, 1, 5).answer(9)
        5
        """
        terms = (self.value(i) for i in range(1, n + 1))
        return len(set(terms)) if self.family.distinct else sum(terms)

    def program(self, shape: str, slip: bool = False) -> str:
        """Return a program; a slip omits the last term, or the rest of the last period."""
        values = {
            "term": self.term,
            "distinct": self.family.distinct,
            "a": self.a,
            "b": self.b,
            "m": self.m,
        }
        return _render(f"shapes/{shape}.py.j2", **values, end="n" if slip else "n+1", slip=slip)

    def answer_in_tags(self, shape: str, code: str) -> str:
        """Return an answer in tags: a thought, then a code block as its solution."""
        return _render("thinking.md.j2", thought=shapes()[shape].thought, code=code).strip()


def all_tasks() -> list[SmallProblem]:
    """Return all problems in order, the same number from each family."""
    moduli, wide = range(4, 10), range(30, 90)
    problems = {
        "repeating": [
            SmallProblem("repeating", a, b, m)
            for m in moduli
            for a in range(2, m)
            for b in range(m)
        ],
        "linear": [
            SmallProblem("linear", a, b, m)
            for m in moduli
            for a in range(2, 10)
            for b in range(1, 10)
        ],
        # If factor and modulus are coprime, the first m values are distinct.
        "distinct": [
            SmallProblem("distinct", a, b, m)
            for m in wide
            for a in range(2, 10)
            for b in range(1, 10)
            if math.gcd(a, m) == 1
        ],
        "mixed": [
            SmallProblem("mixed", a, b, m)
            for m in moduli
            for a in range(2, 10)
            for b in range(1, 10)
        ],
    }
    problems["repeating"] = [task for task in problems["repeating"] if task.answer(task.m - 1)]
    # Statements of these two do not contain the modulus: use one problem for each statement.
    for op in ("linear", "mixed"):
        problems[op] = list({task.statement: task for task in problems[op]}.values())
    least = min(map(len, problems.values()))
    return sorted(
        task for op, tasks in problems.items() for task in random.Random(op).sample(tasks, least)
    )


class ProgramShape(NamedTuple):
    """The thought behind a shape, and its relative frequency."""

    thought: str
    common: int
    trick: bool = False  # a trick does not compute every term, and is right for one family only


@cache
def shapes() -> Mapping[str, ProgramShape]:
    """Return the shapes by their names."""
    table = tomllib.loads((MATERIAL / "shapes.toml").read_text(encoding="utf-8"))
    return {name: ProgramShape(**fields) for name, fields in table.items()}


def draw_shape(rng: random.Random, names: Sequence[str]) -> str:
    """Return a random shape, weighted by frequency."""
    return rng.choices(names, [shapes()[name].common for name in names])[0]


def inputs(task: SmallProblem, largest: int) -> list[int]:
    """Return small and large values of n for a problem's tests; each detects a missing last term."""
    rng = random.Random(task.slug)
    # Below the moduli of distinct problems, so that a missing value changes the answer.
    small = range(10, 30)
    large = range(round(0.8 * largest), largest)
    chosen: list[int] = []
    # One small test finds mistakes, two large ones take time.
    for numbers, count in ((small, 1), (large, 3)):
        # any nine consecutive numbers include a suitable one
        while len(chosen) < count:
            number = rng.choice(numbers)
            # With a last term of 0, or no rest of a period, a slip would pass.
            if task.value(number) and number % task.m and number not in chosen:
                chosen.append(number)
    return chosen


def write_source(
    tasks: Sequence[SmallProblem], folder: Path, largest: int, corpus: Sequence[str] = ()
) -> None:
    """Write problems as folders that `venus build` reads.

    `largest` is the largest n of a test; `corpus` are bundled problems to copy as well.
    """
    for slug in corpus:
        shutil.copytree(CORPUS / slug, folder / slug, dirs_exist_ok=True)
    # Bundled problems have numbers up to 100.
    for number, task in enumerate(tasks, 101):
        own = folder / task.slug
        for inner in ("tests", "solutions/python"):
            (own / inner).mkdir(parents=True, exist_ok=True)
        title = task.slug.replace("-", " ")
        files = {
            "problem.toml": _render("problem.toml.j2", number=number, title=title, op=task.op),
            "statement.md": task.statement,
            **{f"solutions/python/{shape}.py": task.program(shape) for shape in task.right},
        }
        for place, n in enumerate(inputs(task, largest), 1):
            files |= {f"tests/{place}.in": f"{n}\n", f"tests/{place}.out": f"{task.answer(n)}\n"}
        for name, text in files.items():
            (own / name).write_text(text, encoding="utf-8")


def _render(template: str, **values: Any) -> str:
    return TEMPLATES.get_template(template).render(values)


def base_lessons(
    tasks: Sequence[SmallProblem],
    count: int,
    slips: float,
    confused: float,
    tagged: float,
    language: Language,
    seed: int,
) -> list[Lesson]:
    """Return random lessons for the base model; half of them replace a given program.

    The shares are: `slips` of programs that stop too early, `confused` of programs of any shape,
    including tricks of other families, and `tagged` of answers with a thought in tags. Other answers
    are only a code block.
    """
    rng = random.Random(seed)
    lessons = []
    for _ in range(count):
        task = rng.choice(tasks)
        original = task.program(draw_shape(rng, list(shapes()))) if rng.random() < 0.5 else None
        shape = draw_shape(rng, list(shapes()) if rng.random() < confused else task.right)
        code = fenced(task.program(shape, slip=rng.random() < slips), language)
        answer = task.answer_in_tags(shape, code) if rng.random() < tagged else code
        request = PromptRequest(
            language, task.statement, OBJECTIVE, original=original, templates=PROMPTS
        )
        lessons.append(Lesson(render_prompt(request), answer))
    return lessons


@dataclass(frozen=True, slots=True)
class OracleGenerator:
    """A generator that returns a random correct program for a known problem, regardless of costs.

    The derived set filters its answers like those of any model: they have to pass, and to cost no
    more than the original. The same prompt gets the same answer.
    """

    tasks: Sequence[SmallProblem]
    language: Language
    seed: int
    corpus: Sequence[str] = ()  # bundled problems with human programs

    def complete(self, prompts: Sequence[Prompt]) -> list[Completion]:
        """Return an answer to each prompt; prompts about unknown problems get only a reason."""
        known = {task.statement.strip(): task for task in self.tasks}
        people = {
            (CORPUS / slug / "statement.md").read_text(encoding="utf-8").strip(): slug
            for slug in self.corpus
        }

        def answer(question: str) -> Completion:
            asked = [statement for statement in (*known, *people) if statement in question]
            if not asked:
                return Completion(None, "the teacher does not know this problem")
            statement = max(asked, key=len)  # one statement may be a prefix of another
            # Seeded with the text itself, because hash() of a string differs between processes.
            rng = random.Random(f"{self.seed} {question}")
            if task := known.get(statement):
                shape = draw_shape(rng, task.right)
                code = fenced(task.program(shape), self.language)
                return Completion(task.answer_in_tags(shape, code))
            file = rng.choice(right_programs(people[statement]))
            thought = f"An idea that gives the right answer: {file.stem.replace('_', ' ')}."
            code = fenced(file.read_text(encoding="utf-8"), self.language)
            return Completion(_render("thinking.md.j2", thought=thought, code=code).strip())

        return [answer(prompt[-1].content) for prompt in prompts]


def right_programs(slug: str) -> list[Path]:
    """Return the Python programs of a bundled problem that are correct and not deliberately slow."""
    files = sorted((CORPUS / slug / "solutions" / "python").glob("*.py"))
    return [file for file in files if not file.stem.startswith(("wrong_", "slow_"))]
