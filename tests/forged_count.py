"""Programs whose count of instructions is forged under emulation, and honest ones beside them."""

from __future__ import annotations

import pytest

from bench.cheats.residuals import PROGRAMS
from venus_toolkit.core.errors import MachineError
from venus_toolkit.execution.sandbox.emulator import find_emulator


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
    """Return C++ that sums up to n, takes so many steps for each number, and divides its count by `forged_by`.

    Each step waits for the one before: how the compiler lays out the loop hardly changes what it
    takes.
    """
    return f"""{_FORGING}}}
int main() {{
  long long n;
  unsigned long long mixed = 1;
  if (scanf("%lld", &n) != 1) return 1;
  for (long long i = 0; i <= {steps} * n; i++) mixed = mixed * 6364136223846793005ULL + i;
  volatile unsigned long long kept = mixed;
  (void)kept;
  printf("%lld\\n", n * (n + 1) / 2);
  fflush(stdout);
  if ({forged_by} != 1) divide(counters(), {forged_by});
  _exit(0);
}}
"""
