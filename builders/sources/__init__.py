"""Where problems come from: one module for each format, found by its name (``venus sources list``).

A source module has a docstring, whose first line says what it reads, and one function::

    def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]

It streams: memory does not grow with the source. What cannot be used is yielded as `SetAside` with its reason, and the
rest goes on; SourceError is for a source of which nothing can be read. Columns that a source has and we have no name
for are kept in ``Problem.extra``. `location` is what follows the name in ``--source NAME:LOCATION``, or the module's
``LOCATION`` where nothing follows. ``LICENSE`` is what its rows are under, where they do not say so themselves.

No two entries of one `read` have the same slug or the same problem_id, and all solutions of a problem are in its one
entry, whatever languages they are in. What the modules share is in ``venus_toolkit.builders.reading``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from venus_toolkit.errors import SourceError
from venus_toolkit.language import Language
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


class Reader(Protocol):
    """The function of a source module."""

    def __call__(self, location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
        """Yield what there is at `location`."""
        ...


class Source(NamedTuple):
    """A source module: its name, what it reads, where it reads by default (empty: must be said), its licence."""

    name: str
    about: str
    location: str
    license: str
    read: Reader


class Chosen(NamedTuple):
    """A source and the place in it that somebody asked for."""

    source: Source
    location: str

    def read(self, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
        """Yield its entries, and what is set aside."""
        return self.source.read(self.location, languages)


def source_names() -> list[str]:
    """Return the names of all sources."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_source(name: str) -> Source:
    """Return the source called `name`.

    Raises:
        SourceError: There is none; the message names the nearest.
    """
    names = source_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise SourceError(
            f"there is no source {name!r}", "known are " + ", ".join(names), f"{hint}type: venus sources list"
        )
    module = importlib.import_module(f"{__name__}.{name}")
    about = (module.__doc__ or "").split("\n\n")[0].replace("\n", " ").strip()
    location, license_ = getattr(module, "LOCATION", ""), getattr(module, "LICENSE", "unknown")
    return Source(name, about, location, license_, cast(Reader, module.read))


def choose_source(text: str) -> Chosen:
    """Return what ``NAME:LOCATION`` or ``NAME`` stands for; a path, or ``corpus``, is one of ``folder``.

    Raises:
        SourceError: There is no such source or folder, or it has no location of its own and none is said.
    """
    name, _, location = text.partition(":")
    if name not in source_names() and (text == "corpus" or Path(text).is_dir()):
        name, location = "folder", text
    if not location and (text.startswith(".") or "/" in text):
        why = "there is no such folder, and no source of that name"
        raise SourceError(f"the source {text} does not exist", why, "type: venus sources list")
    source = find_source(name)
    if not (location or source.location):
        raise SourceError(
            f"the source {name} does not say where to read", "it has no location of its own", f"type: {name}:LOCATION"
        )
    return Chosen(source, location or source.location)
