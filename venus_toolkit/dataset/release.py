"""The one reader of release folders, and the checks of ``venus inspect``."""

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

FORMAT = 1  # of the manifest; newer ones are refused
CARD, ASSETS = "README.md", "assets"  # the card, and the folder of its pictures
CROISSANT = "croissant.json"  # the metadata for machines, written with the card
DEFAULT = "default"
TESTS_CONFIG = "tests"
SOLUTIONS_CONFIG = "solutions"
PROBLEMS_CONFIG = "problems"
RUNS_CONFIG = "runs"  # optional
REJECTED_CONFIG = "rejected"
SHARED = (
    SOLUTIONS_CONFIG,
    PROBLEMS_CONFIG,
    TESTS_CONFIG,
    RUNS_CONFIG,
    REJECTED_CONFIG,
)  # shared by all languages; each has a folder of its name
DERIVED = "derived"
# A derivation holds the lock of the folder only while it updates the manifest; a build holds it to
# its end.
LOCK_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class Release:
    """A release folder and its manifest when it was opened; `open_release` returns one."""

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
        """Return a glob of the files of each split, by config and split, in the order of the card.

        First ``default`` with all languages, then each language, the shared configs, and the
        derived sets. A split without a file is left out.
        """
        folders = {DEFAULT: "data/*", **{name: f"data/{name}" for name in self.languages}}
        folders |= {name: name for name in SHARED}
        # Only those of the manifest: an earlier build may have left other folders in derived/.
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
            ReleaseError: The config does not exist.
        """
        return tuple(self._globs(config))

    def files(self, config: str, split: str | None = None) -> list[Path]:
        """Return the Parquet files of a split in order, or of all splits.

        Raises:
            ReleaseError: The config or the split does not exist.
        """
        globs = self._globs(config)
        if split is not None and split not in globs:
            complaint = f"the config {config} of {self.folder} has no split {split}"
            fix = nearest(split, globs) + "choose one of these"
            raise ReleaseError(complaint, f"it has {', '.join(globs)}", fix)
        chosen = globs if split is None else [split]
        return [file for name in chosen for file in sorted(self.folder.glob(globs[name]))]

    def find_config(self, name: str) -> str:
        """Return the config of a name; for a language, any of its names is accepted.

        Raises:
            ReleaseError: The config does not exist.
        """
        configs = self.configs()
        if name in configs:
            return name
        from venus_toolkit.core.language import find_language, load_languages

        with suppress(LanguageError):
            language = find_language(name, load_languages()).id
            if language in configs:
                return language
        complaint = f"{self.folder} has no config {name}"
        fix = nearest(name, configs) + "choose one of these"
        raise ReleaseError(complaint, f"it has {', '.join(configs) or 'none'}", fix)

    def _globs(self, config: str) -> dict[str, str]:
        configs = self.configs()
        return configs[config if config in configs else self.find_config(config)]

    def rows(self, config: str, split: str) -> int:
        """Return the number of rows of a split, from the footers of its files.

        Raises:
            ReleaseError: The config or the split does not exist, or a file cannot be read.
        """
        # Imported here, so that callers that need only the manifest or file names avoid pyarrow.
        from venus_toolkit.dataset.parquet import open_parquet

        rows = 0
        for file in self.files(config, split):
            with open_parquet(file) as parquet:
                rows += parquet.metadata.num_rows
        return rows

    def complaints(self) -> list[str]:
        """Return a sentence for each file that contradicts the manifest.

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
        # `load_dataset` would load an unlisted Parquet file, too. Builds work in hidden folders.
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
        complaints = self.complaints()
        if complaints:
            more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
            fix = f"download the release again, or see venus inspect {self.folder}"
            raise ReleaseError(f"{self.folder} is damaged", complaints[0] + more, fix)

    def add(self, config: str, facts: Mapping[str, Any]) -> Release:
        """Put a derived config into the manifest, with the checksums of its files.

        Returns the updated release.

        Earlier facts of this config are replaced. `facts` has ``splits``: {split: {"files": [names
        relative to the folder], …}}, and further facts.

        Raises:
            StoreError: The manifest cannot be written, or a build is writing into the folder.
            ReleaseError: The folder is not a release.
        """
        files = [name for split in facts["splits"].values() for name in split["files"]]
        return self.update({DERIVED: {config: dict(facts)}}, files, forget=f"{DERIVED}/{config}/")

    def update(
        self, facts: Mapping[str, Any], files: Iterable[str] = (), forget: str = ""
    ) -> Release:
        """Put facts, and the checksums of files that were written, into the manifest.

        Returns the updated release.

        The manifest is read again under the folder's lock and replaced as a whole. Mappings under
        ``derived`` are merged; every other key of `facts` is replaced. Checksums of files whose
        names begin with `forget` are removed first.

        Raises:
            StoreError: The manifest cannot be written, or a build is writing into the folder.
            ReleaseError: The folder is not a release.
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
            remaining = {
                n: c
                for n, c in manifest.get("files", {}).items()
                if not (forget and n.startswith(forget))
            }
            sums = {name: checksum(self.folder / name) for name in files}
            manifest |= {**facts, "files": {**remaining, **sums}}
            store.write_json(MANIFEST, manifest)
        return Release(self.folder, manifest)


def open_release(folder: Path) -> Release:
    """Return the release in a folder. Its files are not checked: see `Release.verify`.

    Raises:
        ReleaseError: The folder is not a release, or its manifest is damaged or too new.
    """
    complaint, fix = f"{folder} is not a release", "name a folder that venus build has finished"
    try:
        manifest = json.loads(read_beneath(folder / MANIFEST, folder))
    except FileNotFoundError as error:
        reason = f"it has no {MANIFEST}" if folder.is_dir() else "there is no such folder"
        raise ReleaseError(complaint, reason, fix) from error
    except OSError as error:
        raise ReleaseError(complaint, error.strerror or str(error), fix) from error
    except ValueError as error:
        raise ReleaseError(
            complaint, f"its {MANIFEST} is not JSON: {error}", "download the release again"
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("configs"), dict):
        raise ReleaseError(complaint, f"its {MANIFEST} lists no configs", fix)
    written = manifest.get("format", FORMAT)
    if not isinstance(written, int) or written > FORMAT:
        reason = f"its manifest has format {written}, this toolkit reads up to {FORMAT}"
        raise ReleaseError(
            f"{folder} cannot be read", reason, "pip install --upgrade venus-toolkit"
        )
    # A stranger may have written the release: a name must not lead out of the folder, nor inject
    # anything into the scripts and recipes of an export.
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
            complaint,
            f"its {MANIFEST} contains the invalid name {strange[0]!r}",
            "ask its publisher for a corrected one",
        )
    # Nor must a link lead out of it. Builds work in hidden folders.
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(here, name) for name in (*folders, *names)):
            # A Parquet file is named after its split, and cards print this name.
            named = path.suffix != ".parquet" or config_name.fullmatch(path.name)
            if reason := refusal(path, folder) or (
                "" if named else "its name is not a name of a split"
            ):
                raise ReleaseError(
                    f"{path} is not read", reason, "put a copy there, or download the release again"
                )
    return Release(folder, manifest)


def _names_in(facts: Any) -> list[Any]:
    """Return the values that must be names in the facts of a derived set."""
    if not isinstance(facts, dict) or not isinstance(splits := facts.get("splits", {}), dict):
        return [facts]
    keys = ("kind", "language") if "kind" in facts else ()
    return [*map(facts.get, keys), *splits]


def inspect_release(release: Release) -> dict[str, Any]:
    """Inspect every split and check every file; reads every byte once.

    Returns:
        Plain values: ``format`` of the manifest, ``toolkit`` that wrote it, ``splits`` with
        ``config``, ``split``, ``rows`` (None where a file cannot be read), ``files`` and
        ``size_bytes`` each, and ``complaints``, a sentence for each difference from the
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
