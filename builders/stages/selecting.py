"""What is published, and where: after everything ran, by what the solutions did and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from venus_toolkit.builders.curation.behaviour import equal_behaviour
from venus_toolkit.builders.curation.contamination import leaking_problems
from venus_toolkit.builders.curation.placement import Candidate, place
from venus_toolkit.builders.curation.selection import Cost, below_threshold, beyond_cap, cost_table
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.stages.finished import Finished
from venus_toolkit.builders.stages.ingest import Ingested
from venus_toolkit.builders.stages.references import find_references
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.measure import ranking_key
from venus_toolkit.store import WORK

NOISY_SHARE = 0.10


class Selected(NamedTuple):
    """placements: the split of each problem that stays; ranks: by what each language is ranked.

    published: the slugs of each language, in order; sampled: the solutions beyond the cap, by language and slug;
    references: the tests of each problem whose inputs are left out.
    """

    placements: Mapping[str, str]
    ranks: Mapping[str, str]
    published: Mapping[str, list[str]]
    sampled: Mapping[tuple[str, str], frozenset[str]]
    references: Mapping[str, frozenset[str]]


def select(shop: Workshop, ingested: Ingested, finished: Mapping[str, Finished]) -> Selected:
    """Drop problems that answer alike, leak or lack solutions, sample what is left, and place it."""
    with shop.stage("select"):
        left = dict(finished)
        _forget(shop, left, _alike(shop, ingested, left))
        placements = _placed(shop, ingested, left)
        _forget(shop, left, leaking_problems(ingested.staged, placements, shop.plan.curation, _work(shop)))
        placements = {slug: part for slug, part in placements.items() if slug in left}
        ranks = {name: _rank(shop, left.values(), name) for name in shop.plan.lang}
        published: dict[str, list[str]] = {}
        sampled: dict[tuple[str, str], frozenset[str]] = {}
        for name in shop.plan.lang:
            published[name] = _enough(shop, left, name)
            sampled |= _beyond(shop, {slug: left[slug] for slug in published[name]}, name, ranks[name])
    return Selected(placements, ranks, published, sampled, find_references(shop, left))


def _work(shop: Workshop) -> Path:
    return shop.store.folder / WORK / "tmp"


def _forget(shop: Workshop, left: dict[str, Finished], dropped: Iterable[Dropped]) -> None:
    for row in dropped:
        shop.drop(*row)
        left.pop(row.problem, None)


def _alike(shop: Workshop, ingested: Ingested, left: Mapping[str, Finished]) -> list[Dropped]:
    if len(left) < 2:
        return []
    answered = pa.concat_tables([each.answers for each in left.values()])
    earlier = ingested.placements or {}
    precedence = sorted(left, key=lambda slug: (slug not in earlier, left[slug].problem.problem_id, slug))
    return equal_behaviour(answered, precedence, shop.plan.curation, _work(shop))


def _placed(shop: Workshop, ingested: Ingested, left: Mapping[str, Finished]) -> dict[str, str]:
    """Place every problem that stays, whatever languages are built: its split is the same in all of them."""
    problems = [each.problem for each in left.values()]
    candidates = [Candidate(each.slug, each.difficulty, each.date) for each in problems]
    return place(candidates, shop.plan.curation, ingested.placements)


def _rank(shop: Workshop, finished: Iterable[Finished], language: str) -> str:
    """Return whether solutions are ranked by relative time or by wall time: on a noisy machine by the former."""
    if shop.plan.rank != "auto":
        return shop.plan.rank
    measured = [m for each in finished for m in each.results[language].measurements.values()]
    noisy = sum(bool(m.noise) for m in measured)
    return "relative" if noisy > NOISY_SHARE * len(measured) else "absolute"


def _enough(shop: Workshop, left: Mapping[str, Finished], language: str) -> list[str]:
    passing = {slug: len(each.results[language].passing) for slug, each in left.items()}
    dropped = below_threshold(passing, language, shop.plan.curation)
    for row in dropped:
        shop.drop(*row)
    few = {row.problem for row in dropped}
    return [slug for slug in left if slug not in few]


def _beyond(
    shop: Workshop, chosen: Mapping[str, Finished], language: str, rank: str
) -> dict[tuple[str, str], frozenset[str]]:
    costs = []
    for slug, each in chosen.items():
        found = each.results[language]
        for name in found.passing:
            measured = found.measurements.get(name)
            costs.append(Cost(slug, language, name, ranking_key(measured, "time", rank) if measured else None))
    beyond: dict[tuple[str, str], set[str]] = {}
    for row in beyond_cap(cost_table(costs), shop.plan.curation, _work(shop)):
        shop.drop(*row)
        beyond.setdefault((language, row.problem), set()).add(row.item)
    return {key: frozenset(names) for key, names in beyond.items()}
