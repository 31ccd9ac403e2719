"""Inputs of a function from the types of its parameters alone: what is known where a problem says nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from venus_toolkit.errors import VenusError
from venus_toolkit.language import load_languages
from venus_toolkit.records import Problem
from venus_toolkit.signatures import Type, parse_signature
from venus_toolkit.signatures.values import Value, random_value

LARGEST = 1000  # beyond it results overflow in some languages and not in others
TRIES = 50
SIZES = (2, 4, 8, 12)


def typed_inputs(problem: Problem, count: int, seed: int) -> list[str]:
    """Return random inputs of a function with starter code in Python, a JSON value a line; none of a class to design.

    Nobody knows whether the problem allows them: an input counts only where all solutions agree on its output.
    """
    try:
        signature = parse_signature(problem.starter_code.get("python", ""), load_languages()["python"])
    except VenusError:
        return []
    if problem.style != "function" or signature.design:
        return []
    (function,) = signature.functions
    draw = random.Random(f"{problem.slug} {seed}")
    sizes = [SIZES[number % len(SIZES)] for number in range(count)]
    cases = [[_modest(parameter.type, draw, size) for parameter in function.parameters] for size in sizes]
    return ["".join(json.dumps(value, ensure_ascii=False) + "\n" for value in case) for case in cases]


def _modest(wanted: Type, draw: random.Random, size: int) -> Value:
    """Return a value without large numbers; the smallest one where chance gives none."""
    for _ in range(TRIES):
        value = random_value(wanted, draw, size)
        if all(abs(number) <= LARGEST for number in _numbers(value)):
            return value
    return random_value(wanted, draw, 0)


def _numbers(value: Value) -> Iterator[float]:
    if isinstance(value, (int, float)):
        yield value
    for item in value if isinstance(value, list) else ():
        yield from _numbers(item)
