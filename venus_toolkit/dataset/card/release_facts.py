"""The facts of a release's card, all computed from its Parquet files and dropped.jsonl.

The solutions of all languages are loaded into one small table without code, and all facts are
queried from it. Code is read once, to count the tokens of a sample.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core.errors import StoreError
from venus_toolkit.dataset.columns import LABEL, LABELS
from venus_toolkit.dataset.funnel import Funnel, read_funnel
from venus_toolkit.dataset.parquet import open_database, query
from venus_toolkit.dataset.release import Release
from venus_toolkit.execution.measuring.estimator import NORMAL_95

if TYPE_CHECKING:
    import duckdb

CLEARLY = 1.5  # ratio of CPU times that are clearly different
SAMPLED = 4  # number of solutions of each problem whose tokens are counted

TABLES = """
    create table solution (
        language varchar, split varchar, title varchar, passed boolean, time double, memory double,
        integral double, wall_spread double, cpu_spread double, relative_spread double,
        noisy boolean, source varchar, license varchar, net_cpu double, cpu_error double,
        instructions bigint, complexity varchar);
    create table problem (
        language varchar, split varchar, title varchar, difficulty varchar, source varchar,
        license varchar, date varchar, english boolean, solutions bigint, test_quality varchar,
        separation double);
    create table token (language varchar, tokens bigint);
    create table test (title varchar, tests bigint);
"""
# The statements that fill these tables from Parquet files; the exact columns are converted to the
# units of the card: ms, KiB and KiB·ms.
FILL: Mapping[str, str] = {
    "solution": """
        insert into solution
        select $language, $split, title, s.passed, s.wall_ns / 1e6, s.peak_bytes / 1024.0,
               s.integral_byte_ns / 1024.0 / 1e6, s.wall_spread, s.cpu_spread, s.relative_spread,
               len(s.noise) > 0, s.source, s.license, {net_cpu_ns}, s.cpu_ns * {cpu_se},
               {instructions}, {complexity}
        from (select title, unnest(solutions) as s from read_parquet($files))
    """,
    "problem": r"""
        insert into problem
        select $language, $split, title, {difficulty}, source, license, date,
               regexp_matches(question_content, '\b[Tt]he\b'), len(solutions), test_quality,
               {separation}
        from read_parquet($files)
    """,
    "token": rf"""
        insert into token
        select $language, len(regexp_extract_all(code, '[\pL\pN_]+|[^\s\pL\pN_]'))
        from (select unnest(list_transform(
                         solutions[1:len(solutions):greatest(1, len(solutions) // {SAMPLED})],
                         lambda s: s.code)[1:{SAMPLED}]) as code
              from read_parquet($files))
    """,
    # Each language repeats the tests of a problem, so only those of the first language count.
    "test": """
        insert into test
        select title, coalesce(len({test_ids}::varchar[]), json_array_length(test_cases))
        from read_parquet($files) where title not in (select title from test)
    """,
}
# The queries of the facts with the same names.
QUERIES: Mapping[str, str] = {
    # misplaced: problems in more than one split. english: share of statements with the word "the".
    "totals": """
        select (select count(distinct title) from problem) as problems,
               (select count(*) from solution) as solutions,
               (select count(*) filter (passed) from solution) as passing,
               (select coalesce(sum(tests), 0)::bigint from test) as tests,
               (select count(*) from (select title from problem group by title
                                      having count(distinct split) > 1)) as misplaced,
               (select coalesce(avg(english::int), 0) from problem) as english
    """,
    # Spreads and figures per problem are medians; null without values.
    "languages": """
        with p as (select language, count(*) as problems,
                          count(*) filter (split = 'train') as train,
                          count(*) filter (split = 'test') as test,
                          median(solutions) as solutions_per_problem,
                          max(solutions) as most_solutions, count(separation) as separated_of,
                          count(*) filter (separation > 0) as separated,
                          count(*) filter (separation = 0) as all_ties,
                          median(separation) as separation
                   from problem group by language),
             s as (select language, count(*) as solutions, count(*) filter (passed) as passing,
                          count(time) as measured,
                          count(*) filter (time is not null and noisy) as noisy,
                          median(wall_spread) as wall_spread, median(cpu_spread) as cpu_spread,
                          median(relative_spread) as relative_spread
                   from solution group by language),
             t as (select language, sum(tests) as tests, median(tests) as tests_per_problem
                   from problem join test using (title) group by language),
             k as (select language, count(*) as sampled, median(tokens) as tokens,
                          max(tokens) as most_tokens
                   from token group by language)
        select p.language as name, problems, train, test, coalesce(tests, 0)::bigint as tests,
               tests_per_problem, coalesce(solutions, 0) as solutions,
               coalesce(passing, 0) as passing, solutions_per_problem, most_solutions,
               separated_of, separated, all_ties, separation, coalesce(sampled, 0) as sampled,
               tokens, most_tokens, coalesce(measured, 0) as measured, coalesce(noisy, 0) as noisy,
               wall_spread, cpu_spread, relative_spread
        from p left join s using (language) left join t using (language)
               left join k using (language)
        order by name
    """,
    # Pairs of solutions of a problem with clearly different CPU times (net of an empty program),
    # and those of them that instructions put in the same order.
    "agreement": f"""
        with s as (select * from solution where passed and net_cpu > 0 and instructions is not null)
        select fast.language as name, count(*) as pairs,
               count(*) filter (fast.instructions < slow.instructions) as same
        from s as fast join s as slow using (language, split, title)
        where slow.net_cpu > {CLEARLY} * fast.net_cpu
              and slow.net_cpu - fast.net_cpu
                  > {NORMAL_95} * sqrt(fast.cpu_error ** 2 + slow.cpu_error ** 2)
        group by fast.language order by name
    """,
    # Source and licence are empty if unknown.
    "sources": """
        with p as (select source, license, count(distinct title) as problems
                   from problem group by all),
             s as (select source, license, count(*) as solutions from solution group by all)
        select coalesce(source, '') as source, coalesce(license, '') as license,
               coalesce(problems, 0) as problems, coalesce(solutions, 0) as solutions
        from p full join s using (source, license)
        order by solutions desc, problems desc, source, license
    """,
    # A problem in several languages counts once; dates are YYYY-MM-DD.
    "splits": """
        select split, count(distinct title) as problems, min(nullif(date, '')) as earliest,
               max(nullif(date, '')) as latest,
               count(distinct title) filter (coalesce(date, '') <> '') as dated
        from problem group by split order by split desc
    """,
    "difficulties": """
        select coalesce(nullif(difficulty, ''), 'unknown') as difficulty,
               count(distinct title) filter (split = 'train') as train,
               count(distinct title) filter (split = 'test') as test
        from problem group by 1
        order by coalesce(list_position(['Easy', 'Medium', 'Hard'], any_value(difficulty)), 4), 1
    """,
    # Releases of earlier versions have no grades.
    "grades": """
        with q as (select any_value(nullif(test_quality, ''))->>'$.grade' as grade
                   from problem group by title)
        select grade, count(*) as problems from q where grade <> '' group by grade order by grade
    """,
    "complexities": """
        select language, complexity, count(*) as solutions
        from solution where complexity is not null
        group by all order by language, solutions desc, complexity
    """,
}
RATES = (
    "true_positive", "true_negative_wrong", "true_negative_mutants_before", "true_negative_mutants",
    "true_negative_held_out", "slow_refused",
)  # fmt: skip
COSTS = ("wall_ns", "peak_bytes", "integral_byte_ns")  # costs in the example
PER_DECADE = 16  # bins of a histogram per factor of 10
DISTRIBUTIONS = """
    with s as (select language, title, {metric} as cost from solution where {metric} > 0),
         g as (select language, median(gain) as gain
               from (select language, max(cost) / min(cost) as gain
                     from s group by language, title having count(*) > 1)
               group by language),
         b as (select language, list((bin, count) order by bin) as bins
               from (select language, floor(log10(cost) * {per_decade})::int as bin,
                            count(*) as count
                     from s group by all)
               group by language)
    select language, count(*) as measured, quantile_cont(cost, 0.05) as low,
           quantile_cont(cost, 0.5) as median, quantile_cont(cost, 0.95) as high,
           any_value(gain) as gain, any_value(bins) as bins
    from s join b using (language) left join g using (language) group by language order by language
"""


class Table(NamedTuple):
    """The files of one split of one config, with facts from their footers."""

    glob: str
    files: tuple[Path, ...]
    rows: int
    size: int  # bytes of the files
    unpacked: int  # bytes of their columns before compression
    schema: Any  # of the first file


class MetricDistribution(NamedTuple):
    """One metric of the accepted solutions in one language, in ms, KiB or KiB·ms."""

    language: str
    measured: int  # number of measured solutions
    low: float  # the 5 % quantile
    median: float
    high: float  # the 95 % quantile
    # largest divided by smallest cost of a problem: the median over problems with several solutions
    gain: float | None
    # bin b and its count: 10^(b/PER_DECADE) <= cost < 10^((b+1)/PER_DECADE)
    bins: Sequence[tuple[int, int]]


class Proportion(NamedTuple):
    """A count out of a total."""

    hits: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, or None if the total is 0."""
        return self.hits / self.n if self.n else None


class Facts(NamedTuple):
    """The facts of a card about the data of a release.

    `tables` maps config to split to table. `totals`, `languages`, `splits`, `difficulties`,
    `sources`, `complexities` and `agreement` are rows of the queries with these names. `rates`
    maps the names in the column ``test_quality`` to proportions, `grades` maps a grade to its number
    of problems, and `distributions` maps a metric to one distribution per language.
    """

    tables: Mapping[str, Mapping[str, Table]]
    totals: SimpleNamespace
    languages: tuple[SimpleNamespace, ...]
    splits: tuple[SimpleNamespace, ...]
    difficulties: tuple[SimpleNamespace, ...]
    sources: tuple[SimpleNamespace, ...]
    rates: Mapping[str, Proportion]
    grades: Mapping[str, int]
    complexities: tuple[SimpleNamespace, ...]
    distributions: Mapping[str, tuple[MetricDistribution, ...]]
    agreement: tuple[SimpleNamespace, ...]
    funnel: Funnel
    example: ExampleProblem | None  # None if no solution was measured

    @property
    def licences(self) -> tuple[str, ...]:
        """All licences of problems and solutions, in alphabetical order; "" if unknown."""
        return tuple(sorted({source.license for source in self.sources}, key=str.lower))


class ExampleProblem(NamedTuple):
    """A problem from the data with some of its solutions.

    `solutions` are the fastest, the median and the slowest passing one, without repetition: code
    and costs.
    """

    language: str
    split: str
    title: str
    difficulty: str | None
    statement: str
    passing: int  # number of measured solutions that pass
    solutions: tuple[Mapping[str, Any], ...]


def collect_facts(folder: Path, manifest: Mapping[str, Any]) -> Facts:
    """Return the facts of a release.

    Raises:
        StoreError: A Parquet file cannot be read.
        UsageError: dropped.jsonl is damaged.
    """
    release = Release(folder, manifest)
    tables = {
        config: {
            split: _read_footers(glob, release.files(config, split))
            for split, glob in splits.items()
        }
        for config, splits in release.configs().items()
    }
    with open_database() as database:
        database.execute(TABLES)
        for table in tables.get("tests", {}).values():
            _load(
                database,
                "insert into test select title, count(*) from read_parquet($files) group by title",
                table,
            )
        for language in release.languages:
            for split, table in tables.get(language, {}).items():
                for name in ("solution", "problem"):
                    sql = _with_columns(FILL[name], table.schema)
                    _load(database, sql, table, language=language, split=split)
                _load(database, FILL["token"], table, language=language)
                if "tests" not in tables:
                    _load(database, _with_columns(FILL["test"], table.schema), table)
        rows: dict[str, Any] = {
            name: tuple(SimpleNamespace(**row) for row in query(database, sql))
            for name, sql in QUERIES.items()
        }
        (totals,), grades = rows.pop("totals"), rows.pop("grades")
        return Facts(
            tables=tables,
            totals=totals,
            rates=_rates(database),
            grades={row.grade: row.problems for row in grades},
            distributions={
                metric: tuple(
                    MetricDistribution(**row)
                    for row in query(
                        database, DISTRIBUTIONS.format(metric=metric, per_decade=PER_DECADE)
                    )
                )
                for metric in ("time", "memory", "integral")
            },
            funnel=read_funnel(folder, manifest),
            example=_find_example(database, tables),
            **rows,
        )


def _find_example(
    database: duckdb.DuckDBPyConnection, tables: Mapping[str, Mapping[str, Table]]
) -> ExampleProblem | None:
    """Return the first problem with figures, by language, split (train first) and title."""
    keys = query(
        database,
        """
        select language, split, min(title) as title from solution
        where passed and time is not null
        group by language, split order by language, split desc limit 1
        """,
    )
    for key in keys:
        table = tables[key["language"]][key["split"]]
        sql = """
            select {difficulty} as difficulty, question_content as statement, solutions
            from read_parquet($files) where title = $title limit 1
        """
        files = [str(file) for file in table.files]
        (row,) = query(database, _with_columns(sql, table.schema), files=files, title=key["title"])
        passing = sorted(
            (
                solution
                for solution in row["solutions"]
                if solution["passed"] and solution["wall_ns"] is not None
            ),
            key=lambda solution: int(solution["wall_ns"]),
        )
        places = dict.fromkeys((0, (len(passing) - 1) // 2, len(passing) - 1))
        return ExampleProblem(
            **key,
            difficulty=row["difficulty"],
            statement=row["statement"] or "",
            passing=len(passing),
            solutions=tuple(
                {name: passing[place][name] for name in ("code", *COSTS)} for place in places
            ),
        )
    return None


def _with_columns(statement: str, schema: Any) -> str:
    """Return a statement with columns for the names in braces, or null for missing ones.

    A class label becomes its name.
    """
    # Without the column `solutions` the query fails, and its error names the column.
    solution = (
        {field.name for field in schema.field("solutions").type.value_type}
        if "solutions" in schema.names
        else ()
    )
    for name in re.findall(r"{(\w+)}", statement):
        column = f"s.{name}" if name in solution else name if name in schema.names else "null"
        if column in LABELS and schema.field(column).type == LABEL:
            column = f"{list(LABELS[column])}[{column} + 1]"
        statement = statement.replace(f"{{{name}}}", column)
    return statement


def _read_footers(glob: str, files: list[Path]) -> Table:
    footers = []
    for file in files:
        try:
            footers.append(pq.read_metadata(file))
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(str(file), error) from error
    groups = [
        footer.row_group(number) for footer in footers for number in range(footer.num_row_groups)
    ]
    return Table(
        glob=glob,
        files=tuple(files),
        rows=sum(footer.num_rows for footer in footers),
        size=sum(file.stat().st_size for file in files),
        unpacked=sum(group.total_byte_size for group in groups),
        # Never empty, because Release.configs leaves out a split without files.
        schema=footers[0].schema.to_arrow_schema(),
    )


def _load(
    database: duckdb.DuckDBPyConnection, statement: str, table: Table, **parameters: str
) -> None:
    import duckdb

    files = [str(file) for file in table.files]
    try:
        query(database, statement, files=files, **parameters)
    except duckdb.Error as error:
        raise _unreadable(", ".join(files), error) from error


def _unreadable(files: str, error: Exception) -> StoreError:
    fix = "build or pull the release again: its files are damaged, or do not belong to a release"
    return StoreError(f"{files} cannot be read", str(error).split("\n")[0], fix)


def _rates(database: duckdb.DuckDBPyConnection) -> dict[str, Proportion]:
    """Return the rates summed over problems; an undecided rate adds nothing."""
    sums = ", ".join(
        f"coalesce(sum((q->>'$.{name}.{part}')::bigint), 0)::bigint as {name}_{part}"
        for name in RATES
        for part in ("hits", "n")
    )
    # All languages of a problem have the same rates, which count once.
    source = "select any_value(nullif(test_quality, '')) as q from problem group by title"
    (row,) = query(database, f"select {sums} from ({source})")
    return {name: Proportion(row[f"{name}_hits"], row[f"{name}_n"]) for name in RATES}
