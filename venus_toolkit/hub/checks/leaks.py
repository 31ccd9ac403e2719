"""No problem of a test split is in anything that is trained on: by title, by id, and by its statement.

Trained on are the train splits of all languages and every derived set. In a derived set a test problem is also found
where its statement stands in a text under another name: by the longest line that no train problem has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.hub.checks.texts import row_groups, texts_of
from venus_toolkit.release import Release

SHORTEST_LINE = 40  # characters; a shorter one says little


class Problem(NamedTuple):
    """A problem as one can recognise it."""

    title: str
    problem_id: int
    statement: str

    @property
    def words(self) -> str:
        """The statement without case, white space and punctuation."""
        return " ".join(re.findall(r"\w+", self.statement.lower()))


def check(release: Release, _: Allowed) -> Iterator[Finding]:
    """Yield the test problems that are trained on."""
    tested = {
        (each.title, each.problem_id): each for name in release.languages for each in _problems(release, name, "test")
    }
    titles = {each.title for each in tested.values()}
    ids = {each.problem_id for each in tested.values()}
    words = {each.words: each.title for each in tested.values() if each.words}
    common: set[str] = set()
    for name in release.languages:
        for problem in _problems(release, name, "train"):
            common.update(_lines(problem.statement))
            if problem.title in titles or problem.problem_id in ids:
                yield Finding("leaks", f"{name}/train, {problem.title}", "is a problem of a test split")
            elif problem.words in words:
                what = f"has the statement of {words[problem.words]}, a problem of a test split"
                yield Finding("leaks", f"{name}/train, {problem.title}", what)
    telling = {line: each.title for each in tested.values() if (line := _telling(each.statement, common))}
    for config in release.derived:
        yield from _derived(release, config, titles | {str(number) for number in ids}, telling)


def _problems(release: Release, language: str, split: str) -> Iterator[Problem]:
    if split not in release.splits(language):
        return
    columns = ["title", "problem_id", "question_content"]
    for file in release.files(language, split):
        for row in pq.read_table(file, columns=columns).to_pylist():
            yield Problem(row["title"], row["problem_id"], row["question_content"] or "")


def _derived(release: Release, config: str, names: set[str], telling: dict[str, str]) -> Iterator[Finding]:
    for split in release.splits(config):
        for file in release.files(config, split):
            where = file.relative_to(release.folder).as_posix()
            known = [name for name in ("title", "problem_id") if name in pq.read_schema(file).names]
            if not known:
                yield Finding(
                    "leaks", where, "has neither a title nor a problem_id: nobody can say what it was made of"
                )
            found = _named(file, known, names) | _quoted(file, telling)
            yield from (
                Finding("leaks", where, f"is made of {name}, a problem of a test split") for name in sorted(found)
            )


def _named(file: Path, columns: list[str], names: set[str]) -> set[str]:
    table = pq.read_table(file, columns=columns)
    return {str(value) for name in columns for value in table[name].unique().to_pylist()} & names


def _quoted(file: Path, telling: dict[str, str]) -> set[str]:
    """Return the test problems whose telling line stands in a text of the file."""
    if not telling:
        return set()
    return {
        telling[line]
        for batch in row_groups(file)
        for texts in texts_of(batch)
        for text in texts.values.unique().to_pylist()
        for line in _lines(text or "") & telling.keys()
    }


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if len(line) >= SHORTEST_LINE}


def _telling(statement: str, common: set[str]) -> str | None:
    """Return the longest line of a statement that no train problem has, or None."""
    return max(_lines(statement) - common, key=lambda line: (len(line), line), default=None)
