"""What has to hold before anything is sent. A check is a module with a function that returns what it found wrong.

    checksums   every file is what the manifest says, and nothing lies beside
    schema      every file of a config has the same columns, the ancestors' first; rows are as many as the manifest says
    licences    everything may be passed on
    leaks       no test problem in anything that is trained on
    secrets     no key or token in code, statements, tests, prompts or the card
    loading     load_dataset reads every config

The first five look at the release, the last two at what would be sent: the release with its new card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from venus_toolkit.errors import RefusedError
from venus_toolkit.release import Release

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the user answers for: ids of findings of the secrets check, and names of licences."""

    secrets: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()


class Finding(NamedTuple):
    """Something that must not be published: which check says so, where it is, and what it is."""

    check: str
    where: str
    what: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.check}: {self.where}: {self.what}"


Check = Callable[[Release, Allowed], Iterable[Finding]]


def checks_of_data() -> dict[str, Check]:
    """Return the checks of a release as it was built, by their names."""
    from venus_toolkit.hub.checks import checksums, leaks, licences, schema, secrets

    return {
        "checksums": checksums.check,
        "schema": schema.check,
        "licences": licences.check,
        "leaks": leaks.check,
        "secrets": secrets.check,
    }


def checks_of_card() -> dict[str, Check]:
    """Return the checks of a release with the card that will be sent, by their names."""
    from venus_toolkit.hub.checks import loading, secrets

    return {"secrets of the card": secrets.check_texts, "loading": loading.check}


def run_checks(
    release: Release, checks: dict[str, Check], allowed: Allowed, progress: Callable[[str, int, int], None]
) -> None:
    """Run all checks.

    Raises:
        RefusedError: At least one found something; it lists what.
    """
    found: list[Finding] = []
    for number, (name, check) in enumerate(checks.items()):
        progress("checks", number, len(checks))
        found += check(release, allowed)
        if name in ("checksums", "schema") and found:
            break  # what cannot be read cannot be searched either
    progress("checks", len(checks), len(checks))
    if found:
        raise refused(release, found)


def refused(release: Release, found: list[Finding]) -> RefusedError:
    """Return the error that lists what was found."""
    lines = [f"\n  {finding}" for finding in found[:MOST_SHOWN]]
    if len(found) > MOST_SHOWN:
        lines.append(f"\n  and {len(found) - MOST_SHOWN} more")
    checks = {finding.check for finding in found}
    fixes = ["repair what is named, then type the same command"]
    fixes += ["what is no secret: --allow-secret ID"] if "secrets" in checks else []
    fixes += ["what you may pass on all the same: --allow-licence NAME"] if "licences" in checks else []
    count = f"{len(found)} thing{'s' if len(found) > 1 else ''}"
    return RefusedError(f"{release.folder} is not published", f"{count} in the way{''.join(lines)}", "; ".join(fixes))
