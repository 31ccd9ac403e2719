"""Runs at growing sizes: the choice of sizes, and the growth of a real program's cost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.building import needs_isolation
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import NS_PER_S, Limits
from venus_toolkit.execution.measuring.complexity import Growth
from venus_toolkit.execution.measuring.counting import Counter, open_counter
from venus_toolkit.execution.measuring.scaling import (
    MAX_INSTRUCTIONS,
    MAX_SIZES,
    Cost,
    complexity_of,
    growth_of_costs,
    measure_growth,
)
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox
from venus_toolkit.execution.sandbox.supervisor import Cores

pytestmark = needs_isolation
GENERATOR = """SIZES = {"": 16000, "q": 3}
def generate(seed, size):
    name, _, number = size.rpartition("=")
    n = int(number) if name == "" else 4
    return f"{n}\\n" + " ".join(str((seed * i) % 7) for i in range(n)) + "\\n"
"""
QUADRATIC = """#include <iostream>
#include <vector>
int main() {
  int n;
  std::cin >> n;
  std::vector<int> a(n);
  for (int& x : a) std::cin >> x;
  long long pairs = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) pairs += a[i] < a[j];
  std::cout << pairs << "\\n";
}
"""


def costs(work: Callable[[int], float], most: int = 10**9) -> Callable[[int], Cost | str]:
    return lambda n: (
        Cost(int(1e6 + work(n)), 4_000_000 + 8 * n) if n <= most else f"it fails at size {n}"
    )


def test_the_largest_sizes_are_fitted() -> None:
    growth = growth_of_costs("", 200_000, costs(lambda n: 50 * n))
    assert (len(growth.sizes), growth.sizes[-1], growth.reason) == (MAX_SIZES, 200_000, "")
    assert growth.instructions is not None
    assert growth.instructions.growth is Growth.LINEAR
    assert growth.memory is not None
    assert growth.memory.growth is Growth.LINEAR


def test_expensive_sizes_end_the_doubling() -> None:
    growth = growth_of_costs("n", 200_000, costs(lambda n: n * n))
    assert growth.instructions is not None
    assert growth.instructions.growth is Growth.QUADRATIC
    assert growth.costs[-1].instructions > MAX_INSTRUCTIONS
    assert growth.sizes[-1] < 200_000
    assert "too many instructions" in growth.reason


def test_fast_growth_is_measured_in_even_steps() -> None:
    growth = growth_of_costs("", 1000, costs(lambda n: 40 * 2.0**n, most=22))
    assert growth.instructions is not None
    assert growth.instructions.growth is Growth.EXPONENTIAL
    assert growth.sizes[-1] <= 22


def test_few_sizes_have_no_growth() -> None:
    growth = growth_of_costs("", 60, costs(lambda n: n * n, most=8))
    assert (growth.instructions, growth.memory) == (None, None)
    assert "it fails at size" in growth.reason
    assert (
        growth_of_costs("", 4, costs(lambda n: n)).reason
        == "sizes go up to 4 only: a fit needs 6 sizes, doubling from 8"
    )


@pytest.fixture(scope="module")
def counter() -> Counter:
    opened = open_counter("auto")
    if opened is None:
        pytest.skip("no counter of instructions works here: venus doctor")
    return opened


def test_a_real_program(counter: Counter) -> None:
    cpp = load_languages()["cpp"]
    with open_sandbox("local", [cpp, load_languages()["python"]]) as sandbox:
        compiled = sandbox.compile(Program(cpp, QUADRATIC))
        whole, small = measure_growth(sandbox, compiled, GENERATOR, counter, Limits())
        with pytest.raises(UsageError, match="does not say which sizes"):
            next(
                measure_growth(
                    sandbox, compiled, "def generate(seed, size): ...", counter, Limits()
                )
            )
    assert whole.instructions is not None
    assert whole.instructions.growth is Growth.QUADRATIC
    assert whole.sizes[-1] == 16_000
    assert (small.name, small.instructions) == ("q", None)


def test_unknown_complexity(counter: Counter) -> None:
    """Generators that fail, do not compile or list no sizes, and a program that does not end."""
    cpp = load_languages()["cpp"]
    limits = Limits(cpu_ns=NS_PER_S, wall_ns=4 * NS_PER_S)
    program, endless = (
        Program(cpp, QUADRATIC),
        Program(cpp, QUADRATIC.replace("std::cin >> n;", "while (1);")),
    )
    fails_at = (
        "SIZES = {'': 100000}\ndef generate(seed, size):\n    n = int(size)\n    assert n < %d\n"
    )
    fails_at += "    return f'{n} ' + '5 ' * n"
    with open_sandbox("local", [cpp, load_languages()["python"]]) as sandbox:

        def growth(of: Program, generator: str, kind: str = "auto") -> Growth | None:
            fit = complexity_of(sandbox, Cores(), of, generator, limits, kind)
            return fit.growth if fit else None

        assert growth(program, fails_at % 10_000) is Growth.QUADRATIC  # by the smaller sizes
        assert growth(program, fails_at % 100) is None
        assert growth(program, GENERATOR + "def (") is None
        assert growth(program, "SIZES = {'': 9000}\nimport nothing_of_this_name") is None
        assert growth(program, "def generate(seed, size): ...") is None
        assert growth(endless, GENERATOR) is None
        assert growth(Program(cpp, "no program"), GENERATOR) is None
        assert growth(program, GENERATOR, "off") is None
