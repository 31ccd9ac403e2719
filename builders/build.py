"""The build: ingest, generate, validate, judge, measure, drop below the threshold, split, write, manifest last.

Every stage journals what it finishes, so a stopped build goes on where it was, and a build with nothing changed does
nothing. Every problem, test and solution that is dropped keeps its reason in ``dropped.jsonl``. The stages are in
``stages/``, what they share is the Workshop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from venus_toolkit import __version__
from venus_toolkit.builders.facts import repeatability, unexpected
from venus_toolkit.builders.plan import Plan
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, problem_folders, read_entry
from venus_toolkit.builders.split import split
from venus_toolkit.builders.stages import writing
from venus_toolkit.builders.stages.agreement import Agreed, agree
from venus_toolkit.builders.stages.inputs import make_inputs
from venus_toolkit.builders.stages.judging import judge_all
from venus_toolkit.builders.stages.measuring import measure_all
from venus_toolkit.builders.stages.writing import Results
from venus_toolkit.builders.workshop import Progress, Workshop, language_digest, units_of
from venus_toolkit.errors import SourceError, UsageError
from venus_toolkit.language import Language
from venus_toolkit.records import digest, to_plain
from venus_toolkit.sandbox import open_sandbox
from venus_toolkit.store import Store, intact, read_manifest


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
        """
        with closing(Store(self.out)) as store:
            shop = Workshop(self.plan, store, self.languages, self.progress)
            with shop.stage("ingest"):
                entries = self._ingest(shop)
            used = self._used_languages(entries)
            with open_sandbox(self.plan.sandbox, used) as sandbox:
                with shop.stage("toolchains"):
                    shop.open(sandbox, used)
                return self._build(shop, entries)

    def _build(self, shop: Workshop, entries: Sequence[Entry]) -> dict[str, Any]:
        fingerprint = self._fingerprint(shop, entries)
        before = read_manifest(self.out)
        if before and self._unchanged(before, fingerprint):
            return {**before, "unchanged": True}
        try:
            agreed = agree(shop, entries, make_inputs(shop, entries))
            configs = self._configs(shop, entries, agreed, fingerprint)
        except SourceError:
            writing.write_dropped(shop)  # the reasons, also when nothing is left to build from
            raise
        others = self._others(before, fingerprint)
        return writing.finish(shop, {**others, **configs}, list(configs), _test_counts(shop, agreed))

    def _configs(
        self, shop: Workshop, entries: Sequence[Entry], agreed: Agreed, fingerprint: str
    ) -> dict[str, dict[str, Any]]:
        kept = [entry for entry in entries if entry.problem.slug in agreed.tests]
        placed = split([entry.problem.slug for entry in entries], self.plan.test_fraction, self.plan.seed)
        configs = {}
        for name in self.plan.lang:
            units = units_of(kept, name)
            if not units:
                why = "or every test of their problems was dropped"
                raise SourceError(f"the source has no solution in {name}", why, f"see {self.out / writing.DROPPED}")
            judgements = judge_all(shop, units, agreed, name)
            measurements = measure_all(shop, units, judgements, agreed, name)
            results = Results(name, judgements, measurements, writing.ranking(shop, measurements))
            rows = writing.make_rows(shop, kept, agreed, results)
            configs[name] = {
                "splits": writing.write_splits(shop, name, rows, placed),
                "rank": results.rank,
                "fingerprint": fingerprint,
                "verdicts": dict(Counter(str(each.verdict) for each in judgements.values())),
                "unexpected": unexpected([unit.solution for unit in units], judgements),
                "repeatability": repeatability(measurements.values()),
            }
        return configs

    def _others(self, before: Mapping[str, Any] | None, fingerprint: str) -> dict[str, Any]:
        """Return the configs of other languages that this plan would build just so; the rest is removed."""
        kept = {}
        for name, config in (before or {}).get("configs", {}).items():
            files = [self.out / part["file"] for part in config["splits"].values()]
            if config["fingerprint"] == fingerprint and all(file.is_file() for file in files):
                kept[name] = config
            elif name not in self.plan.lang:
                for file in files:
                    file.unlink(missing_ok=True)
        return kept

    # -------------------------------------------------------------- ingest

    def _ingest(self, shop: Workshop) -> list[Entry]:
        root = CORPUS if self.plan.source == "corpus" else Path(self.plan.source)
        folders = problem_folders(root)
        unknown = set(self.plan.problems) - {folder.name for folder in folders}
        if unknown:
            raise UsageError(
                f"the source has no problem {', '.join(sorted(unknown))}",
                f"it has {len(folders)} others",
                "see the plan's key problems",
            )
        entries = []
        for folder in folders:
            if self.plan.problems and folder.name not in self.plan.problems:
                continue
            try:
                entries.append(read_entry(folder, self.languages))
            except SourceError as error:
                shop.drop("ingest", folder.name, folder.name, str(error))
        if not entries:
            raise SourceError(f"no problem of {root} can be read", shop.dropped[0].reason, "see docs/problems.md")
        return sorted(entries, key=lambda entry: (entry.problem.problem_id, entry.problem.slug))

    def _used_languages(self, entries: Sequence[Entry]) -> list[Language]:
        solved = {solution.language for entry in entries for solution in entry.solutions}
        return [self.languages[name] for name in sorted(solved | set(self.plan.lang) | {"python"})]

    # -------------------------------------------------------------- what changed

    def _fingerprint(self, shop: Workshop, entries: Sequence[Entry]) -> str:
        plan = {key: value for key, value in to_plain(self.plan).items() if key not in ("lang", "jobs")}
        used = [language_digest(self.languages[name]) for name in shop.toolchains]
        return digest(__version__, plan, shop.sandbox.name, entries, shop.toolchains, used)

    def _unchanged(self, manifest: Mapping[str, Any], fingerprint: str) -> bool:
        configs = manifest.get("configs", {})
        same = all(configs.get(name, {}).get("fingerprint") == fingerprint for name in self.plan.lang)
        return same and intact(self.out, dict(manifest))


def _test_counts(shop: Workshop, agreed: Agreed) -> dict[str, int]:
    kept = sum(len(tests) for tests in agreed.tests.values())
    lost = sum(row.stage in ("generate", "validate") and row.item != row.problem for row in shop.dropped)
    return {"found": kept + lost, "kept": kept, "dropped": lost}
