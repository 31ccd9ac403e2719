"""Problem packages of Kattis and ICPC, the legacy and the 2023-07 layout (a package, or a folder of packages).

Its own validator is used where it is written in Python; a package with another one is set aside. Nothing is read that a
link leads to outside of the package.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from venus_toolkit.builders.reading.cells import Cells
from venus_toolkit.builders.reading.drafts import Attempt, Draft, distinct, finish, new_problem
from venus_toolkit.builders.reading.location import SEE
from venus_toolkit.builders.reading.programs import Judged
from venus_toolkit.builders.reading.validators import default_validator, own_validator
from venus_toolkit.builders.reading.values import limits, slugify
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.errors import LanguageError, SourceError
from venus_toolkit.language import Language, language_of_file
from venus_toolkit.records import MIB, Comparison, Expectation, Limits, TestCase

VERDICTS = {
    "accepted": Expectation.ACCEPTED,
    "wrong_answer": Expectation.WRONG,
    "run_time_error": Expectation.WRONG,
    "rejected": Expectation.WRONG,
    "time_limit_exceeded": Expectation.SLOW,
}
STATEMENTS = ("problem_statement", "statement")
VALIDATORS = ("output_validators", "output_validator")
GROUP_FILES = ("testdata.yaml", "test_group.yaml")
GROUP_FLAGS = ("output_validator_flags", "output_validator_args")
CATEGORIES = ("interactive", "multi-pass", "submit-answer")
SUFFIXES = {".cc": ".cpp", ".cxx": ".cpp", ".c++": ".cpp", ".C": ".cpp", ".py3": ".py"}
MAX_YAML = 1 << 20


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the packages at `location`, in the order of their names.

    Raises:
        SourceError: There is none.
    """
    root = Path(location)
    packages = [root] if (root / "problem.yaml").is_file() else sorted(p.parent for p in root.glob("*/problem.yaml"))
    if not packages:
        raise SourceError(f"{root} has no problem package", "no folder in it holds a problem.yaml", SEE)
    return distinct(item for package in packages for item in _read(package, languages))


def _read(package: Path, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    try:
        yield from finish(_draft(package, languages), languages)
    except (OSError, ValueError, yaml.YAMLError) as error:
        yield SetAside(package.name, " ".join(str(error).split()))


def _draft(package: Path, languages: Mapping[str, Language]) -> Draft:
    about = _yaml(package / "problem.yaml", package)
    slug = slugify(package.resolve().name)
    category = _category(about)
    judged = _judged(package, about) if category == "algorithms" else Judged(Comparison(), None)
    aside: list[SetAside] = []
    statement = _statement(package)
    problem = new_problem(
        slug,
        statement.read_text(encoding="utf-8"),
        title=_one(about.raw("name"), slug),
        tags=tuple(_words(about.raw("keywords"))),
        source=_one(about.raw("source"), "kattis"),
        license=_one(about.raw("license"), "unknown"),
        limits=_limits(package, about),
        category=category,
        comparison=judged.comparison,
        evaluator=judged.evaluator,
        extra={"statement_file": statement.name},
    )
    attempts = list(_attempts(package, slug, languages, aside))
    return Draft(problem, attempts, list(_tests(package, slug, aside)), aside)


def _yaml(path: Path, package: Path) -> Cells:
    if not _inside(path, package):
        raise ValueError(f"{path.name} leads outside of the package")
    if path.stat().st_size > MAX_YAML:
        raise ValueError(f"{path.name} is larger than {MAX_YAML >> 10} KiB")
    table = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    if not isinstance(table, dict):
        raise ValueError(f"{path.name} is no mapping")
    return Cells(table, f"{path.name}: ")


def _one(value: Any, default: str) -> str:
    """Return text of what may be text, a list or a mapping (names by language, sources): English or the first of it."""
    if isinstance(value, dict):
        value = value.get("en") or value.get("name") or next(iter(value.values()), None)
    if isinstance(value, list):
        return _one(value[0], default) if value else default
    return str(value) if value not in (None, "") else default


def _words(value: Any) -> list[str]:
    return value.split() if isinstance(value, str) else [str(word) for word in value or ()]


def _statement(package: Path) -> Path:
    """Return the statement: English before others, Markdown before LaTeX."""
    files = [path for name in STATEMENTS for path in sorted((package / name).glob("problem*")) if _ours(path, package)]
    wanted = [file for suffix in (".md", ".tex") for file in files if file.suffix == suffix]
    english = [file for file in wanted if file.name.split(".")[1:-1] in (["en"], [])]
    if not wanted:
        raise ValueError("it has no statement in Markdown or LaTeX")
    return (english or wanted)[0]


def _category(about: Cells) -> str:
    kinds = [*_words(about.raw("type")), *_words(about.raw("validation"))]
    return next((kind for kind in CATEGORIES if kind in kinds), "algorithms")


def _limits(package: Path, about: Cells) -> Limits:
    """The legacy layout leaves the time to the judges, who write it into .timelimit or domjudge-problem.ini."""
    said = about.cells("limits")
    seconds = said.number("time_limit")
    stated, ini = package / ".timelimit", package / "domjudge-problem.ini"
    if seconds is None and _ours(stated, package):
        seconds = float(stated.read_text(encoding="utf-8"))
    if seconds is None and _ours(ini, package):
        pairs = [line.partition("=") for line in ini.read_text(encoding="utf-8").splitlines()]
        found = [value.strip(" '\"\t") for key, _, value in pairs if key.strip() == "timelimit"]
        seconds = float(found[0]) if found else None
    memory, output = said.number("memory"), said.number("output")
    changed = limits(seconds, memory * MIB if memory else None)
    return changed.changed(output_bytes=round(output * MIB) if output else None)


# ------------------------------------------------------------------ judging


def _judged(package: Path, about: Cells) -> Judged:
    flags = _flags(package, about)
    folders = [package / name for name in VALIDATORS if (package / name).is_dir()]
    custom = "custom" in _words(about.raw("validation")) or (package / "output_validator").is_dir()
    for path in (path for folder in folders for path in folder.rglob("*")):
        if not _inside(path, package):
            raise ValueError(f"{path.name} leads outside of the package")
    return own_validator(folders, flags) if custom else default_validator(flags)


def _flags(package: Path, about: Cells) -> Sequence[str]:
    """Return the validator's flags, which have to be the same for all tests: a problem has one evaluator."""
    found = {tuple(_split(about.raw("validator_flags")))} - {()}
    for path in sorted(path for name in GROUP_FILES for path in (package / "data").rglob(name)):
        group = _yaml(path, package)
        found |= {tuple(_split(group.raw(key))) for key in GROUP_FLAGS if key in group}
    if len(found) > 1:
        raise ValueError("its groups of tests have different validator flags")
    return next(iter(found), ())


def _split(value: Any) -> list[str]:
    return shlex.split(value) if isinstance(value, str) else [str(word) for word in value or ()]


# ------------------------------------------------------------------ files


def _inside(path: Path, package: Path) -> bool:
    return path.resolve().is_relative_to(package.resolve())


def _ours(path: Path, package: Path) -> bool:
    return path.is_file() and _inside(path, package)


def _tests(package: Path, slug: str, aside: list[SetAside]) -> Iterator[TestCase]:
    data = package / "data"
    for file in sorted(path for part in ("sample", "secret") for path in (data / part).rglob("*.in")):
        name = "-".join(file.relative_to(data).with_suffix("").parts)
        answer = file.with_suffix(".ans")
        try:
            if not _ours(file, package) or (answer.exists() and not _ours(answer, package)):
                raise ValueError("it is no file of the package")
            stdout = answer.read_bytes().decode("utf-8") if answer.exists() else None
            yield TestCase(name, file.read_bytes().decode("utf-8"), stdout, kind="given")
        except ValueError as error:
            aside.append(SetAside(f"{slug}/{name}", str(error)))


def _attempts(package: Path, slug: str, languages: Mapping[str, Language], aside: list[SetAside]) -> Iterator[Attempt]:
    for folder in sorted(path for path in (package / "submissions").glob("*") if path.is_dir()):
        for place in sorted(path for path in folder.iterdir() if not path.name.startswith(".")):
            files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
            name = f"{folder.name}/{place.name}"
            try:
                if len(files) != 1 or not _ours(files[0], package):
                    raise ValueError(f"a submission of {len(files)} files, wanted is one of the package")
                suffix = SUFFIXES.get(files[0].suffix, files[0].suffix)
                language = language_of_file(files[0].with_suffix(suffix), languages)
                code = files[0].read_text(encoding="utf-8")
            except (ValueError, LanguageError) as error:
                why = error.what if isinstance(error, LanguageError) else str(error)
                aside.append(SetAside(f"{slug}/{name}", why))
                continue
            expected = VERDICTS.get(folder.name, Expectation.UNKNOWN)
            yield Attempt(language.id, code, expected, {"submission": name})
