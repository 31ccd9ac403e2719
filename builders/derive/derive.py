"""Derived sets of a release: select, write, put into the manifest."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from venus_toolkit.builders.derive import dpo, grpo, sft
from venus_toolkit.builders.derive.kinds import Kind, Recipe, Source
from venus_toolkit.builders.derive.likeness import Likeness
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.builders.derive.reading import ROLE_COLUMNS, Batch, Train
from venus_toolkit.builders.derive.selection import Pick, Progress, Selector
from venus_toolkit.builders.derive.separation import ABSOLUTE
from venus_toolkit.card import write_dataset_card
from venus_toolkit.errors import UsageError
from venus_toolkit.language import Language
from venus_toolkit.release import Release, open_release
from venus_toolkit.release.folder import DERIVED
from venus_toolkit.release.parquet import write_rows

RECIPES: Mapping[str, Recipe] = {each.kind.name: each for each in (sft.RECIPE, dpo.RECIPE, grpo.RECIPE)}
GROUP_ROWS = 1024


class Derived(NamedTuple):
    """One derived config: its name, what the manifest says of it, and why it is empty if it is."""

    config: str
    facts: dict[str, Any]
    lacking: str = ""

    @property
    def rows(self) -> int:
        """The rows of all its splits."""
        return sum(split["rows"] for split in self.facts["splits"].values())


class Opened(NamedTuple):
    """A release, and the train split of one language in it."""

    release: Release
    language: Language
    train: Train


def open_trains(folder: Path, languages: Sequence[Language]) -> list[Opened]:
    """Return the train split of each language, all of which have to be there.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
    """
    release = open_release(folder)
    return [Opened(release, language, Train(release, language.id)) for language in languages]


def derive(
    recipe: Recipe,
    folder: Path,
    languages: Sequence[Language],
    options: DeriveOptions,
    progress: Progress = lambda *_: None,
) -> list[Derived]:
    """Write a derived set for each language into a release, and say so in its manifest and on its card.

    Args:
        recipe: Which set.
        folder: The release.
        languages: Of which configs.
        options: How rows are sampled.
        progress: Told the stage, how much of it is done, and how much there is.

    Raises:
        ReleaseError: The folder is no release, lacks a config or a train split, or is damaged.
        UsageError: No language gives any row; the message counts the reasons.
        StoreError: The release cannot be written.
    """
    made = [_derive_config(recipe, opened, options, progress) for opened in open_trains(folder, languages)]
    finish(folder, made)
    return made


def finish(folder: Path, made: Sequence[Derived]) -> None:
    """List what was made on the release's card.

    Raises:
        UsageError: Nothing was made; the message counts the reasons.
        StoreError: The card cannot be written.
    """
    if not any(each.rows for each in made):
        why = "; ".join(f"{each.config}: {each.lacking}" for each in made)
        fix = "try a lower --noise or --min-ratio, or --assume-spread for what was measured once: see docs/derive.md"
        raise UsageError(f"nothing can be derived from {folder}", why, fix)
    write_dataset_card(folder)


def rank_of(release: Release, language: Language) -> str:
    """Return what a release ranks the solutions in a language by in time: ``relative`` or ``absolute``."""
    return str(release.manifest["configs"][language.id].get("rank", ABSOLUTE))


def _derive_config(recipe: Recipe, opened: Opened, options: DeriveOptions, progress: Progress) -> Derived:
    release, language, train = opened
    with Likeness(language, options) as likeness:
        selector = Selector(recipe.kind, language.id, rank_of(release, language), options, likeness)
        selection = selector.select(train, progress)
    rows = {name: _rows(recipe, opened, selection.of(name), options, progress) for name in options.objectives}
    return write_config(release, recipe.kind, language, options, rows, selection.dropped)


def _rows(
    recipe: Recipe, opened: Opened, picks: Sequence[Pick], options: DeriveOptions, progress: Progress
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one objective, reading again only the row groups that they come from."""
    release, language, train = opened
    by_place = {place: list(group) for place, group in groupby(picks, key=lambda pick: pick.place)}
    revision, done = revision_of(release), 0
    for batch in train.read(recipe.kind.columns, ("code", *ROLE_COLUMNS), list(by_place)):
        for pick in by_place[batch.place]:
            problem = batch.problems[pick.row]
            told = (language, revision, pick.objective, problem, chosen(batch, pick), options.templates)
            yield recipe.row(Source(*told))
        done += len(by_place[batch.place])
        progress(f"write {language.id} {picks[0].objective}", done, len(picks))


def revision_of(release: Release) -> str:
    """Return the version of a release, or "" where it was not published yet."""
    return str(release.manifest.get("version", ""))


def chosen(batch: Batch, pick: Pick) -> list[dict[str, Any]]:
    """Return the solutions of a row to be."""
    return [batch.solutions[member].as_py() for member in pick.members]


def write_config(
    release: Release,
    kind: Kind,
    language: Language,
    options: DeriveOptions,
    rows: Mapping[str, Iterable[Mapping[str, Any]]],
    dropped: Mapping[str, Counter[str]],
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Derived:
    """Write a derived config and put it into the manifest; objectives without a row get no split.

    Args:
        release: Into which.
        kind: Which set.
        language: Of which language.
        options: How rows were sampled.
        rows: By objective.
        dropped: By objective, how much was set aside for which reason.
        more: What else the manifest shall say.
    """
    config = f"{language.id}-{kind.name}"
    splits = _write_splits(release, config, kind, rows)
    facts = {
        "kind": kind.name,
        "language": language.id,
        **more,
        "splits": splits,
        "rank": rank_of(release, language),
        "seed": options.seed,
        "options": dataclasses.asdict(options),
        "dropped": {name: dict(sorted((+counts).items())) for name, counts in dropped.items()},
    }
    if splits:
        release.add(config, facts)
    return Derived(config, facts, "" if splits else _reasons(dropped))


def _write_splits(
    release: Release, config: str, kind: Kind, rows: Mapping[str, Iterable[Mapping[str, Any]]]
) -> dict[str, dict[str, Any]]:
    """Write a split for each objective that has rows; those that an earlier run wrote beside them are removed."""
    splits: dict[str, dict[str, Any]] = {}
    for objective, listed in rows.items():
        remaining = iter(listed)
        first = next(remaining, None)
        if first is not None:
            counted = Counted(chain([first], remaining))
            place = f"{DERIVED}/{config}/{objective}"
            files = write_rows(release.folder, place, counted, kind.schema, group_rows=GROUP_ROWS)
            splits[objective] = {"files": files, "rows": counted.rows}
    written = {release.folder / file for split in splits.values() for file in split["files"]}
    for file in (release.folder / DERIVED / config).glob("*.parquet") if written else ():
        if file not in written:
            file.unlink()
    return splits


class Counted:
    """Rows, counted as they pass."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self.rows = 0
        self._rows = rows

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for row in self._rows:
            self.rows += 1
            yield row


def _reasons(dropped: Mapping[str, Counter[str]]) -> str:
    """Return the largest count of each reason over the objectives, in words."""
    total: Counter[str] = Counter()
    for counts in dropped.values():
        total |= counts
    return ", ".join(f"{count} {reason}" for reason, count in total.most_common() if count) or "its split is empty"
