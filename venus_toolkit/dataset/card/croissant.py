"""The metadata of a release as Croissant: JSON-LD for dataset search engines and loaders.

Format: http://mlcommons.org/croissant/1.1. Names follow the Croissant that the Hub generates: a
file set ``parquet-files-for-config-cpp`` and a record set ``cpp`` for each config, with fields such
as ``cpp/title``, and the splits as records of ``cpp_splits``. Unlike the Hub's, it lists every file
with its SHA-256 and describes the fields.

The file sets of a published release are in the repository on the Hub (`REPOSITORY`); those of an
unpublished one are next to croissant.json.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from venus_toolkit.core.store import checksum
from venus_toolkit.dataset.card.release_facts import Table
from venus_toolkit.dataset.card.templates import read_card_file
from venus_toolkit.dataset.columns import LABEL, LABELS

REPOSITORY = "repo"
TYPES = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int64(): "cr:Int64",
    pa.int32(): "cr:Int32",
    pa.float64(): "cr:Float64",
    pa.float32(): "cr:Float32",
}


def render_croissant(
    folder: Path,
    tables: Mapping[str, Mapping[str, Table]],
    sums: Mapping[str, str],
    about: Mapping[str, Any],
    meanings: Mapping[str, Mapping[str, str]],
) -> str:
    """Return croissant.json of a release; the same release gives the same text.

    Args:
        folder: The release.
        tables: Config to split to its files.
        sums: Known SHA-256 of files by name; the others are computed.
        about: Properties of the dataset by their schema.org names; ``url`` is empty if it is not
            published. Empty properties are omitted.
        meanings: Config to field to its description; nested fields have names such as
            ``solutions/code``.

    Raises:
        OSError: A file without a known SHA-256 cannot be read.
    """
    whole = {
        "@context": json.loads(read_card_file("croissant_context.json")),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        **about,
        "distribution": [*_distribution(folder, tables, sums, about["url"])],
        "recordSet": [
            record_set
            for config, splits in tables.items()
            for record_set in (
                _splits(config, splits),
                _record_set(config, splits, meanings.get(config, {})),
            )
        ],
    }
    return (
        json.dumps(
            {key: value for key, value in whole.items() if value}, indent=1, ensure_ascii=False
        )
        + "\n"
    )


def _distribution(
    folder: Path, tables: Mapping[str, Mapping[str, Table]], sums: Mapping[str, str], url: str
) -> Iterator[dict[str, Any]]:
    parquet, within = "application/x-parquet", dict[str, Any]()
    if url:
        within = {"containedIn": {"@id": REPOSITORY}}
        # A repository has no checksum, but the format requires a value.
        yield {
            "@type": "cr:FileObject",
            "@id": REPOSITORY,
            "name": REPOSITORY,
            "description": "The repository on the Hub.",
            "contentUrl": url,
            "encodingFormat": "git+https",
            "sha256": "https://github.com/mlcommons/croissant/issues/80",
        }
    # Each file once: the files of `default` are those of the languages.
    for file in sorted(
        {file for splits in tables.values() for table in splits.values() for file in table.files}
    ):
        name = file.relative_to(folder).as_posix()
        yield {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            **within,
            "contentUrl": name,
            "contentSize": f"{file.stat().st_size} B",
            "encodingFormat": parquet,
            "sha256": sums.get(name) or checksum(file),
        }
    for config, splits in tables.items():
        yield {
            "@type": "cr:FileSet",
            "@id": _file_set(config),
            "name": _file_set(config),
            "description": f"The Parquet files of the config {config}.",
            **within,
            "encodingFormat": parquet,
            "includes": [table.glob for table in splits.values()],
        }


def _file_set(config: str) -> str:
    return f"parquet-files-for-config-{config}"


def _splits(config: str, splits: Iterable[str]) -> dict[str, Any]:
    name = f"{config}_splits"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The splits of the config {config}.",
        "dataType": "cr:Split",
        "key": {"@id": f"{name}/split_name"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/split_name",
                "name": "split_name",
                "dataType": "sc:Text",
            }
        ],
        "data": [{f"{name}/split_name": split} for split in splits],
    }


def _record_set(
    config: str, splits: Mapping[str, Table], meanings: Mapping[str, str]
) -> dict[str, Any]:
    schema = next(iter(splits.values())).schema
    # Rows of derived sets have a column `split` with another meaning.
    split = f"{config}/{'split' if 'split' not in schema.names else 'split_of_the_file'}"
    of_file = {"fileSet": {"@id": _file_set(config)}, "extract": {"fileProperty": "fullpath"}}
    # Equivalent to the globs of the splits. mlcroissant turns the regex into a glob to read one
    # split, and applies it again to the extracted name, so the surrounding parts are optional.
    folder = next(iter(splits.values())).glob.rpartition("/")[0]
    within = ".+".join(map(re.escape, folder.split("*")))
    regex = rf"(?:{within}/)?({'|'.join(splits)})(?:-.+parquet)?$"
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": f"The rows of the config {config}; splits: {', '.join(splits)}.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": split,
                "name": split.rsplit("/", 1)[1],
                "description": "the split that the row is in",
                "dataType": "sc:Text",
                "source": {**of_file, "transform": {"regex": regex}},
                "references": {"field": {"@id": f"{config}_splits/split_name"}},
            },
            *(_field(config, (field.name,), field.type, meanings) for field in schema),
        ],
    }


def _field(
    config: str, path: tuple[str, ...], kind: pa.DataType, meanings: Mapping[str, str]
) -> dict[str, Any]:
    """Return a column or a nested field; `path` has the names that lead to it."""
    name, array = "/".join(path), dict[str, Any]()
    while pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
        array = {"isArray": True, "arrayShape": f"{array['arrayShape']},-1" if array else "-1"}
    about = {"@type": "cr:Field", "@id": f"{config}/{name}", "name": name}
    if meaning := meanings.get(name):
        about["description"] = meaning
    if pa.types.is_struct(kind):
        parts = [_field(config, (*path, part.name), part.type, meanings) for part in kind]
        return {**about, **array, "subField": parts}
    steps = [{"jsonPath": step} for step in path[1:]]
    source: dict[str, Any] = {"fileSet": {"@id": _file_set(config)}, "extract": {"column": path[0]}}
    if steps:
        source["transform"] = steps[0] if len(steps) == 1 else steps
    label = path[-1] in LABELS and kind == LABEL
    return {
        **about,
        "dataType": "sc:Integer" if label else TYPES.get(kind, "sc:Text"),
        "source": source,
        **array,
    }
