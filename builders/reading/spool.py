"""Rows that belong together, brought together on disk: memory holds one group, the temporary folder the table."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from venus_toolkit.builders.reading.cells import Row, plain
from venus_toolkit.builders.sources import SetAside
from venus_toolkit.temporary import temporary_folder

TABLE = "create table rows (place integer primary key, key text, about text, columns text)"


def gather(rows: Iterable[Row | SetAside], key: Callable[[Row], object]) -> Iterator[list[Row | SetAside]]:
    """Yield the rows with the same `key` as one list, in the order in which the keys first come.

    A row whose key is None, and what is set aside, is a list of its own, and comes at once.
    """
    with temporary_folder("spool") as folder, closing(sqlite3.connect(folder / "rows")) as spool:
        spool.execute("pragma journal_mode = off")
        spool.execute("pragma synchronous = off")
        spool.execute(TABLE)
        for row in rows:
            value = None if isinstance(row, SetAside) else key(row)
            if isinstance(row, SetAside) or value is None:
                yield [row]
                continue
            about = json.dumps([row.where, row.config, row.split])
            columns = json.dumps(plain(row.values))
            spool.execute(
                "insert into rows (key, about, columns) values (?, ?, ?)", (ascii(str(value)), about, columns)
            )
        spool.execute("create index by_key on rows (key, place)")
        for (value,) in spool.execute("select key from rows group by key order by min(place)"):
            yield [*_stored(spool, value)]


def _stored(spool: sqlite3.Connection, value: str) -> Iterator[Row]:
    for about, columns in spool.execute("select about, columns from rows where key = ? order by place", (value,)):
        where, config, split = json.loads(about)
        yield Row(json.loads(columns), where, config, split)
