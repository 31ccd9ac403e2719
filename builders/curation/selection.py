"""After judging and measuring: problems with too few passing solutions, and a fair sample of those with too many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.database import database
from venus_toolkit.builders.curation.options import CurationOptions
from venus_toolkit.builders.facts import Dropped

COSTS = pa.schema(
    [("slug", pa.string()), ("language", pa.string()), ("solution_id", pa.string()), ("cost", pa.float64())]
)
# The fastest and the slowest first, then one of each stratum, then a second of each; within a stratum by lot.
BEYOND = """
with known as (
    select slug, language, solution_id, any_value(cost) as cost from costs group by slug, language, solution_id
),
cut as (
    select *,
        if(cost is null, 0, ntile($strata) over (partition by slug, language, cost is null order by cost, solution_id))
            as stratum,
        cost is not null and (
            row_number() over (partition by slug, language order by cost nulls last, solution_id) = 1
            or row_number() over (partition by slug, language order by cost desc nulls last, solution_id desc) = 1
        ) as extreme
    from known
),
drawn as (
    select *, row_number() over (
        partition by slug, language, stratum, extreme
        order by md5($seed || '/' || slug || '/' || language || '/' || solution_id), solution_id
    ) as turn
    from cut
)
select slug, language, solution_id, total
from (
    select *, count(*) over (partition by slug, language) as total, row_number() over (
        partition by slug, language order by not extreme, turn, md5($seed || '/' || slug || '/' || stratum), solution_id
    ) as place
    from drawn
)
where place > $most
order by slug, language, solution_id
"""


class Cost(NamedTuple):
    """What a solution costs, in any unit; None where it was not measured. An id of 7 and one of "7" are the same."""

    slug: str
    language: str
    solution_id: str | int
    cost: float | None


def cost_table(costs: Iterable[Cost]) -> pa.Table:
    """Return the costs as a table, ids as text."""
    rows = [{**each._asdict(), "solution_id": str(each.solution_id)} for each in costs]
    return pa.Table.from_pylist(rows, schema=COSTS)


def beyond_cap(costs: pa.Table, options: CurationOptions, work: Path) -> list[Dropped]:
    """Return the solutions beyond ``max_solutions`` of a problem in a language; the others are a stratified sample.

    The solutions are cut into ``cost_strata`` quantiles of cost, those without a cost being one more, and drawn in
    turns by a seeded hash of their id. The fastest and the slowest are always kept. The order of the rows, the number
    of threads and the machine make no difference.

    Args:
        costs: Columns slug, language, solution_id, cost (`cost_table`).
        options: The cap, the strata, the seed.
        work: A folder for what does not fit into memory.

    Raises:
        StoreError: There is no room in `work`.
    """
    if options.max_solutions is None:
        return []
    values = {"strata": options.cost_strata, "seed": str(options.seed), "most": options.max_solutions}
    with database(options, work) as connection:
        connection.register("costs", costs)
        rows = connection.execute(BEYOND, values).fetchall()
    return [
        Dropped("sample", slug, name, f"{total} solutions, {options.max_solutions} are kept", {"language": language})
        for slug, language, name, total in rows
    ]


def below_threshold(passing: Mapping[str, int], language: str, options: CurationOptions) -> list[Dropped]:
    """Return the problems of which fewer than ``min_solutions`` solutions in a language pass, by slug."""
    least = options.min_solutions
    return [
        Dropped(
            f"threshold {language}", slug, slug, f"{count} passing solutions in {language}, the threshold is {least}"
        )
        for slug, count in sorted(passing.items())
        if count < least
    ]
