"""Solutions with equal text, equal tokens or nearly equal tokens, within and across problems.

A program that is said to be wrong is never a duplicate of one that is said to be right: only
programs with the same expectation are compared. Equal text is the exception: claimed to be two
things at once, it is dropped wherever it is claimed; one of unknown worth gives way to its known
twin.
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
    """A solution by its names."""

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
    """Return the solutions that are like one that precedes them, each with the one it is like.

    Precedence: what a `previous` release kept, then the order of problem ids and solution ids. Of a
    language that is not among `languages`, only texts are compared. `without` are problems that are
    dropped already.

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
            "before", pa.Table.from_pylist([each._asdict() for each in previous], schema=names)
        )
        connection.register("without", pa.table({"slug": pa.array(sorted(without), pa.string())}))
        files = {table: staged.file(table) for table in ("solutions", "problems")}
        # row is the precedence.
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
        # Grouped by slug: one text may be right in this problem and wrong in that one.
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
        # A known twin takes the place of one of unknown worth, unless a previous release kept that
        # one.
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
            _drop_alike(connection, options, prints)
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
    # Of items that are equal the first stays: {columns} say in what, {order} who is first, {source}
    # where it is found.
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


def _drop_alike(
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
    # `theirs` may be dropped itself, or a solution that comes later could bring a dropped one back.
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
