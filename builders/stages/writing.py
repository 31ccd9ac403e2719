"""The release: rows from what was judged and measured, Parquet files, dropped.jsonl, card, manifest last."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from venus_toolkit import __version__, card
from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.builders.facts import count_reasons, rank_solutions, repeatability
from venus_toolkit.builders.quality.score import quality_row
from venus_toolkit.builders.release import problem_row, rows_of_tests, solution_row
from venus_toolkit.builders.stages.finished import Finished, read_tests
from venus_toolkit.builders.stages.ingest import Ingested
from venus_toolkit.builders.stages.measuring import MACHINE
from venus_toolkit.builders.stages.selecting import Selected
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.measure import environment_facts, own_peak_bytes
from venus_toolkit.records import to_plain
from venus_toolkit.release.folder import FORMAT, write_manifest
from venus_toolkit.release.parquet import write_rows
from venus_toolkit.release.schema import SCHEMA, TESTS
from venus_toolkit.store import Store, checksum

DROPPED = "dropped.jsonl"
TEST_ROWS = 4096


def write_language(
    shop: Workshop, ingested: Ingested, finished: Mapping[str, Finished], selected: Selected, language: str
) -> dict[str, Any]:
    """Write the Parquet file of each split in one language; returns the facts of the config."""
    splits: dict[str, dict[str, Any]] = {}
    with shop.stage(f"write {language}"):
        for part in (TRAIN, TEST):
            slugs = [slug for slug in selected.published[language] if selected.placements[slug] == part]
            counts: Counter[str] = Counter(problems=0, solutions=0)
            rows = _counted((_row(shop, ingested, finished[slug], selected, language) for slug in slugs), counts)
            files = write_rows(shop.store.folder, f"data/{language}/{part}", rows, SCHEMA)
            splits[part] = {"files": files, **counts}
    results = [each.results[language] for each in finished.values()]
    judgements = [judgement for each in results for judgement in each.judgements.values()]
    return {
        "splits": splits,
        "rank": selected.ranks[language],
        "verdicts": dict(Counter(str(each.verdict) for each in judgements)),
        "unexpected": {name: why for each in results for name, why in each.unexpected.items()},
        "repeatability": repeatability(each for found in results for each in found.measurements.values()),
        "measured_on": _machines({slug: each.results[language].machine for slug, each in finished.items()}),
    }


def _machines(machine_of: Mapping[str, str]) -> dict[str, Any]:
    """Return how many problems each type of machine measured, and which, but for the one that measured most."""
    counts = Counter(machine for machine in machine_of.values() if machine).most_common()
    listed = {machine: sorted(slug for slug, at in machine_of.items() if at == machine) for machine, _ in counts[1:]}
    return {name: {"problems": count, **({"slugs": listed[name]} if name in listed else {})} for name, count in counts}


def facts_of_machines(shop: Workshop, configs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of each type of machine that measured something of a config."""
    names = {name for config in configs.values() for name in config.get("measured_on", {})}
    return {name: shop.store.get(MACHINE, name) for name in sorted(names)}


def write_tests(
    shop: Workshop, finished: Mapping[str, Finished], selected: Selected, configs: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Write the tests of every problem that a config has, once for all of them; returns the facts of each split."""
    titles = _titles(shop.store.folder, configs)
    splits: dict[str, dict[str, Any]] = {}
    with shop.stage("write tests"):
        for part in (TRAIN, TEST):
            chosen = [each for slug, each in finished.items() if slug in titles and selected.placements[slug] == part]
            rows = (row for each in chosen for row in _tests(shop, each, selected))
            files = write_rows(shop.store.folder, f"tests/{part}", rows, TESTS, group_rows=TEST_ROWS)
            splits[part] = {"files": files, "problems": len(chosen), "tests": sum(each.test_count for each in chosen)}
    return splits


def _tests(shop: Workshop, finished: Finished, selected: Selected) -> Iterator[dict[str, Any]]:
    problem, tests = finished.problem, read_tests(shop, finished)
    return rows_of_tests(problem, finished.made.way, tests, selected.references[problem.slug])


def _titles(folder: Path, configs: Mapping[str, Any]) -> set[str]:
    files = (name for config in configs.values() for part in config["splits"].values() for name in part["files"])
    return {title for name in files for title in pq.read_table(folder / name, columns=["title"])["title"].to_pylist()}


def _counted(rows: Iterable[dict[str, Any]], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        counts.update(problems=1, solutions=len(row["solutions"]))
        yield row


def _row(shop: Workshop, ingested: Ingested, finished: Finished, selected: Selected, language: str) -> dict[str, Any]:
    problem, results = finished.problem, finished.results[language]
    beyond = selected.sampled.get((language, problem.slug), frozenset())
    (entry,) = ingested.entries([problem.slug])
    judged = sorted(
        (s for s in entry.solutions if s.language == language and s.solution_id in results.judgements),
        key=lambda solution: solution.solution_id,
    )
    kept = [solution for solution in judged if solution.solution_id not in beyond]
    ranks = rank_solutions(kept, results.measurements, selected.ranks[language])
    solutions = []
    for each in kept:
        name = each.solution_id
        judgement, measured, state = results.judgements[name], results.measurements.get(name), (problem.slug, name)
        solutions.append(solution_row(each, judgement, measured, ranks.get(name), state in shop.stateful))
    limits, tests = shop.limits(problem), read_tests(shop, finished)
    return problem_row(
        problem, language, limits, tests, solutions, _quality(finished), selected.references[problem.slug]
    )


def _quality(finished: Finished) -> dict[str, Any]:
    """Return how the tests of a problem were made, how sure that is, and how good they are."""
    made = finished.made
    figures = quality_row(finished.quality) if finished.quality else {}
    return {"way": made.way, "confidence": made.confidence, "reasons": list(made.reasons), **figures}


def write_dropped(shop: Workshop, others: Sequence[str] = ()) -> None:
    """Write dropped.jsonl; what concerns only the languages `others`, built earlier, stays."""
    rows = [dropped._asdict() for dropped in shop.dropped]
    path = shop.store.folder / DROPPED
    before = [json.loads(line) for line in path.read_text().splitlines()] if others and path.is_file() else []
    rows += [row for row in before if row["stage"].split()[-1] in others]
    shop.store.write_text(DROPPED, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def finish(shop: Workshop, facts: Mapping[str, Any], built: Sequence[str]) -> dict[str, Any]:
    """Write what is left, the manifest last; returns it with what the build itself took.

    The manifest says nothing of this one process, so that a resumed build ends with the same bytes.

    Args:
        shop: The place of the build.
        facts: What the build has to say of the data, configs included, also those that were built earlier.
        built: Which of the configs were built now.
    """
    configs = facts["configs"]
    write_dropped(shop, [name for name in configs if name not in built])
    manifest: dict[str, Any] = {
        "toolkit": __version__,
        "plan": to_plain(shop.plan),
        **facts,
        "dropped": count_reasons(shop.dropped),
        "lacking": shop.lacking,
        "sandbox": dict(shop.sandbox.facts()),
        "environment": _environment(shop, facts),
    }
    return {**seal(shop.store, manifest), **_this_process(shop)}


def _environment(shop: Workshop, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the environment of the type of machine that measured most; this one's where none did."""
    here = environment_facts(shop.languages.values(), shop.versions)
    problems: Counter[str] = Counter()
    for config in facts["configs"].values():
        problems.update({name: each["problems"] for name, each in config.get("measured_on", {}).items()})
    most = facts["machines"][problems.most_common(1)[0][0]] if problems else {}
    return {name: most.get(name, value) for name, value in here.items()}


def seal(store: Store, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write the card and then the manifest, with a checksum of every file; returns the manifest."""
    splits = [*facts["tests"]["splits"].values(), *(s for c in facts["configs"].values() for s in c["splits"].values())]
    store.write_text("README.md", card.render_dataset_card(store.folder, facts))
    assets = card.list_assets(store.folder)
    names = [DROPPED, "README.md", *assets, *(name for split in splits for name in split["files"])]
    manifest = {"format": FORMAT, **facts, "files": {name: checksum(store.folder / name) for name in names}}
    write_manifest(store, manifest)
    return manifest


def _this_process(shop: Workshop) -> dict[str, Any]:
    asked = {"model_costs": to_plain(shop.model.costs)} if shop.model else {}
    return {"seconds": shop.seconds, "toolkit_peak_bytes": own_peak_bytes(), **asked}
