"""The figures of a change log: what one language has gained, lost and changed since the last release.

A measurement has moved when the larger figure exceeds the smaller one by more than the spreads of both together: the
relative time where both have one, else the wall time. Peaks have no spread; they have moved by more than 5 %.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from venus_toolkit.hub.fingerprints import Prints

MEMORY_NOISE = 0.05
UNKNOWN_SPREAD = 0.1  # where no solution has a spread: every one was measured once
SETTINGS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "1GB", "threads": 1}

PROBLEMS = """
    select count(*) filter (old.title is null) as problems_added,
           count(*) filter (new.title is null) as problems_removed,
           count(*) filter (old.split <> new.split) as problems_moved,
           count(*) filter (old.text <> new.text) as texts_changed,
           count(*) filter (old.tests <> new.tests) as tests_changed
    from old_problems as old full join new_problems as new using (title)
"""
SOLUTIONS = """
    with spread as (
        select coalesce(median(wall_spread), $unknown) as wall, coalesce(median(relative_spread), $unknown) as relative,
               coalesce(median(integral_spread), $unknown) as integral
        from (from old_solutions union all from new_solutions)
    ),
    pair as (
        select old.title is null as added, new.title is null as removed, old.code = new.code as same_code,
               old.code <> new.code as code_changed,
               old.code = new.code and old.status <> new.status as verdict_changed,
               case when old.relative_time > 0 and new.relative_time > 0
                    then moved(old.relative_time, new.relative_time,
                               coalesce(old.relative_spread, relative) + coalesce(new.relative_spread, relative))
                    else moved(old.wall_ns, new.wall_ns,
                               coalesce(old.wall_spread, wall) + coalesce(new.wall_spread, wall)) end as time_moved,
               moved(old.peak_bytes, new.peak_bytes, $memory_noise) as memory_moved,
               moved(old.integral_byte_ns, new.integral_byte_ns,
                     coalesce(old.integral_spread, integral) + coalesce(new.integral_spread, integral))
                   as integral_moved,
               (old.wall_ns, old.relative_time, old.peak_bytes, old.integral_byte_ns)
                   is distinct from (new.wall_ns, new.relative_time, new.peak_bytes, new.integral_byte_ns) as anew
        from old_solutions as old full join new_solutions as new using (title, solution_id) cross join spread
    )
    select count(*) filter (added) as solutions_added,
           count(*) filter (removed) as solutions_removed,
           count(*) filter (code_changed) as codes_changed,
           count(*) filter (verdict_changed) as verdicts_changed,
           count(*) filter (same_code and anew) as measured_again,
           count(*) filter (same_code and time_moved) as times_moved,
           count(*) filter (same_code and memory_moved) as memories_moved,
           count(*) filter (same_code and integral_moved) as integrals_moved
    from pair
"""
MOVED = """
    create macro moved(a, b, noise) as
        a is not null and b is not null and greatest(a, b) - least(a, b) > least(a, b) * noise
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one language has gained, lost and changed; all are counts.

    Moved problems went to another split. A solution whose code has changed counts as nothing else.
    """

    problems_added: int = 0
    problems_removed: int = 0
    problems_moved: int = 0
    texts_changed: int = 0
    tests_changed: int = 0
    solutions_added: int = 0
    solutions_removed: int = 0
    codes_changed: int = 0
    verdicts_changed: int = 0
    measured_again: int = 0
    times_moved: int = 0
    memories_moved: int = 0
    integrals_moved: int = 0

    @property
    def has_other_rows(self) -> bool:
        """Whether there is more than other verdicts and measurements."""
        rows = dataclasses.replace(
            self, verdicts_changed=0, measured_again=0, times_moved=0, memories_moved=0, integrals_moved=0
        )
        return rows != Difference()


def compare(old: Prints, new: Prints) -> Difference:
    """Return what the newer release of a language has that is different."""
    import duckdb

    with duckdb.connect(":memory:", config=SETTINGS) as connection:
        for name, prints in {"old": old, "new": new}.items():
            connection.register(f"{name}_problems", prints.problems)
            connection.register(f"{name}_solutions", prints.solutions)
        connection.execute(MOVED)
        problems = _counts(connection, PROBLEMS)
        solutions = _counts(connection, SOLUTIONS, unknown=UNKNOWN_SPREAD, memory_noise=MEMORY_NOISE)
    return Difference(**problems, **solutions)


def _counts(connection: duckdb.DuckDBPyConnection, query: str, **values: float) -> dict[str, int]:
    result = connection.execute(query, values or None)
    names = [column[0] for column in result.description or []]
    row = result.fetchone()
    assert row
    return dict(zip(names, map(int, row), strict=True))
