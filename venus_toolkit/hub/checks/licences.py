"""Everything in a release may be passed on: the licence of every problem and solution lets it (licences.toml)."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import NamedTuple

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.hub.checks.texts import column_values
from venus_toolkit.release import Release

NONE = "unknown"


class Rules(NamedTuple):
    """Licences in lower case: which let one pass things on, and what others ask."""

    distributable: frozenset[str]
    restricted: Mapping[str, str]


def check(release: Release, allowed: Allowed) -> Iterator[Finding]:
    """Yield the licences that do not let one pass things on, and those that nobody knows."""
    rules, accepted = read_rules(), {name.lower() for name in allowed.licences}
    for (language, things, licence), count in sorted(_count(release).items()):
        name = licence.strip() or NONE
        if name.lower() in accepted or all(part.lower() in rules.distributable for part in _parts(name)):
            continue
        why = rules.restricted.get(name.lower(), "nothing says that it may be passed on")
        yield Finding("licences", language, f"{count} {things} under {name}: {why}")


def read_rules() -> Rules:
    """Return what licences.toml says."""
    text = (resources.files("venus_toolkit.hub.checks") / "licences.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    return Rules(
        frozenset(name.lower() for name in table["distributable"]),
        {name.lower(): why for name, why in table["restricted"].items()},
    )


def _parts(name: str) -> Iterable[str]:
    """Return the licences of an expression such as ``MIT AND CC-BY-4.0``: all of them have to be good."""
    return [part.strip() for part in name.split(" AND ")]


def _count(release: Release) -> Counter[tuple[str, str, str]]:
    """Return how many problems and solutions of each language are under each licence."""
    found: Counter[tuple[str, str, str]] = Counter()
    for language in release.languages:
        for split in release.splits(language):
            for file in release.files(language, split):
                for things, column in (("problems", "license"), ("solutions", "solutions.license")):
                    for value, count in column_values(file, column):
                        found[language, things, value or NONE] += count
    return found
