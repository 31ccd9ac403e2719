"""A release with its new card and manifest, in a temporary folder: the bytes that are sent."""

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

from venus_toolkit.core.store import MANIFEST, Store, checksum, explained
from venus_toolkit.core.temporary import remove, temporary_folder
from venus_toolkit.dataset.card.dataset_card import render_dataset_card
from venus_toolkit.dataset.hub.changes import Changes, PreviousRelease, columns_of
from venus_toolkit.dataset.hub.revisions import name_release
from venus_toolkit.dataset.hub.snapshots import FileDigest, Snapshot
from venus_toolkit.dataset.hub.versions import Version
from venus_toolkit.dataset.release import ASSETS, CARD, CROISSANT, Release

PENDING, REPLACED = (
    ".publish",
    "replaced",
)  # the folder of files to be moved into a release, and the checksums of those they replace


@dataclass(frozen=True, slots=True)
class StagedRelease:
    """The release that is sent: links to the data, the new card, the new manifest."""

    release: Release
    # files that are sent unchanged, with their state before the first check
    data: Mapping[str, Snapshot]
    named: tuple[str, ...] = ()  # files whose rows were made to name this version

    @property
    def generated(self) -> dict[str, bytes]:
        """The generated files: rows that name the version, card, pictures, manifest."""
        folder = self.release.folder
        return {
            name: (folder / name).read_bytes()
            for name in (*self.named, *_card_files(folder), MANIFEST)
        }

    def contents(self) -> dict[str, Path | bytes]:
        """Return all files of the release, by name."""
        return {**{name: snapshot.path for name, snapshot in self.data.items()}, **self.generated}

    def digests(self) -> dict[str, FileDigest]:
        """Return the digest of each file."""
        generated = {name: FileDigest.of(content) for name, content in self.generated.items()}
        return {**{name: snapshot.digest for name, snapshot in self.data.items()}, **generated}

    def keep(self, folder: Path) -> None:
        """Put the generated files into the release, so that the same command finds the same bytes.

        All or nothing: `finish_keeping` completes what a killed process began.

        Raises:
            StoreError: It cannot be written, or a build is writing into it.
        """
        draft = f"{PENDING}.draft"
        with closing(Store(folder)) as store, explained(f"cannot write into {folder}"):
            remove(folder / draft)
            before = {
                name: checksum(folder / name)
                for name in (MANIFEST, CARD)
                if (folder / name).is_file()
            }
            for name, content in {**self.generated, REPLACED: json.dumps(before).encode()}.items():
                with store.writing(f"{draft}/{name}") as part:
                    part.write_bytes(content)
            (folder / draft).rename(folder / PENDING)
        finish_keeping(folder)


def finish_keeping(folder: Path) -> None:
    """Move the files that `keep` prepared into the release, the manifest last.

    If a build changed the manifest in between, the files are removed instead. A card that was
    edited meanwhile is kept.

    Raises:
        StoreError: It cannot be written, or a build is writing into it.
    """
    pending = folder / PENDING
    if not pending.is_dir():
        return
    with closing(Store(folder)), explained(f"cannot write into {folder}"):
        before = (
            json.loads((pending / REPLACED).read_text()) if (pending / REPLACED).is_file() else {}
        )
        files = {
            file.relative_to(pending).as_posix() for file in pending.rglob("*") if file.is_file()
        } - {REPLACED}
        if MANIFEST in files and before.get(MANIFEST) == checksum(folder / MANIFEST):
            if (folder / CARD).is_file() and before.get(CARD) != checksum(folder / CARD):
                files -= {CARD}
            for name in sorted(files, key=lambda name: (name == MANIFEST, name)):
                (folder / name).parent.mkdir(exist_ok=True)
                (pending / name).replace(folder / name)
        remove(pending)


@contextmanager
def staged(
    release: Release,
    snapshots: Mapping[str, Snapshot],
    name: str,
    version: Version,
    changes: Changes,
    previous: PreviousRelease | None,
    old_card: str | None,
) -> Iterator[StagedRelease]:
    """Yield a release with the card and the manifest of its new version, in a temporary folder.

    `snapshots` are its files before they were checked; `name` is that of the data set on the Hub.
    Edits in `old_card` are kept; if it is None, those in the card of the release folder are.

    Raises:
        StoreError: The disk is full.
    """
    data = {file: snapshot for file, snapshot in snapshots.items() if not _is_generated(file)}
    with temporary_folder("publish") as folder:
        with explained(f"cannot prepare {release.folder}"):
            for file, snapshot in data.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                os.symlink(snapshot.path.resolve(), folder / file)  # the data may be large
            named = name_release(
                folder, {file: snapshot.path for file, snapshot in data.items()}, str(version)
            )
            # Copied, not linked: the new card is written over it, and through a link it would
            # overwrite the card in the release folder.
            for file in _card_files(release.folder):
                if (release.folder / file).is_file():
                    (folder / file).parent.mkdir(exist_ok=True)
                    shutil.copyfile(release.folder / file, folder / file)
            if old_card is not None:
                (folder / CARD).write_text(old_card, encoding="utf-8")
            manifest = _new_manifest(release, name, version, changes, previous)
            manifest["files"] = manifest["files"] | {
                file: checksum(folder / file) for file in named
            }
            (folder / CARD).write_text(render_dataset_card(folder, manifest), encoding="utf-8")
            files = {
                name: value for name, value in manifest["files"].items() if not _is_generated(name)
            }
            manifest["files"] = files | {
                file: checksum(folder / file) for file in _card_files(folder)
            }
            text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
            (folder / MANIFEST).write_text(text, encoding="utf-8")
        sent = {file: snapshot for file, snapshot in data.items() if file not in named}
        # Not opened by `open_release`, which refuses these links.
        yield StagedRelease(Release(folder, manifest), sent, tuple(named))


def _new_manifest(
    release: Release,
    name: str,
    version: Version,
    changes: Changes,
    previous: PreviousRelease | None,
) -> dict[str, Any]:
    """Return the manifest of the new version without the checksums of its card."""
    log = release.manifest.get("changes", [])
    attempts = [entry["date"] for entry in log if entry["version"] == str(version)]
    entry = {
        "version": str(version),
        # The date of the first attempt, so that a second one sends the same bytes.
        "date": attempts[0] if attempts else datetime.now(UTC).strftime("%Y-%m-%d"),
        "text": list(changes.lines),
        "rows": rows_of(release),
    }
    return {
        **release.manifest,
        "repository": name,
        "version": str(version),
        # the change log, the newest version first
        "changes": [entry, *(previous.manifest.get("changes", []) if previous else [])],
        "columns": columns_of(release),
    }


def rows_of(release: Release) -> dict[str, dict[str, int]]:
    """Return how many rows each split of each config has."""
    return {
        name: {split: release.rows(name, split) for split in release.splits(name)}
        for name in release.config_names
    }


def _is_generated(name: str) -> bool:
    return name in (CARD, CROISSANT, MANIFEST) or name.startswith(f"{ASSETS}/")


def _card_files(folder: Path) -> list[str]:
    return [
        CARD,
        CROISSANT,
        *(f"{ASSETS}/{file.name}" for file in sorted((folder / ASSETS).glob("*"))),
    ]
