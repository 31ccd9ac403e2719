"""Drops whole problems: unwanted, similar statement, same answers, too few passing solutions.

Statements are compared before execution. Answers are compared after it, on agreed tests: this finds
problems that pose the same task in different words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from venus_toolkit.builders.curation.curation_options import CurationOptions
from venus_toolkit.builders.curation.shingles import choose_banding
from venus_toolkit.builders.curation.similarity import (
    TEXT_WORDS,
    database,
    near_pairs,
    token_blocks,
    write_prints,
)
from venus_toolkit.builders.staging import StagedSource
from venus_toolkit.core.records import TestCase
from venus_toolkit.dataset.funnel import Dropped

# Inputs shared by more problems than this are ignored: they are no evidence, and would make too
# many pairs to compare.
COMMONPLACE = 50


def unwanted_problems(staged: StagedSource, options: CurationOptions, work: Path) -> list[Dropped]:
    """Return the problems for paying users only, and those outside ``options.categories``."""
    values = {
        "problems": staged.file("problems"),
        "paid": options.paid_only,
        "categories": list(options.categories),
    }
    with database(options, work) as connection:
        query = """
        select slug,
            case when paid_only and not $paid then 'paid only'
            else 'not algorithmic: ' || category end as reason
        from read_parquet($problems)
        where (paid_only and not $paid) or category not in (select unnest($categories))
        order by slug
        """
        rows = connection.execute(query, values).fetchall()
    return [Dropped("category", slug, slug, reason) for slug, reason in rows]


def similar_problems(
    staged: StagedSource,
    options: CurationOptions,
    work: Path,
    without: Collection[str] = (),
    previous: Collection[str] = (),
) -> list[Dropped]:
    """Return the problems whose statement is nearly that of a preceding problem.

    Precedence: problems of a previous release, then the order of problem ids. Statements are
    compared as sets of word shingles, without markup and punctuation; empty ones match nothing.
    """
    with database(options, work) as connection, TemporaryDirectory(dir=work) as folder:
        for name, slugs in (("before", previous), ("without", without)):
            connection.register(name, pa.table({"slug": pa.array(sorted(slugs), pa.string())}))
        texts = """
        create temp table problem as
        select
            row_number() over (
                order by slug not in (select slug from before), problem_id, slug
            ) as row,
            slug,
            statement as text
        from read_parquet($problems)
        where slug not in (select slug from without)
        """
        connection.execute(texts, {"problems": staged.file("problems")}).fetchall()
        # One scope compares every statement with every other; empty ones have none.
        scoped = (
            "create temp table scoped as select row, 0 as scope from problem where "
            f"len({TEXT_WORDS}) > 0"
        )
        connection.execute(scoped).fetchall()
        prints = Path(folder) / "prints.parquet"
        banding = choose_banding(options.similar_statements)
        blocks = token_blocks(connection, f"select row, {TEXT_WORDS} as tokens from problem", {})
        write_prints(prints, blocks, options.statement_words, banding)
        connection.register("pair", near_pairs(connection, prints, options.similar_statements))
        similar = """
        select mine.slug, arg_max(theirs.slug, jaccard), max(jaccard)
        from pair join problem as mine using (row) join problem as theirs on theirs.row = other
        group by mine.slug order by mine.slug
        """
        rows = connection.execute(similar).fetchall()
    return [
        Dropped(
            "similar",
            slug,
            slug,
            f"nearly the same statement as another: {other}",
            {"jaccard": round(jaccard, 4)},
        )
        for slug, other, jaccard in rows
    ]


def answers(tests: Mapping[str, Sequence[TestCase]]) -> pa.Table:
    """Return the agreed tests of each problem as digests: slug, input, output.

    Ignores white space at line ends.
    """

    def digest(text: str) -> str:
        lines = "\n".join(line.rstrip() for line in text.rstrip().split("\n"))
        return hashlib.blake2b(lines.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    rows = [
        {"slug": slug, "input": digest(case.stdin), "output": digest(case.stdout)}
        for slug, cases in tests.items()
        for case in cases
        if case.stdout is not None
    ]
    return pa.Table.from_pylist(
        rows, schema=pa.schema([(name, pa.string()) for name in ("slug", "input", "output")])
    )


def equal_behaviour(
    answered: pa.Table, precedence: Iterable[str], options: CurationOptions, work: Path
) -> list[Dropped]:
    """Return the problems that give the same answers to all inputs shared with a preceding problem.

    They must share at least ``behaviour_tests`` inputs and the fraction ``behaviour_share`` of the
    inputs of the problem with fewer, and their answers must vary. `answered` is the table of
    `answers`; `precedence` is the order of problems: those of a previous release, then by id.
    """
    slugs = list(dict.fromkeys(precedence))
    values = {
        "most": COMMONPLACE,
        "tests": options.behaviour_tests,
        "share": options.behaviour_share,
    }
    with database(options, work) as connection:
        connection.register("answers", answered)
        connection.register(
            "ranks", pa.table({"slug": pa.array(slugs, pa.string()), "rank": range(len(slugs))})
        )
        # An input with two outputs in one problem is ignored. Each pair is compared once, from the
        # later problem.
        same_answers = """
        with answer as (
            select rank, slug, input, any_value(output) as output
            from answers join ranks using (slug) group by all having count(distinct output) = 1
        ),
        telling as (
            select * from answer
            where input in (select input from answer group by input having count(*) <= $most)
        ),
        sizes as (select rank, count(*) as size from answer group by rank),
        pair as (
            select a.rank as rank, b.rank as other,
                count(*) as shared, count(distinct a.output) as outputs,
                count(*) filter (where a.output <> b.output) as different
            from telling as a join telling as b on a.input = b.input and a.rank > b.rank
            group by all
        )
        select mine.slug, arg_max(theirs.slug, (shared, -other)), max(shared)
        from pair
        join ranks as mine on mine.rank = pair.rank join ranks as theirs on theirs.rank = other
        join sizes as m on m.rank = pair.rank join sizes as t on t.rank = other
        where different = 0 and outputs > 1 and shared >= $tests
            and shared >= $share * least(m.size, t.size)
        group by mine.slug order by mine.slug
        """
        rows = connection.execute(same_answers, values).fetchall()
    return [
        Dropped(
            "behaviour",
            slug,
            slug,
            f"gives the same answers as another: {other}",
            {"shared_inputs": shared},
        )
        for slug, other, shared in rows
    ]


def below(language: str) -> str:
    """Return the stage name for the drops of `below_threshold`."""
    return f"threshold {language}"


def below_threshold(
    passing: Mapping[str, int], language: str, options: CurationOptions
) -> list[Dropped]:
    """Return the problems with fewer than ``min_solutions`` passing solutions in a language.

    `passing` counts them by slug.
    """
    reason = (
        f"passing solutions in {language}, the threshold is {options.min_solutions}: add solutions"
    )
    return [
        Dropped(
            below(language),
            slug,
            slug,
            f"{count} {reason}{f', or type --min-solutions {count}' if count else ''}",
        )
        for slug, count in sorted(passing.items())
        if count < options.min_solutions
    ]
