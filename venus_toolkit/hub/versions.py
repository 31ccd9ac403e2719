"""``venus releases``: the versions of a data set, and what was new in each."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from venus_toolkit.hub.changes import CHANGES
from venus_toolkit.hub.names import parse_name
from venus_toolkit.hub.remote import Remote
from venus_toolkit.store import MANIFEST


class Listed(NamedTuple):
    """A version: when it was published, its commit, its rows and its change log; None and empty where nobody says."""

    version: str
    commit: str
    date: str | None
    rows: dict[str, dict[str, int]]
    changes: tuple[str, ...]


def list_releases(text: str) -> list[Listed]:
    """Return the versions of a data set, the newest first.

    What each says of itself is in the change log of the newest, so that one small file is all that is pulled.

    Raises:
        UsageError: The name is none.
        HubError: There is no such data set, or the Hub cannot be reached.
    """
    remote = Remote(parse_name(text).name)
    tags = remote.tags()
    log = _change_log(remote, next(iter(tags.values()))) if tags else {}
    return [
        Listed(
            str(version),
            oid,
            log.get(str(version), {}).get("date"),
            log.get(str(version), {}).get("rows", {}),
            tuple(log.get(str(version), {}).get("text", ())),
        )
        for version, oid in tags.items()
    ]


def _change_log(remote: Remote, oid: str) -> dict[str, dict[str, Any]]:
    if MANIFEST not in remote.files(oid):
        return {}
    manifest = json.loads(remote.fetch(MANIFEST, oid).read_text(encoding="utf-8"))
    return {entry["version"]: entry for entry in manifest.get(CHANGES, [])}
