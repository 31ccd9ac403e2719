"""Which of other people's tasks may be looked at, and the oracles.

For these alone, and each says no.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.real.inputs import look, problems
from tools.real.oracles.__main__ import Oracle, oracles, refusal, sources
from tools.real.split import aside, for_development, function_for_development
from venus_toolkit.builders.functions import FunctionProblem
from venus_toolkit.execution.sandbox.bubblewrap import isolation_problem
from venus_toolkit.execution.sandbox.local import LocalSandbox

ORACLES = oracles()
# An allowed input of some oracles, and one that is not.
SHOWN = {
    "abc251_g": ("3\n0 0\n1 0\n0 1\n1\n0 0\n1\n5 5\n", "3\n0 0\n0 1\n1 0\n1\n0 0\n1\n5 5\n"),
    "abc317_a": ("2 3 9\n5 999\n", "2 9 3\n5 999\n"),
    "agc058_a": ("1\n2 1\n", "1\n2 2\n"),
    "minimize-maximum-component-cost": ("2\n[[0, 1, 5]]\n1\n", "3\n[[0, 1, 5]]\n1\n"),
    "statistics-from-a-large-sample": (f"[{'0, ' * 255}3]\n", f"[{'1, ' * 255}1]\n"),
    "remove-k-digits": ('"10"\n2\n', '"01"\n2\n'),
}


def test_what_may_be_looked_at() -> None:
    assert for_development("abc275_d")
    assert for_development("arc172_a")
    assert for_development("agc060_b")
    assert not for_development("abc276_d")
    assert not for_development("arc172")
    assert not for_development("xyz275_d")
    assert function_for_development(146)
    assert not function_for_development(147)


def test_a_third_is_aside() -> None:
    assert 0.25 < sum(aside(f"abc{number}_a") for number in range(101, 301, 2)) / 100 < 0.42


def test_there_is_an_oracle_for_thirty_of_each() -> None:
    tasks = [slug for slug in ORACLES if "_" in slug]
    assert len(tasks) >= 30
    assert len(ORACLES) - len(tasks) >= 30
    assert not [slug for slug in ORACLES if aside(slug)]
    assert not [slug for slug in tasks if not for_development(slug)]


@pytest.mark.parametrize(("slug", "shown"), SHOWN.items())
def test_oracles_say_yes_and_no(slug: str, shown: tuple[str, str]) -> None:
    good, bad = shown
    assert refusal(ORACLES[slug], good) is None
    assert refusal(ORACLES[slug], bad) is not None
    assert refusal(ORACLES[slug], good + "1\n") is not None, "a line too many"
    assert refusal(ORACLES[slug], "") is not None


def test_oracles_are_written_as_programs_of_their_own() -> None:
    written = dict(sources())
    assert written.keys() == ORACLES.keys()
    for slug, (good, bad) in SHOWN.items():
        space: dict[str, Oracle] = {}
        exec(written[slug], space)  # what we wrote ourselves
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
def test_inputs_that_break_a_promise_are_found(tmp_path: Path) -> None:
    """A statement that allows more than its oracle has inputs that are refused."""
    if isolation_problem():
        pytest.skip(f"no isolation: {isolation_problem()}")
    found = {}
    with LocalSandbox() as sandbox:
        for most in (100, 1000):
            folder = tmp_path / str(most) / "abc305_a"
            folder.mkdir(parents=True)
            (folder / "problem.toml").write_text('title = "Water"\n')
            (folder / "statement.md").write_text(WATER.replace("MOST", str(most)))
            (problem,) = problems(tmp_path / str(most))
            assert isinstance(problem, FunctionProblem)
            found[most] = look(sandbox, problem, 60)
    assert (
        found[100].way,
        found[100].validator,
        found[100].samples_refused,
        found[100].broken,
    ) == (
        "derived",
        True,
        0,
        [],
    )
    assert found[1000].broken
