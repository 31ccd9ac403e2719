"""Problems that are not wanted, and problems whose statements say nearly the same."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from venus_toolkit.builders.curation.database import database
from venus_toolkit.builders.curation.likeness import near_pairs, write_prints
from venus_toolkit.builders.curation.options import CurationOptions
from venus_toolkit.builders.curation.shingles import choose_banding
from venus_toolkit.builders.curation.tokens import TEXT_WORDS, token_blocks
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.builders.staging import Staged

UNWANTED = """
select slug, case when paid_only and not $paid then 'paid only' else 'not algorithmic: ' || category end as reason
from read_parquet($problems)
where (paid_only and not $paid) or category not in (select unnest($categories))
order by slug
"""
TEXTS = """
create temp table problem as
select
    row_number() over (order by slug not in (select slug from before), problem_id, slug) as row,
    slug,
    statement as text
from read_parquet($problems)
where slug not in (select slug from without)
"""
SCOPED = "create temp table scoped as select row, 0 as scope from problem where len({words}) > 0"
WORDS = f"select row, {TEXT_WORDS} as tokens from problem"
SIMILAR = """
select mine.slug, arg_max(theirs.slug, jaccard), max(jaccard)
from pair join problem as mine using (row) join problem as theirs on theirs.row = other
group by mine.slug order by mine.slug
"""


def unwanted_problems(staged: Staged, options: CurationOptions, work: Path) -> list[Dropped]:
    """Return the problems that not everybody may read, and those of other categories than wanted.

    Raises:
        StoreError: There is no room in `work`.
    """
    values = {
        "problems": staged.files("problems"),
        "paid": options.paid_only,
        "categories": list(options.categories),
    }
    with database(options, work) as connection:
        rows = connection.execute(UNWANTED, values).fetchall()
    return [Dropped("category", slug, slug, reason) for slug, reason in rows]


def similar_problems(
    staged: Staged,
    options: CurationOptions,
    work: Path,
    without: Collection[str] = (),
    earlier: Collection[str] = (),
) -> list[Dropped]:
    """Return the problems whose statement is nearly that of one that precedes them.

    Precedence: problems of an earlier release, then the order of problem ids. Statements are compared as sets of word
    shingles; mark-up and punctuation make no difference, and an empty statement is like no other.

    Args:
        staged: The source.
        options: How alike is alike.
        work: A folder for what does not fit into memory.
        without: Problems that are dropped already.
        earlier: Problems that an earlier release kept.

    Raises:
        StoreError: There is no room in `work`.
    """
    with database(options, work) as connection, TemporaryDirectory(dir=work) as folder:
        for name, slugs in (("before", earlier), ("without", without)):
            connection.register(name, pa.table({"slug": pa.array(sorted(slugs), pa.string())}))
        connection.execute(TEXTS, {"problems": staged.files("problems")}).fetchall()
        connection.execute(SCOPED.format(words=TEXT_WORDS)).fetchall()
        prints = Path(folder) / "prints.parquet"
        banding = choose_banding(options.similar_statements)
        write_prints(prints, token_blocks(connection, WORDS, {}), options.statement_words, banding)
        connection.register("pair", near_pairs(connection, prints, options.similar_statements))
        rows = connection.execute(SIMILAR).fetchall()
    return [
        Dropped("similar", slug, slug, f"nearly the statement of another: {other}", {"jaccard": round(jaccard, 4)})
        for slug, other, jaccard in rows
    ]
