"""The configs on a release's card: ``load_dataset`` finds a derived set only where the card's header names its files."""

from __future__ import annotations

import re
from contextlib import closing

import yaml

from venus_toolkit.release import Release
from venus_toolkit.release.folder import DEFAULT, Configs
from venus_toolkit.store import Store

README = "README.md"
HEADER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
BLOCK = re.compile(r"^configs:\n(?:[ \-].*\n|\n)*", re.MULTILINE)


def list_configs(release: Release) -> None:
    """Put the configs that a release has now into the header of its card; every other line stays as it is.

    Raises:
        StoreError: The card or the manifest cannot be written.
    """
    path = release.folder / README
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    after = with_configs(before, release.configs())
    if after != before:
        with closing(Store(release.folder)) as store:
            store.write_text(README, after)
        release.update({}, [README])


def with_configs(card: str, configs: Configs) -> str:
    """Return a card whose header names these configs."""
    listed = [
        {
            "config_name": name,
            **({"default": True} if name == DEFAULT else {}),
            "data_files": [{"split": split, "path": globs} for split, globs in splits.items()],
        }
        for name, splits in configs.items()
    ]
    block = yaml.safe_dump({"configs": listed}, sort_keys=False)
    found = HEADER.match(card)
    if not found:
        return f"---\n{block}---\n{card}"
    header = found.group(1)
    changed = BLOCK.sub(lambda _: block, header, count=1) if BLOCK.search(header) else header + block
    return f"---\n{changed}---\n{card[found.end() :]}"
