"""Rows of tables, streamed: Parquet and JSON lines directly, everything else through ``datasets``.

Memory holds a batch of rows, whatever the size of the table; only a ``.json`` file that is one list is read whole. A
folder whose README.md lists configs, and an id of the Hub, are read by ``datasets``, as its users would. Numbers of
ClassLabel columns become their names here, by the names that the table itself gives.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.builders.reading.cells import Row, parse_json, show
from venus_toolkit.builders.reading.location import SEE, Location
from venus_toolkit.builders.sources import SetAside
from venus_toolkit.errors import SourceError

BATCH = 16
ALL = "*"
CONFIGS = "add ?config=NAME, or ?config=* for all"
KINDS = (".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".json", ".json.gz", ".json.zst")
NOT_TABLES = ("dataset_info.json", "dataset_infos.json", "manifest.json", "state.json")
SPLIT = re.compile(r"(train|test|valid(?:ation)?|dev|eval)(?![a-zA-Z])")

Decoder = Callable[[Any], Any]


def read_table(location: Location, among: Container[str] | None = None) -> Iterator[Row | SetAside]:
    """Yield the rows at a location; what is not a row is set aside.

    Args:
        location: The place, with the configs and splits that are chosen.
        among: What "all configs" means, where some are of another kind (None: every one).

    Raises:
        SourceError: There is no table, it cannot be opened, or it breaks off.
    """
    place = Path(location.place)
    if location.hub or (place.is_dir() and _lists_configs(place)):
        return _by_datasets(location, among)
    return _by_file(location, place, among)


# ------------------------------------------------------------------ files


def _by_file(location: Location, place: Path, among: Container[str] | None) -> Iterator[Row | SetAside]:
    configs, splits = location.options.get("config", (ALL,)), location.options.get("split", (ALL,))
    found = 0
    for file in table_files(place):
        config, split = _config_of(file, place), _split_of(file)
        meant = config in configs or (ALL in configs and (config is None or among is None or config in among))
        if meant and (ALL in splits or split in splits):
            found += 1
            yield from _rows(file, config, split)
    if not found:
        asked = f"config {', '.join(configs)} and split {', '.join(splits)}"
        raise SourceError(f"{place} has no table", f"no file in it is of {asked}", SEE)


def table_files(place: Path) -> list[Path]:
    """Return the tables in a folder, or the file itself: Parquet where there is any, else JSON lines, else JSON.

    Raises:
        SourceError: There is none.
    """
    if place.is_file() and place.name.endswith(KINDS):
        return [place]
    files = [path for path in sorted(place.rglob("*")) if path.is_file() and not _hidden(path, place)]
    for kinds in (KINDS[:1], KINDS[1:5], KINDS[5:]):
        tables = [path for path in files if path.name.endswith(kinds) and path.name not in NOT_TABLES]
        if tables:
            return tables
    raise SourceError(f"{place} has no table", f"tables end in {', '.join(KINDS)}", SEE)


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _config_of(file: Path, root: Path) -> str | None:
    """Return the folder that a file is in, the way data sets on the Hub are laid out: ``data/<config>/<split>-….``."""
    if file == root:
        return None
    folders = [part for part in file.relative_to(root).parts[:-1] if part != "data"]
    return folders[-1] if folders else None


def _split_of(file: Path) -> str | None:
    found = SPLIT.match(file.name)
    return found.group(1) if found else None


def _rows(file: Path, config: str | None, split: str | None) -> Iterator[Row | SetAside]:
    read = _parquet if file.suffix == ".parquet" else _json
    try:
        for number, found in enumerate(read(file)):
            where = f"{file.name} row {number}"
            if isinstance(found, dict):
                yield Row(found, where, config, split)
            else:
                yield SetAside(where, f"it is no object, found {found if isinstance(found, str) else show(found)}")
    except (OSError, EOFError, pa.ArrowException) as error:
        raise SourceError(f"{file} cannot be read", str(error).split("\n")[0], "get the file again") from error


def _parquet(file: Path) -> Iterator[Any]:
    with pq.ParquetFile(file) as table:
        metadata = table.schema_arrow.metadata or {}
        about = json.loads(metadata.get(b"huggingface", b"{}"))
        decode = _decoder(about.get("info", {}).get("features") or {}) or (lambda row: row)
        for batch in table.iter_batches(batch_size=BATCH):
            yield from map(decode, batch.to_pylist())


def _json(file: Path) -> Iterator[Any]:
    """Yield objects; text where a line is not JSON. A ``.json`` file that begins with a bracket is one list."""
    with pa.input_stream(str(file)) as stream:
        lines = io.BufferedReader(stream)
        first = lines.readline()
        if first.lstrip()[:1] != b"[":
            yield from _lines([first])
            yield from _lines(lines)
            return
        try:
            listed = parse_json(first + lines.read())
        except ValueError as error:
            raise SourceError(f"{file} cannot be read", f"it is not JSON: {error}", SEE) from error
        yield from listed


def _lines(lines: Iterable[bytes]) -> Iterator[Any]:
    for line in lines:
        if line.strip():
            try:
                yield parse_json(line)
            except ValueError as error:
                yield f"a line that is not JSON: {error}"


# ------------------------------------------------------------------ datasets


def _lists_configs(folder: Path) -> bool:
    card = folder / "README.md"
    head = card.read_text("utf-8", "replace").split("\n---", 1)[0] if card.is_file() else ""
    return head.startswith("---") and re.search(r"^(configs|dataset_info):", head, re.MULTILINE) is not None


def _by_datasets(location: Location, among: Container[str] | None) -> Iterator[Row | SetAside]:
    """Yield the rows that ``datasets`` streams; nothing but this knows the Hub."""
    splits = location.options.get("split", (ALL,))
    found = 0
    for config in _configs(location, among):
        for split, table in _open(location, config).items():
            if ALL in splits or split in splits:
                found += 1
                yield from _stream(location, config, split, table)
    if not found:
        raise SourceError(f"{location} has no split {', '.join(splits)}", "it has others", SEE)


def _configs(location: Location, among: Container[str] | None) -> list[str]:
    """Return the chosen configs. Where none is chosen there may be only one, or one called default: none is guessed."""
    chosen = list(location.options.get("config", ()))
    if chosen and ALL not in chosen:
        return chosen
    from datasets import get_dataset_config_names

    with _opening(location):
        names = list(get_dataset_config_names(location.place, revision=location.revision))
    if not chosen and "default" in names:
        return ["default"]
    if not chosen and len(names) > 1:
        raise SourceError(f"{location} has several configs", ", ".join(names), CONFIGS)
    return [name for name in names if among is None or name in among]


def _open(location: Location, config: str) -> Mapping[str, Any]:
    from datasets import load_dataset

    with _opening(location):
        loaded: Mapping[str, Any] = load_dataset(location.place, config, revision=location.revision, streaming=True)
        return loaded


def _stream(location: Location, config: str, split: str, table: Any) -> Iterator[Row]:
    decode = _decoder(table.features.to_dict() if table.features else {}) or (lambda row: row)
    with _opening(location):
        for number, values in enumerate(table):
            yield Row(decode(values), f"{config}/{split} row {number}", config, split)


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
        raise SourceError(f"the data set {location} cannot be read", why, fix) from error


# ------------------------------------------------------------------ ClassLabels


def _decoder(feature: Any) -> Decoder | None:
    """Return what turns the numbers of ClassLabels into their names; None where a feature has none in it.

    Args:
        feature: A feature, or a struct of them, as ``datasets`` writes them into Parquet and cards.
    """
    if isinstance(feature, list):
        return _list_decoder(feature[0])
    if not isinstance(feature, Mapping):
        return None
    kind = feature.get("_type")
    if kind == "ClassLabel":
        names = {-1: None, **dict(enumerate(feature["names"]))}
        return lambda value: names.get(value, value)
    if isinstance(kind, str):
        return _list_decoder(feature["feature"]) if "feature" in feature else None
    return _struct_decoder(feature)


def _struct_decoder(fields: Mapping[str, Any]) -> Decoder | None:
    decoders = {name: decode for name, field in fields.items() if (decode := _decoder(field))}
    if not decoders:
        return None
    return lambda value: (
        value and {name: decoders[name](item) if name in decoders else item for name, item in value.items()}
    )


def _list_decoder(feature: Any) -> Decoder | None:
    """Lists of structs were written as structs of lists once: both are read."""
    item = _decoder(feature)
    if item is None:
        return None
    columns = {name: _list_decoder(field) for name, field in feature.items()} if isinstance(feature, Mapping) else {}

    def decode(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: each(column) if (each := columns.get(name)) else column for name, column in value.items()}
        return value and [item(one) for one in value]

    return decode
