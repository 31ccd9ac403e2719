"""Samples the solutions of a problem that has too many, stratified by cost and seeded."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.similarity import database
from venus_toolkit.dataset.funnel import Dropped


class SolutionCost(NamedTuple):
    """The cost of a solution, in any unit; None if it was not measured."""

    slug: str
    language: str
    solution_id: str
    cost: float | None


def beyond_cap(
    costs: Iterable[SolutionCost], options: CurationOptions, work: Path
) -> list[Dropped]:
    """Return the solutions beyond ``max_solutions`` of a problem in a language.

    The others are a stratified sample. The strata are ``cost_strata`` quantiles of cost, and the
    solutions without a cost. They are drawn from in turn, each in the order of a seeded hash of the
    solution's id. The fastest and the slowest solution always remain. The result does not depend
    on the order of rows, the number of threads or the machine.
    """
    if options.max_solutions is None:
        return []
    cost_schema = pa.schema(
        {
            "slug": pa.string(),
            "language": pa.string(),
            "solution_id": pa.string(),
            "cost": pa.float64(),
        }
    )
    table = pa.Table.from_pylist([cost._asdict() for cost in costs], schema=cost_schema)
    values = {
        "strata": options.cost_strata,
        "seed": str(options.seed),
        "most": options.max_solutions,
    }
    with database(options, work) as connection:
        connection.register("costs", table)
        # The fastest and the slowest first, then one of each stratum, then a second of each, at
        # random within a stratum. The order of strata is random as well, so that a cap in the
        # middle of a round favours no cost.
        beyond = """
        with cut as (
            select *,
                if(cost is null, 0, ntile($strata) over (
                    partition by slug, language, cost is null order by cost, solution_id
                )) as stratum,
                cost is not null and (
                    row_number() over (
                        partition by slug, language order by cost nulls last, solution_id
                    ) = 1
                    or row_number() over (
                        partition by slug, language order by cost desc nulls last, solution_id desc
                    ) = 1
                ) as extreme
            from costs
        ),
        drawn as (
            select *, row_number() over (
                partition by slug, language, stratum, extreme
                order by
                    md5($seed || '/' || slug || '/' || language || '/' || solution_id), solution_id
            ) as turn
            from cut
        )
        select slug, language, solution_id, total
        from (
            select *, count(*) over (partition by slug, language) as total, row_number() over (
                partition by slug, language order by
                    not extreme, turn, md5($seed || '/' || slug || '/' || stratum), solution_id
            ) as place
            from drawn
        )
        where place > $most
        order by slug, language, solution_id
        """
        rows = connection.execute(beyond, values).fetchall()
    return [
        Dropped(
            "sample",
            slug,
            name,
            f"{total} solutions, {options.max_solutions} are kept",
            {"language": language},
        )
        for slug, language, name, total in rows
    ]
