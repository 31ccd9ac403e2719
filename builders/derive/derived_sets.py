"""Derived sets of a release: select, write, put into the manifest."""

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

GROUP_ROWS = 1024  # the rows of a derived set are small: a prompt and an answer


class DerivedConfig(NamedTuple):
    """One derived config: its name, what the manifest says of it, and why it is empty if it is."""

    config: str
    facts: dict[str, Any]
    missing: str = ""

    @property
    def rows(self) -> int:
        """The rows of all its splits."""
        return sum(split["rows"] for split in self.facts["splits"].values())


def derive(
    kind: SetKind,
    folder: Path,
    languages: Sequence[Language],
    options: DeriveOptions,
    progress: Progress = lambda *_: None,
) -> list[DerivedConfig]:
    """Write a derived set for each language into a release, and list it in its manifest and on its card.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
        UsageError: No language gives any row; the message counts the reasons.
        StoreError: The release cannot be written.
    """

    def rows_of(config: Config, picks: Sequence[Pick]) -> Iterator[dict[str, Any]]:
        assert kind.row  # cold start has a way of its own
        for done, source in enumerate(config.sources(kind, picks), 1):
            yield kind.row(source)
            if done % GROUP_ROWS == 0 or done == len(picks):
                progress(f"write {config.language.id} {source.objective}", done, len(picks))

    made = []
    # The manifest says how many rows a problem may have, whoever decided it.
    options = dataclasses.replace(options, per_problem=options.per_problem or kind.per_problem)
    for config in open_configs(folder, languages, options):
        picks, dropped = config.select(kind, progress)
        by_objective = {
            name: [pick for pick in picks if pick.objective == name] for name in options.objectives
        }
        rows = {name: rows_of(config, chosen) for name, chosen in by_objective.items()}
        made.append(config.write(kind, rows, dropped))
    finish(folder, made)
    return made


def finish(folder: Path, made: Sequence[DerivedConfig]) -> None:
    """List what was made on the release's card.

    Raises:
        UsageError: Nothing was made; the message counts the reasons.
        StoreError: The card cannot be written.
    """
    if not any(each.rows for each in made):
        why = "; ".join(f"{each.config}: {each.missing}" for each in made)
        fix = (
            "try a lower --noise or --min-ratio, or --assume-spread for what was measured once: "
            "see docs/derive.md"
        )
        raise UsageError(f"nothing can be derived from {folder}", why, fix)
    write_dataset_card(folder)


@dataclasses.dataclass(frozen=True, slots=True)
class Config:
    """One language of a release, of which a set is derived."""

    release: Release
    language: Language
    train: Train
    options: DeriveOptions

    @property
    def rank(self) -> str:
        """How the release ranks by time: a key of TIMES."""
        return str(self.release.manifest["configs"][self.language.id].get("rank", ABSOLUTE))

    def select(
        self, kind: SetKind, progress: Progress
    ) -> tuple[list[Pick], dict[str, Counter[str]]]:
        """Return which solutions make the rows, and by objective what was dropped (see `Selector.select`)."""
        with open_database() as database:
            return Selector(kind, self.language, self.rank, self.options, database).select(
                self.train, progress
            )

    def sources(self, kind: SetKind, picks: Sequence[Pick]) -> Iterator[RowSource]:
        """Yield what each row is made from, reading again only the row groups that they come from."""
        # Picks are in the order of the release, so each row group is read once.
        by_group = {
            place: list(group) for place, group in groupby(picks, key=lambda pick: pick.place)
        }
        revision = str(self.release.manifest.get("version", ""))
        for batch in self.train.read(kind.columns, kind.solution_columns, list(by_group)):
            for pick in by_group[batch.place]:
                chosen = [batch.solutions[member].as_py() for member in pick.members]
                problem = batch.problems[pick.row]
                if "test_ids" in kind.columns:  # its programs are judged: it needs all tests
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

        `rows`, and how much was `dropped` for which reason, are by objective. The manifest says
        `more` as well.
        """
        name, root = f"{self.language.id}-{kind.name}", self.release.folder
        splits: dict[str, dict[str, Any]] = {}
        for objective, listed in rows.items():
            remaining = iter(listed)
            # An objective without rows must not get a split, nor lose an earlier one: look before
            # writing.
            first = next(remaining, None)
            if first is not None:
                prefix = f"{DERIVED}/{name}/{objective}"
                files = write_rows(
                    root, prefix, chain([first], remaining), kind.schema, group_rows=GROUP_ROWS
                )
                count = sum(pq.read_metadata(root / file).num_rows for file in files)
                splits[objective] = {"files": files, "rows": count}
        written = {root / file for split in splits.values() for file in split["files"]}
        # What an earlier run wrote stays only where this one wrote nothing.
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
            # A Counter's unary plus leaves out what was counted 0 times.
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
    """Return the config of each language, all of which have to be there.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
    """
    release = open_release(folder)
    return [
        Config(release, language, Train(release, language.id), options) for language in languages
    ]
