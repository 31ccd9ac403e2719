"""Every file is what the manifest says. The card is not looked at: people write in it, and it is rendered again."""

from __future__ import annotations

from collections.abc import Iterator

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.release import Release

CARD = "README.md"


def check(release: Release, _: Allowed) -> Iterator[Finding]:
    """Yield files that are missing, were changed, or are not in the manifest."""
    if not release.manifest.get("files"):
        yield Finding("checksums", "manifest.json", "lists no files with their checksums: build again")
    for complaint in release.complaints():
        if not complaint.startswith(f"{CARD} "):
            name, what = complaint.split(" ", 1)
            yield Finding("checksums", name, what)
