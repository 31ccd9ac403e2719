"""What a reproduction found, in sentences and figures: for the page and for the terminal alike."""

from __future__ import annotations

from collections.abc import Sequence

from venus_toolkit.eval.report.words import UNKNOWN
from venus_toolkit.reproduce.curves import Curve, Estimate, Rise, order

PER_CENT = 100.0
TOO_SHORT = "GRPO's training was too short to say whether its reward rose."


def shown(point: Estimate | None, factor: float = 1.0, digits: int = 3) -> str:
    """Return an estimate with its interval.

    >>> shown(Estimate(0.5, 0.25, 0.75, 3)), shown(Estimate(0.5, None, None, 1))
    ('0.500 (0.250 to 0.750)', '0.500')
    """
    if point is None:
        return UNKNOWN
    mean = f"{factor * point.mean:.{digits}f}"
    if point.low is None or point.high is None:
        return mean
    return f"{mean} ({factor * point.low:.{digits}f} to {factor * point.high:.{digits}f})"


def share(point: Estimate | None) -> str:
    """Return a share with its interval, in per cent, without the sign."""
    return shown(point, PER_CENT, 1)


def said_of_reward(rise: Rise | None) -> str:
    """Return what GRPO's mean reward did, in a sentence."""
    if rise is None:
        return TOO_SHORT
    first, last, gained = rise.parts[0].mean, rise.parts[-1].mean, rise.gained
    return (
        f"From the first quarter of GRPO's training to the last its mean reward moved from {first:.3f} to {last:.3f}, "
        f"by {shown(gained)}: {_judged(gained)}."
    )


def _judged(gained: Estimate) -> str:
    if gained.low is None or gained.high is None:
        return "with one seed nobody can say whether that is more than chance"
    if gained.low > 0:
        return "it rose by more than its interval"
    return "it fell by more than its interval" if gained.high < 0 else "that is not more than its interval"


def said_of_order(curves: Sequence[Curve], metric: str, name: str) -> str:
    """Return the order of the arms by a metric after the last iteration, in a sentence."""
    arms = ", ".join(f"{curve.arm} {share(curve.points[-1])}" for curve in order(curves, metric))
    return f"{name} after the last iteration, the best first: {arms}. Where intervals overlap, the order may be chance."
