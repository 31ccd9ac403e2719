"""A release with its new card and manifest, beside the folder it comes from: what is checked last, and then sent."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from venus_toolkit import card
from venus_toolkit.hub.changes import CHANGES, COLUMNS, Changes, Earlier, columns_of
from venus_toolkit.hub.names import Version
from venus_toolkit.hub.remote import Contents, FileId
from venus_toolkit.hub.sealed import Sealed, identity
from venus_toolkit.release import Release, open_release
from venus_toolkit.store import MANIFEST, Store, checksum, explained
from venus_toolkit.temporary import temporary_folder

CARD = "README.md"
VERSION, REPOSITORY = "version", "repository"  # keys of the manifest
PICTURES = "assets"
Rows = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Stage:
    """What is sent, as a release that can be opened.

    Attributes:
        release: The staged release: links to the data, the new card, the new manifest.
        sealed: Every file but the card, the manifest and the pictures, as it was before the first check.
    """

    release: Release
    sealed: Mapping[str, Sealed]

    @property
    def own(self) -> dict[str, bytes]:
        """The files that were made here: card, manifest, pictures."""
        folder = self.release.folder
        names = [CARD, MANIFEST, *(f"{PICTURES}/{file.name}" for file in sorted((folder / PICTURES).glob("*")))]
        return {name: (folder / name).read_bytes() for name in names}

    def contents(self) -> Contents:
        """Return everything that makes up the release, by its name."""
        return {**{name: each.path for name, each in self.sealed.items()}, **self.own}

    def identities(self) -> dict[str, FileId]:
        """Return what each file holds."""
        small = {name: identity(content) for name, content in self.own.items()}
        return {**{name: each.content for name, each in self.sealed.items()}, **small}

    def keep(self, folder: Path) -> None:
        """Put card, pictures and manifest into the release's folder, so that the same command finds the same bytes.

        Raises:
            StoreError: It cannot be written, or a build goes on writing into it.
        """
        own = self.own
        with closing(Store(folder)) as store:
            for name in (*(name for name in own if name != MANIFEST), MANIFEST):
                with store.writing(name) as draft:
                    draft.write_bytes(own[name])


@contextmanager
def staged(
    release: Release,
    sealed: Mapping[str, Sealed],
    name: str,
    version: Version,
    changes: Changes,
    earlier: Earlier | None,
    old_card: str | None,
) -> Iterator[Stage]:
    """Give a release with the card and the manifest of its new version; it is gone when the block ends.

    Args:
        release: The release.
        sealed: Its files, as they were read before they were checked.
        name: Of the data set on the Hub.
        version: What it will be.
        changes: What is new in it.
        earlier: The release before it.
        old_card: The card whose hand-written parts are kept; None: that in the folder.

    Raises:
        StoreError: There is no room for it.
    """
    data = {name: each for name, each in sealed.items() if not _made_here(name)}
    with temporary_folder("publish") as folder:
        with explained(f"cannot prepare {release.folder}"):
            for file, each in data.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                os.symlink(each.path.resolve(), folder / file)
            _copy_made(release.folder, folder, old_card)
        manifest = {
            **release.manifest,
            REPOSITORY: name,
            VERSION: str(version),
            CHANGES: [change_entry(release, version, changes), *history(earlier)],
            COLUMNS: columns_of(release),
        }
        _write(folder, manifest)
        yield Stage(open_release(folder), data)


def history(earlier: Earlier | None) -> list[dict[str, Any]]:
    """Return the change log of the release before."""
    return list(earlier.manifest.get(CHANGES, [])) if earlier else []


def change_entry(release: Release, version: Version, changes: Changes) -> dict[str, Any]:
    """Return the entry of a version in the change log: the day is that of the first try to publish it."""
    tried = [each for each in release.manifest.get(CHANGES, []) if each["version"] == str(version)]
    return {
        "version": str(version),
        "date": tried[0]["date"] if tried else datetime.now(UTC).strftime("%Y-%m-%d"),
        "text": list(changes.lines),
        "rows": rows_of(release),
    }


def rows_of(release: Release) -> Rows:
    """Return how many rows each split of each config has."""
    return {name: {split: release.rows(name, split) for split in release.splits(name)} for name in release.config_names}


def _made_here(name: str) -> bool:
    return name in (CARD, MANIFEST) or name.startswith(f"{PICTURES}/")


def _copy_made(source: Path, folder: Path, old_card: str | None) -> None:
    if old_card is not None:
        (folder / CARD).write_text(old_card, encoding="utf-8")
    elif (source / CARD).is_file():
        shutil.copyfile(source / CARD, folder / CARD)
    if (source / PICTURES).is_dir():
        shutil.copytree(source / PICTURES, folder / PICTURES)


def _write(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Render the card, then write the manifest with the checksums of what is new."""
    text = card.render_dataset_card(folder, manifest)
    with explained(f"cannot write {folder}"):
        (folder / CARD).write_text(text, encoding="utf-8")
        made = [CARD, *(f"{PICTURES}/{file.name}" for file in sorted((folder / PICTURES).glob("*")))]
        kept = {name: value for name, value in manifest["files"].items() if not _made_here(name)}
        files = {**kept, **{name: checksum(folder / name) for name in made}}
        written = json.dumps({**manifest, "files": files}, indent=1, ensure_ascii=False) + "\n"
        (folder / MANIFEST).write_text(written, encoding="utf-8")
