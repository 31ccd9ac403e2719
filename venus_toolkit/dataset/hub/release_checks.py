"""The checks before a release is published. A check is a function that yields findings.

    checksums   every file matches the manifest, and every file is listed there
    schema      all files of a config have the same columns, and its splits as many rows as the manifest says;
                the columns of the earlier (ancestor) datasets come first
    licences    the licence of every problem and solution allows redistribution (checks/licences.toml)
    leaks       no test problem is in training data
    secrets     no key or token in code, statements, tests, prompts or the card (checks/secrets.toml)
    loading     load_dataset reads every config

The first five check the release as it was built. The release with its new card, as it would be
sent, is then checked for loading, and its text files once more for secrets.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import RefusedError
from venus_toolkit.core.store import MANIFEST
from venus_toolkit.core.temporary import temporary_folder
from venus_toolkit.dataset.columns import (
    ANCESTORS,
    PROBLEMS,
    REJECTED,
    RUNS,
    SCHEMA,
    SOLUTIONS,
    TESTS,
)
from venus_toolkit.dataset.hub.repository import Progress
from venus_toolkit.dataset.release import (
    CARD,
    DEFAULT,
    PROBLEMS_CONFIG,
    REJECTED_CONFIG,
    RUNS_CONFIG,
    SOLUTIONS_CONFIG,
    TESTS_CONFIG,
    Release,
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """Exceptions that the user takes responsibility for: ids of secrets, and names of licences."""

    secrets: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()


class CheckFinding(NamedTuple):
    """A finding that prevents publication: the check, the place, and the reason."""

    check: str
    where: str
    what: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.check}: {self.where}: {self.what}"


Check = Callable[[Release, Allowed], Iterable[CheckFinding]]


def run_checks(
    release: Release, checks: dict[str, Check], allowed: Allowed, progress: Progress
) -> None:
    """Run all checks.

    Raises:
        RefusedError: There are findings; the error lists them.
    """
    findings: list[CheckFinding] = []
    for number, (name, check) in enumerate(checks.items()):
        progress("checks", number, len(checks))
        with doing(name):
            findings += check(release, allowed)
        if name in ("checksums", "schema") and findings:
            break  # the later checks could not read the files
    progress("checks", len(checks), len(checks))
    if not findings:
        return
    max_shown = 20
    lines = [f"\n  {finding}" for finding in findings[:max_shown]]
    if len(findings) > max_shown:
        lines.append(f"\n  and {len(findings) - max_shown} more")
    failed = {finding.check for finding in findings}
    fixes = ["repair these findings, then type the same command"]
    fixes += ["if it is not a secret: --allow-secret ID"] if "secrets" in failed else []
    fixes += (
        ["if you may redistribute it nevertheless: --allow-licence NAME"]
        if "licences" in failed
        else []
    )
    count = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
    raise RefusedError("the release is not published", f"{count}{''.join(lines)}", "; ".join(fixes))


def check_checksums(release: Release, _: Allowed) -> Iterator[CheckFinding]:
    """Yield files that are missing, were changed, or are not in the manifest.

    The card is not checked: users may edit it, and it is rendered again.
    """
    if not release.manifest.get("files"):
        yield CheckFinding(
            "checksums", MANIFEST, "lists no files with their checksums: build again"
        )
    for complaint in release.complaints():
        if not complaint.startswith(f"{CARD} "):
            yield CheckFinding("checksums", *complaint.split(" ", 1))


def check_schema(release: Release, _: Allowed) -> Iterator[CheckFinding]:
    """Yield files that lack columns or cannot be read, and splits whose rows are miscounted."""
    if not release.languages:
        yield CheckFinding("schema", MANIFEST, "lists no language")
    configs = release.configs()
    # The files of `default` are those of the languages.
    for config in (name for name in configs if name != DEFAULT):
        findings = list(_schema_of_config(release, config))
        yield from findings
        if findings or config not in release.languages:
            continue
        for split, facts in release.manifest["configs"][config]["splits"].items():
            rows = release.rows(config, split) if split in configs[config] else 0
            if rows != facts["problems"]:
                complaint = f"{rows} rows, the manifest says {facts['problems']} problems"
                yield CheckFinding("schema", f"{config}/{split}", complaint)


def _schema_of_config(release: Release, config: str) -> Iterator[CheckFinding]:
    columns_of = {
        SOLUTIONS_CONFIG: SOLUTIONS,
        PROBLEMS_CONFIG: PROBLEMS,
        TESTS_CONFIG: TESTS,
        RUNS_CONFIG: RUNS,
        REJECTED_CONFIG: REJECTED,
        **dict.fromkeys(release.languages, SCHEMA),
    }
    expected = columns_of.get(config, ())
    first: pa.Schema | None = None
    for file in release.files(config):
        where = file.relative_to(release.folder).as_posix()
        try:
            metadata = pq.read_metadata(file)
        except (OSError, pa.ArrowException) as error:
            yield CheckFinding("schema", where, f"cannot be read: {str(error).splitlines()[0]}")
            continue
        schema = metadata.schema.to_arrow_schema()
        first = first or schema
        if not schema.equals(first):
            yield CheckFinding(
                "schema", where, "has other columns than the first file of its config"
            )
        if expected is SCHEMA and schema.names[: len(ANCESTORS)] != list(ANCESTORS):
            yield CheckFinding(
                "schema", where, f"does not begin with the columns {', '.join(ANCESTORS)}"
            )
        for field in expected:
            if field.name not in schema.names:
                yield CheckFinding("schema", where, f"lacks the column {field.name}")
            elif not _reads_as(schema.field(field.name).type, field.type):
                complaint = (
                    f"the column {field.name} is {schema.field(field.name).type}, not {field.type}"
                )
                yield CheckFinding("schema", where, complaint)
        for number in range(metadata.num_row_groups):
            size = metadata.row_group(number).total_byte_size
            if size > 300_000_000:  # the Hub's viewer refuses larger ones
                yield CheckFinding(
                    "schema",
                    where,
                    f"row group {number} has {size} bytes, more than the Hub's viewer reads",
                )


def _reads_as(actual: pa.DataType, expected: pa.DataType) -> bool:
    """Return whether a column has the expected type; a struct may have more fields."""
    if pa.types.is_list(actual) and pa.types.is_list(expected):
        return _reads_as(actual.value_type, expected.value_type)
    if pa.types.is_struct(actual) and pa.types.is_struct(expected):
        names = {field.name for field in actual}
        return all(
            f.name in names and _reads_as(actual.field(f.name).type, f.type) for f in expected
        )
    return bool(actual.equals(expected))


def check_licences(release: Release, allowed: Allowed) -> Iterator[CheckFinding]:
    """Yield the licences that forbid redistribution, and unknown ones."""
    rules = _rules("licences")
    accepted = {name.lower() for name in allowed.licences}
    distributable = {name.lower() for name in rules["distributable"]}
    restricted = {name.lower(): reason for name, reason in rules["restricted"].items()}
    counts: Counter[tuple[str, str, str]] = Counter()
    for language in release.languages:
        for file in release.files(language):
            # A few rows at a time, only these columns. Parquet has two names for the items of lists.
            columns = ["license", "solutions.list.element.license", "solutions.list.item.license"]
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(batch_size=4096, columns=columns):
                    solutions = pc.list_flatten(batch.column("solutions"))
                    licences = {
                        "problems": batch.column("license"),
                        "solutions": solutions.field("license"),
                    }
                    for kind, names in licences.items():
                        counts.update(
                            (language, kind, name or "unknown") for name in names.to_pylist()
                        )
    for file in release.files(REJECTED_CONFIG) if REJECTED_CONFIG in release.config_names else ():
        for licence in pq.read_table(file, columns=["license"])["license"].to_pylist():
            counts[REJECTED_CONFIG, "solutions", licence or "unknown"] += 1
    for (language, kind, licence), count in sorted(counts.items()):
        name = licence.strip() or "unknown"
        # in MIT AND CC-BY-4.0, both have to be distributable
        parts = {part.strip().lower() for part in name.split(" AND ")}
        if name.lower() not in accepted and not parts <= distributable:
            reason = restricted.get(name.lower(), "it is not known to allow redistribution")
            yield CheckFinding("licences", language, f"{count} {kind} under {name}: {reason}")


def _rules(name: str) -> dict[str, Any]:
    file = resources.files("venus_toolkit.dataset.hub") / "checks" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def check_leaks(release: Release, _: Allowed) -> Iterator[CheckFinding]:
    """Yield the test problems that occur in training data.

    Training data are the train splits of all languages, and the derived sets. A problem is
    recognised by its title, its id and its statement. In a derived set, the statement is also
    recognised inside a longer text, by its longest line that no train problem has.
    """
    tested = [problem for name in release.languages for problem in _problems(release, name, "test")]
    titles, ids = {problem.title for problem in tested}, {problem.problem_id for problem in tested}
    statements = {problem.normalized: problem.title for problem in tested if problem.normalized}
    # Lines that train statements have too, such as the usual phrases about input and output, are no
    # evidence of a leak.
    common: set[str] = set()
    for language in release.languages:
        for problem in _problems(release, language, "train"):
            common |= _long_lines(problem.statement)
            where = f"{language}/train, {problem.title}"
            if problem.title in titles or problem.problem_id in ids:
                yield CheckFinding("leaks", where, "is a problem of a test split")
            elif problem.normalized in statements:
                complaint = (
                    f"has the statement of {statements[problem.normalized]}, a problem of a test "
                    "split"
                )
                yield CheckFinding("leaks", where, complaint)
    # Lines of the same length are compared as text, because the order of a set varies between runs.
    unique_lines = {
        max(lines, key=lambda line: (len(line), line)): problem.title
        for problem in tested
        if (lines := _long_lines(problem.statement) - common)
    }
    # A derived set has titles or ids; _leaks_of_file compares strings.
    names = titles | {str(number) for number in ids}
    for config in release.derived:
        for file in release.files(config):
            yield from _leaks_of_file(
                file, file.relative_to(release.folder).as_posix(), names, unique_lines
            )


class _Problem(NamedTuple):
    title: str
    problem_id: int
    statement: str

    @property
    def normalized(self) -> str:
        """The statement without case, white space and punctuation."""
        return " ".join(re.findall(r"\w+", self.statement.lower()))


def _problems(release: Release, language: str, split: str) -> Iterator[_Problem]:
    for file in release.files(language, split) if split in release.splits(language) else ():
        for row in pq.read_table(
            file, columns=["title", "problem_id", "question_content"]
        ).to_pylist():
            yield _Problem(row["title"], row["problem_id"], row["question_content"] or "")


def _leaks_of_file(
    file: Path, where: str, names: set[str], unique_lines: dict[str, str]
) -> Iterator[CheckFinding]:
    columns = [name for name in ("title", "problem_id") if name in pq.read_schema(file).names]
    if not columns:
        yield CheckFinding(
            "leaks", where, "has neither a title nor a problem_id: its origin is unknown"
        )
    table = pq.read_table(file, columns=columns)
    leaked = {str(value) for name in columns for value in table[name].unique().to_pylist()} & names
    for group in _row_groups(file) if unique_lines else ():
        for text in (text for texts in _texts(group) for text in texts.unique().to_pylist()):
            leaked.update(
                unique_lines[line] for line in _long_lines(text or "") & unique_lines.keys()
            )
    yield from (
        CheckFinding("leaks", where, f"contains {name}, a problem of a test split")
        for name in sorted(leaked)
    )


def _long_lines(text: str) -> set[str]:
    # Shorter lines could occur in any statement.
    return {line.strip() for line in text.splitlines() if len(line) >= 40}


class SecretRule(NamedTuple):
    """The pattern of one kind of secret; a match that `harmless` matches as well does not count."""

    name: str
    pattern: re.Pattern[str]
    harmless: re.Pattern[str] | None


def secret_rules() -> tuple[SecretRule, ...]:
    """Return the rules in secrets.toml."""
    return tuple(
        SecretRule(
            rule["id"],
            re.compile(rule["pattern"]),
            re.compile(rule["except"]) if "except" in rule else None,
        )
        for rule in _rules("secrets")["rule"]
    )


def check_secrets(release: Release, allowed: Allowed) -> Iterator[CheckFinding]:
    """Yield the secrets in every text of every Parquet file, and in the text files.

    A finding names the location of the secret and an id for --allow-secret, and shows only its
    first characters.
    """
    rules = secret_rules()
    anything = "|".join(rule.pattern.pattern for rule in rules)
    for file in sorted(release.folder.glob("**/*.parquet")):
        for group in _row_groups(file):
            # Arrow's RE2 is much faster than Python, so Python searches only groups with a match.
            if not any(
                pc.any(pc.match_substring_regex(texts, anything)).as_py() for texts in _texts(group)
            ):
                continue
            for number, row in enumerate(group.to_pylist()):
                title = row.get("title", row.get("problem_id", f"row {number}"))
                for place, text in _places(row):
                    where = f"{file.relative_to(release.folder)}, {title}, {place}"
                    yield from _secrets_in(rules, text, where, allowed)
    yield from check_text_files(release, allowed)


def check_text_files(release: Release, allowed: Allowed) -> Iterator[CheckFinding]:
    """Yield the secrets in the card, the manifest and every other text file."""
    rules = secret_rules()
    for name in sorted({CARD, MANIFEST, *release.manifest.get("files", {})}):
        path = release.folder / name
        if path.suffix in (".md", ".json", ".jsonl", ".toml", ".txt") and path.is_file():
            with path.open(encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines, 1):
                    yield from _secrets_in(rules, line, f"{name}, line {number}", allowed)


def _secrets_in(
    rules: Sequence[SecretRule], text: str, where: str, allowed: Allowed
) -> Iterator[CheckFinding]:
    for rule in rules:
        for match in rule.pattern.finditer(text):
            secret = match[0]
            name = (
                f"{rule.name}-{hashlib.sha256(secret.encode('utf-8', 'replace')).hexdigest()[:8]}"
            )
            if name not in allowed.secrets and not (rule.harmless and rule.harmless.search(secret)):
                yield CheckFinding(
                    "secrets", where, f"looks like a {rule.name} ({secret[:6]}…), id {name}"
                )


def _row_groups(file: Path) -> Iterator[pa.StructArray]:
    """Yield the rows of a Parquet file, a row group at a time."""
    with pq.ParquetFile(file) as parquet:
        for number in range(parquet.num_row_groups):
            for batch in parquet.read_row_group(number).combine_chunks().to_batches():
                yield batch.to_struct_array()


def _texts(values: pa.Array) -> Iterator[pa.Array]:
    """Yield the text columns in a column, including those inside lists and structs, flattened."""
    kind = values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield values
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _texts(pc.list_flatten(values))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from _texts(values.field(field.name))


def _places(value: Any, entry: str | None = None, column: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a row, with its location.

    The location is the id of its solution or test, if any, and its column.
    """
    if isinstance(value, str):
        yield ", ".join(filter(None, (entry, column))), value
    elif isinstance(value, list):
        for item in value:
            yield from _places(item, entry, column)
    elif isinstance(value, dict):
        for name, inner in value.items():
            # A text that is an id itself is located without it, because the id may be the secret.
            ids = [value[key] for key in ("solution_id", "test_id") if key in value and key != name]
            yield from _places(inner, ids[0] if ids else entry, f"{column}.{name}".lstrip("."))


def check_loading(release: Release, _: Allowed) -> Iterator[CheckFinding]:
    """Yield configs that ``load_dataset`` cannot load, or loads with another number of rows."""
    from datasets import disable_progress_bars, enable_progress_bars, load_dataset
    from datasets.utils import are_progress_bars_disabled

    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        for config in release.configs():
            try:
                with temporary_folder("loading") as cache:
                    parts = load_dataset(str(release.folder), config, cache_dir=str(cache))
                    loaded = {split: int(rows.num_rows) for split, rows in parts.items()}
            # a user would get the same error, from any of the layers of `datasets`
            except Exception as error:
                cause: BaseException = error
                while cause.__cause__ is not None:
                    cause = cause.__cause__
                reason = (
                    f"{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else ''}"[
                        :300
                    ]
                )
                yield CheckFinding("loading", config, f"load_dataset fails: {reason}")
                continue
            expected = {split: release.rows(config, split) for split in release.splits(config)}
            if config in release.derived:  # the card adds a split that has the rows of all others
                expected["train"] = sum(expected.values())
            if loaded != expected:
                yield CheckFinding(
                    "loading", config, f"load_dataset finds {loaded}, the files have {expected}"
                )
    finally:
        if shown:
            enable_progress_bars()


CHECKS_OF_DATA: dict[str, Check] = {  # of a release as it was built
    "checksums": check_checksums,
    "schema": check_schema,
    "licences": check_licences,
    "leaks": check_leaks,
    "secrets": check_secrets,
}
CHECKS_OF_CARD: dict[str, Check] = {
    "secrets of the card": check_text_files,
    "loading": check_loading,
}
