"""The one reader of release folders, and what ``venus inspect`` says of one."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import LanguageError, ReleaseError, StoreError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.options import nearest
from venus_toolkit.core.store import MANIFEST, Store, checksum
from venus_toolkit.core.untrusted.beneath import read_beneath, refusal

FORMAT = 1  # of the manifest; a reader refuses what is newer than itself
CARD, ASSETS = "README.md", "assets"  # the card, and the folder of its pictures
CROISSANT = "croissant.json"  # the metadata for machines, written with the card
DEFAULT = "default"
TESTS_CONFIG = "tests"
SOLUTIONS_CONFIG = "solutions"
PROBLEMS_CONFIG = "problems"
RUNS_CONFIG = "runs"  # where a build was told to keep them
REJECTED_CONFIG = "rejected"
SHARED = (
    SOLUTIONS_CONFIG,
    PROBLEMS_CONFIG,
    TESTS_CONFIG,
    RUNS_CONFIG,
    REJECTED_CONFIG,
)  # of all languages together, each a folder of its name
DERIVED = "derived"
# Others that derive hold the lock of the folder only while they update the manifest; a build holds
# it to its end.
LOCK_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder with its manifest as it was when it was opened.

    Get it from `open_release`.
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

    def configs(self) -> dict[str, dict[str, str]]:
        """Return config to split to the glob of its files, in the order of the card.

        First ``default`` with all languages, then the languages, those they share, and the derived
        sets. A split without a file is left out.
        """
        folders = {DEFAULT: "data/*", **{name: f"data/{name}" for name in self.languages}}
        folders |= {name: name for name in SHARED}
        # Derived sets are those of the manifest: another folder in derived/ is left from an earlier
        # build.
        folders |= {name: f"{DERIVED}/{name}" for name in self.derived}
        configs: dict[str, dict[str, str]] = {}
        first = ("train", "test", "time", "memory", "integral")
        for config, folder in folders.items():
            splits = {file.name.split("-")[0] for file in self.folder.glob(f"{folder}/*-*.parquet")}
            ordered = [name for name in first if name in splits] + sorted(splits - set(first))
            if ordered:
                configs[config] = {name: f"{folder}/{name}-*.parquet" for name in ordered}
        return configs

    def splits(self, config: str) -> tuple[str, ...]:
        """Return the splits of a config.

        Raises:
            ReleaseError: There is no such config.
        """
        return tuple(self._globs(config))

    def files(self, config: str, split: str | None = None) -> list[Path]:
        """Return the Parquet files of a split, in order.

        Of all splits one after the other where none is named.

        Raises:
            ReleaseError: There is no such config, or it has no such split.
        """
        globs = self._globs(config)
        if split is not None and split not in globs:
            what = f"the config {config} of {self.folder} has no split {split}"
            fix = nearest(split, globs) + "choose one of these"
            raise ReleaseError(what, f"it has {', '.join(globs)}", fix)
        wanted = globs if split is None else [split]
        return [file for name in wanted for file in sorted(self.folder.glob(globs[name]))]

    def find_config(self, name: str) -> str:
        """Return the config of a name, which for a language is any name of it.

        Raises:
            ReleaseError: There is no such config.
        """
        configs = self.configs()
        if name in configs:
            return name
        from venus_toolkit.core.language import find_language, load_languages

        with suppress(LanguageError):
            language = find_language(name, load_languages()).id
            if language in configs:
                return language
        what = f"{self.folder} has no config {name}"
        fix = nearest(name, configs) + "choose one of these"
        raise ReleaseError(what, f"it has {', '.join(configs) or 'none'}", fix)

    def _globs(self, config: str) -> dict[str, str]:
        configs = self.configs()
        return configs[config if config in configs else self.find_config(config)]

    def rows(self, config: str, split: str) -> int:
        """Return how many rows a split has, by what its files say of themselves.

        Raises:
            ReleaseError: There is no such config or split, or a file cannot be read.
        """
        # Imported here: who only asks for the manifest or for file names needs no pyarrow.
        from venus_toolkit.dataset.parquet import open_parquet

        rows = 0
        for file in self.files(config, split):
            with open_parquet(file) as parquet:
                rows += parquet.metadata.num_rows
        return rows

    def complaints(self) -> list[str]:
        """Return a sentence for each file that is not what the manifest says.

        Reads every byte of the release.
        """
        checksums: Mapping[str, str] = self.manifest.get("files", {})
        complaints = []
        for name, expected in sorted(checksums.items()):
            file = self.folder / name
            if not file.is_file():
                complaints.append(f"{name} is missing")
                continue
            with doing(f"checking {name}"):
                same = checksum(file) == expected
            if not same:
                complaints.append(
                    f"{name} is not what was written: its SHA-256 differs from the manifest's"
                )
        # A Parquet file that is not listed would be loaded with the others. Hidden folders are
        # where a build works.
        parquet = (file.relative_to(self.folder) for file in self.folder.glob("**/*.parquet"))
        there = {
            file.as_posix()
            for file in parquet
            if not any(part.startswith(".") for part in file.parts)
        }
        return complaints + [
            f"{name} is not in the manifest" for name in sorted(there - checksums.keys())
        ]

    def verify(self) -> None:
        """Check every file against the manifest.

        Raises:
            ReleaseError: One is missing, changed or not listed.
        """
        found = self.complaints()
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            fix = f"download the release again, or see venus inspect {self.folder}"
            raise ReleaseError(f"{self.folder} is damaged", found[0] + more, fix)

    def add(self, config: str, facts: Mapping[str, Any]) -> Release:
        """Put a derived config into the manifest, with the checksums of its files.

        Returns the release as it is now.

        What the manifest said of this config before is replaced. `facts` has ``splits``: {split:
        {"files": [names relative to the folder], …}}, and anything else that is to be known of it.

        Raises:
            StoreError: The manifest cannot be written, or a build goes on writing into the folder.
            ReleaseError: The folder is no release any more.
        """
        files = [name for split in facts["splits"].values() for name in split["files"]]
        return self.update({DERIVED: {config: dict(facts)}}, files, forget=f"{DERIVED}/{config}/")

    def update(
        self, facts: Mapping[str, Any], files: Iterable[str] = (), forget: str = ""
    ) -> Release:
        """Put facts into the manifest and the checksums of files that were written.

        Returns the release as it is now.

        The manifest is read again under the folder's lock and replaced as a whole. Mappings under
        ``derived`` are joined with what is there; every other key of `facts` is replaced. Checksums
        of files whose names begin with `forget` are forgotten first.

        Raises:
            StoreError: The manifest cannot be written, or a build goes on writing into the folder.
            ReleaseError: The folder is no release any more.
        """
        deadline = time.monotonic() + LOCK_PATIENCE_S
        while True:  # others may be writing into the folder, such as another derivation at its end
            try:
                store = Store(self.folder)
                break
            except StoreError:
                if time.monotonic() > deadline:
                    raise
                current().sleep(0.1)
        with closing(store):
            manifest = dict(open_release(self.folder).manifest)
            # other derivations may have been added since this release was opened
            if DERIVED in facts:
                facts = {**facts, DERIVED: {**manifest.get(DERIVED, {}), **facts[DERIVED]}}
            kept = {
                n: c
                for n, c in manifest.get("files", {}).items()
                if not (forget and n.startswith(forget))
            }
            sums = {name: checksum(self.folder / name) for name in files}
            manifest |= {**facts, "files": {**kept, **sums}}
            store.write_json(MANIFEST, manifest)
        return Release(self.folder, manifest)


def open_release(folder: Path) -> Release:
    """Return the release in a folder. Its files are not checked: see `Release.verify`.

    Raises:
        ReleaseError: The folder is no release, its manifest is damaged, or newer than this toolkit.
    """
    what, fix = f"{folder} is not a release", "name a folder that venus build has finished"
    try:
        manifest = json.loads(read_beneath(folder / MANIFEST, folder))
    except FileNotFoundError as error:
        why = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        raise ReleaseError(what, why, fix) from error
    except OSError as error:
        raise ReleaseError(what, error.strerror or str(error), fix) from error
    except ValueError as error:
        raise ReleaseError(
            what, f"its {MANIFEST} is not JSON: {error}", "download the release again"
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("configs"), dict):
        raise ReleaseError(what, f"its {MANIFEST} lists no configs", fix)
    written = manifest.get("format", FORMAT)
    if not isinstance(written, int) or written > FORMAT:
        why = f"its manifest has format {written}, this toolkit reads up to {FORMAT}"
        raise ReleaseError(f"{folder} cannot be read", why, "pip install --upgrade venus-toolkit")
    # A release may come from anybody: no name may lead out of the folder, nor be more than a name in
    # the scripts and recipes of an export.
    config_name = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
    tables = {DERIVED: manifest.get(DERIVED, {}), "files": manifest.get("files", {})}
    strange = [name for name, table in tables.items() if not isinstance(table, dict)] or [
        *(
            name
            for name in [
                *manifest["configs"],
                *tables[DERIVED],
                *(name for facts in tables[DERIVED].values() for name in _names_in(facts)),
            ]
            if not (isinstance(name, str) and config_name.fullmatch(name))
        ),
        *(name for name in tables["files"] if name.startswith("/") or ".." in name.split("/")),
    ]
    if strange:
        raise ReleaseError(
            what,
            f"its {MANIFEST} has the name {strange[0]!r}",
            "ask its publisher for a corrected one",
        )
    # Nor may a link, wherever a reader of tables would follow it. Hidden folders are where a build
    # works.
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(here, name) for name in (*folders, *names)):
            # The name of a table is that of a split, which is in cards.
            named = path.suffix != ".parquet" or config_name.fullmatch(path.name)
            if why := refusal(path, folder) or ("" if named else "its name is no name of a split"):
                raise ReleaseError(
                    f"{path} is not read", why, "put a copy there, or download the release again"
                )
    return Release(folder, manifest)


def _names_in(facts: Any) -> list[Any]:
    """Return what has to be a name in the manifest's facts of a derived set."""
    if not isinstance(facts, dict) or not isinstance(splits := facts.get("splits", {}), dict):
        return [facts]
    told = ("kind", "language") if "kind" in facts else ()
    return [*map(facts.get, told), *splits]


def inspect_release(release: Release) -> dict[str, Any]:
    """Look into every split and check every file; reads every byte once.

    Returns:
        Plain values: ``format`` of the manifest, ``toolkit`` that wrote it, ``splits`` with
        ``config``, ``split``, ``rows`` (None where a file cannot be read), ``files`` and
        ``size_bytes`` each, and ``complaints``, a sentence for everything that differs from the
        manifest.
    """
    splits, unreadable = [], []
    for config in release.config_names:
        for split in release.splits(config):
            rows: int | None = None
            try:
                rows = release.rows(config, split)
            except ReleaseError as error:
                unreadable.append(f"{config}/{split} cannot be read: {error.why}")
            sizes = [file.stat().st_size for file in release.files(config, split)]
            splits.append(
                {
                    "config": config,
                    "split": split,
                    "rows": rows,
                    "files": len(sizes),
                    "size_bytes": sum(sizes),
                }
            )
    return {
        "format": release.manifest.get("format", 1),
        "toolkit": release.manifest.get("toolkit"),
        "splits": splits,
        "complaints": [*release.complaints(), *unreadable],
    }
