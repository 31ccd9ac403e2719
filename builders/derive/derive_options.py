"""What a derived set is made with: one frozen record, written whole into the manifest."""

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

# What a prompt of GRPO begins from: no program, one that fails with its complaint, or one that
# passes with its costs.
NEW, FAILING, PASSING = STATES = ("new", "failing", "passing")
# Which answers of a cold start are kept: those that pass and cost no more than the original, or,
# as in the paper, those that have the form.
TESTS, FORM = FILTERS = ("tests", "form")
# By name: how many of the rows begin from which.
PRESETS: Mapping[str, Mapping[str, float]] = {
    "paper": {PASSING: 1.0},
    "loop": {NEW: 0.25, FAILING: 0.25, PASSING: 0.5},
}


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """How rows are sampled.

    Attributes:
        objectives: Which of time, memory and integral get a split.
        per_problem: Maximum number of rows of one problem in one objective; None: that of the kind.
        balance: Every objective that has rows gets equally many.
        noise: Solutions are apart when they differ by more than so many times the uncertainty of
            both (separation.py); 0 is the paper's strict comparison.
        min_ratio: And when the costlier one costs at least so many times the other one.
        assume_spread: The spread over repeats of what was measured once; None leaves such solutions
            out.
        memory_noise_kib: By how much two peaks of the same program may differ: the kernel counts a
            process' pages in batches of up to 64, and allocators take theirs where they find them.
        near: Programs in one row with at least this Jaccard index over their token shingles are
            near duplicates.
        near_tokens: Tokens in a shingle.
        seed: Everything that is sampled follows from it.
        prompts: A folder with templates of one's own, or ``paper``; empty: those of the toolkit.
        states: Of GRPO, what its prompts begin from: a name of PRESETS, or shares such as
            ``new=1,passing=3``.
        feedback: What prompts say of a solution that fails: ``verdict``, or ``diff``, which quotes
            tests.
        filter: Of cold start, which answers are kept: ``tests`` or ``form``.
    """

    objectives: tuple[str, ...] = OBJECTIVES
    per_problem: Annotated[int | None, AT_LEAST_1] = None
    balance: bool = True
    noise: Annotated[float, NOT_NEGATIVE] = 1.0
    # Keeps out gains that are real and not worth a lesson.
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
        """The folder of `prompts`, where there is one."""
        return template_folder(self.prompts)

    @property
    def shares(self) -> Mapping[str, float]:
        """The share of each of STATES that is above 0, together 1.

        Raises:
            UsageError: `states` cannot be read.
        """
        if self.states in PRESETS:
            return PRESETS[self.states]
        found: dict[str, float] = {}
        for part in self.states.split(","):
            name, _, share = part.partition("=")
            try:
                found[name.strip()] = float(share)
            except ValueError:
                found[name.strip()] = math.nan
        total = sum(found.values())
        if (
            not found.keys() <= set(STATES)
            or not all(share >= 0 for share in found.values())
            or not 0 < total < math.inf
        ):
            why = f"states are {', '.join(STATES)}, presets {', '.join(PRESETS)}"
            raise UsageError(
                f"{self.states!r} are not states", why, "type: --states new=1,failing=1,passing=2"
            )
        return {name: found[name] / total for name in STATES if found.get(name)}


def make_derive_options(**values: Any) -> DeriveOptions:
    """Return checked options; those that are None keep their defaults.

    Raises:
        UsageError: A value makes no sense.
    """
    given: Mapping[str, Any] = {key: value for key, value in values.items() if value is not None}
    if "objectives" in given:
        named = dict.fromkeys(OTHER_NAMES.get(name, name) for name in given["objectives"])
        given = {**given, "objectives": tuple(named)}
    see = "see docs/derive.md"
    options = fill(DeriveOptions, given, "the derived set", see)
    unknown = [name for name in options.objectives if name not in OBJECTIVES]
    if unknown or not options.objectives:
        raise UsageError(
            f"unknown objective {', '.join(unknown) or '(none)'}",
            "known are " + ", ".join(OBJECTIVES),
            "".join(nearest(name, OBJECTIVES) for name in unknown[:1])
            + "give one of them, or leave it out for all three",
        )
    check_bounds(options, see)
    assert options.shares  # read now, so that a mistake is reported before anything is done
    return options
