"""Checks of values against annotations, and suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import pytest

from venus_toolkit.builders.derive.derive_options import make_derive_options
from venus_toolkit.builders.inputs.make_inputs import InputOptions
from venus_toolkit.builders.plan import make_plan, read_plan
from venus_toolkit.builders.reading.column_map import read_map
from venus_toolkit.builders.reading.tables import parse_location
from venus_toolkit.builders.sources import choose_source
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import find_language, load_languages
from venus_toolkit.core.options import NOT_NEGATIVE, check_value, nearest, one_of
from venus_toolkit.core.records import Limits
from venus_toolkit.eval.asking.suite import read_suite
from venus_toolkit.eval.eval_options import EvalOptions
from venus_toolkit.execution.engine import EngineOptions
from venus_toolkit.execution.measuring.counting import open_counter
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.training.recipe import make_recipe, read_recipe

PAIRS = Sequence[tuple[str, str | None]]


@pytest.mark.parametrize(
    ("hint", "right"),
    [
        (int, [0, -1, 10**30]),
        (Annotated[int | None, NOT_NEGATIVE], [0, None]),
        (float, [0, 1.5]),
        (str | Path, ["", Path()]),
        (Sequence[str], [(), [], ["a"], ("a", "b")]),
        (PAIRS, [[("a", None)], [["a", "b"]], ()]),
        (Mapping[str, bytes | str], [{}, {"a": b"", "b": ""}]),
        (bool | Callable[[str], None], [True, print]),
        (Limits | None, [None, Limits()]),
        (Annotated[str, one_of("a", "b")], ["a", "b"]),
        (Any, [None, object()]),
    ],
)
def test_values_that_fit(hint: Any, right: list[Any]) -> None:
    for value in right:
        check_value("x", hint, value, "see")


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (int, True, "x must be a whole number: got True\nsee"),
        (int, "3", "x must be a whole number: got '3'\nsee"),
        (Annotated[int | None, NOT_NEGATIVE], -1, "x must be at least 0: got -1\nsee"),
        (float, float("nan"), "x must be a number: got nan\nsee"),
        (str, b"a", "x must be text: got b'a'\nsee"),
        (str | Path | None, 3, "x must be text or a path: got 3\nsee"),
        (Sequence[str], "ab", "x must be a list of texts: got 'ab'\nsee"),
        (Sequence[str], {"a": 1}, "x must be a list of texts: got {'a': 1}\nsee"),
        (PAIRS, ["ab"], "x must be a list of (text, text or None): got ['ab']\nsee"),
        (PAIRS, [("a", "b", "c")], "x must be a list of (text, text or None): got [('a', 'b', 'c')]\nsee"),
        (Mapping[str, str], {"a": 1}, "x must be a mapping from text to text: got {'a': 1}\nsee"),
        (bool | Callable[[str], None], 1, "x must be true or false or a function: got 1\nsee"),
        (Limits | None, 1, "x must be a Limits: got 1\nsee"),
        (Annotated[str, one_of("wall", "cpu")], "wal",
         "unknown x 'wal': expected one of wall, cpu\ndid you mean wall? see"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit(hint: Any, value: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_value("x", hint, value, "see")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Pyhton", "did you mean python? "),
        ("c-pp", "did you mean cpp? "),
        ("cpq", "did you mean cpp? "),
        ("limit-wal-s", "did you mean limit_wall_s? "),
        ("limits", "did you mean limit_wall_s? "),
        ("nothing", ""),
        ("", ""),
        ("p" * 10_000_000, ""),
    ],
)
def test_the_nearest_name(name: str, hint: str) -> None:
    assert nearest(name, ["python", "cpp", "limit_wall_s"]) == hint


EVALUATION: dict[str, Any] = {"model": "m", "data": "d", "lang": ("cpp",)}


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (lambda: make_plan(repeat=3), "repeats"),
        (lambda: make_plan(quality={"mutant": 3}), "mutants"),
        (lambda: make_plan(rank="reltive"), "relative"),
        (lambda: read_plan("demmo"), "demo"),
        (lambda: read_recipe("grppo"), "grpo"),
        (lambda: make_recipe(method="grppo"), "grpo"),
        (lambda: choose_source("appz"), "apps"),
        (lambda: parse_location("some/data?spilt=test"), "split"),
        (lambda: read_map("humaneval_x"), "humaneval-x"),
        (lambda: read_suite("eco"), "ecco"),
        (lambda: find_language("pyhton", load_languages()), "python"),
        (lambda: open_sandbox("lcoal"), "local"),
        (lambda: EngineOptions("rayy"), "ray"),
        (lambda: open_counter("emulate"), "emulated"),
        (lambda: EvalOptions(**EVALUATION, objective="memroy"), "memory"),
        (lambda: EvalOptions(**EVALUATION, form="blok"), "block"),
        (lambda: make_derive_options(objectives=("integrall",)), "integral"),
        (lambda: InputOptions(ways=("derivd",)), "derived"),
    ],
)
def test_every_unknown_name_suggests_the_nearest(call: Callable[[], object], meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert caught.value.fix.startswith(f"did you mean {meant}? ")
