"""Solutions that are alike: equal text, equal tokens, nearly equal tokens; within a problem, and across problems.

A program that is said to be wrong is never a duplicate of one that is said to be right: only programs with the same
expectation are compared. Equal text is the exception: claimed to be two things at once, it is dropped wherever it is
claimed; one of unknown worth gives way to its known twin.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.database import database
from venus_toolkit.builders.curation.likeness import near_pairs, write_prints
from venus_toolkit.builders.curation.options import SCOPES, CurationOptions
from venus_toolkit.builders.curation.shingles import choose_banding
from venus_toolkit.builders.curation.tokens import code_tokens, token_blocks
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.staging import Staged
from venus_toolkit.language import Language

if TYPE_CHECKING:
    import duckdb

STAGE = "duplicates"
SOLUTIONS = """
create temp table solution as
select row_number() over (order by not earlier, problem_id, slug, solution_id) as row, *
from (
    select
        slug, problem_id, solution_id, s.language, expected,
        md5_number(coalesce(code_bytes, encode(code))) as exact,
        (slug, solution_id) in (select (slug, solution_id) from before) as earlier
    from read_parquet($solutions) as s join read_parquet($problems) as p using (slug)
    where slug not in (select slug from without)
)
"""
DROPPED = "create temp table dropped (row bigint, other bigint, reason varchar, jaccard double)"
ALIVE = "create temp view alive as select * from solution where row not in (select row from dropped)"
CONTRADICTED = """
insert into dropped
select row, null, 'claimed to be both: ' || claims, null
from solution join (
    select slug, language, exact, string_agg(distinct expected, ' and ' order by expected) as claims
    from solution where expected <> 'unknown' group by all having count(distinct expected) > 1
) using (slug, language, exact)
"""
# Of items that are equal the first stays: {columns} say in what, {order} who is first, {source} where it is found.
EQUAL = """
insert into dropped
select row, earliest, $reason, null
from (
    select row, first_value(row) over (partition by {columns} order by {order}) as earliest from {source}
) where row <> earliest
"""
TOKENS = """
select row, {tokens} as tokens
from read_parquet($solutions) as s join (select row, slug, solution_id from alive) using (slug, solution_id)
where language in (select unnest($languages))
"""
DIGESTS = "create temp table token as select row, digest from read_parquet($prints)"
SCOPED = "create or replace temp table scoped as select row, {scope} as scope from alive"
NEAR = """
insert into dropped
select row, arg_max(other, jaccard), $reason, max(jaccard)
from pair join alive as mine using (row) join solution as theirs on theirs.row = other
where (mine.slug = theirs.slug) = $own
group by row
"""
REPORT = """
select s.slug, s.solution_id, s.language, reason, jaccard, o.slug, o.solution_id
from dropped join solution as s using (row) left join solution as o on o.row = other
order by row
"""


class Known(NamedTuple):
    """A solution by its names."""

    slug: str
    solution_id: str


def duplicate_solutions(
    staged: Staged,
    languages: Mapping[str, Language],
    options: CurationOptions,
    work: Path,
    without: Collection[str] = (),
    earlier: Iterable[Known] = (),
) -> list[Dropped]:
    """Return the solutions that are like one that precedes them, each with the one it is like.

    Precedence: what an earlier release kept, then the order of problem ids and solution ids.

    Args:
        staged: The source.
        languages: All languages by id; of one that is not there, only texts are compared.
        options: How alike is alike.
        work: A folder for what does not fit into memory.
        without: Problems that are dropped already.
        earlier: Solutions that an earlier release kept: nothing new takes their place.

    Raises:
        LanguageError: A language's patterns cannot be used.
        StoreError: There is no room in `work`.
    """
    with database(options, work) as connection, TemporaryDirectory(dir=work) as folder:
        _load(connection, staged, without, earlier)
        _drop_equal_texts(connection, options)
        if staged.counts.languages.keys() & languages.keys():
            prints = Path(folder) / "prints.parquet"
            _write_tokens(connection, staged, languages, options, prints)
            _drop_equal_tokens(connection, options, prints)
            _drop_near(connection, options, prints)
        rows = connection.execute(REPORT).fetchall()
    return [_dropped(*row) for row in rows]


def _load(
    connection: duckdb.DuckDBPyConnection, staged: Staged, without: Collection[str], earlier: Iterable[Known]
) -> None:
    known = list(earlier)
    before = {"slug": [each[0] for each in known], "solution_id": [each[1] for each in known]}
    connection.register("before", pa.table(before, schema=pa.schema([(name, pa.string()) for name in before])))
    connection.register("without", pa.table({"slug": pa.array(sorted(without), pa.string())}))
    files = {"solutions": staged.files("solutions"), "problems": staged.files("problems")}
    connection.execute(SOLUTIONS, files).fetchall()
    for statement in (DROPPED, ALIVE):
        connection.execute(statement).fetchall()


def _reaches(options: CurationOptions, level: str) -> bool:
    """Whether programs of different problems are compared at this level of likeness."""
    return SCOPES.index(options.across_problems) >= SCOPES.index(level)


def _drop_equal(
    connection: duckdb.DuckDBPyConnection, reason: str, columns: str, order: str = "row", source: str = "alive"
) -> None:
    statement = EQUAL.format(columns=columns, order=order, source=source)
    connection.execute(statement, {"reason": reason}).fetchall()


def _drop_equal_texts(connection: duckdb.DuckDBPyConnection, options: CurationOptions) -> None:
    connection.execute(CONTRADICTED).fetchall()
    _drop_equal(connection, "same text", "slug, language, exact", "not earlier, expected = 'unknown', row")
    if _reaches(options, "exact"):
        _drop_equal(connection, "same text in another problem", "language, expected, exact")


def _write_tokens(
    connection: duckdb.DuckDBPyConnection,
    staged: Staged,
    languages: Mapping[str, Language],
    options: CurationOptions,
    file: Path,
) -> None:
    """Write the prints of all programs that are left."""
    names = sorted(staged.counts.languages.keys() & languages.keys())
    tokens = code_tokens(connection, (languages[name] for name in names))
    query = TOKENS.format(tokens=tokens.sql)
    parameters = {"solutions": staged.files("solutions"), "languages": names, **tokens.parameters}
    blocks = token_blocks(connection, query, parameters)
    write_prints(file, blocks, options.near_tokens, choose_banding(options.near), options.fold)


def _drop_equal_tokens(connection: duckdb.DuckDBPyConnection, options: CurationOptions, prints: Path) -> None:
    connection.execute(DIGESTS, {"prints": str(prints)}).fetchall()
    source = "alive join token using (row)"
    _drop_equal(connection, "same tokens", "slug, language, expected, digest", source=source)
    if _reaches(options, "tokens"):
        _drop_equal(connection, "same tokens in another problem", "language, expected, digest", source=source)


def _drop_near(connection: duckdb.DuckDBPyConnection, options: CurationOptions, prints: Path) -> None:
    across = _reaches(options, "near")
    scope = "hash(language, expected)" if across else "hash(slug, language, expected)"
    connection.execute(SCOPED.format(scope=scope)).fetchall()
    connection.register("pair", near_pairs(connection, prints, options.near))
    connection.execute(NEAR, {"reason": "near duplicate", "own": True}).fetchall()
    if across:
        connection.execute(NEAR, {"reason": "near duplicate in another problem", "own": False}).fetchall()


def _dropped(
    slug: str,
    solution_id: str,
    language: str,
    reason: str,
    jaccard: float | None,
    problem: str | None,
    other: str | None,
) -> Dropped:
    like = other if problem in (slug, None) else f"{problem} {other}"
    detail = {"language": language} | ({} if jaccard is None else {"jaccard": round(jaccard, 4)})
    return Dropped(STAGE, slug, solution_id, f"{reason}: {like}" if like else reason, detail)
