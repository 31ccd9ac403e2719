"""The release: rows from what was judged and measured, Parquet files, dropped.jsonl, card, manifest last."""

from __future__ import annotations

import json
import resource
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit import __version__, card
from venus_toolkit.builders.facts import count_reasons, rank_solutions
from venus_toolkit.builders.release import problem_row, solution_row, write_parquet
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages.agreement import Agreed
from venus_toolkit.builders.workshop import Workshop
from venus_toolkit.measure import environment_facts
from venus_toolkit.records import KIB, Judgement, Measurement, Solution, Verdict, to_plain
from venus_toolkit.store import MANIFEST, checksum

DROPPED = "dropped.jsonl"
NOISY_SHARE = 0.10


class Results(NamedTuple):
    """What is known of the solutions in one language, by their ids, and how they are ranked."""

    language: str
    judgements: Mapping[str, Judgement]
    measurements: Mapping[str, Measurement]
    rank: str


def ranking(shop: Workshop, measurements: Mapping[str, Measurement]) -> str:
    """Return whether solutions are ranked by relative time or by wall time: on a noisy machine by the former."""
    if shop.plan.rank != "auto":
        return shop.plan.rank
    noisy = sum(bool(m.noise) for m in measurements.values())
    return "relative" if noisy > NOISY_SHARE * len(measurements) else "absolute"


def make_rows(shop: Workshop, entries: Sequence[Entry], agreed: Agreed, results: Results) -> list[dict[str, Any]]:
    """Return one row for each problem that has enough passing solutions; the others are set aside."""
    rows = []
    for entry in entries:
        judged = _judged(entry, results)
        passing = sum(results.judgements[solution.solution_id].verdict == Verdict.ACCEPTED for solution in judged)
        slug, name, threshold = entry.problem.slug, results.language, shop.plan.min_solutions
        if passing < threshold:
            why = f"{passing} passing solutions in {name}, the threshold is {threshold}"
            shop.drop(f"threshold {name}", slug, slug, why)
            continue
        solutions = _solution_rows(judged, results)
        rows.append(problem_row(entry.problem, name, shop.limits(entry.problem), agreed.tests[slug], solutions))
    return rows


def _judged(entry: Entry, results: Results) -> list[Solution]:
    mine = (each for each in entry.solutions if each.language == results.language)
    return sorted((each for each in mine if each.solution_id in results.judgements), key=lambda s: s.solution_id)


def _solution_rows(judged: Sequence[Solution], results: Results) -> list[dict[str, Any]]:
    ranks = rank_solutions(judged, results.measurements, results.rank)
    return [
        solution_row(
            each,
            results.judgements[each.solution_id],
            results.measurements.get(each.solution_id),
            ranks.get(each.solution_id),
        )
        for each in judged
    ]


def write_splits(
    shop: Workshop, language: str, rows: Sequence[dict[str, Any]], placed: Mapping[str, str]
) -> dict[str, Any]:
    """Write the Parquet file of each split; returns their facts."""
    splits = {}
    with shop.stage(f"write {language}"):
        for part in ("train", "test"):
            mine = [row for row in rows if placed[row["title"]] == part]
            file = f"data/{language}/{part}-00000-of-00001.parquet"
            with shop.store.writing(file) as draft:
                write_parquet(draft, mine)
            solutions = sum(len(row["solutions"]) for row in mine)
            splits[part] = {"file": file, "problems": len(mine), "solutions": solutions}
    return splits


def write_dropped(shop: Workshop, others: Sequence[str] = ()) -> None:
    """Write dropped.jsonl; what concerns only the languages `others`, built earlier, stays."""
    rows = [dropped._asdict() for dropped in shop.dropped]
    path = shop.store.folder / DROPPED
    before = [json.loads(line) for line in path.read_text().splitlines()] if others and path.is_file() else []
    rows += [row for row in before if row["stage"].split()[-1] in others]
    shop.store.write_text(DROPPED, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def finish(
    shop: Workshop, configs: Mapping[str, Any], built: Sequence[str], tests: Mapping[str, int]
) -> dict[str, Any]:
    """Write what is left, the manifest last; returns it with what the build itself took.

    The manifest says nothing of this one process, so that a resumed build ends with the same bytes.

    Args:
        shop: The place of the build.
        configs: The facts of each config, also of those that were built earlier.
        built: Which of them were built now.
        tests: How many tests there are.
    """
    write_dropped(shop, [name for name in configs if name not in built])
    versions = {name: toolchain.version for name, toolchain in shop.toolchains.items()}
    manifest: dict[str, Any] = {
        "toolkit": __version__,
        "plan": to_plain(shop.plan),
        "configs": dict(configs),
        "tests": dict(tests),
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
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    return {**manifest, "seconds": shop.seconds, "toolkit_peak_bytes": peak_bytes}
