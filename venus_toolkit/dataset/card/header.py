"""The YAML header of a card: computed keys, joined with keys that people added."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from venus_toolkit.core.language import load_languages
from venus_toolkit.dataset.card.release_facts import Facts, Table
from venus_toolkit.dataset.card.templates import read_card_file
from venus_toolkit.dataset.columns import FEATURES
from venus_toolkit.dataset.release import DEFAULT, SHARED

COMPUTED = (
    "license",
    "license_name",
    "licenses",
    "size_categories",
    "dataset_info",
    "configs",
    "model-index",
)


def dataset_header(facts: Facts, title: str, licence: str = "") -> dict[str, Any]:
    """Return the header of a dataset card; `licence` replaces the licences in the data."""
    languages = [language.name for language in facts.languages]
    tables = {
        name: splits if name in {DEFAULT, *SHARED, *languages} else with_train(splits)
        for name, splits in facts.tables.items()
    }
    rows = sum(language.problems for language in facts.languages)
    return {
        "pretty_name": title,
        # English if at least 90 % of the statements are
        "language": ["code", *(["en"] if facts.totals.english >= 0.9 else [])],
        **licence_keys([licence] if licence else facts.licences),
        "size_categories": [size_category(rows)],
        "task_categories": ["text-generation"],
        "tags": ["code", "code-efficiency", "venus", *languages],
        # Features and sizes in the format of ``datasets``; bytes are those of the Parquet columns.
        "dataset_info": [
            {
                "config_name": name,
                "features": features_of(next(iter(splits.values())).schema),
                # load_dataset rejects a split with another number of rows.
                "splits": [
                    {"name": split, "num_bytes": table.unpacked, "num_examples": table.rows}
                    for split, table in splits.items()
                ],
                "download_size": sum(table.size for table in facts.tables[name].values()),
                "dataset_size": sum(table.unpacked for table in splits.values()),
            }
            for name, splits in tables.items()
        ],
        "configs": [
            {
                "config_name": alias,
                **({"default": True} if name == DEFAULT else {}),
                "data_files": [
                    {"split": split, "path": table.glob} for split, table in splits.items()
                ],
            }
            for name, splits in tables.items()
            for alias in (name, *(further_names(name) if name in languages else ()))
        ],
    }


def further_names(language: str) -> list[str]:
    """Return other names of a language's config: its labels of Markdown code, such as ``python3``."""
    known = load_languages().get(language)
    return [name for name in known.fences if name != language] if known else []


def with_train(splits: Mapping[str, Table]) -> dict[str, Table]:
    """Return the splits of a derived set, one per objective, and ``train`` with all rows.

    Trainers load a split of that name by default.
    """
    tables = list(splits.values())
    folder = tables[0].glob.rpartition("/")[0]
    whole = Table(
        glob=f"{folder}/*.parquet",
        files=tuple(file for table in tables for file in table.files),
        rows=sum(table.rows for table in tables),
        size=sum(table.size for table in tables),
        unpacked=sum(table.unpacked for table in tables),
        schema=tables[0].schema,
    )
    return {**splits, "train": whole}


def size_category(rows: int) -> str:
    """Return the Hub's name for a number of rows."""
    sizes = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    sizes |= {10_000_000: "1M<n<10M"}
    return next((name for limit, name in sizes.items() if rows < limit), "10M<n<100M")


def features_of(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return the columns of a table in the format that ``datasets`` uses in cards.

    Files usually contain the features, so ``datasets``, which needs 90 MiB, is imported only for
    files without them.
    """
    features = (
        json.loads((schema.metadata or {}).get(FEATURES, b"{}")).get("info", {}).get("features")
        or {}
    )
    try:
        if features.keys() == set(schema.names):
            return [{"name": name, **_feature(features[name])} for name in schema.names]
    except KeyError:  # a feature of another kind
        pass
    from datasets import Features

    columns: list[dict[str, Any]] = Features.from_arrow_schema(schema)._to_yaml_list()
    return columns


def _feature(feature: Mapping[str, Any]) -> dict[str, Any]:
    kind = feature.get("_type")
    if kind is None:
        return {"struct": [{"name": name, **_feature(inner)} for name, inner in feature.items()]}
    if kind == "Value":
        return {"dtype": feature["dtype"]}
    if kind == "ClassLabel":
        return {
            "dtype": {
                "class_label": {
                    "names": {str(place): name for place, name in enumerate(feature["names"])}
                }
            }
        }
    # Except for nested lists, a list omits the key of its item type.
    inside = _feature({("List", -1): feature}[kind, feature.get("length", -1)]["feature"])
    return {"list": inside.get("dtype") or inside.get("struct") or inside}


def licence_keys(licences: Iterable[str]) -> dict[str, Any]:
    """Return the licence keys of a header: one licence of the Hub, or ``other`` with a list.

    `licences` are SPDX identifiers, other names in the data, or "" for unknown ones.
    """
    names = sorted({name or "unknown" for name in licences}, key=str.lower)
    known = [
        line for line in read_card_file("licences.txt").splitlines() if not line.startswith("#")
    ]
    if len(names) == 1 and names[0].lower() in known:
        return {"license": names[0].lower()}
    slugs = ["".join(c if c.isalnum() or c == "." else "-" for c in name.lower()) for name in names]
    # More than four joined names would be too long.
    joined = "-and-".join(slugs) if 0 < len(slugs) <= 4 else "mixed"
    return {"license": "other", "license_name": joined, "licenses": names}


def join_headers(
    new: Mapping[str, Any], existing: Mapping[str, Any], folder: Path
) -> dict[str, Any]:
    """Return the header of an existing card with the keys of a new one.

    Computed keys are replaced, and lists are united. The name and every other key of the existing
    header are kept; so are additional configs, as long as their files are in the card's folder.
    """
    joined = {key: value for key, value in new.items() if key in COMPUTED or key not in existing}
    for key, value in existing.items():
        if key in COMPUTED:
            continue
        new_value = new.get(key)
        unite = isinstance(new_value, list) and isinstance(value, list)
        joined[key] = (
            [*new_value, *(item for item in value if item not in new_value)]
            if unite and new_value
            else value
        )
    known = {item["config_name"] for item in new.get("configs", ())}
    additional = {
        item["config_name"]
        for item in _mappings(existing.get("configs"))
        if "config_name" in item and item["config_name"] not in known and _has_files(item, folder)
    }
    for key in ("dataset_info", "configs"):
        extra = [
            item for item in _mappings(existing.get(key)) if item.get("config_name") in additional
        ]
        if extra:
            joined[key] = [*joined[key], *extra]
    order = [*new, *(key for key in existing if key not in new)]
    return {key: joined[key] for key in order if key in joined}


def _has_files(config: Mapping[str, Any], folder: Path) -> bool:
    """Return whether a config names files, and all of them are in the folder."""
    entries = _as_list(config.get("data_files") or [])
    patterns = [entry.get("path", "") if isinstance(entry, Mapping) else entry for entry in entries]
    flat = [str(pattern) for pattern_list in patterns for pattern in _as_list(pattern_list)]
    # Path.glob raises for an absolute pattern.
    return bool(flat) and all(p and not p.startswith("/") and any(folder.glob(p)) for p in flat)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _as_list(value) if isinstance(item, Mapping)]
