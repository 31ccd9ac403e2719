"""Finds near duplicates among many programs or texts.

SQL splits programs into tokens, their fingerprints are kept on disk, and pairs are compared by
their Jaccard index.

A program's tokens omit only comments and white space, including Python's indentation. A token is a
string literal, a run of letters, digits and underscores, or any other single character. The
language's folder defines comments and string literals (``[lexical]``).

The cost is linear in the number of items: in each band an item is compared only with the first item
and with the previous one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.shingles import Banding, fingerprint, jaccard
from venus_toolkit.core.errors import LanguageError, StoreError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.language import Language

if TYPE_CHECKING:
    import duckdb

# A tag begins with a letter or a slash, unlike the sign in `1 < n`.
TEXT_WORDS = (
    r"regexp_extract_all(lower(regexp_replace(text, '<[/a-zA-Z][^<>]*>', ' ', 'g')), '[\pL\pN]+')"
)
SHINGLES = pa.list_(pa.uint32())

PORTION = 100_000  # pairs whose shingles are read at once: 240 MB, for programs of 1 kB


@contextmanager
def database(options: CurationOptions, spill: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database in memory that spills into the folder `spill` beyond its memory limit.

    Raises:
        StoreError: The disk is full, or the database ran out of memory.
    """
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        # DuckDB's defaults would take most of the memory and every core.
        "memory_limit": f"{options.memory_mib}MiB",
        "threads": options.threads,
        "temp_directory": str(spill),
        # Preserving the order takes memory; queries sort their rows if it matters.
        "preserve_insertion_order": False,
    }
    try:
        spill.mkdir(parents=True, exist_ok=True)
        with (
            duckdb.connect(":memory:", config=settings) as connection,
            current().ending(connection.interrupt),
        ):
            yield connection
    except (duckdb.Error, OSError) as error:
        reason = str(error).splitlines()[0]
        fix = (
            "finished work is kept: make room, or give it more memory (memory_mib in the plan's "
            "[curation])"
        )
        raise StoreError(f"curation cannot write into {spill}", reason, fix) from error


def code_tokens(
    connection: duckdb.DuckDBPyConnection, languages: Iterable[Language]
) -> tuple[str, dict[str, str]]:
    """Return an SQL expression for the tokens of ``code`` in ``language``, and its parameters.

    It is null for any other language.

    Raises:
        LanguageError: A language's patterns are not in RE2's syntax.
    """
    import duckdb

    branches, parameters = [], {}
    token = r"[\pL\pN_]+|[^\s\pL\pN_]"
    # The blank separates the words on both sides of a comment.
    branch = r"when '{id}' then regexp_extract_all(regexp_replace(code, ${id}_strip, '\1 ', 'g'), ${id}_token)"
    for language in languages:
        strings, comments = language.strings.pattern, language.comments.pattern
        try:
            connection.execute(
                "select regexp_matches('', ?), regexp_matches('', ?)", [strings, comments]
            ).fetchall()
        except duckdb.Error as error:
            error_title, reason = (
                f"the lexical patterns of {language.id} cannot be used",
                str(error).splitlines()[0],
            )
            raise LanguageError(
                error_title, reason, "write them without look-around: see docs/languages.md"
            ) from error
        # Strings match first and are restored, so comment markers inside them remove nothing.
        parameters[f"{language.id}_strip"] = rf"({strings})|(?:{comments})"
        parameters[f"{language.id}_token"] = rf"(?:{strings})|{token}"
        branches.append(branch.format(id=language.id))
    return f"case language {' '.join(branches)} end", parameters


def token_blocks(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a query for (row, tokens) in blocks that fit into memory.

    The connection cannot run another query until the iterator ends.
    """
    block_tokens = 300_000  # a few arrays of 8 bytes a token: some tens of MiB

    def split(block: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        # The reader bounds the rows of a block, not their tokens.
        if block.num_rows > 1 and len(block.column("tokens").flatten()) > block_tokens:
            middle = block.num_rows // 2
            yield from split(block.slice(0, middle))
            yield from split(block.slice(middle))
        elif block.num_rows:
            yield block

    block_rows = 2048  # the size of DuckDB's vectors
    for batch in connection.sql(query, params=dict(parameters)).to_arrow_reader(block_rows):
        yield from split(batch)


def write_prints(
    path: Path,
    blocks: Iterable[pa.RecordBatch],
    size: int,
    banding: Banding,
    fold: tuple[str, ...] = (),
) -> None:
    """Write the fingerprints of blocks of token lists to a Parquet file."""
    schema = pa.schema(
        {
            "row": pa.int64(),
            "digest": pa.uint64(),
            "shingles": SHINGLES,
            "bands": pa.list_(pa.uint64()),
        }
    )
    with pq.ParquetWriter(
        path, schema, compression="none", use_dictionary=False, write_statistics=["row"]
    ) as writer:
        for block in blocks:
            prints = fingerprint(block.column("tokens"), size, banding, fold)
            columns = [block.column("row").cast(pa.int64()), *prints]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def near_pairs(connection: duckdb.DuckDBPyConnection, prints: Path, threshold: float) -> pa.Table:
    """Return pairs (row, other, jaccard) with an index of at least `threshold`, other < row.

    Only rows of the table ``scoped(row, scope)`` with the same scope are compared.
    """
    candidates = """
    create or replace temp table candidate as
    with band as (
        select row, scope, unnest(bands) as band
        from read_parquet($prints) join scoped using (row)
    ),
    placed as (
        select row, lag(row) over place as previous, first_value(row) over place as earliest
        from band window place as (partition by scope, band order by row)
    )
    select distinct row, unnest([previous, earliest]) as other
    from placed where previous is not null
    """
    connection.execute(candidates, {"prints": str(prints)}).fetchall()
    schema = pa.schema({"row": pa.int64(), "other": pa.int64(), "jaccard": pa.float64()})
    # `concat_tables` refuses an empty list.
    tables = [schema.empty_table()]
    pair_block = 4096  # pairs whose shingles are compared at once
    # The row bounds of a portion save reading most fingerprints: compared programs mostly belong
    # to one problem and are adjacent.
    portions = """
    select min(row) as first, max(row) as last, min(other) as least, max(other) as greatest
    from (select row, other, (rank() over (order by row) - 1) // $portion as portion from candidate)
    group by portion order by portion
    """
    paired = """
    select row, other, one.shingles as mine, two.shingles as theirs
    from candidate
    join (
        select row, shingles from read_parquet($prints) where row between $first and $last
    ) as one using (row)
    join (
        select row, shingles from read_parquet($prints) where row between $least and $greatest
    ) as two on two.row = other
    """
    for portion in (
        connection.sql(portions, params={"portion": PORTION}).to_arrow_table().to_pylist()
    ):
        for batch in connection.sql(
            paired, params={"prints": str(prints), **portion}
        ).to_arrow_reader(pair_block):
            index = jaccard(batch.column("mine"), batch.column("theirs"))
            pairs = [batch.column("row"), batch.column("other"), pa.array(index)]
            tables.append(
                pa.Table.from_arrays(pairs, schema=schema).filter(pa.array(index >= threshold))
            )
    return pa.concat_tables(tables)


def program_shingles(
    connection: duckdb.DuckDBPyConnection, language: Language, codes: pa.StringArray, size: int
) -> pa.ListArray:
    """Return the sets of shingles of a few programs in one language, in order.

    Raises:
        LanguageError: The language's patterns cannot be used.
    """
    if not len(codes):
        return pa.array([], SHINGLES)
    sql, parameters = code_tokens(connection, [language])
    rows, names = pa.array(np.arange(len(codes))), pa.array([language.id] * len(codes))
    connection.register("program", pa.table({"row": rows, "language": names, "code": codes}))
    query = f"select row, {sql} as tokens from program order by row"
    blocks = token_blocks(connection, query, parameters)
    # Every pair is compared, so bands would not help.
    return pa.concat_arrays(
        [fingerprint(block.column("tokens"), size, Banding(1, 1)).shingles for block in blocks]
    )
