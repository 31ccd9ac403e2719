"""Solutions with equal text, equal tokens or nearly equal tokens, within and across problems.

Only programs with the same expected verdict are compared, so a wrong program is never a duplicate
of a right one. Equal texts are the exception: copies with contradictory labels are all dropped, and
an unlabelled copy gives way to a labelled one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.curation_options import SCOPES, CurationOptions
from venus_toolkit.builders.curation.shingles import choose_banding
from venus_toolkit.builders.curation.similarity import (
    code_tokens,
    database,
    near_pairs,
    token_blocks,
    write_prints,
)
from venus_toolkit.builders.staging import StagedSource
from venus_toolkit.core.language import Language
from venus_toolkit.dataset.funnel import Dropped

if TYPE_CHECKING:
    import duckdb

STAGE = "duplicates"


class SolutionKey(NamedTuple):
    """The key of a solution: the slug of its problem, and its id."""

    slug: str
    solution_id: str


def duplicate_solutions(
    staged: StagedSource,
    languages: Mapping[str, Language],
    options: CurationOptions,
    work: Path,
    without: Collection[str] = (),
    previous: Iterable[SolutionKey] = (),
) -> list[Dropped]:
    """Return the solutions that duplicate a preceding one, each with the one that it duplicates.

    Precedence: solutions of a `previous` release, then the order of problem ids and solution ids.
    In languages missing from `languages` only texts are compared. `without` names problems that
    were dropped before.

    Raises:
        LanguageError: A language's patterns cannot be used.
    """
    dropped_table = (
        "create temp table dropped (row bigint, other bigint, reason varchar, jaccard double)"
    )
    alive = (
        "create temp view alive as select * from solution where row not in (select row from "
        "dropped)"
    )
    with database(options, work) as connection, TemporaryDirectory(dir=work) as folder:
        names = pa.schema({"slug": pa.string(), "solution_id": pa.string()})
        connection.register(
            "before",
            pa.Table.from_pylist([solution._asdict() for solution in previous], schema=names),
        )
        connection.register("without", pa.table({"slug": pa.array(sorted(without), pa.string())}))
        files = {table: staged.file(table) for table in ("solutions", "problems")}
        # `row` is the precedence.
        solutions = """
        create temp table solution as
        select row_number() over (order by not kept, problem_id, slug, solution_id) as row, *
        from (
            select
                slug, problem_id, solution_id, s.language, expected,
                md5_number(encode(code)) as exact,
                (slug, solution_id) in (select (slug, solution_id) from before) as kept
            from read_parquet($solutions) as s join read_parquet($problems) as p using (slug)
            where slug not in (select slug from without)
        )
        """
        connection.execute(solutions, files).fetchall()
        # Grouped by slug: a text may be right for one problem and wrong for another.
        contradicted = """
        insert into dropped
        select row, null, 'claimed to be both: ' || claims, null
        from solution join (
            select slug, language, exact,
                string_agg(distinct expected, ' and ' order by expected) as claims
            from solution where expected <> 'unknown'
            group by all having count(distinct expected) > 1
        ) using (slug, language, exact)
        """
        for statement in (dropped_table, alive, contradicted):
            connection.execute(statement).fetchall()
        # A labelled copy replaces an unlabelled one that is not in a previous release.
        _drop_equal(
            connection, "same text", "slug, language, exact", "not kept, expected = 'unknown', row"
        )
        if _reaches(options, "exact"):
            _drop_equal(connection, "same text in another problem", "language, expected, exact")
        known = sorted(staged.counts.languages.keys() & languages.keys())
        if known:
            sql, patterns = code_tokens(connection, (languages[name] for name in known))
            parameters = {"solutions": files["solutions"], "languages": known, **patterns}
            tokens = """
            select row, {tokens} as tokens
            from read_parquet($solutions) as s
            join (select row, slug, solution_id from alive) using (slug, solution_id)
            where language in (select unnest($languages))
            """
            blocks = token_blocks(connection, tokens.format(tokens=sql), parameters)
            prints = Path(folder) / "prints.parquet"
            write_prints(
                prints, blocks, options.near_tokens, choose_banding(options.near), options.fold
            )
            _drop_by_tokens(connection, options, prints)
        report = """
        select s.slug, s.solution_id, s.language, reason, jaccard, o.slug, o.solution_id
        from dropped join solution as s using (row) left join solution as o on o.row = other
        order by row
        """
        rows = connection.execute(report).fetchall()
    dropped = []
    for slug, solution_id, language, reason, jaccard, problem, other in rows:
        like = other if problem in (slug, None) else f"{problem} {other}"
        detail = {"language": language} | (
            {} if jaccard is None else {"jaccard": round(jaccard, 4)}
        )
        dropped.append(
            Dropped(STAGE, slug, solution_id, f"{reason}: {like}" if like else reason, detail)
        )
    return dropped


def _reaches(options: CurationOptions, level: str) -> bool:
    """Whether programs of different problems are compared at this level of similarity."""
    return SCOPES.index(options.across_problems) >= SCOPES.index(level)


def _drop_equal(
    connection: duckdb.DuckDBPyConnection,
    reason: str,
    columns: str,
    order: str = "row",
    source: str = "alive",
) -> None:
    # Keeps the first, by {order}, of the rows of {source} with equal {columns}.
    equal = """
    insert into dropped
    select row, earliest, $reason, null
    from (
        select row, first_value(row) over (partition by {columns} order by {order}) as earliest
        from {source}
    ) where row <> earliest
    """
    connection.execute(
        equal.format(columns=columns, order=order, source=source), {"reason": reason}
    ).fetchall()


def _drop_by_tokens(
    connection: duckdb.DuckDBPyConnection, options: CurationOptions, prints: Path
) -> None:
    """Drop programs with equal tokens, then those with nearly equal ones."""
    digests = "create temp table token as select row, digest from read_parquet($prints)"
    connection.execute(digests, {"prints": str(prints)}).fetchall()
    source = "alive join token using (row)"
    _drop_equal(connection, "same tokens", "slug, language, expected, digest", source=source)
    if _reaches(options, "tokens"):
        _drop_equal(
            connection,
            "same tokens in another problem",
            "language, expected, digest",
            source=source,
        )
    across = _reaches(options, "near")
    scope = "hash(language, expected)" if across else "hash(slug, language, expected)"
    connection.execute(
        f"create temp table scoped as select row, {scope} as scope from alive"
    ).fetchall()
    connection.register("pair", near_pairs(connection, prints, options.near))
    # Dropped solutions count as `theirs`, or adding a solution could restore a dropped one.
    near = """
    insert into dropped
    select row, arg_max(other, jaccard), $reason, max(jaccard)
    from pair join alive as mine using (row) join solution as theirs on theirs.row = other
    where (mine.slug = theirs.slug) = $own
    group by row
    """
    connection.execute(near, {"reason": "near duplicate", "own": True}).fetchall()
    if across:
        connection.execute(
            near, {"reason": "near duplicate in another problem", "own": False}
        ).fetchall()
