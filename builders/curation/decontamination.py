"""Finds texts that training must not see: items of benchmarks, and problems of the test split.

The overlap of two texts is the share of the shorter one's word n-grams that also occur in the
other. A statement quoted in a longer prompt thus counts in full, and so does a long statement that
contains a short item. Common sentences (the first line contains a single integer n) make up only a
small share.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow as pa

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.builders.curation.shingles import Banding
from venus_toolkit.builders.curation.similarity import (
    TEXT_WORDS,
    database,
    token_blocks,
    write_prints,
)
from venus_toolkit.builders.staging import StagedSource
from venus_toolkit.core.errors import UsageError
from venus_toolkit.dataset.funnel import Dropped

if TYPE_CHECKING:
    import duckdb

STATEMENTS = """
create temp table {table} as
select row_number() over (order by slug) as row, slug as name, statement as text
from read_parquet($problems) where slug in (select slug from chosen)
"""


def contaminated_problems(
    staged: StagedSource, options: CurationOptions, work: Path, without: Collection[str] = ()
) -> list[Dropped]:
    """Return the problems that overlap with an item of a benchmark, each with its nearest item.

    Raises:
        UsageError: A benchmark cannot be read.
    """
    if not options.benchmarks:
        return []
    chosen = set(staged.slugs()) - set(without)
    with database(options, work) as connection:
        connection.execute(
            "create temp table theirs (row bigint, name varchar, text varchar)"
        ).fetchall()
        for benchmark in options.benchmarks:
            _read_benchmark(connection, benchmark)
        return _find_overlaps(connection, staged, chosen, options, work, "found in a benchmark")


def leaking_problems(
    staged: StagedSource, placed: Mapping[str, str], options: CurationOptions, work: Path
) -> list[Dropped]:
    """Return the train problems that overlap with a test problem, each with its nearest one."""
    splits: dict[str, list[str]] = {TRAIN: [], TEST: []}
    for slug, part in placed.items():
        splits[part].append(slug)
    with database(options, work) as connection:
        # STATEMENTS reads the problems that are registered as chosen: test here, train in
        # `_find_overlaps`.
        connection.register("chosen", pa.table({"slug": pa.array(splits[TEST], pa.string())}))
        connection.execute(
            STATEMENTS.format(table="theirs"), {"problems": staged.file("problems")}
        ).fetchall()
        return _find_overlaps(
            connection, staged, splits[TRAIN], options, work, "overlaps with a test problem"
        )


def _read_benchmark(connection: duckdb.DuckDBPyConnection, benchmark: str) -> None:
    """Add the items of ``NAME=PATH`` to the table theirs."""
    import duckdb

    name, _, path = benchmark.partition("=")
    readers = {
        "read_parquet({path})": (".parquet",),
        "read_json_auto({path})": (".json", ".jsonl", ".json.gz", ".jsonl.gz"),
        "(select parse_filename(filename, true) as name, content as text from read_text({path}))": (
            ".txt",
            ".md",
        ),
    }
    reader = next((sql for sql, endings in readers.items() if path.endswith(endings)), None)
    # The first one present in a table is compared.
    text_columns = (
        "prompt", "question_content", "question", "problem_description", "description",
        "statement", "content", "problem_content", "problem", "text",
    )  # fmt: skip
    fix = f"a column must have one of the names {', '.join(text_columns)}: see docs/curation.md"
    if not name or reader is None:
        known = ", ".join(ending for endings in readers.values() for ending in endings)
        raise UsageError(
            f"{benchmark!r} is not a benchmark", f"write NAME=PATH, where PATH ends in {known}", fix
        )
    # The path becomes part of the SQL text, so quotes are doubled.
    source = reader.format(path="'" + path.replace("'", "''") + "'")
    names = ("task_id", "question_id", "problem_id", "id", "slug", "name", "title")
    try:
        columns = [
            row[0] for row in connection.execute(f"describe select * from {source}").fetchall()
        ]
        text = next((column for column in text_columns if column in columns), None)
        item = next(
            (f'"{column}"::varchar' for column in names if column in columns),
            "row_number() over ()",
        )
        if text is None:
            raise UsageError(
                f"the benchmark {name} has no texts", f"its columns are {', '.join(columns)}", fix
            )
        # Numbers continue across benchmarks, so that each item has a unique one.
        item_query = """
        insert into theirs
        select (select count(*) from theirs) + row_number() over (),
            $benchmark || ' ' || {name}, {text}::varchar
        from {source} where {text} is not null
        """
        query = item_query.format(name=item, text=f'"{text}"', source=source)
        connection.execute(query, {"benchmark": name}).fetchall()
    # Caught here, because `database` would report a full disk.
    except duckdb.Error as error:
        raise UsageError(
            f"the benchmark {name} cannot be read", str(error).splitlines()[0], fix
        ) from error


def _find_overlaps(
    connection: duckdb.DuckDBPyConnection,
    staged: StagedSource,
    chosen: Collection[str],
    options: CurationOptions,
    work: Path,
    reason: str,
) -> list[Dropped]:
    """Return the chosen problems that overlap with the table theirs."""
    if not chosen:
        return []
    connection.register("chosen", pa.table({"slug": pa.array(sorted(chosen), pa.string())}))
    connection.execute(
        STATEMENTS.format(table="mine"), {"problems": staged.file("problems")}
    ).fetchall()
    # Without empty texts, which would all be equal.
    words = (
        f"select row, tokens from (select row, {TEXT_WORDS} as tokens from {{table}}) where "
        "len(tokens) > 0"
    )
    with TemporaryDirectory(dir=work) as folder:
        files = {table: Path(folder) / f"{table}.parquet" for table in ("mine", "theirs")}
        for table, file in files.items():
            blocks = token_blocks(connection, words.format(table=table), {})
            # Every shingle is looked up, so bands would not help.
            write_prints(file, blocks, options.contamination_words, Banding(1, 1))
        values = {table: str(file) for table, file in files.items()} | {
            "least": options.contamination_share
        }
        # One common shingle may be a collision of 32-bit hashes; for texts of one shingle, digests
        # of all words decide. The last name wins a tie, so that threads cannot change the report.
        overlaps = """
        with mine_print as (select row, digest, shingles from read_parquet($mine)),
        their_print as (select row, digest, shingles from read_parquet($theirs)),
        common as (
            select m.row, t.row as other, count(*) as shared
            from (select row, unnest(shingles) as shingle from mine_print) as m
            join (select row, unnest(shingles) as shingle from their_print) as t using (shingle)
            group by all
        ),
        measured as (
            select row, other, shared > 1 or m.digest = t.digest as certain,
                shared / least(len(m.shingles), len(t.shingles)) as share
            from common join mine_print as m using (row) join their_print as t on t.row = other
        )
        select mine.name, arg_max(theirs.name, (share, theirs.name)), max(share)
        from measured join mine using (row) join theirs on theirs.row = other
        where certain and share >= $least
        group by mine.name order by mine.name
        """
        rows = connection.execute(overlaps, values).fetchall()
    return [
        Dropped("contamination", slug, slug, f"{reason}: {item}", {"share": round(s, 4)})
        for slug, item, s in rows
    ]
