"""Problems that answer alike: on the inputs they share, the agreed outputs are the same.

To be used after execution, when tests are agreed. It finds what statements do not show: one task told in two stories.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from venus_toolkit.builders.curation.database import database
from venus_toolkit.builders.curation.options import CurationOptions
from venus_toolkit.builders.facts import Dropped
from venus_toolkit.records import TestCase

COMMONPLACE = 50  # an input that so many problems share says nothing, and would be compared with itself too often
SAME = """
with answer as (
    select rank, slug, input, any_value(output) as output
    from answers join ranks using (slug) group by all having count(distinct output) = 1
),
telling as (select * from answer where input in (select input from answer group by input having count(*) <= $most)),
sizes as (select rank, count(*) as size from answer group by rank),
pair as (
    select a.rank as rank, b.rank as other, count(*) as shared, count(distinct a.output) as outputs,
        count(*) filter (where a.output <> b.output) as different
    from telling as a join telling as b on a.input = b.input and a.rank > b.rank
    group by all
)
select mine.slug, arg_max(theirs.slug, (shared, -other)), max(shared)
from pair
join ranks as mine on mine.rank = pair.rank join ranks as theirs on theirs.rank = other
join sizes as m on m.rank = pair.rank join sizes as t on t.rank = other
where different = 0 and outputs > 1 and shared >= $tests and shared >= $share * least(m.size, t.size)
group by mine.slug order by mine.slug
"""


def answers(tests: Mapping[str, Sequence[TestCase]]) -> pa.Table:
    """Return the agreed tests of each problem as digests: slug, input, output. White space at line ends is nothing."""
    columns: dict[str, list[str]] = {"slug": [], "input": [], "output": []}
    for slug, cases in tests.items():
        for case in cases:
            if case.stdout is not None:
                for name, value in zip(columns, (slug, _digest(case.stdin), _digest(case.stdout)), strict=True):
                    columns[name].append(value)
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))


def equal_behaviour(
    answered: pa.Table, precedence: Iterable[str], options: CurationOptions, work: Path
) -> list[Dropped]:
    """Return the problems that answer every input they share with a preceding problem as that one does.

    They must share ``behaviour_tests`` inputs and ``behaviour_share`` of those of the problem with fewer, and the
    answers must not be all the same.

    Args:
        answered: What `answers` returns.
        precedence: The problems, those of an earlier release first, then by their ids.
        options: How many inputs must be shared.
        work: A folder for what does not fit into memory.

    Raises:
        StoreError: There is no room in `work`.
    """
    slugs = list(dict.fromkeys(precedence))
    values = {"most": COMMONPLACE, "tests": options.behaviour_tests, "share": options.behaviour_share}
    with database(options, work) as connection:
        connection.register("answers", answered)
        connection.register("ranks", pa.table({"slug": pa.array(slugs, pa.string()), "rank": range(len(slugs))}))
        rows = connection.execute(SAME, values).fetchall()
    return [
        Dropped("behaviour", slug, slug, f"answers as another does: {other}", {"shared_inputs": shared})
        for slug, other, shared in rows
    ]


def _digest(text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.rstrip().split("\n"))
    return hashlib.blake2b(lines.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
