"""Where problems come from: one module for each format, found by its name (``venus sources list``).

A source module has a docstring, whose first line says what it reads, and one function::

    def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]

It streams: memory does not grow with the source. What cannot be used is yielded as `SetAside` with its reason, and the
rest goes on; SourceError is for a source of which nothing can be read. Columns that a source has and we have no name
for are kept in ``Problem.extra``. `location` is what follows the name in ``--source NAME:LOCATION``, or the module's
``LOCATION`` where nothing follows.
"""

from __future__ import annotations

from typing import NamedTuple

from venus_toolkit.records import Problem, Solution, TestCase


class Entry(NamedTuple):
    """A problem with its solutions in all languages and the tests that came with it."""

    problem: Problem
    solutions: tuple[Solution, ...]
    tests: tuple[TestCase, ...]


class SetAside(NamedTuple):
    """A row of a source that is not used, by whatever name it has there, and why."""

    item: str
    reason: str
