"""Compares a release with the previous one, to choose its version and write its change log.

Changed columns or a removed config make a major version, changed rows or a new config a minor one,
and any other difference a patch.

A measurement has moved if the larger value exceeds the smaller one, as a share of it, by more than
the sum of both spreads. The relative times are compared if both exist, otherwise the wall times.
Peak memory has no spread; it has moved if it differs by more than 5 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from venus_toolkit.core.errors import ReleaseError, UsageError
from venus_toolkit.dataset.hub.revisions import differs
from venus_toolkit.dataset.hub.versions import Version
from venus_toolkit.dataset.parquet import open_database, query
from venus_toolkit.dataset.release import CARD, CROISSANT, DEFAULT, DERIVED, SHARED, Release

if TYPE_CHECKING:
    import duckdb

DESCRIPTIONS = {
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
MEMORY_NOISE = 0.05

COMPARE_SOLUTIONS = """
    with spread as (
        select coalesce(median(wall_spread), $unknown) as wall,
               coalesce(median(relative_spread), $unknown) as relative,
               coalesce(median(integral_spread), $unknown) as integral
        from (from old_solutions union all from new_solutions)
    ),
    pair as (
        select old.title is null as added, new.title is null as removed,
               old.code = new.code as same_code,
               old.code <> new.code as code_changed,
               old.code = new.code and old.status <> new.status as verdict_changed,
               case when old.relative_time > 0 and new.relative_time > 0
                    then moved(old.relative_time, new.relative_time,
                               coalesce(old.relative_spread, relative)
                               + coalesce(new.relative_spread, relative))
                    else moved(old.wall_ns, new.wall_ns,
                               coalesce(old.wall_spread, wall) + coalesce(new.wall_spread, wall))
                    end as time_moved,
               moved(old.peak_bytes, new.peak_bytes, $memory_noise) as memory_moved,
               moved(old.integral_byte_ns, new.integral_byte_ns,
                     coalesce(old.integral_spread, integral)
                     + coalesce(new.integral_spread, integral)) as integral_moved,
               (old.wall_ns, old.relative_time, old.peak_bytes, old.integral_byte_ns)
               is distinct from
               (new.wall_ns, new.relative_time, new.peak_bytes, new.integral_byte_ns) as anew
        from old_solutions as old
             full join new_solutions as new using (title, solution_id) cross join spread
    )
    select count(*) filter (added) as solutions_added,
           count(*) filter (removed) as solutions_removed,
           count(*) filter (code_changed) as codes_changed,
           count(*) filter (verdict_changed) as verdicts_changed,
           count(*) filter (same_code and anew) as measured_again,
           count(*) filter (same_code and time_moved) as times_moved,
           count(*) filter (same_code and memory_moved) as memories_moved,
           count(*) filter (same_code and integral_moved) as integrals_moved
    from pair
"""


class PreviousRelease(NamedTuple):
    """The previous release of a data set.

    `oid` is its commit; `fetch` downloads one of its files.
    """

    version: Version
    oid: str
    manifest: Mapping[str, Any]
    fetch: Callable[[str], Path]


class Changes(NamedTuple):
    """The differences of a release from the previous one.

    `level` is the part of the version that grows, empty if nothing changed; `lines` are those of
    the change log.
    """

    level: str
    lines: tuple[str, ...]


def find_changes(release: Release, previous: PreviousRelease | None) -> Changes:
    """Compare a release with the previous one.

    Files that are the same in both are neither pulled nor read.

    Raises:
        HubError: A file of the previous release cannot be pulled.
        ReleaseError: A file cannot be read.
    """
    if previous is None:
        return Changes("major", ("First release.",))
    columns = list(_column_lines(columns_of(release), previous.manifest.get("columns", {})))
    differences = dict(_changed_languages(release, previous))
    lines = [
        line for name, difference in differences.items() for line in describe(name, difference)
    ]
    old, new = _configs(previous.manifest), _configs(release.manifest)
    lines = (
        [f"{name}: new" for name in sorted(new - old)]
        + [f"{name}: gone" for name in sorted(old - new)]
        + lines
    )
    others = []
    for config in sorted((new & old) - set(release.languages)):  # derived sets, and the tests
        folder = f"{config}/" if config in SHARED else f"{DERIVED}/{config}/"
        if _differing(release, previous, folder):
            others.append(f"{config}: written anew")
    if columns or old - new:
        level = "major"
    elif new - old or any(map(has_other_rows, differences.values())):
        level = "minor"
    else:
        level = "patch" if lines or others or _differing(release, previous) else ""
    return Changes(level, (*columns, *lines, *others) or ("Nothing in the data; other texts.",))


def choose_version(
    asked: Version | None, level: str, known: Mapping[Version, str], previous: Version | None
) -> Version:
    """Return the version after the previous release, or after the newest tag if there is none.

    `level` is the part that increases.

    Raises:
        UsageError: The user asked for another version, and this is not the first release.
    """
    # Tags of other tools count as well: a new version must not collide with one.
    if previous is None and not known:
        # Not 0.1.0: a published release is meant for use, and the rules cover every later change.
        return asked or Version(1, 0, 0)
    right = (previous or max(known)).next(level or "patch")
    if asked is not None and asked != right:
        reasons = {"major": "it has other columns or fewer configs", "minor": "it has other rows"}
        reason = (
            f"the last one is {previous or max(known)}, and "
            f"{reasons.get(level, 'only measurements or texts differ')}"
        )
        raise UsageError(
            f"{asked} is not the version of this release", reason, f"--version {right}"
        )
    return right


def columns_of(release: Release) -> dict[str, dict[str, str]]:
    """Return config to column to type, as the first file of each config has it."""
    # The config `default` has the columns of the languages.
    configs = [name for name in release.config_names if name != DEFAULT]
    schemas = {config: pq.read_schema(release.files(config)[0]) for config in configs}
    return {
        config: {field.name: str(field.type) for field in schema}
        for config, schema in schemas.items()
    }


def has_other_rows(counts: Counter[str]) -> bool:
    """Return whether a language differs in more than verdicts and measurements."""
    return any(counts[name] for name in DESCRIPTIONS if name != "verdicts_changed")


def describe(language: str, counts: Counter[str]) -> Iterator[str]:
    """Yield the lines of one language, given what `compare` counted."""

    def several(name: str, thing: str) -> str:
        return f"{counts[name]} {thing}{'' if counts[name] == 1 else 's'}"

    parts = [
        f"{several(name, thing)} {change}"
        for name, (thing, change) in DESCRIPTIONS.items()
        if counts[name]
    ]
    if parts:
        yield f"{language}: {', '.join(parts)}"
    if counts["measured_again"]:
        metrics = {"time": "times_moved", "memory": "memories_moved", "integral": "integrals_moved"}
        moved = [f"{metric} of {counts[name]}" for metric, name in metrics.items() if counts[name]]
        beyond = (
            f"moved by more than the noise: {', '.join(moved)}"
            if moved
            else "none moved by more than the noise"
        )
        yield f"{language}: {several('measured_again', 'solution')} measured again, {beyond}"


def _changed_languages(
    release: Release, previous: PreviousRelease
) -> Iterator[tuple[str, Counter[str]]]:
    """Yield the languages of both releases that have different files, and compare these files."""
    for name in release.languages:
        # By split and checksum, because a shard with only another number is the same.
        then, now = (
            {(file.rsplit("/", 1)[1].split("-")[0], value): file for file, value in files.items()}
            for files in (
                _files(manifest, f"data/{name}/")
                for manifest in (previous.manifest, release.manifest)
            )
        )
        if name in previous.manifest["configs"] and then.keys() != now.keys():
            before = [
                (key[0], previous.fetch(file)) for key, file in then.items() if key not in now
            ]
            after = [
                (key[0], release.folder / file) for key, file in now.items() if key not in then
            ]
            yield name, compare(before, after)


def compare(old: Iterable[tuple[str, Path]], new: Iterable[tuple[str, Path]]) -> Counter[str]:
    """Count the differences of two releases of a language, given pairs of split and Parquet file.

    The counts have the names of the columns of the two queries. Problems that moved are in another
    split. A solution whose code changed counts only as such.

    Raises:
        ReleaseError: A file cannot be read, or lacks a column.
    """
    with open_database() as database:
        for side, files in {"old": old, "new": new}.items():
            database.execute(f"""
                create table {side}_problems (
                    title varchar, split varchar, text ubigint, tests ubigint);
                create table {side}_solutions (
                    title varchar, solution_id varchar, code ubigint, status varchar,
                    wall_ns double, wall_spread double, relative_time double,
                    relative_spread double, peak_bytes double, integral_byte_ns double,
                    integral_spread double);
            """)
            for split, file in files:
                _load(database, side, split, file)
        database.execute("""
            create macro moved(a, b, noise) as
                a is not null and b is not null
                and greatest(a, b) - least(a, b) > least(a, b) * noise
        """)
        sql = """
            select count(*) filter (old.title is null) as problems_added,
                   count(*) filter (new.title is null) as problems_removed,
                   count(*) filter (old.split <> new.split) as problems_moved,
                   count(*) filter (old.text <> new.text) as texts_changed,
                   count(*) filter (old.tests <> new.tests) as tests_changed
            from old_problems as old full join new_problems as new using (title)
        """
        (problems,) = query(database, sql)
        # Without any spread, because each solution was measured once, 0.1 is assumed.
        (solutions,) = query(database, COMPARE_SOLUTIONS, unknown=0.1, memory_noise=MEMORY_NOISE)
    return Counter(**problems, **solutions)


def _load(database: duckdb.DuckDBPyConnection, side: str, split: str, file: Path) -> None:
    """Load the measurements of a file, and hashes of its texts, into the database."""
    import duckdb

    try:
        there = set(pq.read_schema(file).names)
        texts = (
            "question_content", "code_prompt", "test_case_generator", "test_case_evaluator", "test_case_runners",
            "test_case_validator", "comparison", "difficulty", "tags", "time_limit_ns", "memory_limit_bytes",
            "cpu_limit_ns",
        )  # fmt: skip
        # an old release may lack some
        columns = ", ".join(name if name in there else "null" for name in texts)
        # Releases of earlier versions have all tests in their rows instead of a digest.
        tests = "tests_sha256" if "tests_sha256" in there else "sha256(test_cases)"
        insert_problems = f"""
            insert into {side}_problems
            select title, $split, hash({columns}), hash({tests}) from read_parquet($file)
        """
        query(database, insert_problems, split=split, file=str(file))
        insert_solutions = f"""
            insert into {side}_solutions
            select title, s.solution_id, hash(s.code), s.status, s.wall_ns, s.wall_spread,
                   s.relative_time, s.relative_spread, s.peak_bytes, s.integral_byte_ns,
                   s.integral_spread
            from (select title, unnest(solutions) as s from read_parquet($file))
        """
        query(database, insert_solutions, file=str(file))
    except (OSError, pa.ArrowException, duckdb.Error) as error:
        reason = str(error).split("\n")[0]
        raise ReleaseError(
            f"{file} cannot be compared", reason, "download the release again"
        ) from error


def _differing(release: Release, previous: PreviousRelease, start: str = "") -> list[str]:
    """Return the files that differ.

    Rows of a derived set name their release, and a difference in this name is ignored.
    """
    then, now = _files(previous.manifest, start), _files(release.manifest, start)
    names = sorted(name for name in then.keys() | now.keys() if then.get(name) != now.get(name))
    derived = [
        name for name in names if name.startswith(f"{DERIVED}/") and name in then and name in now
    ]
    same = {name for name in derived if not differs(previous.fetch(name), release.folder / name)}
    return [name for name in names if name not in same]


def _column_lines(
    new: Mapping[str, Mapping[str, str]], old: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    for config in (name for name in new if name in old):
        then, now = old[config], new[config]
        parts = {
            "added": now.keys() - then.keys(),
            "removed": then.keys() - now.keys(),
            "of another type": {
                name for name in now.keys() & then.keys() if now[name] != then[name]
            },
        }
        descriptions = [
            f"{', '.join(sorted(names))} {change}" for change, names in parts.items() if names
        ]
        if descriptions or list(now) != list(then):
            yield f"{config}: columns: {'; '.join(descriptions) or 'in another order'}"


def _configs(manifest: Mapping[str, Any]) -> set[str]:
    shared = [name for name in SHARED if _files(manifest, f"{name}/")]
    return {*manifest["configs"], *manifest.get(DERIVED, {}), *shared}


def _files(manifest: Mapping[str, Any], start: str = "") -> dict[str, str]:
    """Return the checksums of files, except the card and its metadata, which always change."""
    return {
        name: value
        for name, value in manifest.get("files", {}).items()
        if name.startswith(start) and name not in (CARD, CROISSANT)
    }
