"""Rows of tables, streamed: Parquet, JSON lines and CSV directly, the rest through ``datasets``.

Memory holds a batch of rows, whatever the size of the table; only a ``.json`` file that is one list
is read whole. A folder whose README.md lists configs, and an id of the Hub, are read by
``datasets``, as its users would. Numbers of ClassLabel columns become their names here, by the
names that the table itself gives.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.reading.cells import TableRow, parse_json, plain, show
from venus_toolkit.builders.sources import Rejected
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.options import nearest
from venus_toolkit.core.temporary import temporary_folder
from venus_toolkit.core.untrusted.beneath import refusal

ALL = "*"
SEE = "see docs/sources.md"
LONGEST_CELL = 256 << 20  # characters; a quote that is not closed makes a cell of the whole rest
CONFIGS = "add ?config=NAME, or ?config=* for all"


@dataclass(frozen=True, slots=True)
class Location:
    """A place to read from. `place` is a path that exists, or an id on the Hub.

    Options may be given several times.
    """

    place: str
    hub: bool
    revision: str | None
    options: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        """Return it as one types it, without its options."""
        return f"{self.place}@{self.revision}" if self.revision else self.place

    def option(self, key: str) -> str | None:
        """Return the last value of an option, None where it is not given."""
        return self.options.get(key, (None,))[-1]


def parse_location(text: str, more: Sequence[str] = ()) -> Location:
    """Return where ``PATH`` or ``OWNER/NAME[@REVISION]``, then ``?key=value&key=value``, leads.

    A path that exists wins over an id of the Hub.

    `more` are the options that a source knows besides ``config`` and ``split``.

    Raises:
        SourceError: An option is unknown, or there is no such file and no such thing could be on
            the Hub.
    """
    # A file's own name may hold a question mark.
    head, _, query = ("" if Path(text).exists() else text).partition("?")
    path, known = head or text, ("config", "split", *more)
    options: dict[str, tuple[str, ...]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in known:
            raise SourceError(
                f"the location has an unknown option {key!r}",
                f"known are {', '.join(known)}",
                nearest(key, known) + SEE,
            )
        options[key] = (*options.get(key, ()), value)
    if path and Path(path).expanduser().exists():
        return Location(str(Path(path).expanduser()), False, None, options)
    name, _, revision = head.partition("@")
    hub_id = re.compile(r"[\w.-]+/[\w.-]+")
    # ./data has the form of OWNER/NAME, but is meant as a path.
    if not hub_id.fullmatch(name) or head.startswith("."):
        raise SourceError(
            f"the source {path} does not exist",
            "no such file, and no OWNER/NAME of the Hub either",
            SEE,
        )
    return Location(name, True, revision or None, options)


def read_table(
    location: Location | str, among: Container[str] | None = None
) -> Iterator[TableRow | Rejected]:
    """Yield the rows at a location; what is not a row is rejected.

    Args:
        location: The place, with the configs and splits that are chosen.
        among: What "all configs" means, where some are of another kind (None: every one).

    Raises:
        SourceError: There is no table, it cannot be opened, or it breaks off.
    """
    where = parse_location(location) if isinstance(location, str) else location
    place, card = Path(where.place), Path(where.place) / "README.md"
    # The front matter, up to its second line of hyphens.
    head = (
        card.read_text("utf-8", "replace").split("\n---", 1)[0]
        if not where.hub and card.is_file()
        else ""
    )
    lists_configs = head.startswith("---") and re.search(
        r"^(configs|dataset_info):", head, re.MULTILINE
    )
    if where.hub or lists_configs:
        return _by_datasets(where, among)
    return _by_file(where, place, among)


def gather(
    rows: Iterable[TableRow | Rejected], key: Callable[[TableRow], object]
) -> Iterator[list[TableRow | Rejected]]:
    """Yield the rows with the same `key` as one list, in the order in which the keys first come.

    They are brought together on disk: memory holds one group, the temporary folder the table. A row
    whose key is None, and a rejected one, is a list of its own, and comes at once.
    """
    with temporary_folder("spool") as folder, closing(sqlite3.connect(folder / "rows")) as spool:
        # Nobody reads the file after a crash: neither a journal nor waiting for the disk is worth
        # its time.
        spool.executescript("pragma journal_mode = off; pragma synchronous = off")
        spool.execute(
            "create table rows (place integer primary key, key text, about text, columns text)"
        )
        for row in rows:
            value = None if isinstance(row, Rejected) else key(row)
            if isinstance(row, Rejected) or value is None:
                yield [row]
                continue
            try:
                columns = json.dumps(plain(row.values))
            except ValueError as error:
                yield [Rejected(row.where, str(error))]
                continue
            # SQLite refuses lone surrogates: `ascii` and `json.dumps` write them as escapes.
            values = (ascii(str(value)), json.dumps([row.where, row.config, row.split]), columns)
            spool.execute("insert into rows (key, about, columns) values (?, ?, ?)", values)
        # Not before the rows are in: one sort costs less than an index that every insert changes.
        spool.execute("create index by_key on rows (key, place)")
        for group in spool.execute("select key from rows group by key order by min(place)"):
            stored = spool.execute(
                "select columns, about from rows where key = ? order by place", group
            )
            yield [TableRow(json.loads(columns), *json.loads(about)) for columns, about in stored]


def _by_file(
    location: Location, place: Path, among: Container[str] | None
) -> Iterator[TableRow | Rejected]:
    configs, splits = location.options.get("config", (ALL,)), location.options.get("split", (ALL,))
    found = 0
    # No letter may follow: training.jsonl names no split.
    split_name = re.compile(r"(train|test|valid(?:ation)?|dev|eval)(?![a-zA-Z])")
    for file in _table_files(place):
        # Data sets on the Hub are laid out as data/<config>/<split>-….
        folders = [part for part in file.relative_to(place).parts[:-1] if part != "data"]
        config = folders[-1] if folders else None
        named = split_name.match(file.name)
        split = named.group(1) if named else None
        meant = config in configs or (
            ALL in configs and (config is None or among is None or config in among)
        )
        if meant and (ALL in splits or split in splits):
            found += 1
            yield from _rows(file, config, split)
    if not found:
        asked = f"config {', '.join(configs)} and split {', '.join(splits)}"
        raise SourceError(f"{place} has no table", f"no file in it is of {asked}", SEE)


def _table_files(place: Path) -> list[Path]:
    """Return the tables in a folder, or the file itself.

    Parquet where there is any, else JSON lines, else JSON, else CSV.
    """
    # A folder often has the same rows in two formats: only the first that is there is read.
    formats = (
        (".parquet",),
        (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson"),
        (".json", ".json.gz", ".json.zst"),
        (".csv", ".csv.gz", ".csv.zst"),
    )
    endings = tuple(chain.from_iterable(formats))
    if place.is_file() and place.name.endswith(endings):
        return [place]
    # What `datasets` and builds write beside their tables.
    not_tables = ("dataset_info.json", "dataset_infos.json", "manifest.json", "state.json")
    files = [
        path for path in sorted(place.rglob("*")) if path.is_file() and path.name not in not_tables
    ]
    for path in files:
        if why := refusal(path, place):
            raise SourceError(
                f"{path} is not read", why, "put a copy of the file there, or leave it out"
            )
    visible = [
        path
        for path in files
        if not any(part.startswith(".") for part in path.relative_to(place).parts)
    ]
    for kinds in formats:
        tables = [path for path in visible if path.name.endswith(kinds)]
        if tables:
            return tables
    raise SourceError(f"{place} has no table", f"tables end in {', '.join(endings)}", SEE)


def _rows(file: Path, config: str | None, split: str | None) -> Iterator[TableRow | Rejected]:
    read = _parquet if file.suffix == ".parquet" else _csv if ".csv" in file.suffixes else _json
    try:
        # A file that breaks off is an error, not an end: half a table is no table.
        for number, found in enumerate(read(file)):
            where = f"{file.name} row {number}"
            if isinstance(found, dict):
                yield TableRow(found, where, config, split)
            elif isinstance(found, Rejected):
                yield found._replace(item=where)
            else:
                yield Rejected(
                    where,
                    "it must be an object, found "
                    f"{found if isinstance(found, str) else show(found)}",
                )
    except (OSError, EOFError, ValueError, OverflowError, pa.ArrowException) as error:
        # Values that Python does not have are among them: text that is no UTF-8, a day in the year
        # 300 000.
        raise SourceError(
            f"{file} cannot be read",
            str(error).split("\n")[0],
            "correct the file, or download it again",
        ) from error


def _parquet(file: Path) -> Iterator[Any]:
    batch_rows = 16  # a row may hold megabytes of tests
    with pq.ParquetFile(file) as table:
        metadata = table.schema_arrow.metadata or {}
        try:
            about = json.loads(metadata.get(b"huggingface", b"{}"))
            decode = _labels(about.get("info", {}).get("features"))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"its features are not as `datasets` writes them: {error!r}"[:200]
            ) from error
        for batch in table.iter_batches(batch_size=batch_rows):
            rows = batch.to_pylist()
            try:
                rows = [decode(row) for row in rows]
            except (LookupError, TypeError, AttributeError) as error:
                raise ValueError(
                    f"its features are not those of its rows: {error!r}"[:200]
                ) from error
            yield from rows


def _json(file: Path) -> Iterator[Any]:
    """Yield objects; text where a line is not JSON.

    A ``.json`` file that begins with a bracket is one list.
    """
    with pa.input_stream(str(file)) as stream:
        # Arrow decompresses by the ending of the file's name, the buffer gives lines.
        lines = io.BufferedReader(stream)
        first = lines.readline().removeprefix(codecs.BOM_UTF8)
        if first.lstrip()[:1] == b"[":
            try:
                listed = parse_json(first + lines.read())
            except ValueError as error:
                raise SourceError(
                    f"{file} cannot be read", f"it is not JSON: {error}", SEE
                ) from error
            yield from listed
            return
        for line in chain([first], lines):
            if line.strip():
                try:
                    yield parse_json(line)
                except ValueError as error:
                    yield f"a line that is not JSON: {error}"


def _csv(file: Path) -> Iterator[Any]:
    """Yield the rows of a CSV file; cells are text, and None where they are empty.

    Its first row names the columns. Its delimiter is the one of ``, ; tab |`` that the first row
    has most of. It is UTF-8, with or without a byte order mark, or UTF-16 with one.

    Raises:
        ValueError: The first row does not name the columns, or a quote is not closed.
    """
    # One limit for the whole process, by default too small for a list of tests.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    with pa.input_stream(str(file)) as stream:
        buffer = io.BufferedReader(stream)
        utf16 = buffer.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        # What is not UTF-8 becomes a surrogate, so that the reason can name row and column.
        text = io.TextIOWrapper(
            buffer, "utf-16" if utf16 else "utf-8-sig", "surrogateescape", newline=""
        )
        first = text.readline(LONGEST_CELL)
        outside = re.sub(r'"[^"]*"', "", first)
        delimiter = max(",;\t|", key=outside.count)
        reader = csv.reader(chain([first], text), delimiter=delimiter, strict=True)
        names, line = list[str](), 1
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                fix = ": is a quote not closed, or one inside a cell not doubled?"
                raise ValueError(f"the row in line {line} is not CSV: {error}{fix}") from error
            line = reader.line_num + 1
            if not cells:
                continue
            if not names:
                names = _named_columns(cells)
            elif len(cells) != len(names):
                found = f"it has {len(cells)} cells, and the first row names {len(names)} columns"
                yield Rejected("", found)
            else:
                row = {name: cell or None for name, cell in zip(names, cells, strict=True) if name}
                wrong = [name for name, cell in row.items() if cell and not _is_unicode(cell)]
                yield (
                    Rejected("", f"{wrong[0]} is not UTF-8: save the table as such")
                    if wrong
                    else row
                )


def _named_columns(cells: Sequence[str]) -> list[str]:
    """Return the names in the first row of a table; a column without one is not read.

    Raises:
        ValueError: Two columns have the same name, there is none, or one is not UTF-8.
    """
    names = [cell.strip() for cell in cells]
    twice = next((name for name, count in Counter(filter(None, names)).items() if count > 1), None)
    if twice:
        raise ValueError(f"two columns have the name {twice!r}")
    if not any(names) or not all(map(_is_unicode, names)):
        raise ValueError("its first row does not name the columns in UTF-8")
    return names


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _by_datasets(location: Location, among: Container[str] | None) -> Iterator[TableRow | Rejected]:
    """Yield the rows that ``datasets`` streams; nothing but this knows the Hub."""
    from datasets import get_dataset_config_names, load_dataset_builder

    splits = location.options.get("split", (ALL,))
    configs = list(location.options.get("config", ()))
    if not configs or ALL in configs:
        # Where none is chosen there may be only one, or one called default: none is guessed.
        with _opening(location):
            names = list(get_dataset_config_names(location.place, revision=location.revision))
        if not configs and "default" in names:
            configs = ["default"]
        elif not configs and len(names) > 1:
            raise SourceError(f"{location} has several configs", ", ".join(names), CONFIGS)
        else:
            configs = [name for name in names if among is None or name in among]
    found = 0
    for config in configs:
        with _opening(location):
            builder = load_dataset_builder(location.place, config, revision=location.revision)
            _check_data_files(location, builder.config.data_files or {})
            tables = builder.as_streaming_dataset()
        for split, table in tables.items():
            if ALL not in splits and split not in splits:
                continue
            found += 1
            # A streamed table need not know its features.
            decode = _labels(table.features and table.features.to_dict())
            with _opening(location):
                for number, values in enumerate(table):
                    yield TableRow(decode(values), f"{config}/{split} row {number}", config, split)
    if not found:
        raise SourceError(f"{location} has no split {', '.join(splits)}", "it has others", SEE)


def _check_data_files(location: Location, files: Mapping[str, Iterable[object]]) -> None:
    """Refuse a card that names files of this machine or of other servers.

    ``datasets`` would read them as data.

    Raises:
        SourceError: A file does not belong to the data set.
    """
    own = f"hf://datasets/{location.place}@"
    for name in (str(each) for split in files.values() for each in split):
        inside = (
            name.startswith(own) if location.hub else not refusal(Path(name), Path(location.place))
        )
        if not inside or "::" in name:
            why = "its card names a file that does not belong to it"
            raise SourceError(
                f"{name} is not read",
                why,
                f"do not trust {location}; if it is yours, copy the file",
            )


@contextmanager
def _opening(location: Location) -> Iterator[None]:
    """Turn what ``datasets`` raises into a SourceError that says what to type."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        why, fix = str(error).split("\n")[0], SEE
        if "BuilderConfig" in why:
            fix = CONFIGS
        if "scripts are no longer supported" in why:
            fix = f"read the converted branch: {location.place}@refs/convert/parquet"
        raise SourceError(f"the dataset {location} cannot be read", why, fix) from error


def _named(value: Any, feature: Any) -> Any:
    """Return a value with the names of ClassLabels in the place of their numbers.

    A feature, or a struct of them, is as ``datasets`` writes it into Parquet and cards.
    """
    if value is None or not isinstance(feature, (list, Mapping)):
        return value
    kind = feature.get("_type") if isinstance(feature, Mapping) else None
    if isinstance(feature, Mapping) and kind == "ClassLabel":
        # `datasets` writes -1 where a label is missing.
        return {-1: None, **dict(enumerate(feature["names"]))}.get(value, value)
    if isinstance(feature, Mapping) and not isinstance(kind, str):
        return {name: _named(item, feature.get(name)) for name, item in value.items()}
    inner = feature[0] if isinstance(feature, list) else feature.get("feature")
    # Lists of structs were written as structs of lists once: both are read.
    if isinstance(value, Mapping) and isinstance(inner, Mapping):
        return {name: _named(column, [inner.get(name)]) for name, column in value.items()}
    return [_named(item, inner) for item in value] if isinstance(value, list) else value


def _labels(features: Mapping[str, Any] | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what names the labels of a row; rows of a table without labels stay as they are."""
    if "'ClassLabel'" not in repr(features):
        return lambda row: row
    return partial(_named, feature=features)
