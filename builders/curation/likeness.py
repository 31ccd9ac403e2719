"""Which of many items are nearly alike: prints on disk, pairs from their bands, and the Jaccard index of each pair.

The cost grows with the number of items, not with its square: in each band an item is compared with the first item
there and with the one before it, however many share the band.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.curation.shingles import Banding, fingerprint, jaccard
from venus_toolkit.builders.curation.tokens import Block

if TYPE_CHECKING:
    import duckdb

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("digest", pa.uint64()),
        ("shingles", pa.list_(pa.uint32())),
        ("bands", pa.list_(pa.uint64())),
    ]
)
PAIRS = pa.schema([("row", pa.int64()), ("other", pa.int64()), ("jaccard", pa.float64())])
PAIR_BLOCK = 4096
CANDIDATES = """
create or replace temp table candidate as
with band as (select row, scope, unnest(bands) as band from read_parquet($prints) join scoped using (row)),
placed as (
    select row, lag(row) over place as previous, first_value(row) over place as earliest
    from band window place as (partition by scope, band order by row)
)
select distinct row, unnest([previous, earliest]) as other from placed where previous is not null
"""
PAIRED = """
select row, other, one.shingles as mine, two.shingles as theirs
from candidate
join read_parquet($prints) as one using (row)
join read_parquet($prints) as two on two.row = other
"""


def write_prints(path: Path, blocks: Iterable[Block], size: int, banding: Banding, fold: tuple[str, ...] = ()) -> None:
    """Write the prints of blocks of token lists to a Parquet file with the columns of SCHEMA."""
    with pq.ParquetWriter(path, SCHEMA, compression="none", use_dictionary=False, write_statistics=["row"]) as writer:
        for block in blocks:
            prints = fingerprint(block.tokens, size, banding, fold)
            columns = [block.rows.cast(pa.int64()), *(prints.table()[name] for name in SCHEMA.names[1:])]
            writer.write_table(pa.Table.from_arrays(columns, schema=SCHEMA))


def near_pairs(connection: duckdb.DuckDBPyConnection, prints: Path, threshold: float) -> pa.Table:
    """Return pairs (row, other, jaccard) with an index of at least `threshold`; other is the smaller row.

    Only rows of the table ``scoped(row, scope)`` are compared, each with those of its own scope.
    """
    connection.execute(CANDIDATES, {"prints": str(prints)}).fetchall()
    found = [PAIRS.empty_table()]
    for batch in connection.sql(PAIRED, params={"prints": str(prints)}).to_arrow_reader(PAIR_BLOCK):
        index = jaccard(batch.column("mine"), batch.column("theirs"))
        alike = pa.array(index >= threshold)
        pairs = [batch.column("row"), batch.column("other"), pa.array(np.asarray(index))]
        found.append(pa.Table.from_arrays(pairs, schema=PAIRS).filter(alike))
    return pa.concat_tables(found)
