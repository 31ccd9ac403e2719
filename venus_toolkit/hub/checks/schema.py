"""The columns are what readers expect, in every file of a config; there are as many rows as the manifest says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.release import Release
from venus_toolkit.release.folder import DEFAULT
from venus_toolkit.release.schema import SCHEMA, TESTS

ANCESTORS = (
    "problem_id", "title", "question_content", "difficulty", "tags", "code_prompt", "solutions",
    "test_case_generator", "test_case_evaluator", "test_case_runners", "test_cases",
)  # fmt: skip
ROW_GROUP_BYTES = 300_000_000  # what the Hub's viewer refuses


def check(release: Release, _: Allowed) -> Iterator[Finding]:
    """Yield what is wrong with the files of each config."""
    if not release.languages:
        yield Finding("schema", "manifest.json", "lists no language")
    for config, splits in release.configs().items():
        if config != DEFAULT:
            files = [file for split in splits for file in release.files(config, split)]
            found = list(_config(release, config, files))
            yield from found or _rows(release, config)


def _rows(release: Release, config: str) -> Iterator[Finding]:
    """Yield the splits of a language that have other rows than the manifest says."""
    if config in release.languages:
        for split, facts in release.manifest["configs"][config]["splits"].items():
            there = release.rows(config, split) if split in release.configs().get(config, {}) else 0
            if there != facts["problems"]:
                yield Finding(
                    "schema", f"{config}/{split}", f"{there} rows, the manifest says {facts['problems']} problems"
                )


def _config(release: Release, config: str, files: list[Path]) -> Iterator[Finding]:
    first: pa.Schema | None = None
    for file in files:
        where = file.relative_to(release.folder).as_posix()
        try:
            metadata = pq.read_metadata(file)
        except (OSError, pa.ArrowException) as error:
            yield Finding("schema", where, f"cannot be read: {str(error).split(chr(10))[0]}")
            continue
        schema = metadata.schema.to_arrow_schema()
        first = first or schema
        yield from (Finding("schema", where, what) for what in _complaints(config, release, schema, first))
        for number in range(metadata.num_row_groups):
            size = metadata.row_group(number).total_byte_size
            if size > ROW_GROUP_BYTES:
                yield Finding("schema", where, f"row group {number} has {size} bytes, more than the Hub's viewer reads")


def _complaints(config: str, release: Release, schema: pa.Schema, first: pa.Schema) -> Iterator[str]:
    if not schema.equals(first):
        yield "has other columns than the first file of its config"
    wanted = SCHEMA if config in release.languages else TESTS if config == "tests" else None
    if wanted is None:
        return
    if config in release.languages and tuple(schema.names[: len(ANCESTORS)]) != ANCESTORS:
        yield f"does not begin with the columns {', '.join(ANCESTORS)}"
    for field in wanted:
        if field.name not in schema.names:
            yield f"lacks the column {field.name}"
        elif not _reads_as(schema.field(field.name).type, field.type):
            yield f"the column {field.name} is {schema.field(field.name).type}, not {field.type}"


def _reads_as(there: pa.DataType, wanted: pa.DataType) -> bool:
    """Return whether a column has everything that is wanted; a struct may have more."""
    if pa.types.is_list(there) and pa.types.is_list(wanted):
        return _reads_as(there.value_type, wanted.value_type)
    if pa.types.is_struct(there) and pa.types.is_struct(wanted):
        names = {field.name for field in there}
        return all(f.name in names and _reads_as(there.field(f.name).type, f.type) for f in wanted)
    return bool(there.equals(wanted))
