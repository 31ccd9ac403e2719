"""The release: rows from what was judged and measured, Parquet files, dropped.jsonl, card, manifest last."""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from venus_toolkit import __version__, card
from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.builders.facts import count_reasons, rank_solutions, repeatability
from venus_toolkit.builders.quality.score import quality_row
from venus_toolkit.builders.release import problem_row, solution_row, write_parquet
from venus_toolkit.builders.stages.finished import Finished, read_tests
from venus_toolkit.builders.stages.ingest import Ingested
from venus_toolkit.builders.stages.selecting import Selected
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.measure import environment_facts
from venus_toolkit.records import KIB, to_plain
from venus_toolkit.store import MANIFEST, checksum

DROPPED = "dropped.jsonl"


def write_language(
    shop: Workshop, ingested: Ingested, finished: Mapping[str, Finished], selected: Selected, language: str
) -> dict[str, Any]:
    """Write the Parquet file of each split in one language; returns the facts of the config."""
    splits: dict[str, dict[str, Any]] = {}
    with shop.stage(f"write {language}"):
        for part in (TRAIN, TEST):
            slugs = [slug for slug in selected.published[language] if selected.placements[slug] == part]
            file = f"data/{language}/{part}-00000-of-00001.parquet"
            counts: Counter[str] = Counter(problems=0, solutions=0)
            rows = (_row(shop, ingested, finished[slug], selected, language) for slug in slugs)
            with shop.store.writing(file) as draft:
                write_parquet(draft, _counted(rows, counts))
            splits[part] = {"file": file, **counts}
    results = [each.results[language] for each in finished.values()]
    judgements = [judgement for each in results for judgement in each.judgements.values()]
    return {
        "splits": splits,
        "rank": selected.ranks[language],
        "verdicts": dict(Counter(str(each.verdict) for each in judgements)),
        "unexpected": {name: why for each in results for name, why in each.unexpected.items()},
        "repeatability": repeatability(each for found in results for each in found.measurements.values()),
    }


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
    return problem_row(problem, language, limits, tests, solutions, _quality(finished))


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
    versions = {name: toolchain.version for name, toolchain in shop.toolchains.items()}
    manifest: dict[str, Any] = {
        "toolkit": __version__,
        "plan": to_plain(shop.plan),
        **facts,
        "dropped": count_reasons(shop.dropped),
        "lacking": shop.lacking,
        "sandbox": dict(shop.sandbox.facts()),
        "environment": environment_facts(shop.languages.values(), versions),
    }
    folder, parts = shop.store.folder, [part for config in configs.values() for part in config["splits"].values()]
    shop.store.write_text("README.md", card.render_dataset_card(folder, manifest))
    names = [DROPPED, "README.md", *(part["file"] for part in parts)]
    manifest["files"] = {file: checksum(folder / file) for file in names}
    shop.store.write_text(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
    return {**manifest, **_this_process(shop)}


def _this_process(shop: Workshop) -> dict[str, Any]:
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    asked = {"model_costs": to_plain(shop.model.costs)} if shop.model else {}
    return {"seconds": shop.seconds, "toolkit_peak_bytes": peak_bytes, **asked}
