"""The programs that come with a problem: runners, evaluators, generators, and the names LeetCode has for languages.

Only what keeps our contracts (docs/problems.md) becomes a part of the problem; everything else stays in ``extra``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.language import MARKER
from venus_toolkit.records import Comparison

EVALUATORS = Path(__file__).parents[1] / "evaluators"
OLD_MARKER = "==Solution Code=="
OLD_TESTS = "==Test Cases=="


class Judged(NamedTuple):
    """How a problem's answers are compared, with the evaluator where there is one."""

    comparison: Comparison
    evaluator: str | None


def judged_by(evaluator: str) -> Judged:
    """Return how to compare with a source's evaluator: exactly, where it does not define ``evaluate``."""
    if re.search(r"^def evaluate\(", evaluator, re.MULTILINE):
        return Judged(Comparison("evaluator"), evaluator)
    return Judged(Comparison(), None)


def fill_evaluator(name: str, **values: object) -> str:
    """Return the evaluator in ``builders/evaluators/NAME.py.txt`` with Python literals in the place of ``{key}``."""
    template = (EVALUATORS / f"{name}.py.txt").read_text(encoding="utf-8")
    keys = "|".join(values)
    return re.sub(rf"\{{({keys})\}}", lambda found: repr(values[found[1]]), template)


def own_generator(generator: str) -> str | None:
    """Return a generator that has our contract, ``generate(seed, size)``, and None for any other."""
    return generator if re.search(r"^def generate\(\s*seed\b", generator, re.MULTILINE) else None


def runners_of(templates: Mapping[str, str]) -> dict[str, str]:
    """Return the runners among templates by language, with our marker; one with its tests inside is not a runner."""
    runners = {language: text.replace(OLD_MARKER, MARKER) for language, text in templates.items()}
    return {language: text for language, text in runners.items() if text.count(MARKER) == 1 and OLD_TESTS not in text}


def leetcode_names(names: Iterable[str]) -> dict[str, str]:
    """Return what LeetCode's names for languages mean: its python is Python 2 where there is a python3 beside it."""
    listed = list(names)
    return {name: "python2" if name == "python" and "python3" in listed else name for name in listed}
