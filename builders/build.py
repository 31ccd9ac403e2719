"""The build: ingest, generate, validate, judge, measure, drop below the threshold, split, write, manifest last.

Every stage journals what it finishes, so a stopped build goes on where it was, and a build with nothing changed does
nothing. Every problem, test and solution that is dropped keeps its reason in ``dropped.jsonl``.
"""

from __future__ import annotations

import json
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit import __version__, card
from venus_toolkit.builders import validate
from venus_toolkit.builders.facts import Dropped, count_reasons, rank_solutions, repeatability, unexpected
from venus_toolkit.builders.generation.run import Generated, generate
from venus_toolkit.builders.plan import Plan
from venus_toolkit.builders.release import problem_row, solution_row, write_parquet
from venus_toolkit.builders.sources import Entry
from venus_toolkit.builders.sources.folder import CORPUS, problem_folders, read_entry
from venus_toolkit.builders.split import split
from venus_toolkit.engine import Engine
from venus_toolkit.errors import LanguageError, SandboxError, SourceError, ToolchainError, UsageError
from venus_toolkit.judge import Checker, judge
from venus_toolkit.language import Language, Toolchain, render
from venus_toolkit.measure import MeasureOptions, environment_facts, measure
from venus_toolkit.records import (
    Expectation,
    Judgement,
    Measurement,
    Problem,
    Solution,
    TestCase,
    Verdict,
    digest,
    from_plain,
    to_plain,
)
from venus_toolkit.sandbox import Compiled, Program, open_sandbox
from venus_toolkit.store import MANIFEST, Store, checksum, intact, read_manifest
from venus_toolkit.supervisor import Cores

Progress = Callable[[str, int, int], None]
DROPPED = "dropped.jsonl"
NOISY_SHARE = 0.10
TRIES = 2


class Unit(NamedTuple):
    """A solution with the problem it solves: what is validated and judged."""

    entry: Entry
    solution: Solution


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
        self.dropped: list[Dropped] = []
        self.seconds: dict[str, float] = {}
        self.engine = Engine(plan.jobs)

    def run(self) -> dict[str, Any]:
        """Build, or find that nothing changed; returns the manifest.

        Raises:
            UsageError: The plan or the source makes no sense.
            ToolchainError: A chosen language is not installed.
            StoreError: The output folder cannot be written, or another build is at it.
        """
        with Store(self.out) as store:
            self.store = store
            with self._stage("ingest"):
                entries = self._ingest()
            used = self._used_languages(entries)
            with open_sandbox(self.plan.sandbox, used) as self.sandbox:
                with self._stage("toolchains"):
                    self.toolchains, self.lacking = self._find_toolchains(used)
                fingerprint = self._fingerprint(entries)
                before = read_manifest(self.out)
                if before and self._unchanged(before, fingerprint):
                    return {**before, "unchanged": True}
                with self._reasons_kept():
                    configs = self._configs(entries, fingerprint)
                facts = dict(self.sandbox.facts())
            return self._finish(self._others(before, fingerprint), configs, facts)

    @contextmanager
    def _reasons_kept(self) -> Iterator[None]:
        """Write down what was dropped, and why, also when nothing is left to build from."""
        try:
            yield
        except SourceError:
            self._write_dropped([])
            raise

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

    def _ingest(self) -> list[Entry]:
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
                self._drop("ingest", folder.name, folder.name, str(error))
        if not entries:
            raise SourceError(f"no problem of {root} can be read", self.dropped[0].reason, "see docs/problems.md")
        return sorted(entries, key=lambda entry: (entry.problem.problem_id, entry.problem.slug))

    def _used_languages(self, entries: Iterable[Entry]) -> list[Language]:
        solved = {solution.language for entry in entries for solution in entry.solutions}
        return [self.languages[name] for name in sorted(solved | set(self.plan.lang) | {"python"})]

    def _find_toolchains(self, used: Sequence[Language]) -> tuple[dict[str, Toolchain], dict[str, str]]:
        """Find the tools of all languages at once: starting seven compilers for their versions takes a while."""
        with ThreadPoolExecutor() as pool:
            found = dict(zip((language.id for language in used), pool.map(self._toolchain, used), strict=True))
        for name in (*self.plan.lang, "python"):
            missing = found[name]
            if isinstance(missing, ToolchainError):
                raise missing
        here = {name: tools for name, tools in found.items() if isinstance(tools, Toolchain)}
        return here, {name: str(error) for name, error in found.items() if name not in here}

    def _toolchain(self, language: Language) -> Toolchain | ToolchainError:
        try:
            return self.sandbox.toolchain(language)
        except ToolchainError as error:
            return error

    def _fingerprint(self, entries: Sequence[Entry]) -> str:
        plan = {key: value for key, value in to_plain(self.plan).items() if key not in ("lang", "jobs")}
        return digest(
            __version__,
            plan,
            self.sandbox.name,
            entries,
            self.toolchains,
            [language_digest(self.languages[name]) for name in self.toolchains],
        )

    def _unchanged(self, manifest: Mapping[str, Any], fingerprint: str) -> bool:
        configs = manifest.get("configs", {})
        same = all(configs.get(name, {}).get("fingerprint") == fingerprint for name in self.plan.lang)
        return same and intact(self.out, dict(manifest))

    # -------------------------------------------------------------- stages

    def _configs(self, entries: list[Entry], fingerprint: str) -> dict[str, Any]:
        self.checkers = {entry.problem.slug: entry for entry in entries}
        inputs = self._generate(entries)
        self._agreements = self._validate(entries, inputs)
        self.tests = {slug: agreement["tests"] for slug, agreement in self._agreements.items()}
        kept = [entry for entry in entries if self.tests.get(entry.problem.slug)]
        for entry in entries:
            if entry not in kept:
                self._drop("validate", entry.problem.slug, entry.problem.slug, "no test is left")
        placed = split([entry.problem.slug for entry in entries], self.plan.test_fraction, self.plan.seed)
        configs = {}
        for name in self.plan.lang:
            units = [
                Unit(entry, solution) for entry in kept for solution in entry.solutions if solution.language == name
            ]
            if not units:
                raise SourceError(
                    f"the source has no solution in {name}",
                    "or every test of their problems was dropped",
                    f"see {self.out / DROPPED}",
                )
            judgements = self._judge(units, name)
            measurements = self._measure(units, judgements, name)
            rank = self._rank(measurements)
            rows = self._rows(kept, units, judgements, measurements, name, rank)
            configs[name] = self._write(name, rows, placed, rank) | {
                "fingerprint": fingerprint,
                "verdicts": dict(Counter(str(j.verdict) for j in judgements.values())),
                "unexpected": unexpected([unit.solution for unit in units], judgements),
                "repeatability": repeatability(measurements.values()),
            }
        return configs

    def _generate(self, entries: Sequence[Entry]) -> dict[str, tuple[TestCase, ...]]:
        with self._stage("generate"):
            inputs = {entry.problem.slug: self._given(entry) for entry in entries if entry.tests}
            todo = [entry for entry in entries if not entry.tests]
            for number, (entry, made) in enumerate(self.engine.judging(self._generate_one, todo), 1):
                inputs[entry.problem.slug] = made.tests
                for test_id, reason in made.dropped.items():
                    self._drop("generate", entry.problem.slug, test_id, reason)
                self.progress("generate", number, len(todo))
        return inputs

    def _given(self, entry: Entry) -> tuple[TestCase, ...]:
        return entry.tests[: self.plan.tests]

    def _generate_one(self, entry: Entry, cores: Cores) -> Generated:
        problem = entry.problem
        key = digest(__version__, problem.generator, self.plan.tests, self.plan.seed, self.toolchains["python"].version)
        found = self.store.get("generate", key)
        if found is None:
            try:
                made = generate(self.sandbox, problem, self.plan.tests, self.plan.seed, cores)
            except SourceError as error:
                made = Generated((), {"generator": str(error)})
            self.store.put("generate", key, to_plain(list(made)))
            return made
        return Generated(tuple(from_plain(TestCase, test) for test in found[0]), found[1])

    def _validate(
        self, entries: Sequence[Entry], inputs: Mapping[str, tuple[TestCase, ...]]
    ) -> dict[str, dict[str, Any]]:
        units = [
            Unit(entry, solution)
            for entry in entries
            if inputs[entry.problem.slug]
            for solution in entry.solutions
            if solution.expected == Expectation.ACCEPTED and solution.language in self.toolchains
        ]
        votes: dict[str, dict[str, list[validate.Vote]]] = {entry.problem.slug: {} for entry in entries}
        with self._stage("validate"):
            vote = lambda unit, cores: self._vote(unit, inputs[unit.entry.problem.slug], cores)  # noqa: E731
            for number, (unit, said) in enumerate(self.engine.judging(vote, units), 1):
                if said is not None:
                    votes[unit.entry.problem.slug][unit.solution.solution_id] = said
                self.progress("validate", number, len(units))
            self._votes, self._inputs = votes, inputs
            todo = [entry for entry in entries if votes[entry.problem.slug]]
            work = lambda entry, _: self._agree(entry, inputs[entry.problem.slug], votes[entry.problem.slug])  # noqa: E731
            return {entry.problem.slug: agreed for entry, agreed in self.engine.judging(work, todo)}

    def _vote(self, unit: Unit, tests: Sequence[TestCase], cores: Cores) -> list[validate.Vote] | None:
        limits = self.plan.limits(unit.entry.problem.limits)
        program = self._program(unit)
        if program is None:
            return None
        key = digest(self._identity(program), [test.stdin for test in tests], limits)
        found = self.store.get("votes", key)
        if found is None:
            work = lambda compiled: validate.collect_votes(self.sandbox, compiled, tests, limits, cores)  # noqa: E731
            done = self._attempt(unit, program, work)
            if done is None:
                return None
            said, outputs = done
            for name, text in outputs.items():
                if not self.store.has("output", name):
                    self.store.put("output", name, text)
            found = to_plain(said)
            self.store.put("votes", key, found)
        return [validate.Vote(*vote) for vote in found]

    def _agree(
        self, entry: Entry, tests: Sequence[TestCase], votes: Mapping[str, Sequence[validate.Vote]]
    ) -> dict[str, Any]:
        ordered = {name: votes[name] for name in sorted(votes)}
        problem = entry.problem
        key = digest(__version__, to_plain(list(tests)), to_plain(ordered), problem.comparison, problem.evaluator)
        found = self.store.get("agree", key)
        if found is None:
            outputs = {
                vote.output: self.store.get("output", vote.output)
                for said in ordered.values()
                for vote in said
                if vote.kind == "answer"
            }
            try:
                agreement = validate.agree(tests, ordered, outputs, self._checker(problem))
            except SourceError as error:
                agreement = validate.Agreement(dropped={test.test_id: str(error) for test in tests})
            found = to_plain(agreement)
            self.store.put("agree", key, found)
        for test_id, reason in found["dropped"].items():
            self._drop("validate", problem.slug, test_id, reason, found["dissent"].get(test_id))
        for name, reason in found["quarantined"].items():
            self._drop("quarantine", problem.slug, name, reason)
        return {**found, "tests": tuple(from_plain(TestCase, test) for test in found["tests"])}

    def _judge(self, units: Sequence[Unit], name: str) -> dict[str, Judgement]:
        judgements = {}
        with self._stage(f"judge {name}"):
            for number, (unit, judgement) in enumerate(self.engine.judging(self._judge_one, units), 1):
                if judgement is not None:
                    judgements[unit.solution.solution_id] = judgement
                self.progress(f"judge {name}", number, len(units))
        return judgements

    def _judge_one(self, unit: Unit, cores: Cores) -> Judgement | None:
        problem = unit.entry.problem
        voted = self._voted(unit)
        if voted is not None:
            return voted
        tests, limits = self.tests[problem.slug], self.plan.limits(problem.limits)
        program = self._program(unit)
        if program is None:
            return None
        key = digest(
            self._identity(program), self._tests_digest(problem.slug), limits, problem.comparison, problem.evaluator
        )
        found = self.store.get("judge", key)
        if found is None:
            work = lambda compiled: judge(self.sandbox, compiled, tests, self._checker(problem), limits, cores=cores)  # noqa: E731
            judgement = self._attempt(unit, program, work)
            if judgement is None:
                return None
            found = {**to_plain(judgement), "runs": [], "verdicts": []}
            self.store.put("judge", key, found)
        return from_plain(Judgement, {**found, "verdict": Verdict(found["verdict"])})

    def _voted(self, unit: Unit) -> Judgement | None:
        """Return the judgement of a canonical solution: it ran on every test already, on the same machine."""
        slug = unit.entry.problem.slug
        said = self._votes[slug].get(unit.solution.solution_id)
        if said is None:
            return None
        by_test = {test.test_id: vote for test, vote in zip(self._inputs[slug], said, strict=True)}
        kept = {test.test_id: by_test[test.test_id] for test in self.tests[slug]}
        return validate.judgement_of(kept, self._agreements[slug]["right"])

    def _measure(self, units: Sequence[Unit], judgements: Mapping[str, Judgement], name: str) -> dict[str, Measurement]:
        accepted: dict[str, list[Unit]] = {}
        for unit in units:
            judgement = judgements.get(unit.solution.solution_id)
            if judgement and judgement.verdict == Verdict.ACCEPTED:
                accepted.setdefault(unit.entry.problem.slug, []).append(unit)
        groups = [group for group in accepted.values() if len(group) >= self.plan.min_solutions]
        total = sum(len(group) for group in groups) * self.plan.repeats
        stage, done = f"measure {name}", 0
        measured: dict[str, Measurement] = {}

        def advance(rounds: int = 1) -> None:
            nonlocal done
            done += rounds
            self.progress(stage, done, total)

        with self._stage(stage):
            work = lambda group, cores: self._measure_group(group, cores, advance)  # noqa: E731
            for _, result in self.engine.measuring(work, groups, self.plan.share_cores):
                measured |= result
        return measured

    def _measure_group(
        self, group: Sequence[Unit], cores: Cores, advance: Callable[..., None]
    ) -> dict[str, Measurement]:
        problem = group[0].entry.problem
        limits = self.plan.limits(problem.limits)
        options = MeasureOptions(self.plan.repeats, self.plan.aggregate)
        shared = self.plan.share_cores
        programs = [self._program(unit) for unit in group]
        identities = [self._identity(program) for program in programs if program]
        key = digest(identities, self._tests_digest(problem.slug), limits, options, shared, dict(self.sandbox.facts()))
        found = self.store.get("measure", key)
        if found is None:
            compiled = [self.sandbox.compile(program, cores) for program in programs if program]
            measured = measure(
                self.sandbox, compiled, self.tests[problem.slug], limits, options, cores=cores, on_round=advance
            )
            for each in compiled:
                self.sandbox.discard(each)
            found = to_plain(measured)
            self.store.put("measure", key, found)
        else:
            advance(len(group) * self.plan.repeats)
        return {unit.solution.solution_id: from_plain(Measurement, one) for unit, one in zip(group, found, strict=True)}

    # -------------------------------------------------------------- helpers of the stages

    def _program(self, unit: Unit) -> Program | None:
        """Return the complete program, or None where a function-style solution has no runner to go into."""
        language = self.languages[unit.solution.language]
        problem = unit.entry.problem
        if problem.style == "stdin":
            return Program(language, unit.solution.code)
        runner = problem.runners.get(language.id)
        try:
            if runner is None:
                raise LanguageError(
                    "there is no runner",
                    f"runners/{language.id}{language.extension} is missing",
                    "see docs/problems.md",
                )
            return Program(language, render(runner, unit.solution.code))
        except LanguageError as error:
            self._drop("runner", problem.slug, unit.solution.solution_id, str(error))
            return None

    def _identity(self, program: Program) -> str:
        return digest(
            program.source,
            language_digest(program.language),
            self.toolchains[program.language.id].version,
            self.sandbox.name,
        )

    def _tests_digest(self, slug: str) -> str:
        return _digest_tests(self.tests[slug])

    def _checker(self, problem: Problem) -> Checker:
        return Checker(problem.comparison, self.sandbox, problem.evaluator)

    def _attempt(self, unit: Unit, program: Program, work: Callable[[Compiled], Any]) -> Any:
        """Compile and work; a failure of the sandbox is tried once more, then the solution is set aside with it.

        This is the one place where a failure of the sandbox is attributed in a build.
        """
        for remaining in reversed(range(TRIES)):
            try:
                return work(self.sandbox.compile(program))
            except SandboxError as error:
                if not remaining:
                    self._drop(
                        "sandbox",
                        unit.entry.problem.slug,
                        unit.solution.solution_id,
                        f"the sandbox failed {TRIES} times: {error}",
                    )
        return None

    def _drop(self, stage: str, problem: str, item: str, reason: str, detail: Any = None) -> None:
        dropped = Dropped(stage, problem, item, reason, detail)
        if dropped not in self.dropped:
            self.dropped.append(dropped)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(time.monotonic() - start, 3)

    # -------------------------------------------------------------- the end

    def _rank(self, measurements: Mapping[str, Measurement]) -> str:
        if self.plan.rank != "auto":
            return self.plan.rank
        noisy = sum(bool(m.noise) for m in measurements.values())
        return "relative" if noisy > NOISY_SHARE * len(measurements) else "absolute"

    def _rows(
        self,
        kept: Sequence[Entry],
        units: Sequence[Unit],
        judgements: Mapping[str, Judgement],
        measurements: Mapping[str, Measurement],
        name: str,
        rank: str,
    ) -> list[dict[str, Any]]:
        rows = []
        for entry in kept:
            mine = sorted((unit.solution for unit in units if unit.entry is entry), key=lambda s: s.solution_id)
            judged = [solution for solution in mine if solution.solution_id in judgements]
            passing = sum(judgements[solution.solution_id].verdict == Verdict.ACCEPTED for solution in judged)
            if passing < self.plan.min_solutions:
                why = f"{passing} passing solutions in {name}, the threshold is {self.plan.min_solutions}"
                self._drop(f"threshold {name}", entry.problem.slug, entry.problem.slug, why)
                continue
            ranks = rank_solutions(judged, measurements, rank)
            solutions = [
                solution_row(s, judgements[s.solution_id], measurements.get(s.solution_id), ranks.get(s.solution_id))
                for s in judged
            ]
            limits = self.plan.limits(entry.problem.limits)
            rows.append(problem_row(entry.problem, name, limits, self.tests[entry.problem.slug], solutions))
        return rows

    def _write(self, name: str, rows: Sequence[dict[str, Any]], placed: Mapping[str, str], rank: str) -> dict[str, Any]:
        splits = {}
        with self._stage(f"write {name}"):
            for part in ("train", "test"):
                mine = [row for row in rows if placed[row["title"]] == part]
                file = f"data/{name}/{part}-00000-of-00001.parquet"
                with self.store.writing(file) as draft:
                    write_parquet(draft, mine)
                splits[part] = {
                    "file": file,
                    "problems": len(mine),
                    "solutions": sum(len(row["solutions"]) for row in mine),
                }
        return {"splits": splits, "rank": rank}

    def _write_dropped(self, others: Sequence[str]) -> None:
        """Write dropped.jsonl; what concerns only the languages `others`, built earlier, stays."""
        ordered = sorted(self.dropped, key=lambda row: (row.stage, row.problem, row.item))
        rows = [dropped._asdict() for dropped in ordered]
        path = self.out / DROPPED
        before = [json.loads(line) for line in path.read_text().splitlines()] if others and path.is_file() else []
        rows += [row for row in before if row["stage"].split()[-1] in others]
        self.store.write_text(DROPPED, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))

    def _finish(
        self, others: Mapping[str, Any], configs: dict[str, Any], sandbox_facts: dict[str, Any]
    ) -> dict[str, Any]:
        self._write_dropped([name for name in others if name not in configs])
        configs = {**others, **configs}
        versions = {name: toolchain.version for name, toolchain in self.toolchains.items()}
        manifest: dict[str, Any] = {
            "toolkit": __version__,
            "plan": to_plain(self.plan),
            "configs": configs,
            "tests": self._test_counts(),
            "dropped": count_reasons(self.dropped),
            "lacking": self.lacking,
            "sandbox": sandbox_facts,
            "environment": environment_facts(self.languages.values(), versions),
            "seconds": self.seconds,
            "toolkit_peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        }
        self.store.write_text("README.md", card.render_dataset_card(self.out, manifest))
        names = [
            DROPPED,
            "README.md",
            *(part["file"] for config in configs.values() for part in config["splits"].values()),
        ]
        manifest["files"] = {file: checksum(self.out / file) for file in names}
        self.store.write_text(MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        return manifest

    def _test_counts(self) -> dict[str, int]:
        kept = sum(len(tests) for tests in self.tests.values())
        lost = sum(d.stage in ("generate", "validate") and d.item != d.problem for d in self.dropped)
        return {"found": kept + lost, "kept": kept, "dropped": lost}


# ------------------------------------------------------------------ small pure parts


@lru_cache(maxsize=64)
def _digest_tests(tests: tuple[TestCase, ...]) -> str:
    return digest(list(tests))


@lru_cache(maxsize=64)
def language_digest(language: Language) -> str:
    """Return the identity of what a language's folder makes of a program."""
    return digest(language.id, language.compile_argv, language.run_argv, dict(language.environment), language.reference)
