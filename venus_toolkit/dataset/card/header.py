"""The YAML header of a card: what the data say, joined with what people wrote into it."""

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
    """Return the header of a dataset card; a `licence` stands for those that the data say."""
    languages = [language.name for language in facts.languages]
    tables = {
        name: splits if name in {DEFAULT, *SHARED, *languages} else with_train(splits)
        for name, splits in facts.tables.items()
    }
    rows = sum(language.problems for language in facts.languages)
    return {
        "pretty_name": title,
        # a share of the statements
        "language": ["code", *(["en"] if facts.totals.english >= 0.9 else [])],
        **licence_keys([licence] if licence else facts.licences),
        "size_categories": [size_category(rows)],
        "task_categories": ["text-generation"],
        "tags": ["code", "code-efficiency", "venus", *languages],
        # Features and sizes as ``datasets`` writes them; bytes are those of the Parquet columns.
        "dataset_info": [
            {
                "config_name": name,
                "features": features_of(next(iter(splits.values())).schema),
                # load_dataset refuses a split whose number of rows is not the one given here.
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
    """Return what a language's config is called as well: what Markdown calls its code (``python3``, ``c++``)."""
    known = load_languages().get(language)
    return [name for name in known.fences if name != language] if known else []


def with_train(splits: Mapping[str, Table]) -> dict[str, Table]:
    """Return the splits of a derived set, one for each objective, and ``train``, which has the rows of all.

    Trainers load a split of that name where none is said.
    """
    listed = list(splits.values())
    folder = listed[0].glob.rpartition("/")[0]
    whole = Table(
        glob=f"{folder}/*.parquet",
        files=tuple(file for table in listed for file in table.files),
        rows=sum(table.rows for table in listed),
        size=sum(table.size for table in listed),
        unpacked=sum(table.unpacked for table in listed),
        schema=listed[0].schema,
    )
    return {**splits, "train": whole}


def size_category(rows: int) -> str:
    """Return the Hub's name for a number of rows."""
    sizes = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    sizes |= {10_000_000: "1M<n<10M"}
    return next((name for limit, name in sizes.items() if rows < limit), "10M<n<100M")


def features_of(schema: pa.Schema) -> list[dict[str, Any]]:
    """Return the columns of a table as ``datasets`` writes them into a card.

    The files hold what this needs, so ``datasets``, which takes 90 MiB, is imported only for files
    that lack it.
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

    written: list[dict[str, Any]] = Features.from_arrow_schema(schema)._to_yaml_list()
    return written


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
    # A list of anything but lists is written without the key of what is in it.
    inside = _feature({("List", -1): feature}[kind, feature.get("length", -1)]["feature"])
    return {"list": inside.get("dtype") or inside.get("struct") or inside}


def licence_keys(licences: Iterable[str]) -> dict[str, Any]:
    """Return the keys that say the licence.

    One that the Hub knows by itself, or ``other`` with the list of all.

    They are SPDX identifiers, or what else the data say; empty where the data do not say.
    """
    named = sorted({name or "unknown" for name in licences}, key=str.lower)
    known = [
        line for line in read_card_file("licences.txt").splitlines() if not line.startswith("#")
    ]
    if len(named) == 1 and named[0].lower() in known:
        return {"license": named[0].lower()}
    slugs = ["".join(c if c.isalnum() or c == "." else "-" for c in name.lower()) for name in named]
    # Of more than four licences the name would get too long.
    joined = "-and-".join(slugs) if 0 < len(slugs) <= 4 else "mixed"
    return {"license": "other", "license_name": joined, "licenses": named}


def join_headers(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], folder: Path
) -> dict[str, Any]:
    """Return the header of a card that was there, brought up to date.

    What is computed is replaced. Lists are united. The name and every other key stay as somebody
    wrote them; so do configs of their own, as long as their files are in the folder of the card.
    """
    joined = {key: value for key, value in mine.items() if key in COMPUTED or key not in theirs}
    for key, value in theirs.items():
        if key in COMPUTED:
            continue
        ours = mine.get(key)
        united = isinstance(ours, list) and isinstance(value, list)
        joined[key] = (
            [*ours, *(item for item in value if item not in ours)] if united and ours else value
        )
    known = {item["config_name"] for item in mine.get("configs", ())}
    own = {
        item["config_name"]
        for item in _mappings(theirs.get("configs"))
        if "config_name" in item and item["config_name"] not in known and _has_files(item, folder)
    }
    for key in ("dataset_info", "configs"):
        extra = [item for item in _mappings(theirs.get(key)) if item.get("config_name") in own]
        if extra:
            joined[key] = [*joined[key], *extra]
    order = [*mine, *(key for key in theirs if key not in mine)]
    return {key: joined[key] for key in order if key in joined}


def _has_files(config: Mapping[str, Any], folder: Path) -> bool:
    """Return whether a config names files, and all of them are in the folder."""
    listed = _as_list(config.get("data_files") or [])
    patterns = [file.get("path", "") if isinstance(file, Mapping) else file for file in listed]
    flat = [str(pattern) for pattern_list in patterns for pattern in _as_list(pattern_list)]
    # Path.glob raises for an absolute pattern.
    return bool(flat) and all(p and not p.startswith("/") and any(folder.glob(p)) for p in flat)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _as_list(value) if isinstance(item, Mapping)]
