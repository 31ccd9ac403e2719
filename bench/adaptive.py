"""Cost and order of adaptive repeats, replayed on the rounds of a build with fixed repeats.

    venus build --lang cpp --plan bundled --repeats 10 --mutants 0 --out build/ten
    python -m bench.adaptive build/ten

The first half of the repeats is the session, adaptive and fixed; the model of the second half
serves as the truth.
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
    """Yield each measuring session of a build by CPU time, and wall times (programs x repeats)."""
    with Store(folder) as store:
        journal = store.values(MEASURE)
    for rows in journal:
        of_each = [
            [repeat.cpu_ns and repeat for repeat in read_measured(row).repeats] for row in rows
        ]
        whole = [repeats for repeats in of_each if all(repeats)]
        cpu, wall, relative = (
            np.array([[getattr(repeat, name) for repeat in repeats] for repeats in whole], float)
            for name in ("cpu_ns", "wall_ns", "relative_time")
        )
        programs, repeats = cpu.shape
        at = np.arange(repeats) * programs + np.arange(programs)[:, None]
        at[:, 1::2] = at[::-1, 1::2]
        ran = np.argsort(at, axis=None)
        beside = (cpu / relative).ravel()[ran]
        yield (
            MeasuringSession(cpu[:, :, None], at.astype(float), beside, at.ravel()[ran] + 0.5),
            wall,
        )


def part(session: MeasuringSession, first: int, last: int) -> MeasuringSession:
    """Return some rounds of a session."""
    some = slice(first * len(session.costs), last * len(session.costs))
    return MeasuringSession(
        session.costs[:, first:last],
        session.at[:, first:last],
        session.reference[some],
        session.reference_at[some],
    )


def main() -> None:
    """Print a line of JSON: means over the sessions, and time relative to fixed repeats."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    orders, cost, fixed, rounds, programs = [], 0.0, 0.0, 0, 0
    for session, wall in sessions(parser.parse_args().build):
        most = session.costs.shape[1] // 2
        true = estimate(part(session, most, 2 * most)).cost
        some = adaptive(part(session, 0, most), most)
        ran = np.isfinite(some.costs[:, :, 0])
        costs = [
            estimate(part_cost).cost
            for part_cost in (some, part(session, 0, most), part(session, 0, 3))
        ]
        orders.append([tau(part_cost[np.argsort(true)]) for part_cost in costs])
        cost += float(wall[:, : ran.shape[1]][ran].sum())
        fixed += float(wall[:, :most].sum())
        rounds, programs = rounds + int(ran.sum()), programs + len(ran)
    names = ("tau_adaptive", "tau_fixed", "tau_three")
    figures = {"sessions": len(orders), **dict(zip(names, np.mean(orders, axis=0), strict=True))}
    figures |= {"share_of_time": cost / fixed, "rounds": rounds / programs}
    print(json.dumps({name: round(float(value), 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
