"""Programs whose count of instructions is forged under emulation, and honest ones beside them."""

from __future__ import annotations

import pytest

from tests.contract.figures import PROGRAMS
from venus_toolkit.core.errors import MachineError
from venus_toolkit.execution.emulator import find_emulator


def why_not_emulated() -> str | None:
    """Return why nothing is counted by emulation here, or None where it is."""
    try:
        find_emulator()
    except MachineError as error:
        return error.why
    return None


needs_emulator = pytest.mark.skipif(
    (PROBLEM := why_not_emulated()) is not None, reason=f"instructions cannot be counted: {PROBLEM}"
)
# What finds the counters and divides them.
_FORGING, _, _ = (PROGRAMS / "count.cpp").read_text().partition("unsigned long compute(")


def summing(steps: int, forged_by: float = 1) -> str:
    """Return C++ that adds up to n with so many steps for each number, and divides its count by `forged_by`."""
    return f"""{_FORGING}}}
int main() {{
  long long n, s = 0;
  if (scanf("%lld", &n) != 1) return 1;
  for (volatile long long i = 0; i <= {steps} * n; i = i + 1) s += i <= n ? i : 0;
  printf("%lld\\n", s);
  fflush(stdout);
  if ({forged_by} != 1) divide(counters(), {forged_by});
  _exit(0);
}}
"""
