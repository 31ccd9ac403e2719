"""A release with its new card and manifest, beside the folder it comes from.

What is checked last, and then sent.
"""

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

PENDING, REPLACED = ".publish", "replaced"  # what is on its way into a release, and what was there


@dataclass(frozen=True, slots=True)
class StagedRelease:
    """What is sent, as a release that can be opened.

    Links to the data, the new card, the new manifest.
    """

    release: Release
    # every file that is sent as it is, as it was before the first check
    data: Mapping[str, Snapshot]
    named: tuple[str, ...] = ()  # files whose rows were made to name this version

    @property
    def generated(self) -> dict[str, bytes]:
        """The files that were generated.

        Those whose rows name the version, card, pictures, manifest.
        """
        folder = self.release.folder
        return {
            name: (folder / name).read_bytes()
            for name in (*self.named, *_card_files(folder), MANIFEST)
        }

    def contents(self) -> dict[str, Path | bytes]:
        """Return everything that makes up the release, by its name."""
        return {**{name: each.path for name, each in self.data.items()}, **self.generated}

    def digests(self) -> dict[str, FileDigest]:
        """Return what each file holds."""
        generated = {name: FileDigest.of(content) for name, content in self.generated.items()}
        return {**{name: each.digest for name, each in self.data.items()}, **generated}

    def keep(self, folder: Path) -> None:
        """Put the generated files into the release, so that the same command finds the same bytes.

        All of it or nothing: what a publisher that is killed has begun to put there,
        `finish_keeping` ends.

        Raises:
            StoreError: It cannot be written, or a build goes on writing into it.
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
    """Move what a publisher kept into the release, the manifest last.

    Nothing where it is there already.

    What belongs to another manifest than the folder's is removed: a build was there in between. A
    card that somebody wrote in meanwhile stays.

    Raises:
        StoreError: It cannot be written, or a build goes on writing into it.
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
    """Give a release with the card and the manifest of its new version.

    It is gone when the block ends.

    `snapshots` are its files, as they were read before they were checked; `name` is that of the
    data set on the Hub. What people wrote into `old_card` is kept; None: what they wrote into the
    card in its folder.

    Raises:
        StoreError: There is no room for it.
    """
    data = {file: each for file, each in snapshots.items() if not _is_generated(file)}
    with temporary_folder("publish") as folder:
        with explained(f"cannot prepare {release.folder}"):
            for file, each in data.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                os.symlink(each.path.resolve(), folder / file)  # the data may be large
            named = name_release(
                folder, {file: each.path for file, each in data.items()}, str(version)
            )
            # Copied, not linked: the new card is written over it, and a link would lead into the
            # folder of the release.
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
        sent = {file: each for file, each in data.items() if file not in named}
        # Not opened as that of a stranger: these links are ours.
        yield StagedRelease(Release(folder, manifest), sent, tuple(named))


def _new_manifest(
    release: Release,
    name: str,
    version: Version,
    changes: Changes,
    previous: PreviousRelease | None,
) -> dict[str, Any]:
    """Return the manifest of the new version but for the checksums of its card."""
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
