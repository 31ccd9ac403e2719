"""Where a table is: ``PATH`` or ``OWNER/NAME[@REVISION]`` on the Hub, then ``?key=value&key=value``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from venus_toolkit.errors import SourceError

HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
SEE = "see docs/sources.md"
OPTIONS = ("config", "split")


@dataclass(frozen=True, slots=True)
class Location:
    """A place to read from. `place` is a path that exists, or an id on the Hub; options may be given several times."""

    place: str
    hub: bool
    revision: str | None
    options: Mapping[str, tuple[str, ...]]

    def __str__(self) -> str:
        """Return it as one types it, without its options."""
        return f"{self.place}@{self.revision}" if self.revision else self.place

    def option(self, key: str) -> str | None:
        """Return the last value of an option, None where it is not given."""
        return self.options.get(key, (None,))[-1]


def parse_location(text: str, more: Sequence[str] = ()) -> Location:
    """Return where `text` leads; a path that exists wins over an id of the Hub.

    Args:
        text: What follows the name of a source.
        more: Options that this source knows besides ``config`` and ``split``.

    Raises:
        SourceError: An option is unknown, or there is no such file and no such thing could be on the Hub.
    """
    head, _, query = ("" if Path(text).exists() else text).partition("?")
    path = head or text
    options = _options(query, (*OPTIONS, *more))
    if path and Path(path).expanduser().exists():
        return Location(str(Path(path).expanduser()), False, None, options)
    name, _, revision = head.partition("@")
    if not HUB_ID.fullmatch(name) or head.startswith("."):
        raise SourceError(f"the source {path} does not exist", "no such file, and no OWNER/NAME of the Hub either", SEE)
    return Location(name, True, revision or None, options)


def _options(query: str, known: Sequence[str]) -> dict[str, tuple[str, ...]]:
    options: dict[str, tuple[str, ...]] = {}
    for key, value in parse_qsl(query, keep_blank_values=True):
        if key not in known:
            raise SourceError(f"the location has an unknown option {key!r}", f"known are {', '.join(known)}", SEE)
        options[key] = (*options.get(key, ()), value)
    return options
