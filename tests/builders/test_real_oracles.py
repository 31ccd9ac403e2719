"""The split of public tasks into parts, and the oracles: each accepts and refuses an input."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.real.inputs import problems, statement_figures
from tools.real.oracles.__main__ import Oracle, oracles, refusal, sources
from tools.real.split import aside, for_development, function_for_development
from venus_toolkit.builders.functions import FunctionProblem
from venus_toolkit.execution.sandbox.bubblewrap import isolation_problem
from venus_toolkit.execution.sandbox.local import LocalSandbox

ORACLES = oracles()
# An accepted and a refused input for some oracles.
EXAMPLES = {
    "abc251_g": ("3\n0 0\n1 0\n0 1\n1\n0 0\n1\n5 5\n", "3\n0 0\n0 1\n1 0\n1\n0 0\n1\n5 5\n"),
    "abc317_a": ("2 3 9\n5 999\n", "2 9 3\n5 999\n"),
    "agc058_a": ("1\n2 1\n", "1\n2 2\n"),
    "minimize-maximum-component-cost": ("2\n[[0, 1, 5]]\n1\n", "3\n[[0, 1, 5]]\n1\n"),
    "statistics-from-a-large-sample": (f"[{'0, ' * 255}3]\n", f"[{'1, ' * 255}1]\n"),
    "remove-k-digits": ('"10"\n2\n', '"01"\n2\n'),
    "abc226_c": ("2\n3 0\n4 1 1\n", "2\n3 0\n4 1 2\n"),
    "abc270_g": ("1\n999999937 2 1 1 0\n", "1\n3215031751 2 1 1 0\n"),
    "abc276_c": ("2\n2 1\n", "2\n1 2\n"),
    "abc280_c": ("ab\nabb\n", "ab\nbba\n"),
    "abc286_g": ("3 2\n1 2\n2 3\n1\n2\n", "4 3\n1 2\n1 3\n2 3\n1\n2\n"),
    "abc287_c": ("2 1\n2 1\n", "2 2\n2 1\n1 2\n"),
    "abc304_d": ("3 4\n1\n1 2\n1\n2\n1\n1\n", "3 4\n1\n1 2\n1\n1\n1\n1\n"),
    "abc313_b": ("3 2\n1 2\n2 3\n", "3 3\n1 2\n2 3\n3 1\n"),
    "abc338_f": ("2 2\n1 2 3\n2 1 -3\n", "2 2\n1 2 3\n2 1 -4\n"),
    "abc343_b": ("2\n0 1\n1 0\n", "2\n0 1\n0 0\n"),
    "abc352_f": ("4 2\n1 2 2\n3 4 2\n", "4 2\n1 2 3\n3 4 2\n"),
    "arc132_b": ("3\n1 3 2\n", "4\n1 3 2 4\n"),
    "arc175_d": ("3 1\n1 2\n3 2\n", "3 1\n1 2\n2 1\n"),
    "all-paths-from-source-to-target": ("[[1], []]\n", "[[1], [0]]\n"),
    "brick-wall": ("[[1, 2], [3]]\n", "[[1, 2], [2]]\n"),
    "choose-edges-to-maximize-score-in-a-tree": (
        "[[-1, -1], [2, 1], [0, 5]]\n",
        "[[-1, -1], [2, 1], [1, 5]]\n",
    ),
    "coin-change-ii": ("5\n[1, 2]\n", f"5000\n{list(range(1, 100))}\n"),
    "count-unhappy-friends": ("2\n[[1], [0]]\n[[1, 0]]\n", "2\n[[1], [0]]\n[[0, 0]]\n"),
    "find-if-path-exists-in-graph": ("2\n[[0, 1]]\n0\n1\n", "2\n[[0, 1], [1, 0]]\n0\n1\n"),
    "reorder-data-in-log-files": ('["a 1 2"]\n', '["a 1 b"]\n'),
    "search-in-rotated-sorted-array-ii": ("[3, 4, 1]\n1\n", "[3, 4, 1, 4]\n1\n"),
    "second-minimum-node-in-a-binary-tree": ("[2, 2, 5]\n", "[1, 2, 5]\n"),
    "sequence-reconstruction": ("[2, 1]\n[[2]]\n", "[2, 1]\n[[1, 2]]\n"),
    "swim-in-rising-water": ("[[3, 0], [1, 2]]\n", "[[3, 0], [1, 1]]\n"),
    "two-sum-iv-input-is-a-bst": ("[5, 3, 6, 2, 4, null, 7]\n9\n", "[5, 3, 6, 2, 5]\n9\n"),
}


def test_development_part() -> None:
    assert for_development("abc275_d")
    assert for_development("arc172_a")
    assert for_development("agc060_b")
    assert not for_development("abc276_d")
    assert not for_development("arc172")
    assert not for_development("xyz275_d")
    assert function_for_development(146)
    assert not function_for_development(147)


def test_aside_part_is_a_third() -> None:
    assert 0.25 < sum(aside(f"abc{number}_a") for number in range(101, 301, 2)) / 100 < 0.42


def test_half_of_the_oracles_are_for_aside_problems() -> None:
    unseen = {slug for slug, oracle in ORACLES.items() if oracle.__module__.endswith("_aside")}
    for slugs in (unseen, ORACLES.keys() - unseen):
        assert sum("_" in slug for slug in slugs) >= 30
        assert sum("_" not in slug for slug in slugs) >= 30
    assert not [slug for slug in ORACLES.keys() - unseen if aside(slug)]
    for slug, oracle in ORACLES.items():
        if "_" in slug:
            assert (oracle.__module__.endswith("contest_aside")) == (
                not for_development(slug) or aside(slug)
            )


@pytest.mark.parametrize(("slug", "examples"), EXAMPLES.items())
def test_oracles_accept_and_refuse(slug: str, examples: tuple[str, str]) -> None:
    good, bad = examples
    assert refusal(ORACLES[slug], good) is None
    assert refusal(ORACLES[slug], bad) is not None
    assert refusal(ORACLES[slug], good + "1\n") is not None, "an extra line"
    assert refusal(ORACLES[slug], "") is not None


def test_oracles_as_standalone_programs() -> None:
    programs = dict(sources())
    assert programs.keys() == ORACLES.keys()
    for slug, (good, bad) in EXAMPLES.items():
        space: dict[str, Oracle] = {}
        exec(programs[slug], space)  # our own code
        assert space["validate"](good)  # type: ignore[func-returns-value]
        with pytest.raises(ValueError):  # noqa: PT011 - any reason will do
            space["validate"](bad)


WATER = """How far is it from $N$ to the nearest multiple of 5?

## Constraints

- $0 \\leq N \\leq MOST$
- $N$ is an integer.

## Input

```
N
```

## Output

Print the distance.

## Sample Input 1

```
53
```

## Sample Output 1

```
2
```
"""


@pytest.mark.isolation
def test_oracle_refuses_inputs_of_a_loose_statement(tmp_path: Path) -> None:
    """The second statement allows larger numbers than the oracle."""
    if isolation_problem():
        pytest.skip(f"no isolation: {isolation_problem()}")
    figures = {}
    with LocalSandbox() as sandbox:
        for most in (100, 1000):
            folder = tmp_path / str(most) / "abc305_a"
            folder.mkdir(parents=True)
            (folder / "problem.toml").write_text('title = "Water"\n')
            (folder / "statement.md").write_text(WATER.replace("MOST", str(most)))
            (problem,) = problems(tmp_path / str(most))
            assert isinstance(problem, FunctionProblem)
            figures[most] = statement_figures(sandbox, problem, 60)
    tight = figures[100]
    assert (tight.way, tight.validator) == ("derived", True)
    assert (tight.samples_refused, tight.refused) == (0, [])
    assert figures[1000].refused
