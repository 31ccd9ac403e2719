"""The build: ingest, generate, validate, examine, judge, measure, select, and write a release.

The build processes at least `PART` problems at a time, so that memory does not grow with the
programs and tests of all problems. At the end it retries problems for which the sandbox failed.
Every stage journals its results, so rerunning the same command resumes a stopped build, and does
nothing if nothing changed. Every dropped problem, test and solution has its reason in
``dropped.jsonl``. The stages are in ``stages/``; their shared data is in the build context.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from venus_toolkit.builders.curation.problems import below
from venus_toolkit.builders.plan import BuildPlan
from venus_toolkit.builders.quality.calibration import shipped
from venus_toolkit.builders.quality.score import quality_facts
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages import writing
from venus_toolkit.builders.stages.agreement import agree
from venus_toolkit.builders.stages.build_context import SANDBOX, BuildContext, Progress
from venus_toolkit.builders.stages.examining import examine
from venus_toolkit.builders.stages.ingest import IngestedSource, ingest
from venus_toolkit.builders.stages.inputs import make_test_inputs
from venus_toolkit.builders.stages.results import (
    ProblemResults,
    complexities_of_all,
    count_all,
    finish_problem,
    join_all,
    judge_all,
    measure_all,
    measure_until_settled,
)
from venus_toolkit.builders.stages.selecting import select
from venus_toolkit.builders.stages.witnesses import discard_disputed_tests
from venus_toolkit.core import __version__
from venus_toolkit.core.errors import SandboxError, SourceError
from venus_toolkit.core.formatting import count_with_noun
from venus_toolkit.core.language import Language, find_language, find_languages
from venus_toolkit.core.records import digest, to_plain
from venus_toolkit.core.store import Store, intact, read_manifest
from venus_toolkit.dataset.funnel import ABOUT_TESTS, last_reason
from venus_toolkit.dataset.release import (
    PROBLEMS_CONFIG,
    REJECTED_CONFIG,
    RUNS_CONFIG,
    SOLUTIONS_CONFIG,
)
from venus_toolkit.execution.measuring.counting import require_counter
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

log = logging.getLogger(__name__)
PART = 8  # problems at a time; more if there are more than four workers


class Build:
    """One build into the folder `out`; `languages` are all known languages, by id."""

    def __init__(
        self,
        plan: BuildPlan,
        out: Path,
        languages: Mapping[str, Language],
        progress: Progress = lambda *_: None,
    ) -> None:
        def ids(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(language.id for language in find_languages(names, languages))

        self.plan = replace(
            plan,
            lang=ids(plan.lang),
            time_factor={
                find_language(name, languages).id: factor
                for name, factor in plan.time_factor.items()
            },
            quality=replace(plan.quality, languages=ids(plan.quality.languages)),
        )
        self.out = out
        self.languages = languages
        self.progress = progress

    def run(self) -> dict[str, Any]:
        """Build, unless nothing changed, and return the manifest.

        Raises:
            UsageError: The plan or the source is invalid.
            SourceError: The source has no solution in a chosen language, or every problem was
                dropped.
            SandboxError: The sandbox failed for every problem.
            ToolchainError: A chosen language is not installed.
            StoreError: The output folder cannot be written, or another build is using it.
            MachineError: The engine, or a counter that the plan needs, is unavailable.
        """
        with (
            closing(Store(self.out)) as store,
            closing(BuildContext(self.plan, store, self.languages, self.progress)) as context,
        ):
            try:
                # The source comes before the sandbox, because it determines the toolchains.
                ingested = ingest(context)
                solutions = ingested.counts["solutions"]
                for name in self.plan.lang:
                    if not solutions.get(name):
                        available = f"it has {', '.join(sorted(solutions)) or 'none'}"
                        raise SourceError(
                            f"the source has no solution in {name}",
                            available,
                            "choose another --lang",
                        )
                # Generators need Python, whatever the languages of the solutions.
                used = [
                    self.languages[name] for name in sorted({*solutions, *self.plan.lang, "python"})
                ]
                with open_sandbox(self.plan.sandbox, used) as sandbox:
                    counted = self.plan.complexity or self.plan.rank in ("instructions", "joint")
                    if counted and not self.plan.replay:
                        require_counter(self.plan.counter, sandbox)
                    with context.stage("toolchains"):
                        context.open(sandbox, used)
                    return self._build(context, ingested)
            except (SourceError, SandboxError):
                writing.write_reasons(context)
                raise

    def _build(self, context: BuildContext, ingested: IngestedSource) -> dict[str, Any]:
        # These keys of a plan do not change a release.
        execution_keys = ("lang", "jobs", "engine", "ray_address")
        plan = {
            key: value for key, value in to_plain(self.plan).items() if key not in execution_keys
        }
        toolchains = [
            context.executor.identity(Program(language, ""))
            for language in context.executor.languages.values()
        ]
        fingerprint = digest(__version__, plan, ingested.identity, toolchains)
        # The manifest is written last and has the checksum of every file, so it proves completion.
        before = read_manifest(self.out) or {}
        others = before.get("configs", {})
        same = all(
            others.get(name, {}).get("fingerprint") == fingerprint for name in self.plan.lang
        )
        # Items for which the sandbox failed are retried.
        same = same and SANDBOX not in before.get("dropped", {})
        if before and same and intact(self.out, before):
            return {**before, "unchanged": True}
        # These results omit tests and programs, which are read from disk again for the rows.
        finished: dict[str, ProblemResults] = {}
        # Workers idle at the end of a part, until its slowest problem is done. More workers need
        # more problems to stay busy.
        size = max(PART, 2 * context.executor.engine.jobs)
        solution_counts: Counter[str] = Counter()  # by language
        for first in range(0, len(ingested.slugs), size):
            entries = ingested.entries(ingested.slugs[first : first + size])
            solution_counts.update(
                solution.language for entry in entries for solution in entry.solutions
            )
            finished |= self._process(context, entries)
            context.next_part()
        finished = self._retry(context, ingested, finished)
        if not finished:
            failed = [row for row in context.dropped if row.stage == SANDBOX]
            if failed:
                fix = "type venus doctor, then the same command: finished work is kept"
                raise SandboxError(
                    "no problem could be built", failed[-1].reason.replace("\n", "; "), fix
                )
            reason = last_reason(context.dropped)
            raise SourceError(
                "no problem of the source has a test",
                reason,
                f"see {self.out / context.reasons_of_failure}",
            )
        selected = select(context, ingested, finished)
        configs = {
            name: {
                **writing.write_language(context, ingested, finished, selected, name),
                "fingerprint": fingerprint,
            }
            for name in self.plan.lang
        }
        # New configs come last, so that they replace the earlier ones of their language.
        configs = {**self._reusable_configs(others, fingerprint), **configs}
        tests = writing.write_tests(context, finished, selected, configs)
        solutions = writing.write_solutions(context, configs)
        problems = writing.write_problems(context, configs)
        earlier = sorted(configs.keys() - self.plan.lang)
        rejected = writing.write_rejected(context, ingested, finished, selected, earlier)
        runs = writing.write_runs(context, ingested, finished, selected, earlier)
        kept_tests = sum(problem_results.test_count for problem_results in finished.values())
        # If one of these stages drops a whole problem, the row's item is the problem, not a test.
        dropped = sum(
            row.stage in ABOUT_TESTS and row.item != row.problem for row in context.dropped
        )
        facts = {
            "configs": configs,
            "machines": writing.facts_of_machines(context, configs),
            "found": ingested.counts,
            **self._sandbox_losses(context, ingested, finished, solution_counts),
            "placements": dict(selected.placements),
            "tests": {
                "found": kept_tests + dropped,
                "kept": kept_tests,
                "dropped": dropped,
                "splits": tests,
            },
            SOLUTIONS_CONFIG: {"splits": solutions},
            PROBLEMS_CONFIG: {"splits": problems},
            REJECTED_CONFIG: {"splits": rejected},
            **({RUNS_CONFIG: {"splits": runs}} if self.plan.runs else {}),
            # Mutation scores are published with a calibration that was made on other problems.
            "quality": quality_facts(
                [
                    problem_results.quality
                    for problem_results in finished.values()
                    if problem_results.quality
                ],
                calibration=shipped(),
            ),
        }
        return writing.finish(context, facts, self.plan.lang)

    def _process(
        self, context: BuildContext, entries: Sequence[Entry]
    ) -> dict[str, ProblemResults]:
        """Return the results of some problems, by slug."""
        agreed = agree(context, make_test_inputs(context, entries))
        states = examine(context, discard_disputed_tests(context, agreed))
        measured = {
            name: measure_all(context, states, judge_all(context, states, name), name)
            for name in self.plan.lang
        }
        settled = measure_until_settled(context, states, measured)
        settled = {
            name: join_all(count_all(context, states, by_slug, name))
            for name, by_slug in settled.items()
        }
        settled = {
            name: complexities_of_all(context, states, by_slug, name)
            for name, by_slug in settled.items()
        }
        return {
            state.slug: finish_problem(
                context, state, {name: results[state.slug] for name, results in settled.items()}
            )
            for state in states
        }

    def _retry(
        self, context: BuildContext, ingested: IngestedSource, finished: dict[str, ProblemResults]
    ) -> dict[str, ProblemResults]:
        """Rebuild each problem for which the sandbox failed, one at a time, after all others.

        The machine may be less busy by then. Finished work comes from the journal.
        """
        failed = dict.fromkeys(row.problem for row in context.dropped if row.stage == SANDBOX)
        if not failed:
            return finished
        with context.stage("retry"):
            for number, slug in enumerate(failed, 1):
                context.forget_drops(slug)
                finished.pop(slug, None)
                finished |= self._process(context, ingested.entries([slug]))
                context.next_part()
                context.report("retry", number, len(failed))
        # The order of a release does not depend on the time at which a problem was finished.
        return {slug: finished[slug] for slug in ingested.slugs if slug in finished}

    def _sandbox_losses(
        self,
        context: BuildContext,
        ingested: IngestedSource,
        finished: Mapping[str, ProblemResults],
        solution_counts: Mapping[str, int],
    ) -> dict[str, Any]:
        """Return and log the problems and solutions lost to sandbox failures, if any.

        A problem counts as lost if it has no results, or if its lost solutions could have lifted it
        to ``min_solutions``. ``share`` is the fraction (0 to 1) of problems that were lost or, if
        higher, the fraction of solutions that were lost in the published language that lost most.
        """
        failed = [row for row in context.dropped if row.stage == SANDBOX]
        if not failed:
            return {}
        items = {row.item for row in failed}
        threshold = {
            (row.problem, name)
            for row in context.dropped
            for name in self.plan.lang
            if row.stage == below(name)
        }
        problems: set[str] = set()
        solutions: dict[str, str] = {}  # languages, by solution id
        for entry in ingested.entries(sorted({row.problem for row in failed})):
            slug = entry.problem.slug
            lost_here = {
                solution.solution_id: solution.language
                for solution in entry.solutions
                if solution.solution_id in items
            }
            if slug not in finished or any(
                (slug, name) in threshold
                and len({*finished[slug].results[name].passing, *_ids_in(name, lost_here)})
                >= self.plan.curation.min_solutions
                for name in self.plan.lang
            ):
                problems.add(slug)
            else:
                solutions |= lost_here
        shares = [
            len(_ids_in(name, solutions)) / max(solution_counts[name], 1) for name in self.plan.lang
        ]
        share = max(len(problems) / len(ingested.slugs), *shares)
        log.warning(
            "%d of %s and %d of %s are missing, because the sandbox failed for "
            "them, even in the retry at the end (%s): %s",
            *(len(problems), count_with_noun(len(ingested.slugs), "problems")),
            *(len(solutions), count_with_noun(sum(solution_counts.values()), "solutions")),
            ", ".join([*sorted(problems), *sorted(solutions)][:5]),
            failed[-1].reason.replace("\n", "; "),
        )
        lost = {"problems": sorted(problems), "solutions": sorted(solutions)}
        return {"lost": {**lost, "share": round(share, 4)}}

    def _reusable_configs(self, before: Mapping[str, Any], fingerprint: str) -> dict[str, Any]:
        """Return the earlier configs that this plan would build identically; delete the others.

        Configs of the plan's own languages keep their files, which the build replaces.
        """
        configs = {}
        for name, config in before.items():
            files = [
                file for part in config["splits"].values() for file in part.get("files", [None])
            ]
            if config["fingerprint"] == fingerprint and all(
                file and (self.out / file).is_file() for file in files
            ):
                configs[name] = config
            elif name not in self.plan.lang:
                for file in (self.out / "data" / name).glob("*.parquet"):
                    file.unlink(missing_ok=True)
        return configs


def _ids_in(language: str, solutions: Mapping[str, str]) -> list[str]:
    """Return the ids of the solutions in a language."""
    return [name for name, solution_language in solutions.items() if solution_language == language]
