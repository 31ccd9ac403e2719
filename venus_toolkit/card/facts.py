"""What a card says of a release: every number is computed from the Parquet files or from dropped.jsonl.

The solutions of all languages become one small table without their code, on which everything else is asked. Code is
read once, for the tokens of a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.card.database import Database, open_database, text_paths
from venus_toolkit.card.figures import METRICS, Distribution, distributions
from venus_toolkit.card.layout import Table, read_layout
from venus_toolkit.funnel import Funnel, read_funnel_of
from venus_toolkit.release import Release

SAMPLED = 4  # solutions of each problem whose tokens are counted
TOKEN = r"[\pL\pN_]+|[^\s\pL\pN_]"
ENGLISH_SHARE = 0.9  # of the statements that have the word "the"

TABLES = """
    create table solution (language varchar, split varchar, title varchar, passed boolean, time double, memory double,
        integral double, wall_spread double, cpu_spread double, relative_spread double, noisy boolean,
        source varchar, license varchar);
    create table problem (language varchar, split varchar, title varchar, difficulty varchar, source varchar,
        license varchar, date varchar, english boolean, solutions bigint, test_quality varchar);
    create table token (language varchar, tokens bigint);
    create table test (title varchar, tests bigint);
"""
READ_SOLUTIONS = """
    insert into solution
    select $language, $split, title, s.passed, s.wall_ns / 1e6, s.peak_bytes / 1024.0,
           s.integral_byte_ns / 1024.0 / 1e6, s.wall_spread, s.cpu_spread, s.relative_spread, len(s.noise) > 0,
           s.source, s.license
    from (select title, unnest(solutions) as s from read_parquet($files))
"""
READ_PROBLEMS = r"""
    insert into problem
    select $language, $split, title, difficulty, source, license, date,
           regexp_matches(question_content, '\b[Tt]he\b'), len(solutions), test_quality
    from read_parquet($files)
"""
READ_TOKENS = f"""
    insert into token
    select $language, len(regexp_extract_all(code, '{TOKEN}'))
    from (select unnest(list_transform(solutions[1:len(solutions):greatest(1, len(solutions) // {SAMPLED})],
                                       lambda s: s.code)[1:{SAMPLED}]) as code
          from read_parquet($files))
"""
READ_TESTS = "insert into test select title, count(*) from read_parquet($files) group by title"
READ_TEST_CASES = """
    insert into test
    select title, json_array_length(test_cases) from read_parquet($files)
    where title not in (select title from test)
"""
LANGUAGES = """
    with p as (select language, count(*) as problems, count(*) filter (split = 'train') as train,
                      count(*) filter (split = 'test') as test, median(solutions) as solutions_per_problem,
                      max(solutions) as most_solutions
               from problem group by language),
         s as (select language, count(*) as solutions, count(*) filter (passed) as passing,
                      count(time) as measured, count(*) filter (time is not null and noisy) as noisy,
                      median(wall_spread) as wall_spread, median(cpu_spread) as cpu_spread,
                      median(relative_spread) as relative_spread
               from solution group by language),
         t as (select language, sum(tests) as tests, median(tests) as tests_per_problem
               from problem join test using (title) group by language),
         k as (select language, count(*) as sampled, median(tokens) as tokens, max(tokens) as most_tokens
               from token group by language)
    select p.language as name, problems, train, test, coalesce(tests, 0)::bigint as tests, tests_per_problem,
           coalesce(solutions, 0) as solutions, coalesce(passing, 0) as passing, solutions_per_problem, most_solutions,
           coalesce(sampled, 0) as sampled, tokens, most_tokens, coalesce(measured, 0) as measured,
           coalesce(noisy, 0) as noisy, wall_spread, cpu_spread, relative_spread
    from p left join s using (language) left join t using (language) left join k using (language)
    order by name
"""
ORIGINS = """
    with p as (select source, license, count(distinct title) as problems from problem group by all),
         s as (select source, license, count(*) as solutions from solution group by all)
    select coalesce(source, '') as source, coalesce(license, '') as license,
           coalesce(problems, 0) as problems, coalesce(solutions, 0) as solutions
    from p full join s using (source, license) order by solutions desc, problems desc, source, license
"""
SPLITS = """
    select split, count(distinct title) as problems, min(nullif(date, '')) as earliest, max(nullif(date, '')) as latest,
           count(distinct title) filter (coalesce(date, '') <> '') as dated
    from problem group by split order by split desc
"""
DIFFICULTIES = """
    select coalesce(nullif(difficulty, ''), 'unknown') as difficulty,
           count(distinct title) filter (split = 'train') as train,
           count(distinct title) filter (split = 'test') as test
    from problem group by 1
    order by coalesce(list_position(['Easy', 'Medium', 'Hard'], any_value(difficulty)), 4), 1
"""
TOTALS = """
    select (select count(distinct title) from problem) as problems, (select count(*) from solution) as solutions,
           (select count(*) filter (passed) from solution) as passing,
           (select coalesce(sum(tests), 0)::bigint from test) as tests,
           (select count(*) from (select title from problem group by title having count(distinct split) > 1)) as astray,
           (select coalesce(avg(english::int), 0) from problem) as english
"""
RATES = (
    "true_positive",
    "true_negative_wrong",
    "true_negative_mutants_before",
    "true_negative_mutants",
    "true_negative_held_out",
    "slow_refused",
)


class LanguageFacts(NamedTuple):
    """One language. Spreads and figures per problem are medians, None where there is nothing to take one of."""

    name: str
    problems: int
    train: int
    test: int
    tests: int
    tests_per_problem: float | None
    solutions: int
    passing: int
    solutions_per_problem: float | None
    most_solutions: int | None
    sampled: int
    tokens: float | None
    most_tokens: int | None
    measured: int
    noisy: int
    wall_spread: float | None
    cpu_spread: float | None
    relative_spread: float | None


class Origin(NamedTuple):
    """What comes from one source under one licence; empty where the data do not say."""

    source: str
    license: str
    problems: int
    solutions: int


class SplitFacts(NamedTuple):
    """The problems of a split in all languages together, and the dates of those that have one (YYYY-MM-DD)."""

    split: str
    problems: int
    earliest: str | None
    latest: str | None
    dated: int


class DifficultyFacts(NamedTuple):
    """How many problems of one difficulty each split has."""

    difficulty: str
    train: int
    test: int


class Share(NamedTuple):
    """So many of so many."""

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, or None where there is nothing to take a share of."""
        return self.hits / self.n if self.n else None


class Totals(NamedTuple):
    """Distinct problems, all solutions, the tests of the distinct problems.

    astray: problems in more than one split. english: the share of statements in English.
    """

    problems: int
    solutions: int
    passing: int
    tests: int
    astray: int
    english: float


class Facts(NamedTuple):
    """Everything that a card says of the data of a release.

    tables: config to split to what its files say of themselves. rates: by the names of the column ``test_quality``.
    distributions: metric to one distribution per language.
    """

    tables: Mapping[str, Mapping[str, Table]]
    totals: Totals
    languages: tuple[LanguageFacts, ...]
    splits: tuple[SplitFacts, ...]
    difficulties: tuple[DifficultyFacts, ...]
    origins: tuple[Origin, ...]
    rates: Mapping[str, Share]
    distributions: Mapping[str, tuple[Distribution, ...]]
    funnel: Funnel

    @property
    def is_english(self) -> bool:
        """Whether the statements are in English."""
        return self.totals.english >= ENGLISH_SHARE

    @property
    def licences(self) -> tuple[str, ...]:
        """All licences of problems and solutions, in alphabetical order; empty where the data do not say."""
        return tuple(sorted({origin.license for origin in self.origins}, key=str.lower))


def collect_facts(folder: Path, manifest: Mapping[str, Any]) -> Facts:
    """Return the facts of a release.

    Raises:
        StoreError: A Parquet file cannot be read.
        UsageError: dropped.jsonl is damaged.
    """
    release = Release(folder, manifest)
    tables = read_layout(release)
    with open_database() as database:
        _load(database, release, tables)
        return Facts(
            tables,
            Totals(**database.rows(TOTALS)[0]),
            tuple(LanguageFacts(**row) for row in database.rows(LANGUAGES)),
            tuple(SplitFacts(**row) for row in database.rows(SPLITS)),
            tuple(DifficultyFacts(**row) for row in database.rows(DIFFICULTIES)),
            tuple(Origin(**row) for row in database.rows(ORIGINS)),
            _rates(database),
            {metric: distributions(database, metric) for metric in METRICS},
            read_funnel_of(folder, manifest),
        )


def _load(database: Database, release: Release, tables: Mapping[str, Mapping[str, Table]]) -> None:
    database.run(TABLES)
    for table in tables.get("tests", {}).values():
        database.run(READ_TESTS, files=text_paths(table.files))
    for language in release.languages:
        for split, table in tables.get(language, {}).items():
            files = text_paths(table.files)
            for statement in (READ_SOLUTIONS, READ_PROBLEMS):
                database.run(statement, language=language, split=split, files=files)
            database.run(READ_TOKENS, language=language, files=files)
            if "tests" not in tables:
                database.run(READ_TEST_CASES, files=files)


def _rates(database: Database) -> dict[str, Share]:
    """Return the sums over the problems; one with an undecided rate counts nothing to it, as in its own row."""
    sums = ", ".join(
        f"coalesce(sum((q->>'$.{name}.{part}')::bigint), 0)::bigint as {name}_{part}"
        for name in RATES
        for part in ("hits", "n")
    )
    query = f"select {sums} from (select any_value(nullif(test_quality, '')) as q from problem group by title)"
    (row,) = database.rows(query)
    return {name: Share(row[f"{name}_hits"], row[f"{name}_n"]) for name in RATES}
