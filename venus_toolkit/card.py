"""Dataset cards: facts computed from the Parquet files, prose from a template around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from venus_toolkit.release.folder import DEFAULT, Release

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

    release = Release(folder, manifest)
    languages = {
        name: {part: split_facts(release.files(name, part)) for part in splits}
        for name, splits in release.configs().items()
        if name in release.languages
    }
    template = (resources.files("venus_toolkit.cards") / "dataset.md.j2").read_text()
    environment = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, autoescape=False
    )
    return environment.from_string(template).render(
        configs=release.configs(), default=DEFAULT, languages=languages, manifest=manifest
    )


def split_facts(files: Sequence[Path]) -> dict[str, int]:
    """Return how many problems, solutions, passing solutions and tests some Parquet files hold."""
    import duckdb

    with duckdb.connect(":memory:", config={"memory_limit": "256MB", "threads": 1}) as connection:
        row = connection.execute(FACTS, [[str(file) for file in files]]).fetchone()
    assert row
    return dict(zip(("problems", "solutions", "passing", "tests"), map(int, row), strict=True))
