"""What a derived set is made with: one frozen record, written whole into the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.errors import UsageError
from venus_toolkit.options import fill
from venus_toolkit.prompts import OBJECTIVES

SEE = "see docs/derive.md"


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """How rows are sampled.

    Attributes:
        objectives: Which of time, memory and integral get a split.
        per_problem: Rows of one problem in one objective, at most.
        balance: Every objective that has rows gets equally many.
        noise: Solutions are apart when they differ by more than so many times the noise of both (separation.py).
        min_ratio: And when the dearer one costs at least so many times the cheaper one.
        assume_spread: The spread over repeats of what was measured once; None leaves such solutions out.
        memory_noise_kib: By how much two peaks of the same program may differ: the kernel counts a process' pages in
            batches of up to 64, and allocators take theirs where they find them.
        near: Programs in one row with at least this Jaccard index over their token shingles are near duplicates.
        near_tokens: Tokens in a shingle.
        seed: Everything that is drawn by lot follows from it.
        prompts: A folder with templates of one's own; empty: those of the toolkit.
    """

    objectives: tuple[str, ...] = OBJECTIVES
    per_problem: int = 3
    balance: bool = True
    noise: float = 1.0
    min_ratio: float = 1.1
    assume_spread: float | None = None
    memory_noise_kib: float = 256.0
    near: float = 0.9
    near_tokens: int = 5
    seed: int = 0
    prompts: str = ""

    @property
    def templates(self) -> Path | None:
        """The folder of `prompts`, where there is one."""
        return Path(self.prompts) if self.prompts else None


def make_derive_options(**values: Any) -> DeriveOptions:
    """Return checked options; those that are None keep their defaults.

    Raises:
        UsageError: A value makes no sense.
    """
    given: Mapping[str, Any] = {key: value for key, value in values.items() if value is not None}
    options = fill(DeriveOptions, given, "the derived set", SEE)
    unknown = [name for name in options.objectives if name not in OBJECTIVES]
    if unknown or not options.objectives:
        raise UsageError(
            f"unknown objective {', '.join(unknown) or '(none)'}",
            "known are " + ", ".join(OBJECTIVES),
            "give one of them, or leave it out for all three",
        )
    bounds = {
        "per_problem": (options.per_problem >= 1, "at least 1"),
        "noise": (options.noise >= 0, "at least 0"),
        "min_ratio": (options.min_ratio >= 1, "at least 1"),
        "assume_spread": (options.assume_spread is None or options.assume_spread >= 0, "at least 0"),
        "memory_noise_kib": (options.memory_noise_kib >= 0, "at least 0"),
        "near": (0 < options.near <= 1, "greater than 0 and at most 1"),
        "near_tokens": (options.near_tokens >= 1, "at least 1"),
    }
    for name, (holds, words) in bounds.items():
        if not holds:
            raise UsageError(f"{name} must be {words}", f"got {getattr(options, name)}", SEE)
    return options
