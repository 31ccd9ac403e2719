"""No key or token is in anything that would be sent: every text of every Parquet file, and the files beside them.

What a secret looks like is in secrets.toml. A finding names where it is and an id for --allow-secret, and shows no more
than its first characters.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import NamedTuple

from venus_toolkit.hub.checks import Allowed, Finding
from venus_toolkit.hub.checks.texts import row_groups, texts_of, titles_of
from venus_toolkit.release import Release

SHOWN = 6
TEXT_FILES = (".md", ".json", ".jsonl", ".toml", ".txt")


class Rule(NamedTuple):
    """What one kind of secret looks like."""

    name: str
    pattern: re.Pattern[str]
    harmless: re.Pattern[str] | None

    def search(self, text: str) -> Iterator[str]:
        """Yield the secrets in a text."""
        for found in self.pattern.finditer(text):
            if not (self.harmless and self.harmless.search(found[0])):
                yield found[0]


def check(release: Release, allowed: Allowed) -> Iterator[Finding]:
    """Yield the secrets in the Parquet files, and in the text files but for the card."""
    import pyarrow.compute as pc

    rules = read_rules()
    anything = "|".join(rule.pattern.pattern for rule in rules)
    for file in sorted(release.folder.glob("**/*.parquet")):
        for batch in row_groups(file):
            for texts in texts_of(batch):
                hits = pc.indices_nonzero(pc.fill_null(pc.match_substring_regex(texts.values, anything), False))
                for index in hits.to_pylist():
                    where = f"{file.relative_to(release.folder)}, {texts.place(index, titles_of(batch))}"
                    yield from _findings(rules, texts.values[index].as_py(), where, allowed)
    yield from check_texts(release, allowed)


def check_texts(release: Release, allowed: Allowed) -> Iterator[Finding]:
    """Yield the secrets in the card, the manifest and whatever else is a text file."""
    rules = read_rules()
    for name in sorted({"README.md", "manifest.json", *release.manifest.get("files", {})}):
        path = release.folder / name
        if path.suffix in TEXT_FILES and path.is_file():
            with path.open(encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines, 1):
                    yield from _findings(rules, line, f"{name}, line {number}", allowed)


def read_rules() -> tuple[Rule, ...]:
    """Return what secrets.toml says."""
    text = (resources.files("venus_toolkit.hub.checks") / "secrets.toml").read_text(encoding="utf-8")
    return tuple(
        Rule(rule["id"], re.compile(rule["pattern"]), re.compile(rule["except"]) if "except" in rule else None)
        for rule in tomllib.loads(text)["rule"]
    )


def _findings(rules: Sequence[Rule], text: str, where: str, allowed: Allowed) -> Iterator[Finding]:
    for rule in rules:
        for secret in rule.search(text):
            name = f"{rule.name}-{hashlib.sha256(secret.encode('utf-8', 'replace')).hexdigest()[:8]}"
            if name not in allowed.secrets:
                yield Finding("secrets", where, f"looks like a {rule.name} ({secret[:SHOWN]}…), id {name}")
