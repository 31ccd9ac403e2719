"""The options of a derived set: one frozen record, written whole into the manifest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import (
    AT_LEAST_1,
    NOT_NEGATIVE,
    SHARE,
    check_bounds,
    fill,
    nearest,
    one_of,
)
from venus_toolkit.models.prompts import (
    FEEDBACKS,
    OBJECTIVES,
    OTHER_NAMES,
    VERDICT,
    template_folder,
)

# The start of a GRPO prompt: no program, a failing one with its error, or a passing one with its
# costs
NEW, FAILING, PASSING = STATES = ("new", "failing", "passing")
# The answers in a cold-start set: those that pass and cost at most as much as the original, or, as
# in the paper, every answer that has the form
TESTS, FORM = FILTERS = ("tests", "form")
# The share of rows with each start, by name of the preset
PRESETS: Mapping[str, Mapping[str, float]] = {
    "paper": {PASSING: 1.0},
    "loop": {NEW: 0.25, FAILING: 0.25, PASSING: 0.5},
}


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """The sampling of rows.

    Attributes:
        objectives: Those of time, memory and integral that get a split.
        per_problem: Maximum number of rows of one problem in one objective; None: that of the kind.
        balance: Whether all objectives that have rows get the same number.
        noise: Minimum difference between the costs of two solutions, as a multiple of the
            uncertainty of both (separation.py); 0 is the paper's strict comparison.
        min_ratio: Minimum ratio of the higher cost of two solutions to the lower, from 1.
        assume_spread: The relative spread of solutions measured once; None omits them.
        memory_noise_kib: The possible difference of two peaks of the same program in KiB: the
            kernel counts pages in batches of up to 64, and allocators vary.
        near: Minimum Jaccard index of token shingles at which two programs count as near
            duplicates, which never share a row.
        near_tokens: Tokens in a shingle.
        seed: Seed of all samples.
        prompts: A folder with the user's templates, or ``paper``; empty: those of the toolkit.
        states: The start of GRPO prompts: a name of PRESETS, or shares such as ``new=1,passing=3``.
        feedback: The feedback on a failing solution in a prompt: ``verdict``, or ``diff``, which
            quotes tests.
        filter: The filter on answers of a cold start: ``tests`` or ``form``.
    """

    objectives: tuple[str, ...] = OBJECTIVES
    per_problem: Annotated[int | None, AT_LEAST_1] = None
    balance: bool = True
    noise: Annotated[float, NOT_NEGATIVE] = 1.0
    # Excludes gains that are real but too small to learn from.
    min_ratio: Annotated[float, AT_LEAST_1] = 1.1
    assume_spread: Annotated[float | None, NOT_NEGATIVE] = None
    memory_noise_kib: Annotated[float, NOT_NEGATIVE] = 256.0
    near: Annotated[float, SHARE] = 0.9
    near_tokens: Annotated[int, AT_LEAST_1] = 5
    seed: int = 0
    prompts: str = ""
    states: str = "paper"
    feedback: Annotated[str, one_of(*FEEDBACKS)] = VERDICT
    filter: Annotated[str, one_of(*FILTERS)] = TESTS

    @property
    def templates(self) -> Path | None:
        """The folder of `prompts`, if it has one."""
        return template_folder(self.prompts)

    @property
    def shares(self) -> Mapping[str, float]:
        """The positive shares of STATES, which add up to 1.

        Raises:
            UsageError: `states` cannot be read.
        """
        if self.states in PRESETS:
            return PRESETS[self.states]
        weights: dict[str, float] = {}
        for part in self.states.split(","):
            name, _, share = part.partition("=")
            try:
                weights[name.strip()] = float(share)
            except ValueError:
                weights[name.strip()] = math.nan
        total = sum(weights.values())
        if (
            not weights.keys() <= set(STATES)
            or not all(share >= 0 for share in weights.values())
            or not 0 < total < math.inf
        ):
            reason = f"states are {', '.join(STATES)}, presets {', '.join(PRESETS)}"
            raise UsageError(
                f"{self.states!r} are not states",
                reason,
                "type: --states new=1,failing=1,passing=2",
            )
        return {name: weights[name] / total for name in STATES if weights.get(name)}


def make_derive_options(**values: Any) -> DeriveOptions:
    """Return checked options; None stands for the default.

    Raises:
        UsageError: A value is invalid.
    """
    settings: Mapping[str, Any] = {key: value for key, value in values.items() if value is not None}
    if "objectives" in settings:
        named = dict.fromkeys(OTHER_NAMES.get(name, name) for name in settings["objectives"])
        settings = {**settings, "objectives": tuple(named)}
    see = "see docs/derive.md"
    options = fill(DeriveOptions, settings, "the derived set", see)
    unknown = [name for name in options.objectives if name not in OBJECTIVES]
    if unknown or not options.objectives:
        raise UsageError(
            f"unknown objective {', '.join(unknown) or '(none)'}",
            "expected one of " + ", ".join(OBJECTIVES),
            "".join(nearest(name, OBJECTIVES) for name in unknown[:1])
            + "give one of them, or leave it out for all three",
        )
    check_bounds(options, see)
    assert options.shares  # raises on a mistake before any work starts
    return options
