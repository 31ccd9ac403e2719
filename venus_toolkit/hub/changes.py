"""What is new in a release: which version it is, and the lines of its change log.

Other columns, or a config that is gone, make a major version; other rows, or a new config, a minor one; other
measurements, or other bytes of any kind, a patch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import UsageError
from venus_toolkit.hub.compare import Difference, compare
from venus_toolkit.hub.fingerprints import fingerprints
from venus_toolkit.hub.names import FIRST, Version
from venus_toolkit.release import Release
from venus_toolkit.release.folder import DEFAULT, DERIVED, TESTS

COLUMNS = "columns"  # key of the manifest: config to column to type
CHANGES = "changes"  # key of the manifest: the change log, the newest version first
WORDS = {
    "problems_added": ("problem", "added"),
    "problems_removed": ("problem", "removed"),
    "problems_moved": ("problem", "moved to another split"),
    "texts_changed": ("problem", "with another text or other limits"),
    "tests_changed": ("problem", "with other tests"),
    "solutions_added": ("solution", "added"),
    "solutions_removed": ("solution", "removed"),
    "codes_changed": ("solution", "with other code"),
    "verdicts_changed": ("solution", "with another verdict"),
}


class Earlier(NamedTuple):
    """The last release: its version, its commit, its manifest, and how to get one of its files."""

    version: Version
    oid: str
    manifest: Mapping[str, Any]
    fetch: Callable[[str], Path]


class Changes(NamedTuple):
    """What is new: the part of the version that grows (empty: nothing is), and the lines of the change log."""

    level: str
    lines: tuple[str, ...]


def find_changes(release: Release, earlier: Earlier | None) -> Changes:
    """Compare a release with the last one.

    Files that are the same in both are neither pulled nor read.

    Raises:
        HubError: A file of the last release cannot be pulled.
        ReleaseError: A file cannot be read.
    """
    if earlier is None:
        return Changes("major", ("First release.",))
    columns = list(_column_lines(columns_of(release), earlier.manifest.get(COLUMNS, {})))
    differences = dict(_changed_languages(release, earlier))
    lines = [line for name, difference in differences.items() for line in describe(name, difference)]
    old, new = _configs(earlier.manifest), _configs(release.manifest)
    lines = [f"{name}: new" for name in sorted(new - old)] + [f"{name}: gone" for name in sorted(old - new)] + lines
    others = list(_other_lines(release, earlier, new & old))
    if columns or old - new:
        level = "major"
    elif new - old or any(each.has_other_rows for each in differences.values()):
        level = "minor"
    else:
        level = "patch" if lines or others or _files(release.manifest) != _files(earlier.manifest) else ""
    return Changes(level, (*columns, *lines, *others) or ("Nothing in the data; other texts.",))


def choose_version(asked: Version | None, level: str, known: Mapping[Version, str], earlier: Version | None) -> Version:
    """Return the version of a release.

    Args:
        asked: What the user wants, or None.
        level: The part of the version that has to grow.
        known: All versions that there are.
        earlier: The last release, or None where there is none yet.

    Raises:
        UsageError: Something else was asked for than the rule says.
    """
    if earlier is None and not known:
        return asked or FIRST
    right = (earlier or max(known)).next(level or "patch")
    if asked is not None and asked != right:
        reasons = {"major": "it has other columns or fewer configs", "minor": "it has other rows"}
        why = f"the last one is {earlier or max(known)}, and {reasons.get(level, 'only measurements or texts differ')}"
        raise UsageError(f"{asked} is not the version of this release", why, f"--version {right}")
    return right


def columns_of(release: Release) -> dict[str, dict[str, str]]:
    """Return config to column to type, as the first file of each config has it."""
    import pyarrow.parquet as pq

    found = {}
    for config, splits in release.configs().items():
        if config == DEFAULT:
            continue  # those of the languages
        schema = pq.read_schema(release.files(config, next(iter(splits)))[0])
        found[config] = {field.name: str(field.type) for field in schema}
    return found


def describe(name: str, difference: Difference) -> Iterator[str]:
    """Yield the lines of one language."""
    said = [
        f"{_count(number, thing)} {what}"
        for key, (thing, what) in WORDS.items()
        if (number := getattr(difference, key))
    ]
    if said:
        yield f"{name}: {', '.join(said)}"
    if difference.measured_again:
        figures = (difference.times_moved, difference.memories_moved, difference.integrals_moved)
        moved = [f"{word} of {n}" for word, n in zip(("time", "memory", "integral"), figures, strict=True) if n]
        beyond = f"moved by more than the noise: {', '.join(moved)}" if moved else "none moved by more than the noise"
        yield f"{name}: {_count(difference.measured_again, 'solution')} measured again, {beyond}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _changed_languages(release: Release, earlier: Earlier) -> Iterator[tuple[str, Difference]]:
    """Yield the languages of both releases in which a file differs; files that are the same are left out."""
    old, new = _files(earlier.manifest), _files(release.manifest)
    for name in release.languages:
        then, now = (_by_content(files, f"data/{name}/") for files in (old, new))
        if name in earlier.manifest["configs"] and then.keys() != now.keys():
            before = [(key[0], earlier.fetch(file)) for key, file in then.items() if key not in now]
            after = [(key[0], release.folder / file) for key, file in now.items() if key not in then]
            yield name, compare(fingerprints(before), fingerprints(after))


def _by_content(files: Mapping[str, str], start: str) -> dict[tuple[str, str], str]:
    """Return the files below a folder by split and checksum: a shard that only has another number is the same."""
    return {(_split(file), value): file for file, value in files.items() if file.startswith(start)}


def _split(file: str) -> str:
    return file.rsplit("/", 1)[1].split("-")[0]


def _column_lines(new: Mapping[str, Mapping[str, str]], old: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for config in (name for name in new if name in old):
        words = {"added": new[config].keys() - old[config].keys(), "removed": old[config].keys() - new[config].keys()}
        words["of another type"] = {
            name for name in new[config].keys() & old[config].keys() if new[config][name] != old[config][name]
        }
        said = [f"{', '.join(sorted(names))} {word}" for word, names in words.items() if names]
        if not said and list(new[config]) != list(old[config]):
            said = ["in another order"]
        if said:
            yield f"{config}: columns: {'; '.join(said)}"


def _other_lines(release: Release, earlier: Earlier, configs: set[str]) -> Iterator[str]:
    """Yield a line for each derived set and for the tests, where a file of theirs differs."""
    old, new = _files(earlier.manifest), _files(release.manifest)
    for config in sorted(configs - set(release.languages)):
        start = f"{config}/" if config == TESTS else f"derived/{config}/"
        then, now = ({f: value for f, value in files.items() if f.startswith(start)} for files in (old, new))
        if then != now:
            yield f"{config}: written anew"


def _configs(manifest: Mapping[str, Any]) -> set[str]:
    tests = [TESTS] if manifest.get(TESTS, {}).get("splits") else []
    return {*manifest["configs"], *manifest.get(DERIVED, {}), *tests}


def _files(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the checksums of everything but the card: it says what changed, and so always changes."""
    return {name: value for name, value in manifest.get("files", {}).items() if name != "README.md"}
