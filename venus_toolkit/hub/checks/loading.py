"""``load_dataset`` itself reads every config of what would be sent, and finds as many rows as the files have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.release import Release
from venus_toolkit.temporary import temporary_folder


def check(release: Release, _: Allowed) -> Iterator[Finding]:
    """Yield the configs that cannot be loaded, or load as something else."""
    for config in release.configs():
        try:
            loaded = _rows(release, config)
        except Exception as error:  # whatever a reader would run into, in one of datasets' many layers
            yield Finding("loading", config, f"load_dataset fails: {_last_cause(error)}")
            continue
        there = {split: release.rows(config, split) for split in release.splits(config)}
        if loaded != there:
            yield Finding("loading", config, f"load_dataset finds {loaded}, the files have {there}")


def _rows(release: Release, config: str) -> dict[str, int]:
    """Return how many rows each split has when it is loaded; what datasets writes meanwhile is removed."""
    from datasets import disable_progress_bars, enable_progress_bars, load_dataset
    from datasets.utils import are_progress_bars_disabled

    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        with temporary_folder("loading") as cache:
            loaded: dict[str, Any] = load_dataset(str(release.folder), config, cache_dir=str(cache))
            return {split: int(rows.num_rows) for split, rows in loaded.items()}
    finally:
        if shown:
            enable_progress_bars()


def _last_cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {str(error).split(chr(10))[0]}"[:300]
