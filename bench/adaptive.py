"""Cost and order of adaptive repeats, replayed on the rounds of a build with fixed repeats.

    venus build --lang cpp --plan bundled --repeats 10 --mutants 0 --out build/ten
    python -m bench.adaptive build/ten

The first half of the repeats is replayed, with adaptive and with fixed repeats; the estimates from
the second half serve as the truth.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tests.sessions import adaptive, tau
from venus_toolkit.core.store import Store
from venus_toolkit.execution.engine.executor import MEASURE, read_measured
from venus_toolkit.execution.measuring.estimator import Floats, MeasuringSession, estimate


def sessions(folder: Path) -> Iterator[tuple[MeasuringSession, Floats]]:
    """Yield the CPU times of each session of a build, and its wall times (programs x repeats)."""
    with Store(folder) as store:
        journal = store.values(MEASURE)
    for rows in journal:
        by_program = [
            [repeat.cpu_ns and repeat for repeat in read_measured(row).repeats] for row in rows
        ]
        complete = [repeats for repeats in by_program if all(repeats)]
        cpu, wall, relative = (
            np.array([[getattr(repeat, name) for repeat in repeats] for repeats in complete], float)
            for name in ("cpu_ns", "wall_ns", "relative_time")
        )
        programs, repeats = cpu.shape
        at = np.arange(repeats) * programs + np.arange(programs)[:, None]
        at[:, 1::2] = at[::-1, 1::2]
        order = np.argsort(at, axis=None)
        references = (cpu / relative).ravel()[order]
        reference_at = at.ravel()[order] + 0.5
        yield (
            MeasuringSession(cpu[:, :, None], at.astype(float), references, reference_at),
            wall,
        )


def part(session: MeasuringSession, first: int, last: int) -> MeasuringSession:
    """Return the rounds from `first` to before `last` of a session."""
    runs = slice(first * len(session.costs), last * len(session.costs))
    return MeasuringSession(
        session.costs[:, first:last],
        session.at[:, first:last],
        session.reference[runs],
        session.reference_at[runs],
    )


def main() -> None:
    """Print a line of JSON: means over the sessions, and time relative to fixed repeats."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    orders, cost, fixed, rounds, programs = [], 0.0, 0.0, 0, 0
    for session, wall in sessions(parser.parse_args().build):
        half = session.costs.shape[1] // 2
        true = estimate(part(session, half, 2 * half)).cost
        adapted = adaptive(part(session, 0, half), half)
        ran = np.isfinite(adapted.costs[:, :, 0])
        costs = [
            estimate(replayed).cost
            for replayed in (adapted, part(session, 0, half), part(session, 0, 3))
        ]
        orders.append([tau(cost_of_programs[np.argsort(true)]) for cost_of_programs in costs])
        cost += float(wall[:, : ran.shape[1]][ran].sum())
        fixed += float(wall[:, :half].sum())
        rounds, programs = rounds + int(ran.sum()), programs + len(ran)
    names = ("tau_adaptive", "tau_fixed", "tau_three")
    figures = {"sessions": len(orders), **dict(zip(names, np.mean(orders, axis=0), strict=True))}
    figures |= {"share_of_time": cost / fixed, "rounds": rounds / programs}
    print(json.dumps({name: round(float(value), 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
