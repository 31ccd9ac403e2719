"""Derived sets of a release: select, write, add to the manifest."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.builders.derive.derive_options import DeriveOptions
from venus_toolkit.builders.derive.kinds import RowSource, SetKind
from venus_toolkit.builders.derive.selection import Pick, Progress, Selector
from venus_toolkit.builders.derive.separation import ABSOLUTE
from venus_toolkit.builders.derive.train_split import Train
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.dataset.card.dataset_card import write_dataset_card
from venus_toolkit.dataset.parquet import open_database, write_rows
from venus_toolkit.dataset.release import DERIVED, Release, open_release
from venus_toolkit.dataset.test_cases import complete

GROUP_ROWS = 1024  # in a Parquet row group; a row is small: a prompt and an answer


class DerivedConfig(NamedTuple):
    """One derived config: its name, its entry in the manifest, and why it is empty, or ""."""

    config: str
    facts: dict[str, Any]
    missing: str = ""

    @property
    def rows(self) -> int:
        """The number of rows in all splits."""
        return sum(split["rows"] for split in self.facts["splits"].values())


def derive(
    kind: SetKind,
    folder: Path,
    languages: Sequence[Language],
    options: DeriveOptions,
    progress: Progress = lambda *_: None,
) -> list[DerivedConfig]:
    """Write a derived set for each language into a release, its manifest and its card.

    Raises:
        ReleaseError: The folder is not a release, lacks a config or a train split, or is damaged.
        UsageError: No language yields a row; the message counts the reasons.
        StoreError: The release cannot be written.
    """

    def rows_of(config: Config, picks: Sequence[Pick]) -> Iterator[dict[str, Any]]:
        assert kind.row  # cold start makes its rows elsewhere
        for done, source in enumerate(config.sources(kind, picks), 1):
            yield kind.row(source)
            if done % GROUP_ROWS == 0 or done == len(picks):
                progress(f"write {config.language.id} {source.objective}", done, len(picks))

    derived = []
    # The manifest records the limit, even if it is the default of the kind.
    options = dataclasses.replace(options, per_problem=options.per_problem or kind.per_problem)
    for config in open_configs(folder, languages, options):
        picks, dropped = config.select(kind, progress)
        by_objective = {
            name: [pick for pick in picks if pick.objective == name] for name in options.objectives
        }
        rows = {name: rows_of(config, chosen) for name, chosen in by_objective.items()}
        derived.append(config.write(kind, rows, dropped))
    finish(folder, derived)
    return derived


def finish(folder: Path, derived: Sequence[DerivedConfig]) -> None:
    """List the derived sets on the release's card.

    Raises:
        UsageError: All sets are empty; the message counts the reasons.
        StoreError: The card cannot be written.
    """
    if not any(config.rows for config in derived):
        reasons = "; ".join(f"{config.config}: {config.missing}" for config in derived)
        fix = (
            "try a lower --noise or --min-ratio, or --assume-spread for solutions measured once: "
            "see docs/derive.md"
        )
        raise UsageError(f"nothing can be derived from {folder}", reasons, fix)
    write_dataset_card(folder)


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """One language of a release from which a set is derived."""

    release: Release
    language: Language
    train: Train
    options: DeriveOptions

    @property
    def rank(self) -> str:
        """The release's ranking by time: a key of TIMES."""
        return str(self.release.manifest["configs"][self.language.id].get("rank", ABSOLUTE))

    def select(
        self, kind: SetKind, progress: Progress
    ) -> tuple[list[Pick], dict[str, Counter[str]]]:
        """Return the solutions of each row, and the drops by objective (see `Selector.select`)."""
        with open_database() as database:
            return Selector(kind, self.language, self.rank, self.options, database).select(
                self.train, progress
            )

    def sources(self, kind: SetKind, picks: Sequence[Pick]) -> Iterator[RowSource]:
        """Yield the source of each row; only the row groups of `picks` are read again."""
        # Picks are in the order of the release, so each row group is read once.
        by_group = {
            place: list(group) for place, group in groupby(picks, key=lambda pick: pick.place)
        }
        revision = str(self.release.manifest.get("version", ""))
        for batch in self.train.read(kind.columns, kind.solution_columns, list(by_group)):
            for pick in by_group[batch.place]:
                chosen = [batch.solutions[member].as_py() for member in pick.members]
                problem = batch.problems[pick.row]
                if "test_ids" in kind.columns:  # judging needs all tests
                    problem = complete(self.train.files[batch.place.file], problem)
                yield RowSource(
                    self.language,
                    revision,
                    pick.objective,
                    problem,
                    chosen,
                    self.options.templates,
                    self.options.feedback,
                )

    def write(
        self,
        kind: SetKind,
        rows: Mapping[str, Iterable[Mapping[str, Any]]],
        dropped: Mapping[str, Counter[str]],
        more: Mapping[str, Any] = MappingProxyType({}),
    ) -> DerivedConfig:
        """Write a derived config and add it to the manifest; objectives without a row get no split.

        `rows` and `dropped` are keyed by objective; `dropped` counts the drops by reason. `more`
        are extra fields of the manifest.
        """
        name, root = f"{self.language.id}-{kind.name}", self.release.folder
        splits: dict[str, dict[str, Any]] = {}
        for objective, listed in rows.items():
            remaining = iter(listed)
            # Peek, because an objective without rows must not replace an earlier split.
            first = next(remaining, None)
            if first is not None:
                prefix = f"{DERIVED}/{name}/{objective}"
                files = write_rows(
                    root, prefix, chain([first], remaining), kind.schema, group_rows=GROUP_ROWS
                )
                count = sum(pq.read_metadata(root / file).num_rows for file in files)
                splits[objective] = {"files": files, "rows": count}
        written = {root / file for split in splits.values() for file in split["files"]}
        # An earlier run's files stay only if this one wrote nothing.
        for file in (root / DERIVED / name).glob("*.parquet") if written else ():
            if file not in written:
                file.unlink()
        facts = {
            "kind": kind.name,
            "language": self.language.id,
            **more,
            "splits": splits,
            "rank": self.rank,
            "seed": self.options.seed,
            "options": dataclasses.asdict(self.options),
            # The unary plus of a Counter drops zero counts.
            "dropped": {
                objective: dict(sorted((+counts).items())) for objective, counts in dropped.items()
            },
        }
        if splits:
            self.release.add(name, facts)
            return DerivedConfig(name, facts)
        most: Counter[str] = Counter()  # the largest count of each reason over the objectives
        for counts in dropped.values():
            most |= counts
        reasons = ", ".join(f"{reason}: {count}" for reason, count in most.most_common() if count)
        return DerivedConfig(name, facts, reasons or "its split is empty")


def open_configs(
    folder: Path, languages: Sequence[Language], options: DeriveOptions
) -> list[Config]:
    """Return the config of each language.

    Raises:
        ReleaseError: The folder is not a release, lacks a config or a train split, or is damaged.
    """
    release = open_release(folder)
    return [
        Config(release, language, Train(release, language.id), options) for language in languages
    ]
