"""The build: ingest, generate, validate, examine, judge, measure, select, write, manifest last.

Problems are worked on in parts of `PART`, so that memory does not grow with the programs and tests that there are.
Every stage journals what it finishes, so a stopped build goes on where it was, and a build with nothing changed does
nothing. Every problem, test and solution that is dropped keeps its reason in ``dropped.jsonl``. The stages are in
``stages/``, what they share is the Workshop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from venus_toolkit import __version__
from venus_toolkit.builders.plan import Plan
from venus_toolkit.builders.quality.score import quality_facts
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.stages import writing
from venus_toolkit.builders.stages.agreement import agree
from venus_toolkit.builders.stages.examining import examine
from venus_toolkit.builders.stages.finished import Finished, Results, finish_case, results_of
from venus_toolkit.builders.stages.ingest import Ingested, ingest
from venus_toolkit.builders.stages.inputs import open_cases
from venus_toolkit.builders.stages.judging import Judgements, judge_all
from venus_toolkit.builders.stages.measuring import Measurements, measure_all, measure_until_settled
from venus_toolkit.builders.stages.selecting import select
from venus_toolkit.builders.workshop import Progress, Workshop, language_digest
from venus_toolkit.errors import SourceError
from venus_toolkit.funnel import ABOUT_TESTS, last_reason
from venus_toolkit.language import Language
from venus_toolkit.records import digest, to_plain
from venus_toolkit.sandbox import open_sandbox
from venus_toolkit.store import Store, intact, read_manifest

PART = 32  # problems at a time, and at least so many for each worker:
PART_OF_WORKER = 2
HOW = ("lang", "jobs", "engine", "ray_address")  # what of a plan changes nothing in a release


class Build:
    """One build into one folder.

    Args:
        plan: What to build.
        out: The output folder.
        languages: All languages by id.
        progress: Told the stage, how much of it is done, and how much there is.
    """

    def __init__(
        self, plan: Plan, out: Path, languages: Mapping[str, Language], progress: Progress = lambda *_: None
    ) -> None:
        self.plan = plan
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
            closing(Workshop(self.plan, store, self.languages, self.progress)) as shop,
        ):
            return self._run(shop)

    def _run(self, shop: Workshop) -> dict[str, Any]:
        try:
            ingested = ingest(shop)
            used = self._used_languages(ingested)
            with open_sandbox(self.plan.sandbox, used) as sandbox:
                with shop.stage("toolchains"):
                    shop.open(sandbox, used)
                return self._build(shop, ingested)
        except SourceError:
            writing.write_dropped(shop)  # the reasons, also when nothing is left to build from
            raise

    def _used_languages(self, ingested: Ingested) -> list[Language]:
        """Return the languages of the solutions, of the plan, and of generators."""
        solved = ingested.found["solutions"]
        for name in self.plan.lang:
            if not solved.get(name):
                there = ", ".join(sorted(solved)) or "none"
                raise SourceError(f"the source has no solution in {name}", f"it has {there}", "choose another --lang")
        return [self.languages[name] for name in sorted({*solved, *self.plan.lang, "python"})]

    def _build(self, shop: Workshop, ingested: Ingested) -> dict[str, Any]:
        fingerprint = self._fingerprint(shop, ingested)
        before = read_manifest(self.out)
        if before and self._unchanged(before, fingerprint):
            return {**before, "unchanged": True}
        finished: dict[str, Finished] = {}
        for part in _parts(ingested.slugs, max(PART, PART_OF_WORKER * shop.engine.jobs)):
            finished |= self._work(shop, ingested.entries(part))
            shop.next_part()
        if not finished:
            why = last_reason(shop.dropped)
            raise SourceError("no problem of the source has a test", why, f"see {self.out / writing.DROPPED}")
        selected = select(shop, ingested, finished)
        configs = {
            name: {**writing.write_language(shop, ingested, finished, selected, name), "fingerprint": fingerprint}
            for name in self.plan.lang
        }
        configs = {**self._others(before, fingerprint), **configs}
        tests = writing.write_tests(shop, finished, selected, configs)
        facts = {
            "configs": configs,
            "machines": writing.facts_of_machines(shop, configs),
            "found": ingested.found,
            "placements": dict(selected.placements),
            "tests": {**_test_counts(shop, finished), "splits": tests},
            "quality": quality_facts([each.quality for each in finished.values() if each.quality]),
        }
        return writing.finish(shop, facts, self.plan.lang)

    def _work(self, shop: Workshop, entries: Sequence[Entry]) -> dict[str, Finished]:
        """Return what becomes of some problems, by slug."""
        cases = examine(shop, agree(shop, open_cases(shop, entries)))
        judged: dict[str, Judgements] = {}
        measured: dict[str, Measurements] = {}
        for name in self.plan.lang:
            judged[name] = judge_all(shop, cases, name)
            measured[name] = measure_all(shop, cases, judged[name], name)
        settled = measure_until_settled(shop, cases, judged, measured)
        results: dict[str, dict[str, Results]] = {
            case.slug: {
                name: results_of(case, name, judged[name][case.slug], settled[name][case.slug])
                for name in self.plan.lang
            }
            for case in cases
        }
        return {case.slug: finish_case(shop, case, results[case.slug]) for case in cases}

    def _others(self, before: Mapping[str, Any] | None, fingerprint: str) -> dict[str, Any]:
        """Return the configs of other languages that this plan would build just so; the rest is removed."""
        kept = {}
        for name, config in (before or {}).get("configs", {}).items():
            files = [file for part in config["splits"].values() for file in part.get("files", [None])]
            if config["fingerprint"] == fingerprint and all(file and (self.out / file).is_file() for file in files):
                kept[name] = config
            elif name not in self.plan.lang:
                for file in (self.out / "data" / name).glob("*.parquet"):
                    file.unlink(missing_ok=True)
        return kept

    # -------------------------------------------------------------- what changed

    def _fingerprint(self, shop: Workshop, ingested: Ingested) -> str:
        plan = {key: value for key, value in to_plain(self.plan).items() if key not in HOW}
        used = [language_digest(self.languages[name]) for name in shop.toolchains]
        return digest(__version__, plan, shop.sandbox.name, ingested.identity, shop.toolchains, used)

    def _unchanged(self, manifest: Mapping[str, Any], fingerprint: str) -> bool:
        configs = manifest.get("configs", {})
        same = all(configs.get(name, {}).get("fingerprint") == fingerprint for name in self.plan.lang)
        return same and intact(self.out, dict(manifest))


def _test_counts(shop: Workshop, finished: Mapping[str, Finished]) -> dict[str, int]:
    kept = sum(each.test_count for each in finished.values())
    lost = sum(row.stage in ABOUT_TESTS and row.item != row.problem for row in shop.dropped)
    return {"found": kept + lost, "kept": kept, "dropped": lost}


def _parts(slugs: Iterable[str], size: int) -> Iterator[list[str]]:
    remaining = iter(slugs)
    while part := list(islice(remaining, size)):
        yield part
