"""Dataset cards: facts computed from the Parquet files, prose from a template around them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

FACTS = """
    select count(*) as problems,
           coalesce(sum(len(solutions)), 0) as solutions,
           coalesce(sum(len(list_filter(solutions, lambda s: s.passed))), 0) as passing,
           coalesce(sum(json_array_length(test_cases)), 0) as tests
    from read_parquet(?)
"""


def render_dataset_card(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Return the README of a release folder; every number comes from its files or its manifest."""
    import jinja2

    configs = {
        name: {part: {**facts, **split_facts(folder / facts["file"])} for part, facts in config["splits"].items()}
        for name, config in manifest["configs"].items()
    }
    template = (resources.files("venus_toolkit.cards") / "dataset.md.j2").read_text()
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    return environment.from_string(template).render(configs=configs, manifest=manifest)


def split_facts(file: Path) -> dict[str, int]:
    """Return how many problems, solutions, passing solutions and tests a Parquet file holds."""
    import duckdb

    with duckdb.connect(":memory:", config={"memory_limit": "256MB", "threads": 1}) as connection:
        row = connection.execute(FACTS, [str(file)]).fetchone()
    assert row
    return dict(zip(("problems", "solutions", "passing", "tests"), map(int, row), strict=True))
