"""Names of data sets and their versions: ``namespace/name@v1.2.0``."""

from __future__ import annotations

import re
from typing import NamedTuple

from venus_toolkit.core.errors import UsageError

VERSION = re.compile(r"v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


class Version(NamedTuple):
    """A version: other columns make a major one, other rows a minor one, measurements a patch."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        """Return the version without a prefix: 1.2.0."""
        return f"{self.major}.{self.minor}.{self.patch}"

    @property
    def tag(self) -> str:
        """The tag on the Hub: v1.2.0."""
        return f"v{self}"

    def next(self, level: str) -> Version:
        """Return the version after this one.

        `level` is the part that grows: major, minor or patch.
        """
        if level == "major":
            return Version(self.major + 1, 0, 0)
        if level == "minor":
            return Version(self.major, self.minor + 1, 0)
        return Version(self.major, self.minor, self.patch + 1)


class DatasetName(NamedTuple):
    """A data set on the Hub, with an optional version."""

    name: str
    version: Version | None


def parse_version(text: str) -> Version:
    """Return the version that a text names, with or without the prefix ``v``.

    Raises:
        UsageError: It is not a version.
    """
    match = VERSION.fullmatch(text)
    if not match:
        raise UsageError(
            f"{text} is not a version", "a version is three numbers", "write it as 1.2.0"
        )
    return Version(*map(int, match.groups()))


def version_of(tag: str) -> Version | None:
    """Return the version that a tag stands for, or None for any other tag."""
    return parse_version(tag) if tag.startswith("v") and VERSION.fullmatch(tag) else None


def parse_name(text: str) -> DatasetName:
    """Return the name and the version in ``namespace/name@v1.2.0``.

    The namespace and the version are optional.

    Raises:
        UsageError: The Hub would reject the name, or the version is invalid.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    name, at, version = text.partition("@")
    try:
        validate_repo_id(name)
    except HFValidationError as error:
        fix = "write it as owner/name or owner/name@1.2.0"
        raise UsageError(f"{text} is not the name of a data set", str(error), fix) from error
    return DatasetName(name, parse_version(version) if at else None)
