"""Rows of tables, streamed: Parquet, JSON lines and CSV directly, the rest through ``datasets``.

Memory holds one batch of rows; only a ``.json`` file that is one list is read whole. ``datasets``
reads a folder whose README.md lists configs, and an id of the Hub. Numbers in ClassLabel columns
are replaced by the label names that the table stores.
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
LONGEST_CELL = 256 << 20  # characters; an unclosed quote turns the rest of a file into one cell
CONFIGS = "add ?config=NAME, or ?config=* for all"


@dataclass(frozen=True, slots=True)
class Location:
    """A place to read from: `place` is an existing path, or an id on the Hub.

    An option may have several values.
    """

    place: str
    hub: bool
    revision: str | None
    options: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        """Return the location as a user types it, without options."""
        return f"{self.place}@{self.revision}" if self.revision else self.place

    def option(self, key: str) -> str | None:
        """Return the last value of an option, None if it is not set."""
        return self.options.get(key, (None,))[-1]


def parse_location(text: str, more: Sequence[str] = ()) -> Location:
    """Parse ``PATH`` or ``OWNER/NAME[@REVISION]``, followed by ``?key=value&key=value``.

    An existing path wins over an id of the Hub.

    `more` are the options of a source besides ``config`` and ``split``.

    Raises:
        SourceError: An option is unknown, or `text` is neither an existing path nor a possible
            id of the Hub.
    """
    # A file name may hold a question mark.
    head, _, query = ("" if Path(text).exists() else text).partition("?")
    path, known = head or text, ("config", "split", *more)
    options: dict[str, tuple[str, ...]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in known:
            raise SourceError(
                f"the location has an unknown option {key!r}",
                f"expected one of {', '.join(known)}",
                nearest(key, known) + SEE,
            )
        options[key] = (*options.get(key, ()), value)
    if path and Path(path).expanduser().exists():
        return Location(str(Path(path).expanduser()), False, None, options)
    name, _, revision = head.partition("@")
    hub_id = re.compile(r"[\w.-]+/[\w.-]+")
    # ./data has the form of OWNER/NAME, but is a path.
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
    """Yield the rows at a location; other items of the file become `Rejected`.

    Args:
        location: The place, with the selected configs and splits.
        among: The configs that "all configs" stands for (None: every config).

    Raises:
        SourceError: The table is missing, cannot be opened, or is truncated.
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
        return _read_with_datasets(where, among)
    return _read_files(where, place, among)


def gather(
    rows: Iterable[TableRow | Rejected], key: Callable[[TableRow], object]
) -> Iterator[list[TableRow | Rejected]]:
    """Yield the rows with the same `key` as one list, in the order of each key's first row.

    Rows are grouped on disk: memory holds one group, the temporary folder the table. A rejected
    row, and one whose key is None, is yielded at once as a list of its own.
    """
    with temporary_folder("spool") as folder, closing(sqlite3.connect(folder / "rows")) as spool:
        # The file is useless after a crash, so neither a journal nor a sync is worth its time.
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
        # After the inserts: one sort is cheaper than updating the index with every row.
        spool.execute("create index by_key on rows (key, place)")
        for group in spool.execute("select key from rows group by key order by min(place)"):
            stored = spool.execute(
                "select columns, about from rows where key = ? order by place", group
            )
            yield [TableRow(json.loads(columns), *json.loads(about)) for columns, about in stored]


def _read_files(
    location: Location, place: Path, among: Container[str] | None
) -> Iterator[TableRow | Rejected]:
    configs, splits = location.options.get("config", (ALL,)), location.options.get("split", (ALL,))
    files_read = 0
    # No letter may follow: training.jsonl does not name a split.
    split_name = re.compile(r"(train|test|valid(?:ation)?|dev|eval)(?![a-zA-Z])")
    for file in _table_files(place):
        # Data sets on the Hub are laid out as data/<config>/<split>-….
        folders = [part for part in file.relative_to(place).parts[:-1] if part != "data"]
        config = folders[-1] if folders else None
        match = split_name.match(file.name)
        split = match.group(1) if match else None
        selected = config in configs or (
            ALL in configs and (config is None or among is None or config in among)
        )
        if selected and (ALL in splits or split in splits):
            files_read += 1
            yield from _read_file(file, config, split)
    if not files_read:
        selection = f"config {', '.join(configs)} and split {', '.join(splits)}"
        raise SourceError(f"{place} has no table", f"no file in it matches {selection}", SEE)


def _table_files(place: Path) -> list[Path]:
    """Return the tables in a folder, or the file itself.

    The first format present is read: Parquet, then JSON lines, JSON, CSV.
    """
    # A folder often has the same rows in two formats.
    formats = (
        (".parquet",),
        (".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson"),
        (".json", ".json.gz", ".json.zst"),
        (".csv", ".csv.gz", ".csv.zst"),
    )
    endings = tuple(chain.from_iterable(formats))
    if place.is_file() and place.name.endswith(endings):
        return [place]
    # Metadata that `datasets` and builds write next to their tables.
    not_tables = ("dataset_info.json", "dataset_infos.json", "manifest.json", "state.json")
    files = [
        path for path in sorted(place.rglob("*")) if path.is_file() and path.name not in not_tables
    ]
    for path in files:
        if reason := refusal(path, place):
            raise SourceError(
                f"{path} is not read", reason, "put a copy of the file there, or leave it out"
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


def _read_file(file: Path, config: str | None, split: str | None) -> Iterator[TableRow | Rejected]:
    read = (
        _read_parquet
        if file.suffix == ".parquet"
        else _read_csv
        if ".csv" in file.suffixes
        else _read_json
    )
    try:
        # A truncated file is an error: half a table would pass for a whole one.
        for number, item in enumerate(read(file)):
            where = f"{file.name} row {number}"
            if isinstance(item, dict):
                yield TableRow(item, where, config, split)
            elif isinstance(item, Rejected):
                yield item._replace(item=where)
            else:
                yield Rejected(
                    where,
                    f"it must be an object, found {item if isinstance(item, str) else show(item)}",
                )
    except (OSError, EOFError, ValueError, OverflowError, pa.ArrowException) as error:
        # Includes values that Python cannot hold: invalid UTF-8, a day in the year 300,000.
        raise SourceError(
            f"{file} cannot be read",
            str(error).split("\n")[0],
            "correct the file, or download it again",
        ) from error


def _read_parquet(file: Path) -> Iterator[Any]:
    batch_rows = 16  # a row may hold megabytes of tests
    with pq.ParquetFile(file) as table:
        metadata = table.schema_arrow.metadata or {}
        try:
            about = json.loads(metadata.get(b"huggingface", b"{}"))
            decode = _label_decoder(about.get("info", {}).get("features"))
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


def _read_json(file: Path) -> Iterator[Any]:
    """Yield objects, or an error message for a line that is not JSON.

    A ``.json`` file that begins with a bracket is one list.
    """
    with pa.input_stream(str(file)) as stream:
        # Arrow decompresses by the suffix of the file name, the buffer splits lines.
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


def _read_csv(file: Path) -> Iterator[Any]:
    """Yield the rows of a CSV file; cells are text, empty cells None.

    The first row names the columns. The delimiter is the most frequent of ``, ; tab |`` in the
    first row. The file is UTF-8, with or without a byte order mark, or UTF-16 with one.

    Raises:
        ValueError: The first row does not name the columns, or a quote is not closed.
    """
    # The limit applies to the whole process; its default is too small for a list of tests.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    with pa.input_stream(str(file)) as stream:
        buffer = io.BufferedReader(stream)
        utf16 = buffer.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        # Invalid UTF-8 becomes a surrogate, so that the message can name row and column.
        text = io.TextIOWrapper(
            buffer, "utf-16" if utf16 else "utf-8-sig", "surrogateescape", newline=""
        )
        first = text.readline(LONGEST_CELL)
        unquoted = re.sub(r'"[^"]*"', "", first)
        delimiter = max(",;\t|", key=unquoted.count)
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
                names = _column_names(cells)
            elif len(cells) != len(names):
                reason = f"it has {len(cells)} cells, and the first row names {len(names)} columns"
                yield Rejected("", reason)
            else:
                row = {name: cell or None for name, cell in zip(names, cells, strict=True) if name}
                wrong = [name for name, cell in row.items() if cell and not _is_unicode(cell)]
                yield (
                    Rejected("", f"{wrong[0]} is not UTF-8: save the table as such")
                    if wrong
                    else row
                )


def _column_names(cells: Sequence[str]) -> list[str]:
    """Return the names in the first row of a table; a column without a name is not read.

    Raises:
        ValueError: Two columns have the same name, no column has one, or one is not UTF-8.
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


def _read_with_datasets(
    location: Location, among: Container[str] | None
) -> Iterator[TableRow | Rejected]:
    """Yield the rows that ``datasets`` streams; the only code that talks to the Hub."""
    from datasets import get_dataset_config_names, load_dataset_builder

    splits = location.options.get("split", (ALL,))
    configs = list(location.options.get("config", ()))
    if not configs or ALL in configs:
        # Without a choice, the only config or the one named default is read, never a guess.
        with _report_errors(location):
            names = list(get_dataset_config_names(location.place, revision=location.revision))
        if not configs and "default" in names:
            configs = ["default"]
        elif not configs and len(names) > 1:
            raise SourceError(f"{location} has several configs", ", ".join(names), CONFIGS)
        else:
            configs = [name for name in names if among is None or name in among]
    tables_read = 0
    for config in configs:
        with _report_errors(location):
            builder = load_dataset_builder(location.place, config, revision=location.revision)
            _check_data_files(location, builder.config.data_files or {})
            tables = builder.as_streaming_dataset()
        for split, table in tables.items():
            if ALL not in splits and split not in splits:
                continue
            tables_read += 1
            # A streamed table need not know its features.
            decode = _label_decoder(table.features and table.features.to_dict())
            with _report_errors(location):
                for number, values in enumerate(table):
                    yield TableRow(decode(values), f"{config}/{split} row {number}", config, split)
    if not tables_read:
        raise SourceError(f"{location} has no split {', '.join(splits)}", "it has others", SEE)


def _check_data_files(location: Location, files: Mapping[str, Iterable[object]]) -> None:
    """Refuse a card that names files of this machine or of other servers.

    ``datasets`` would read them as data.

    Raises:
        SourceError: A file does not belong to the dataset.
    """
    own = f"hf://datasets/{location.place}@"
    for name in (str(file) for split in files.values() for file in split):
        inside = (
            name.startswith(own) if location.hub else not refusal(Path(name), Path(location.place))
        )
        if not inside or "::" in name:
            reason = "its card names a file that does not belong to it"
            raise SourceError(
                f"{name} is not read",
                reason,
                f"do not trust {location}; if it is yours, copy the file",
            )


@contextmanager
def _report_errors(location: Location) -> Iterator[None]:
    """Turn errors of ``datasets`` into a SourceError that says what to type."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        reason, fix = str(error).split("\n")[0], SEE
        if "BuilderConfig" in reason:
            fix = CONFIGS
        if "scripts are no longer supported" in reason:
            fix = f"read the converted branch: {location.place}@refs/convert/parquet"
        raise SourceError(f"the dataset {location} cannot be read", reason, fix) from error


def _with_label_names(value: Any, feature: Any) -> Any:
    """Return a value with its ClassLabel numbers replaced by their names.

    `feature` has the form that ``datasets`` writes into Parquet and cards.
    """
    if value is None or not isinstance(feature, (list, Mapping)):
        return value
    kind = feature.get("_type") if isinstance(feature, Mapping) else None
    if isinstance(feature, Mapping) and kind == "ClassLabel":
        # `datasets` writes -1 for a missing label.
        return {-1: None, **dict(enumerate(feature["names"]))}.get(value, value)
    if isinstance(feature, Mapping) and not isinstance(kind, str):
        return {name: _with_label_names(item, feature.get(name)) for name, item in value.items()}
    inner = feature[0] if isinstance(feature, list) else feature.get("feature")
    # Older versions of `datasets` write lists of structs as structs of lists.
    if isinstance(value, Mapping) and isinstance(inner, Mapping):
        return {
            name: _with_label_names(column, [inner.get(name)]) for name, column in value.items()
        }
    return [_with_label_names(item, inner) for item in value] if isinstance(value, list) else value


def _label_decoder(
    features: Mapping[str, Any] | None,
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that names the labels of a row; it does nothing without ClassLabels."""
    if "'ClassLabel'" not in repr(features):
        return lambda row: row
    return partial(_with_label_names, feature=features)
