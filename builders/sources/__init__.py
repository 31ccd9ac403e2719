"""Sources of problems: one module for each format, here or in `published`, found by its name.

A source module has a docstring, whose first line describes its data, and one function::

    @source(location="owner/name", license="MIT")
    def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]

It streams: memory does not grow with the source. It yields `Rejected` with a reason for an unusable
row and continues; it raises SourceError if it can read nothing. ``Problem.extra`` stores columns
without a field in `Problem`. `location` is LOCATION in ``--source NAME:LOCATION``, by default the
location of `source`. If each row of a table is a problem, use `reading.drafts.table_source` instead
of `source`.

An entry has all solutions of its problem in all languages; `ProblemSource.read` rejects a second
entry with the same slug or problem_id. Code shared by the modules is in
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
    """A rejected row: its name in the source, and the reason."""

    item: str
    reason: str


def storable_entries(items: Iterable[Entry | Rejected]) -> Iterator[Entry | Rejected]:
    """Yield the items with their texts made storable (core/untrusted/text.py).

    Changes are logged and listed in ``extra``. A statement or a program longer than `LONGEST` is
    rejected, because cutting it would change its meaning.
    """
    most_changes = 20  # listed for each problem
    for item in items:
        changes = dict[str, str]()
        if isinstance(item, Rejected):
            yield Rejected(*storable_values(list(item), "", changes))
            continue
        problem = storable_values(item.problem, "", changes)
        if len(problem.statement) > LONGEST:
            yield Rejected(problem.slug, f"the statement has more than {LONGEST} characters")
            continue
        for solution in item.solutions:
            if len(solution.code) > LONGEST:
                yield Rejected(
                    f"{problem.slug}/{solution.language}",
                    f"a solution has more than {LONGEST} characters",
                )
        short = [solution for solution in item.solutions if len(solution.code) <= LONGEST]
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
    """Yield the items; reject a problem whose slug or id an earlier problem has."""
    # Memory holds only the slugs and ids of earlier entries.
    slugs: dict[str, int] = {}
    ids: dict[int, str] = {}
    for item in items:
        if isinstance(item, Rejected):
            yield item
            continue
        slug, number = item.problem.slug, item.problem.problem_id
        if slug in slugs:
            yield Rejected(
                slug, f"duplicate problem: same slug as the problem with the id {slugs[slug]}"
            )
        elif number in ids:
            yield Rejected(slug, f"duplicate problem: same id as {ids[number]}, {number}")
        else:
            slugs[slug], ids[number] = number, slug
            yield item


Reader = Callable[[str, Mapping[str, Language]], Iterator[Entry | Rejected]]


class ProblemSource(NamedTuple):
    """A source module: its name, description, default location and licence, and its function.

    If `location` is empty, the user must name one. `license` applies to rows that state none.
    """

    name: str
    about: str
    location: str
    license: str
    reader: Reader

    def read(self, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
        """Yield the entries and rejected rows of the source."""
        return distinct(storable_entries(self.reader(self.location, languages)))


_sources: dict[str, ProblemSource] = {}  # sources of imported modules, by name


def source(location: str = "", license: str = "unknown") -> Callable[[Reader], Reader]:
    """Return a decorator that registers a reader with its default location and licence."""

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
    """Return the source called `name`, at its default location.

    Raises:
        SourceError: The source does not exist; the message suggests the most similar name.
    """
    modules = _modules()
    if name not in modules:
        known = "expected one of " + ", ".join(sorted(modules))
        fix = nearest(name, modules) + "type: venus sources list"
        raise SourceError(f"there is no source {name!r}", known, fix)
    importlib.import_module(modules[name])
    return _sources[name]


def choose_source(text: str) -> ProblemSource:
    """Return the source that ``NAME:LOCATION`` or ``NAME`` describes.

    A folder, or ``corpus``, is read by the source ``folder``, a file by ``columns``.

    Raises:
        SourceError: The source, folder or file does not exist, or `text` lacks a location and the
            source has no default.
    """
    name, _, location = text.partition(":")
    # The name of a source takes precedence over a folder of that name.
    if name not in source_names():
        if text == "corpus" or Path(text).is_dir():
            name, location = "folder", text
        elif Path(text.partition("?")[0]).is_file():
            name, location = "columns", text
    # Names of files have a dot, names of sources have none.
    if not location and re.search(r"[./]", text):
        reason = "no such file or folder, and no source of that name"
        raise SourceError(f"the source {text} does not exist", reason, "type: venus sources list")
    problem_source = find_source(name)
    problem_source = problem_source._replace(location=location or problem_source.location)
    if not problem_source.location:
        error = f"the source {name} needs a location"
        raise SourceError(error, "it has no default one", f"type: {name}:LOCATION")
    return problem_source
