"""Programs that forge their instruction count under emulation, and honest ones to compare."""

from __future__ import annotations

import pytest

from bench.cheats.residuals import PROGRAMS
from venus_toolkit.core.errors import MachineError
from venus_toolkit.execution.sandbox.emulator import find_emulator


def why_not_emulated() -> str | None:
    """Return the reason why emulation cannot count instructions here, or None."""
    try:
        find_emulator()
    except MachineError as error:
        return error.why
    return None


needs_emulator = pytest.mark.skipif(
    (PROBLEM := why_not_emulated()) is not None, reason=f"instructions cannot be counted: {PROBLEM}"
)
# The code that finds the counters and divides them.
_FORGING, _, _ = (PROGRAMS / "count.cpp").read_text().partition("unsigned long compute(")


def summing(steps: int, forged_by: float = 1) -> str:
    """Return a C++ program that sums up to n in `steps` steps per number and divides its count by `forged_by`.

    Each step depends on the previous one, so the compiler's loop layout hardly affects its time.
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
