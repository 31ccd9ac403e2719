"""Writes the release: rows in Parquet files, dropped.jsonl, the card and, last, the manifest."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from venus_toolkit.builders.curation.placement import TEST, TRAIN
from venus_toolkit.builders.quality.score import quality_row
from venus_toolkit.builders.release_rows import (
    percentiles,
    problem_row,
    rank_solutions,
    rejected_row,
    rows_of_tests,
    run_rows,
    solution_row,
)
from venus_toolkit.builders.stages.build_context import DROPPED, BuildContext, Unit
from venus_toolkit.builders.stages.ingest import IngestedSource
from venus_toolkit.builders.stages.results import ProblemResults, read_tests
from venus_toolkit.builders.stages.selecting import SelectedSolutions
from venus_toolkit.builders.survey import count_reasons
from venus_toolkit.core import __version__
from venus_toolkit.core.memory import own_peak_bytes
from venus_toolkit.core.records import MIB, Measurement, json_lines, to_plain
from venus_toolkit.core.store import MANIFEST, Store, checksum, read_json_lines
from venus_toolkit.dataset.card.dataset_card import list_assets, render_dataset_card
from venus_toolkit.dataset.columns import (
    OF_EVERY_LANGUAGE,
    PROBLEMS,
    REJECTED,
    RUNS,
    SCHEMA,
    SOLUTIONS,
    TESTS,
)
from venus_toolkit.dataset.funnel import Dropped
from venus_toolkit.dataset.parquet import write_rows, write_tables
from venus_toolkit.dataset.release import (
    CARD,
    CROISSANT,
    FORMAT,
    PROBLEMS_CONFIG,
    REJECTED_CONFIG,
    RUNS_CONFIG,
    SHARED,
    SOLUTIONS_CONFIG,
    TESTS_CONFIG,
)
from venus_toolkit.dataset.test_cases import with_samples
from venus_toolkit.execution.engine.executor import MACHINE
from venus_toolkit.execution.judging.host_programs import RUNTIME, inputs_runtime
from venus_toolkit.execution.measuring.counting import counter_facts
from venus_toolkit.execution.measuring.measure import environment_facts

TEST_ROWS = 4096  # largest number of tests in a row group
TEST_BYTES = 4 * MIB  # size of a row group of tests, all of which a reader of one problem loads


def write_language(
    context: BuildContext,
    ingested: IngestedSource,
    finished: Mapping[str, ProblemResults],
    selected: SelectedSolutions,
    language: str,
) -> dict[str, Any]:
    """Write the Parquet files of each split in one language; return the facts of the config."""
    splits: dict[str, dict[str, Any]] = {}
    separation: Counter[str] = Counter()
    with context.stage(f"write {language}"):
        for part in (TRAIN, TEST):
            slugs = [
                slug for slug in selected.published[language] if selected.placements[slug] == part
            ]
            counts: Counter[str] = Counter(problems=0, solutions=0)
            rows = (
                _build_row(context, ingested, finished[slug], selected, language, counts)
                for slug in slugs
            )
            files = write_rows(context.store.folder, f"data/{language}/{part}", rows, SCHEMA)
            # `rows` is a generator, so only writing them fills `counts`.
            separation.update(
                {name: counts.pop(name, 0) for name in ("separable", "all_ties", "unranked")}
            )
            splits[part] = {"files": files, **counts}
    # Sorted, because a resumed build finishes problems in another order.
    results = {slug: finished[slug].results[language] for slug in sorted(finished)}
    verdicts = Counter(
        str(judgement.verdict)
        for language_results in results.values()
        for judgement in language_results.judgements.values()
    )
    measurements = [
        measurement
        for language_results in results.values()
        for measurement in language_results.measurements.values()
    ]
    # The slugs are listed for every type of machine but the most frequent one.
    machines = Counter(
        language_results.machine
        for language_results in results.values()
        if language_results.machine
    ).most_common()
    measured_on: dict[str, Any] = {name: {"problems": count} for name, count in machines}
    for name, _ in machines[1:]:
        measured_on[name]["slugs"] = sorted(
            slug for slug, language_results in results.items() if language_results.machine == name
        )
    return {
        "splits": splits,
        "rank": selected.ranks[language],
        "separation": dict(separation),
        "verdicts": dict(sorted(verdicts.items())),
        "unexpected": dict(
            sorted(
                pair
                for problem_results in finished.values()
                for pair in problem_results.unexpected[language].items()
            )
        ),
        "repeatability": repeatability(measurements),
        "measured_on": measured_on,
        "counted": counted(context, measurements),
    }


def counted(context: BuildContext, measurements: Sequence[Measurement]) -> dict[str, Any]:
    """Return the facts of the instruction counter and the number of counted solutions, if any."""
    facts = counter_facts(context.plan.counter)
    if not facts:
        return {}
    solutions = sum(measurement.instructions is not None for measurement in measurements)
    return {**facts, "solutions": solutions}


def repeatability(measurements: Iterable[Measurement]) -> dict[str, Any]:
    """Return the median spreads over the repeats and the number of noisy measurements."""
    listed = list(measurements)
    summary: dict[str, Any] = {"measured": len(listed), "noisy": sum(bool(m.noise) for m in listed)}
    for name in ("wall_spread", "cpu_spread", "integral_spread", "relative_spread"):
        values = [value for m in listed if (value := getattr(m, name)) is not None]
        summary[f"median_{name}"] = statistics.median(values) if values else None
    return summary


def _build_row(
    context: BuildContext,
    ingested: IngestedSource,
    finished: ProblemResults,
    selected: SelectedSolutions,
    language: str,
    counts: Counter[str],
) -> dict[str, Any]:
    problem, results, inputs = finished.problem, finished.results[language], finished.generation
    beyond = selected.sampled.get((language, problem.slug), frozenset())
    published = results.judgements.keys() - beyond
    (entry,) = ingested.entries([problem.slug])
    published_solutions = [
        solution
        for solution in entry.solutions
        if solution.language == language and solution.solution_id in published
    ]
    published_solutions.sort(key=lambda solution: solution.solution_id)
    names = [solution.solution_id for solution in published_solutions]
    ranking = rank_solutions(
        names, results.measurements, selected.ranks[language], context.plan.min_separation
    )
    if ranking.separation.share is not None:
        counts.update(
            separable=ranking.separation.share > 0, all_ties=ranking.separation.share == 0
        )
    counts.update(unranked=not ranking.ranked)
    shares = percentiles(ranking.standings)
    solutions = [
        solution_row(
            solution,
            results.judgements[solution.solution_id],
            results.measurements.get(solution.solution_id),
            ranking.standings.get(solution.solution_id),
            carries_state=(problem.slug, solution.solution_id) in context.stateful,
            complexity=results.complexities.get(solution.solution_id),
            percentile=shares.get(solution.solution_id),
        )
        for solution in published_solutions
    ]
    counts.update(problems=1, solutions=len(solutions))
    quality = {"way": inputs.way, "confidence": inputs.confidence, "reasons": list(inputs.reasons)}
    quality |= quality_row(finished.quality) if finished.quality else {}
    references, tests = selected.references[problem.slug], read_tests(context, finished)
    limits = context.plan.limits(problem.limits, language)
    return with_samples(
        problem_row(problem, language, limits, tests, solutions, quality, references, ranking)
    )


def facts_of_machines(context: BuildContext, configs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of each type of machine that measured solutions of a config."""
    names = {name for config in configs.values() for name in config.get("measured_on", {})}
    return {name: context.store.get(MACHINE, name) for name in sorted(names)}


def write_tests(
    context: BuildContext,
    finished: Mapping[str, ProblemResults],
    selected: SelectedSolutions,
    configs: Mapping[str, Any],
) -> dict[str, dict[str, Any]]:
    """Write the tests of every published problem, once for all configs.

    Returns:
        The facts of each split.
    """
    folder = context.store.folder
    # The titles come from the files, because an earlier build may have written a config.
    files = (
        name
        for config in configs.values()
        for part in config["splits"].values()
        for name in part["files"]
    )
    tables = (pq.read_table(folder / name, columns=["title"]) for name in files)
    titles = {title for table in tables for title in table["title"].to_pylist()}

    def rows(chosen: Iterable[ProblemResults]) -> Iterator[dict[str, Any]]:
        for problem_results in chosen:
            references = selected.references[problem_results.problem.slug]
            yield from rows_of_tests(
                problem_results.problem,
                problem_results.generation.way,
                read_tests(context, problem_results),
                references,
            )

    splits: dict[str, dict[str, Any]] = {}
    with context.stage("write tests"):
        for part in (TRAIN, TEST):
            chosen = [
                problem_results
                for slug, problem_results in finished.items()
                if slug in titles and selected.placements[slug] == part
            ]
            names = write_rows(
                folder,
                f"{TESTS_CONFIG}/{part}",
                rows(chosen),
                TESTS,
                group_rows=TEST_ROWS,
                group_bytes=TEST_BYTES,
            )
            splits[part] = {
                "files": names,
                "problems": len(chosen),
                "tests": sum(problem_results.test_count for problem_results in chosen),
            }
    return splits


def write_solutions(context: BuildContext, configs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Write every published solution of every config as one row.

    Returns:
        The facts of each split.
    """
    folder = context.store.folder

    problem_columns = ["problem_id", "title", "language", "difficulty"]

    def tables(part: str) -> Iterator[pa.Table]:
        for config in sorted(configs):
            for group in _row_groups(
                folder, configs[config]["splits"][part]["files"], ["solutions", *problem_columns]
            ):
                lists = group.column("solutions").combine_chunks()
                parents = pc.list_parent_indices(lists)
                of_problem, fields = group.select(problem_columns).take(parents), lists.flatten()
                columns = {name: of_problem.column(name) for name in problem_columns}
                columns |= {field.name: fields.field(field.name) for field in fields.type}
                yield pa.table(columns).select(SOLUTIONS.names)

    splits: dict[str, dict[str, Any]] = {}
    with context.stage("write solutions"):
        for part in (TRAIN, TEST):
            names = write_tables(folder, f"{SOLUTIONS_CONFIG}/{part}", tables(part), SOLUTIONS)
            splits[part] = {"files": names, "solutions": _count_rows(folder, names)}
    return splits


def write_problems(context: BuildContext, configs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Write every published problem once, with its languages and the columns that they share.

    Returns:
        The facts of each split.
    """
    folder = context.store.folder

    def rows(part: str) -> Iterator[dict[str, Any]]:
        languages: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(configs):
            for group in _row_groups(folder, configs[name]["splits"][part]["files"], ["title"]):
                for title in group["title"].to_pylist():
                    languages[title].append(name)
        for name in sorted(configs):
            for group in _row_groups(
                folder, configs[name]["splits"][part]["files"], list(OF_EVERY_LANGUAGE)
            ):
                # These columns are equal in all languages, so take them from the first.
                yield from (
                    {**row, "languages": languages[row["title"]]}
                    for row in group.to_pylist()
                    if languages[row["title"]][0] == name
                )

    splits: dict[str, dict[str, Any]] = {}
    with context.stage("write problems"):
        for part in (TRAIN, TEST):
            names = write_rows(folder, f"{PROBLEMS_CONFIG}/{part}", rows(part), PROBLEMS)
            splits[part] = {"files": names, "problems": _count_rows(folder, names)}
    return splits


def write_rejected(
    context: BuildContext,
    ingested: IngestedSource,
    finished: Mapping[str, ProblemResults],
    selected: SelectedSolutions,
    others: Sequence[str] = (),
) -> dict[str, dict[str, Any]]:
    """Write the programs of the source that are not published, with verdict and reason.

    The rows of `others`, languages from earlier builds, stay.

    Returns:
        The facts of the split.
    """
    folder, prefix = context.store.folder, f"{REJECTED_CONFIG}/{REJECTED_CONFIG}"
    reasons: dict[tuple[str, str, str], Dropped] = {}
    for row in context.dropped:
        # A problem may be dropped in one language, as by the stage ``threshold cpp``, or in all.
        language = row.stage.split()[-1] if row.item == row.problem else ""
        reasons.setdefault(
            (row.problem, row.item, language if language in context.plan.lang else ""), row
        )

    def rows() -> Iterator[dict[str, Any]]:
        for file in sorted(folder.glob(f"{prefix}-*.parquet")) if others else ():
            yield from (row for row in pq.read_table(file).to_pylist() if row["language"] in others)
        published = {
            (name, slug) for name in context.plan.lang for slug in selected.published[name]
        }
        for slug in ingested.staged.slugs():
            entry = ingested.staged.entry(slug)
            for solution in entry.solutions:
                name, language = solution.solution_id, solution.language
                if language not in context.plan.lang:
                    continue
                judgement = (
                    finished[slug].results[language].judgements.get(name)
                    if slug in finished
                    else None
                )
                beyond = selected.sampled.get((language, slug), frozenset())
                if judgement and (language, slug) in published and name not in beyond:
                    continue
                keys = ((slug, name, ""), (slug, slug, language), (slug, slug, ""))
                if dropped := next((reasons[key] for key in keys if key in reasons), None):
                    yield rejected_row(entry.problem, solution, judgement, dropped)

    with context.stage("write rejected"):
        names = write_rows(folder, prefix, rows(), REJECTED, group_rows=1024)
    return {REJECTED_CONFIG: {"files": names, "solutions": _count_rows(folder, names)}}


def write_runs(
    context: BuildContext,
    ingested: IngestedSource,
    finished: Mapping[str, ProblemResults],
    selected: SelectedSolutions,
    others: Sequence[str] = (),
) -> dict[str, dict[str, Any]]:
    """Write the costs of each published solution on each test, if the plan asks for them.

    The rows of `others`, languages from earlier builds, stay. Replayed measurements have no costs
    on each test.

    Returns:
        The facts of each split.
    """
    folder = context.store.folder

    def rows(part: str) -> Iterator[dict[str, Any]]:
        before = [
            name.relative_to(folder).as_posix()
            for name in sorted(folder.glob(f"{RUNS_CONFIG}/{part}-*.parquet"))
        ]
        for group in _row_groups(folder, before) if others else ():
            yield from (row for row in group.to_pylist() if row["language"] in others)
        for language in context.plan.lang:
            for slug in selected.published[language]:
                if selected.placements[slug] == part:
                    beyond = selected.sampled.get((language, slug), frozenset())
                    yield from _problem_runs(context, ingested, finished[slug], language, beyond)

    splits: dict[str, dict[str, Any]] = {}
    with context.stage("write runs"):
        for part in (TRAIN, TEST):
            # Writing no rows removes the files of an earlier build.
            part_rows = rows(part) if context.plan.runs else ()
            names = write_rows(folder, f"{RUNS_CONFIG}/{part}", part_rows, RUNS, group_rows=32768)
            splits[part] = {"files": names, "runs": _count_rows(folder, names)}
    return splits


def _problem_runs(
    context: BuildContext,
    ingested: IngestedSource,
    finished: ProblemResults,
    language: str,
    beyond: Collection[str],
) -> Iterator[dict[str, Any]]:
    """Yield the rows of one problem in one language, without the unpublished solutions `beyond`."""
    problem, results = finished.problem, finished.results[language]
    if results.runs is None:
        return
    executor, kind = context.executor, context.plan.counter
    measure_key, measured_ids = results.runs
    figures = dict(zip(measured_ids, executor.kept_measurements(measure_key), strict=True))
    suite = context.suite(problem, read_tests(context, finished), language).measured
    (entry,) = ingested.entries([problem.slug])
    for solution in sorted(entry.solutions, key=lambda solution: solution.solution_id):
        name = solution.solution_id
        if name in figures and name in results.measurements and name not in beyond:
            program = context.program(Unit(entry._replace(problem=problem), solution))
            key = executor.count_key(suite, program, kind, each_test=True) if program else ""
            counts = executor.kept_count(key)
            yield from run_rows(
                problem, solution, suite.tests, figures[name], counts.of_each if counts else ()
            )


def _row_groups(
    folder: Path, names: Iterable[str], columns: list[str] | None = None
) -> Iterator[pa.Table]:
    """Yield the row groups of published files."""
    for name in names:
        with pq.ParquetFile(folder / name) as parquet:
            for group in range(parquet.num_row_groups):
                yield parquet.read_row_group(group, columns=columns)


def _count_rows(folder: Path, names: Iterable[str]) -> int:
    return sum(pq.read_metadata(folder / name).num_rows for name in names)


def write_dropped(context: BuildContext, others: Sequence[str]) -> None:
    """Write dropped.jsonl; the rows of `others`, languages from earlier builds, stay."""
    rows = [dropped._asdict() for dropped in context.dropped]
    path = context.store.folder / DROPPED
    before = read_json_lines(path) if others and path.is_file() else []
    # The name of a stage for one language ends with the language: ``judge cpp``.
    rows += [row for row in before if row["stage"].split()[-1] in others]
    context.store.write_text(DROPPED, json_lines(rows))


def write_reasons(context: BuildContext) -> None:
    """Write the reasons of everything dropped, for a build that failed for lack of problems."""
    rows = [dropped._asdict() for dropped in context.dropped]
    context.store.write_text(context.reasons_of_failure, json_lines(rows))


def finish(context: BuildContext, facts: Mapping[str, Any], built: Sequence[str]) -> dict[str, Any]:
    """Write dropped.jsonl, the card and, last, the manifest.

    Args:
        context: The build.
        facts: The facts about the data, configs included.
        built: The configs of this build; earlier builds wrote the others.

    Returns:
        The manifest, and the time and memory of this process. The written manifest lacks these, so
        that a resumed build writes the same bytes.
    """
    configs = facts["configs"]
    write_dropped(context, [name for name in configs if name not in built])
    # The environment of the type of machine that measured most; if none measured, of this machine.
    measured: Counter[str] = Counter()
    for config in configs.values():
        measured.update(
            {name: counts["problems"] for name, counts in config.get("measured_on", {}).items()}
        )
    most = facts["machines"][measured.most_common(1)[0][0]] if measured else {}
    here = environment_facts(context.languages.values(), context.executor.versions)
    manifest: dict[str, Any] = {
        "toolkit": __version__,
        # Fixed at the build, because the card stays unchanged if the folder is moved.
        "name": context.plan.card.name or context.store.folder.resolve().name,
        "plan": to_plain(context.plan),
        **facts,
        "dropped": count_reasons(context.dropped),
        "lacking": context.missing,
        "sandbox": dict(context.executor.sandbox.facts()),
        "environment": {name: most.get(name, value) for name, value in here.items()},
    }
    costs = {"model_costs": to_plain(context.model.costs)} if context.model else {}
    sealed = seal(context.store, manifest)
    # The peak is read last, because the pictures of the card take memory, too.
    return {**sealed, "seconds": context.seconds, "toolkit_peak_bytes": own_peak_bytes(), **costs}


def seal(store: Store, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write the card and then the manifest, with a checksum of every file; return the manifest."""
    tables = [*(facts[name] for name in SHARED if name in facts), *facts["configs"].values()]
    splits = [split for table in tables for split in table["splits"].values()]
    data = {name: checksum(store.folder / name) for split in splits for name in split["files"]}
    # The manifest has the checksums of the card and of its machine-readable form.
    store.write_text(CARD, render_dataset_card(store.folder, {**facts, "files": data}))
    # The generators and validators in the rows import this file.
    with store.writing(RUNTIME) as draft:
        draft.write_bytes(inputs_runtime())
    written = [DROPPED, CARD, CROISSANT, RUNTIME, *list_assets(store.folder)]
    files = {name: checksum(store.folder / name) for name in written} | data
    manifest = {"format": FORMAT, **facts, "files": files}
    store.write_json(MANIFEST, manifest)
    return manifest
