"""Where problems come from: a module for each format, here or in `published`, found by its name.

A source module has a docstring, whose first line says what it reads, and one function::

    @source(location="owner/name", license="MIT")
    def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]

It streams: memory does not grow with the source. What cannot be used is yielded as `Rejected` with
its reason, and the rest goes on; SourceError is for a source of which nothing can be read. Columns
that a source has and we have no name for are kept in ``Problem.extra``. The function gets what
follows the name in ``--source NAME:LOCATION``, or the location of `source` where nothing follows.
Where each row of a table is a problem, `reading.drafts.table_source` takes the place of `source`.

All solutions of a problem are in its one entry, whatever languages they are in; of two entries with
one slug or one problem_id, `ProblemSource.read` rejects the second. What the modules share is in
``venus_toolkit.builders.reading``.
"""

from __future__ import annotations

import dataclasses
import importlib
import logging
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.builders.sources import published
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import Problem, Solution, TestCase
from venus_toolkit.core.untrusted.text import LONGEST, storable_values

log = logging.getLogger(__name__)


class Entry(NamedTuple):
    """A problem with its solutions in all languages and the tests that came with it."""

    problem: Problem
    solutions: tuple[Solution, ...]
    tests: tuple[TestCase, ...]


class Rejected(NamedTuple):
    """A row of a source that is not used, by whatever name it has there, and why."""

    item: str
    reason: str


def storable_entries(items: Iterable[Entry | Rejected]) -> Iterator[Entry | Rejected]:
    """Yield everything with texts that can be stored (core/untrusted/text.py).

    Changes are logged and kept in ``extra``. A statement or a program that is longer than `LONGEST`
    is rejected: cut, it would be another one.
    """
    most_changes = 20  # of a problem's texts that are listed
    for item in items:
        changes = dict[str, str]()
        if isinstance(item, Rejected):
            yield Rejected(*storable_values(list(item), "", changes))
            continue
        problem = storable_values(item.problem, "", changes)
        if len(problem.statement) > LONGEST:
            yield Rejected(problem.slug, f"the statement has more than {LONGEST} characters")
            continue
        for each in item.solutions:
            if len(each.code) > LONGEST:
                yield Rejected(
                    f"{problem.slug}/{each.language}",
                    f"a solution has more than {LONGEST} characters",
                )
        short = [each for each in item.solutions if len(each.code) <= LONGEST]
        solutions = storable_values(short, "solutions", changes)
        tests = storable_values(item.tests, "tests", changes)
        if changes:
            listed = [f"{place}: {change}" for place, change in changes.items()]
            log.warning(
                "%s: text was changed so that it can be stored: %s",
                problem.slug,
                "; ".join(listed[:3]),
            )
            problem = dataclasses.replace(
                problem, extra={**problem.extra, "changed_text": listed[:most_changes]}
            )
        yield Entry(problem, tuple(solutions), tests)


def distinct(items: Iterable[Entry | Rejected]) -> Iterator[Entry | Rejected]:
    """Yield everything; of two problems with the same slug or id, the second is rejected with the name of the first."""
    # Of the entries that have passed, names and numbers are all that stays in memory.
    slugs: dict[str, int] = {}
    ids: dict[int, str] = {}
    for item in items:
        if isinstance(item, Rejected):
            yield item
            continue
        slug, number = item.problem.slug, item.problem.problem_id
        if slug in slugs:
            yield Rejected(
                slug, f"a problem before it has the same slug: the one with the id {slugs[slug]}"
            )
        elif number in ids:
            yield Rejected(slug, f"a problem before it has the same id: {ids[number]} has {number}")
        else:
            slugs[slug], ids[number] = number, slug
            yield item


Reader = Callable[[str, Mapping[str, Language]], Iterator[Entry | Rejected]]


class ProblemSource(NamedTuple):
    """A source module: its name, what it reads, its location and licence, and its function.

    Where the location is empty, the user has to name one. The licence is that of rows that do not
    state theirs.
    """

    name: str
    about: str
    location: str
    license: str
    reader: Reader

    def read(self, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
        """Yield its entries, and what is rejected."""
        return distinct(storable_entries(self.reader(self.location, languages)))


_sources: dict[str, ProblemSource] = {}  # of the modules that have been imported, by name


def source(location: str = "", license: str = "unknown") -> Callable[[Reader], Reader]:
    """Return the decorator of a source's reader, which declares its default location and licence."""

    def declare(read: Reader) -> Reader:
        name = read.__module__.rpartition(".")[2]
        about = (sys.modules[read.__module__].__doc__ or "").split("\n\n")[0]
        about = about.replace("\n", " ").strip()
        _sources[name] = ProblemSource(name, about, location, license, read)
        return read

    return declare


def source_names() -> list[str]:
    """Return the names of all sources."""
    return sorted(_modules())


def _modules() -> dict[str, str]:
    packages = (__name__, __path__), (published.__name__, published.__path__)
    return {
        module.name: f"{package}.{module.name}"
        for package, path in packages
        for module in pkgutil.iter_modules(path)
        if not module.ispkg
    }


def find_source(name: str) -> ProblemSource:
    """Return the source called `name`, at its own location.

    Raises:
        SourceError: There is none; the message names the nearest.
    """
    modules = _modules()
    if name not in modules:
        known = "known are " + ", ".join(sorted(modules))
        fix = nearest(name, modules) + "type: venus sources list"
        raise SourceError(f"there is no source {name!r}", known, fix)
    importlib.import_module(modules[name])
    return _sources[name]


def choose_source(text: str) -> ProblemSource:
    """Return what ``NAME:LOCATION`` or ``NAME`` stands for.

    A folder, or ``corpus``, is one of the source ``folder``, and a file one of ``columns``.

    Raises:
        SourceError: There is no such source, folder or file, or it has no default location and none
            is said.
    """
    name, _, location = text.partition(":")
    # A source's name wins over a folder of that name.
    if name not in source_names():
        if text == "corpus" or Path(text).is_dir():
            name, location = "folder", text
        elif Path(text.partition("?")[0]).is_file():
            name, location = "columns", text
    # No name of a source has a dot, as names of files have.
    if not location and re.search(r"[./]", text):
        why = "there is no such file or folder, and no source of that name"
        raise SourceError(f"the source {text} does not exist", why, "type: venus sources list")
    found = find_source(name)
    chosen = found._replace(location=location or found.location)
    if not chosen.location:
        what = f"the source {name} does not say where to read"
        raise SourceError(what, "it has no default location", f"type: {name}:LOCATION")
    return chosen
