"""Names of data sets and their versions: ``namespace/name@v1.2.0``."""

from __future__ import annotations

import re
from typing import NamedTuple

from venus_toolkit.errors import UsageError

VERSION = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
NAME = re.compile(r"(?:[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*/)?\w[\w.-]{0,94}", re.ASCII)


class Version(NamedTuple):
    """A version of a data set: other columns make a major one, other rows a minor one, new figures a patch."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        """Return it as it is typed: 1.2.0."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The tag on the Hub: v1.2.0."""
        return f"v{self}"

    def next(self, level: str) -> Version:
        """Return the version after this one; `level` is the part that grows: major, minor or patch."""
        if level == "major":
            return Version(self.major + 1, 0, 0)
        if level == "minor":
            return Version(self.major, self.minor + 1, 0)
        return Version(self.major, self.minor, self.patch + 1)


FIRST = Version(1, 0, 0)


class Named(NamedTuple):
    """A data set on the Hub, and perhaps which version of it."""

    name: str
    version: Version | None


def parse_version(text: str) -> Version:
    """Return a version that was typed, with or without its v.

    Raises:
        UsageError: It is none.
    """
    found = VERSION.fullmatch(text)
    if not found:
        raise UsageError(f"{text} is no version", "a version is three numbers", "write it as 1.2.0")
    return Version(*map(int, found.groups()))


def version_of(tag: str) -> Version | None:
    """Return the version that a tag stands for, or None for any other tag."""
    return parse_version(tag) if tag.startswith("v") and VERSION.fullmatch(tag) else None


def parse_name(text: str) -> Named:
    """Return the name and the version in ``namespace/name@v1.2.0``; both the namespace and the version may lack.

    Raises:
        UsageError: It is no name of a data set.
    """
    name, at, version = text.partition("@")
    wrong = not NAME.fullmatch(name) or name[-1] in "-." or re.search(r"--|\.\.|\.git$", name)
    if wrong:
        why = "a name is letters, digits, -, _ and ., after its owner's name and a slash"
        raise UsageError(f"{text} is no name of a data set", why, "write it as owner/name or owner/name@1.2.0")
    return Named(name, parse_version(version) if at else None)
