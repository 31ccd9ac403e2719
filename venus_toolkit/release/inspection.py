"""What is in a release folder, and whether it is all there: what ``venus inspect`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from venus_toolkit.errors import ReleaseError
from venus_toolkit.release.folder import Release


@dataclass(frozen=True, slots=True)
class Split:
    """One split of a config; rows is None where a file of it cannot be read."""

    config: str
    split: str
    rows: int | None
    files: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Inspection:
    """A release as it lies on disk; complaints has a sentence for everything that is not as its manifest says."""

    folder: Path
    format: int
    toolkit: str | None
    splits: tuple[Split, ...]
    complaints: tuple[str, ...]


def inspect_release(release: Release) -> Inspection:
    """Look into every split and check every file; reads every byte once."""
    unreadable: list[str] = []
    splits = tuple(
        _look(release, config, split, unreadable) for config in release.config_names for split in release.splits(config)
    )
    manifest = release.manifest
    complaints = (*release.complaints(), *dict.fromkeys(unreadable))
    return Inspection(release.folder, manifest.get("format", 1), manifest.get("toolkit"), splits, complaints)


def _look(release: Release, config: str, split: str, unreadable: list[str]) -> Split:
    files = release.files(config, split)
    rows: int | None = None
    try:
        rows = release.rows(config, split)
    except ReleaseError as error:
        unreadable.append(f"{config}/{split} cannot be read: {error.why}")
    return Split(config, split, rows, len(files), sum(file.stat().st_size for file in files))
