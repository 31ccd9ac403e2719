"""The build: ingest, generate, validate, examine, judge, measure, select, write, manifest last.

Problems are worked on in parts of `PART`, so that memory does not grow with the programs and tests
that there are. What the sandbox failed at is tried again at the end. Every stage journals what it
finishes, so a stopped build goes on where it was, and a build with nothing changed does nothing.
Every problem, test and solution that is dropped keeps its reason in ``dropped.jsonl``. The stages
are in ``stages/``, what they share is in the build context.
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
from venus_toolkit.builders.stages.witnesses import hear_witnesses
from venus_toolkit.core import __version__
from venus_toolkit.core.errors import SandboxError, SourceError
from venus_toolkit.core.formatting import counted
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
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.opening import open_sandbox

log = logging.getLogger(__name__)
PART = 8  # problems at a time, as long as that is two for each worker


class Build:
    """One build into one folder; `languages` are all of them, by id."""

    def __init__(
        self,
        plan: BuildPlan,
        out: Path,
        languages: Mapping[str, Language],
        progress: Progress = lambda *_: None,
    ) -> None:
        def ids(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(each.id for each in find_languages(names, languages))

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
        """Build, or find that nothing changed; returns the manifest.

        Raises:
            UsageError: The plan or the source makes no sense.
            ToolchainError: A chosen language is not installed.
            StoreError: The output folder cannot be written, or another build is at it.
            MachineError: The engine cannot be had.
        """
        with (
            closing(Store(self.out)) as store,
            closing(BuildContext(self.plan, store, self.languages, self.progress)) as context,
        ):
            try:
                # The source is read before a sandbox is opened: it says which toolchains are
                # needed.
                ingested = ingest(context)
                solved = ingested.found["solutions"]
                for name in self.plan.lang:
                    if not solved.get(name):
                        there = f"it has {', '.join(sorted(solved)) or 'none'}"
                        raise SourceError(
                            f"the source has no solution in {name}", there, "choose another --lang"
                        )
                # Generators are in Python, whatever the solutions are in.
                used = [
                    self.languages[name] for name in sorted({*solved, *self.plan.lang, "python"})
                ]
                with open_sandbox(self.plan.sandbox, used) as sandbox:
                    with context.stage("toolchains"):
                        context.open(sandbox, used)
                    return self._build(context, ingested)
            except (SourceError, SandboxError):
                # the reasons, also when nothing is left to build from
                writing.write_reasons(context)
                raise

    def _build(self, context: BuildContext, ingested: IngestedSource) -> dict[str, Any]:
        # What of a plan changes nothing in a release
        how = ("lang", "jobs", "engine", "ray_address")
        plan = {key: value for key, value in to_plain(self.plan).items() if key not in how}
        toolchains = [
            context.executor.identity(Program(each, ""))
            for each in context.executor.languages.values()
        ]
        fingerprint = digest(__version__, plan, ingested.identity, toolchains)
        # The manifest is written last and lists every file with its checksum, so it can be
        # believed.
        before = read_manifest(self.out) or {}
        others = before.get("configs", {})
        same = all(
            others.get(name, {}).get("fingerprint") == fingerprint for name in self.plan.lang
        )
        # What the sandbox failed at was dropped for no reason of its own: it is tried again.
        same = same and SANDBOX not in before.get("dropped", {})
        if before and same and intact(self.out, before):
            return {**before, "unchanged": True}
        # Figures only: tests and programs of finished problems are read from disk again when rows
        # are written.
        finished: dict[str, ProblemResults] = {}
        # A part ends with its slowest problem: the more workers, the more problems keep them busy
        # until then.
        size = max(PART, 2 * context.executor.engine.jobs)
        tried: Counter[str] = Counter()  # solutions, by language
        for first in range(0, len(ingested.slugs), size):
            entries = ingested.entries(ingested.slugs[first : first + size])
            tried.update(each.language for entry in entries for each in entry.solutions)
            finished |= self._work(context, entries)
            context.next_part()
        finished = self._retry(context, ingested, finished)
        if not finished:
            failed = [row for row in context.dropped if row.stage == SANDBOX]
            if failed:
                fix = "type venus doctor, then the same command: finished work is kept"
                raise SandboxError(
                    "no problem could be built", failed[-1].reason.replace("\n", "; "), fix
                )
            why = last_reason(context.dropped)
            raise SourceError(
                "no problem of the source has a test",
                why,
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
        # What was built now comes last: it replaces the earlier config of its language.
        configs = {**self._others(others, fingerprint), **configs}
        tests = writing.write_tests(context, finished, selected, configs)
        solutions = writing.write_solutions(context, configs)
        problems = writing.write_problems(context, configs)
        earlier = sorted(configs.keys() - self.plan.lang)
        rejected = writing.write_rejected(context, ingested, finished, selected, earlier)
        runs = writing.write_runs(context, ingested, finished, selected, earlier)
        kept = sum(each.test_count for each in finished.values())
        # These stages also drop whole problems, whose item is the problem itself: that is no test.
        dropped = sum(
            row.stage in ABOUT_TESTS and row.item != row.problem for row in context.dropped
        )
        facts = {
            "configs": configs,
            "machines": writing.facts_of_machines(context, configs),
            "found": ingested.found,
            **self._lost(context, ingested, finished, tried),
            "placements": dict(selected.placements),
            "tests": {"found": kept + dropped, "kept": kept, "dropped": dropped, "splits": tests},
            SOLUTIONS_CONFIG: {"splits": solutions},
            PROBLEMS_CONFIG: {"splits": problems},
            REJECTED_CONFIG: {"splits": rejected},
            **({RUNS_CONFIG: {"splits": runs}} if self.plan.runs else {}),
            # What the recipe did elsewhere stands beside what these tests do to mutants.
            "quality": quality_facts(
                [each.quality for each in finished.values() if each.quality], calibration=shipped()
            ),
        }
        return writing.finish(context, facts, self.plan.lang)

    def _work(self, context: BuildContext, entries: Sequence[Entry]) -> dict[str, ProblemResults]:
        """Return what becomes of some problems, by slug."""
        agreed = agree(context, make_test_inputs(context, entries))
        states = examine(context, hear_witnesses(context, agreed))
        measured = {
            name: measure_all(context, states, judge_all(context, states, name), name)
            for name in self.plan.lang
        }
        settled = measure_until_settled(context, states, measured)
        settled = {
            name: join_all(count_all(context, states, found, name))
            for name, found in settled.items()
        }
        settled = {
            name: complexities_of_all(context, states, found, name)
            for name, found in settled.items()
        }
        return {
            state.slug: finish_problem(
                context, state, {name: each[state.slug] for name, each in settled.items()}
            )
            for state in states
        }

    def _retry(
        self, context: BuildContext, ingested: IngestedSource, finished: dict[str, ProblemResults]
    ) -> dict[str, ProblemResults]:
        """Build the problems again at which the sandbox failed, alone, when all else is done.

        A machine that was too busy may be idle by now. Finished work comes from the journal.
        """
        failed = dict.fromkeys(row.problem for row in context.dropped if row.stage == SANDBOX)
        if not failed:
            return finished
        with context.stage("retry"):
            for number, slug in enumerate(failed, 1):
                context.forget_drops(slug)
                finished.pop(slug, None)
                finished |= self._work(context, ingested.entries([slug]))
                context.next_part()
                context.report("retry", number, len(failed))
        # Releases have to be the same to the byte, whenever a problem was finished.
        return {slug: finished[slug] for slug in ingested.slugs if slug in finished}

    def _lost(
        self,
        context: BuildContext,
        ingested: IngestedSource,
        finished: Mapping[str, ProblemResults],
        tried: Mapping[str, int],
    ) -> dict[str, Any]:
        """Return and log what is missing because the sandbox failed; empty where nothing is.

        A problem is also lost where it would have enough solutions with those that were lost. The
        share is that of the problems, or of the solutions in the published language that lost most.
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
        solutions: dict[str, str] = {}  # their languages
        for entry in ingested.entries(sorted({row.problem for row in failed})):
            slug = entry.problem.slug
            mine = {each.solution_id: each.language for each in entry.solutions}
            mine = {name: language for name, language in mine.items() if name in items}
            if slug not in finished or any(
                (slug, name) in threshold
                and len({*finished[slug].results[name].passing, *_in(name, mine)})
                >= self.plan.curation.min_solutions
                for name in self.plan.lang
            ):
                problems.add(slug)
            else:
                solutions |= mine
        shares = [len(_in(name, solutions)) / max(tried[name], 1) for name in self.plan.lang]
        share = max(len(problems) / len(ingested.slugs), *shares)
        log.warning(
            "%d of %s and %d of %s are missing, because the sandbox failed at "
            "them, also when they were tried again at the end (%s): %s",
            *(len(problems), counted(len(ingested.slugs), "problems")),
            *(len(solutions), counted(sum(tried.values()), "solutions")),
            ", ".join([*sorted(problems), *sorted(solutions)][:5]),
            failed[-1].reason.replace("\n", "; "),
        )
        lost = {"problems": sorted(problems), "solutions": sorted(solutions)}
        return {"lost": {**lost, "share": round(share, 4)}}

    def _others(self, before: Mapping[str, Any], fingerprint: str) -> dict[str, Any]:
        """Return the configs of other languages that this plan would build just so.

        The rest is removed.
        """
        kept = {}
        for name, config in before.items():
            files = [
                file for part in config["splits"].values() for file in part.get("files", [None])
            ]
            if config["fingerprint"] == fingerprint and all(
                file and (self.out / file).is_file() for file in files
            ):
                kept[name] = config
            elif name not in self.plan.lang:
                for file in (self.out / "data" / name).glob("*.parquet"):
                    file.unlink(missing_ok=True)
        return kept


def _in(language: str, solutions: Mapping[str, str]) -> list[str]:
    """Return the ids of the solutions in a language."""
    return [name for name, each in solutions.items() if each == language]
