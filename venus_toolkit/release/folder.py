"""The one reader of release folders."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.errors import ReleaseError, StoreError
from venus_toolkit.store import MANIFEST, Store, checksum

FORMAT = 1  # of the manifest; a reader refuses what is newer than itself
DEFAULT = "default"
TESTS = "tests"
DERIVED = "derived"
SPLITS = ("train", "test", "time", "memory", "integral")
PATIENCE_S = 30.0
CONFIG_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")

Configs = dict[str, dict[str, list[str]]]


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder with its manifest as it was when it was opened; get it from `open_release`.

    Attributes:
        folder: Where it lies.
        manifest: What manifest.json says.
    """

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have a config, in alphabetical order."""
        return tuple(sorted(self.manifest["configs"]))

    @property
    def derived(self) -> tuple[str, ...]:
        """The configs of derived sets, in alphabetical order."""
        return tuple(sorted(self.manifest.get(DERIVED, {})))

    @property
    def config_names(self) -> tuple[str, ...]:
        """All configs, the default one first."""
        return tuple(self.configs())

    def configs(self) -> Configs:
        """Return config to split to the globs of its files relative to the folder, in the order of the card.

        First ``default`` with all languages, then the languages, ``tests`` and the derived sets. A split without a
        file is left out.
        """
        places = {DEFAULT: "data/*", **{name: f"data/{name}" for name in self.languages}, TESTS: TESTS}
        places |= {name: f"{DERIVED}/{name}" for name in self.derived}
        found = {name: self._splits(place) for name, place in places.items()}
        return {name: splits for name, splits in found.items() if splits}

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits of a config.

        Raises:
            ReleaseError: There is no such config.
        """
        return tuple(self._config(config))

    def files(self, config: str, split: str) -> list[Path]:
        """Return the Parquet files of a split, in order.

        Raises:
            ReleaseError: There is no such config, or it has no such split.
        """
        splits = self._config(config)
        if split not in splits:
            what = f"the config {config} of {self.folder} has no split {split}"
            raise ReleaseError(what, f"it has {', '.join(splits)}", "choose one of these")
        return sorted(file for pattern in splits[split] for file in self.folder.glob(pattern))

    def rows(self, config: str, split: str) -> int:
        """Return how many rows a split has, by what its files say of themselves.

        Raises:
            ReleaseError: There is no such config or split, or a file cannot be read.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return sum(pq.read_metadata(file).num_rows for file in self.files(config, split))
        except (OSError, pa.ArrowException) as error:
            what = f"a file of {config}/{split} in {self.folder} cannot be read"
            raise ReleaseError(what, str(error).split("\n")[0], "get the release again") from error

    def complaints(self) -> list[str]:
        """Return a sentence for each file that is not what the manifest says; reads every byte of the release."""
        said: Mapping[str, str] = self.manifest.get("files", {})
        found = []
        for name, expected in sorted(said.items()):
            file = self.folder / name
            if not file.is_file():
                found.append(f"{name} is missing")
            elif checksum(file) != expected:
                found.append(f"{name} is not what was written: its SHA-256 differs from the manifest's")
        return found + [f"{name} is not in the manifest" for name in sorted(self._parquet() - said.keys())]

    def verify(self) -> None:
        """Check every file against the manifest.

        Raises:
            ReleaseError: One is missing, changed or not listed.
        """
        found = self.complaints()
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            fix = f"get the release again, or see venus inspect {self.folder}"
            raise ReleaseError(f"{self.folder} is damaged", found[0] + more, fix)

    # -------------------------------------------------------------- adding to it

    def add(self, config: str, facts: Mapping[str, Any]) -> Release:
        """Put a derived config into the manifest, with the checksums of its files; returns the release as it is now.

        Args:
            config: Its name, such as ``cpp-sft``; what the manifest said of it before is replaced.
            facts: With ``splits``: {split: {"files": [relative names], …}}, and whatever else there is to say.

        Raises:
            StoreError: The manifest cannot be written, or a build goes on writing into the folder.
            ReleaseError: The folder is no release any more.
        """
        files = [name for split in facts["splits"].values() for name in split["files"]]
        return self.update({DERIVED: {config: dict(facts)}}, files, forget=f"{DERIVED}/{config}/")

    def update(self, facts: Mapping[str, Any], files: Iterable[str] = (), forget: str = "") -> Release:
        """Put facts into the manifest and the checksums of files that were written; returns the release as it is now.

        The manifest is read again under the folder's lock and replaced as a whole. Mappings under ``derived`` are
        joined with what is there; every other key is replaced.

        Args:
            facts: Keys of the manifest.
            files: Names relative to the folder, already written.
            forget: Checksums of files whose names begin so are forgotten first.

        Raises:
            StoreError: The manifest cannot be written, or a build goes on writing into the folder.
            ReleaseError: The folder is no release any more.
        """
        with closing(_locked(self.folder)) as store:
            manifest = dict(open_release(self.folder).manifest)
            if DERIVED in facts:
                facts = {**facts, DERIVED: {**manifest.get(DERIVED, {}), **facts[DERIVED]}}
            kept = {n: c for n, c in manifest.get("files", {}).items() if not (forget and n.startswith(forget))}
            sums = {name: checksum(self.folder / name) for name in files}
            manifest |= {**facts, "files": {**kept, **sums}}
            write_manifest(store, manifest)
        return Release(self.folder, manifest)

    # -------------------------------------------------------------- inside

    def _config(self, name: str) -> dict[str, list[str]]:
        configs = self.configs()
        if name not in configs:
            what = f"{self.folder} has no config {name}"
            raise ReleaseError(what, f"it has {', '.join(configs) or 'none'}", "choose one of these")
        return configs[name]

    def _parquet(self) -> set[str]:
        """Return the names of all Parquet files but those in hidden folders, where a build keeps its work."""
        files = (file.relative_to(self.folder) for file in self.folder.glob("**/*.parquet"))
        return {file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts)}

    def _splits(self, place: str) -> dict[str, list[str]]:
        names = {file.name.split("-")[0] for file in self.folder.glob(f"{place}/*-*.parquet")}
        ordered = [name for name in SPLITS if name in names] + sorted(names - set(SPLITS))
        return {name: [f"{place}/{name}-*.parquet"] for name in ordered}


def open_release(folder: Path) -> Release:
    """Return the release in a folder. Its files are not checked: see `Release.verify`.

    Raises:
        ReleaseError: The folder is no release, its manifest is damaged, or newer than this toolkit.
    """
    what, fix = f"{folder} is no release", "name a folder that venus build has finished"
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        why = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        raise ReleaseError(what, why, fix) from error
    except OSError as error:
        raise ReleaseError(what, error.strerror or str(error), fix) from error
    except ValueError as error:
        raise ReleaseError(what, f"its {MANIFEST} is not JSON: {error}", "get the release again") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("configs"), dict):
        raise ReleaseError(what, f"its {MANIFEST} lists no configs", fix)
    written = manifest.get("format", FORMAT)
    if not isinstance(written, int) or written > FORMAT:
        why = f"its manifest has format {written}, this toolkit reads up to {FORMAT}"
        raise ReleaseError(f"{folder} cannot be read", why, "pip install --upgrade venus-toolkit")
    for name in _strange_names(manifest):
        raise ReleaseError(what, f"its {MANIFEST} has the name {name!r}", "ask who published it for another one")
    return Release(folder, manifest)


def _strange_names(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield names that would lead out of the folder, and of tables that are none: a release may come from anybody."""
    derived, files = manifest.get(DERIVED, {}), manifest.get("files", {})
    if not isinstance(derived, dict):
        yield DERIVED
    elif not isinstance(files, dict):
        yield "files"
    else:
        yield from (name for name in [*manifest["configs"], *derived] if not CONFIG_NAME.fullmatch(name))
        yield from (name for name in files if name.startswith("/") or ".." in name.split("/"))


def write_manifest(store: Store, manifest: Mapping[str, Any]) -> None:
    """Write manifest.json as a whole: the last thing that is written of a release."""
    store.write_text(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")


def _locked(folder: Path) -> Store:
    """Return the folder's store, waiting for others that write into it, such as another derivation at its end."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return Store(folder)
        except StoreError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
