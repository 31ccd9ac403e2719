"""Problems as folders: the format of the bundled corpus and of users' own problems (docs/problems.md)."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.drafts import distinct
from venus_toolkit.builders.reading.values import WALL_PER_CPU, stable_id
from venus_toolkit.builders.sources import Entry, SetAside
from venus_toolkit.errors import LanguageError, SourceError
from venus_toolkit.language import Language, find_language
from venus_toolkit.records import MIB, NS_PER_S, Comparison, Expectation, Limits, Problem, Solution, TestCase

CORPUS = Path(__file__).parents[1] / "corpus" / "problems"
LOCATION = "corpus"
LICENSE = "Apache-2.0"
PREFIXES = {"wrong_": Expectation.WRONG, "slow_": Expectation.SLOW, "unknown_": Expectation.UNKNOWN}
KEYS = ("id", "title", "difficulty", "tags", "style", "source", "license", "limits", "compare")
DIFFICULTIES = ("Easy", "Medium", "Hard")
STYLES = ("stdin", "function")
COMPARISONS = ("exact", "float", "evaluator")


def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    """Yield the problems in the folder `location`, or of the bundled corpus, in the order of their names."""
    root = CORPUS if location == LOCATION else Path(location)
    return distinct(_entries(root, languages))


def _entries(root: Path, languages: Mapping[str, Language]) -> Iterator[Entry | SetAside]:
    for folder in problem_folders(root):
        try:
            yield read_entry(folder, languages)
        except SourceError as error:
            yield SetAside(folder.name, str(error))


def problem_folders(root: Path) -> list[Path]:
    """Return the problem folders in `root`, or `root` itself if it is one.

    Raises:
        SourceError: There is none.
    """
    if not root.exists():
        raise SourceError(f"the source {root} does not exist", "no such folder", "type: venus build --help")
    if (root / "problem.toml").is_file():
        return [root]
    folders = sorted(path.parent for path in root.glob("*/problem.toml"))
    if not folders:
        raise SourceError(
            f"the source {root} has no problems", "no folder in it holds a problem.toml", "see docs/problems.md"
        )
    return folders


def read_entry(folder: Path, languages: Mapping[str, Language]) -> Entry:
    """Return what one problem folder says.

    Raises:
        SourceError: It is not as documented; the message names the file and the reason.
    """
    try:
        table = tomllib.loads(_read(folder / "problem.toml"))
        problem = _problem(folder, table)
        solutions = tuple(_solutions(folder, problem, languages))
        return Entry(problem, solutions, tuple(_tests(folder / "tests")))
    except KeyError as error:
        raise SourceError(
            f"{folder.name}/problem.toml is incomplete", f"the key {error} is missing", "see docs/problems.md"
        ) from error
    except LanguageError as error:
        raise SourceError(
            f"{folder.name} names a language that is not here", str(error.what), "type: venus languages list"
        ) from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise SourceError(f"the problem {folder.name} cannot be read", str(error), "see docs/problems.md") from error


def _problem(folder: Path, table: Mapping[str, Any]) -> Problem:
    _known("problem.toml", table, KEYS)
    style, compare = table.get("style", "stdin"), table.get("compare", {})
    _known("[compare]", compare, ("kind", "absolute", "relative"))
    kind = compare.get("kind", "exact")
    if style not in STYLES or kind not in COMPARISONS:
        raise ValueError(f"style is one of {STYLES} and compare.kind one of {COMPARISONS}, got {style!r} and {kind!r}")
    difficulty = table.get("difficulty", "Medium")
    if difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty is one of {DIFFICULTIES}, got {difficulty!r}")
    slug = folder.name
    return Problem(
        slug=slug,
        problem_id=int(table["id"]) if "id" in table else stable_id(slug),
        title=str(table["title"]),
        statement=_read(folder / "statement.md"),
        difficulty=difficulty,
        tags=tuple(table.get("tags", ())),
        style=style,
        source=str(table.get("source", "user")),
        license=str(table.get("license", "unknown")),
        limits=_limits(table.get("limits", {})),
        comparison=Comparison(kind, float(compare.get("absolute", 0.0)), float(compare.get("relative", 0.0))),
        generator=_text(folder / "generator.py"),
        evaluator=_text(folder / "evaluator.py"),
        validator=_text(folder / "validator.py"),
        starter_code=_by_language(folder / "starter"),
        runners=_by_language(folder / "runners"),
    )


def _limits(table: Mapping[str, Any]) -> Limits:
    """CPU time is the limit that counts: it does not depend on who else is on the machine. Wall time backs it up."""
    _known("[limits]", table, ("cpu_s", "wall_s", "memory_mib", "processes"))
    for key, value in table.items():
        whole = key in ("memory_mib", "processes")
        fits = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or value <= 0:
            raise ValueError(f"{key} is a {'whole ' * whole}number greater than 0, got {value!r}")
    cpu_ns = round(table["cpu_s"] * NS_PER_S) if "cpu_s" in table else None
    wall_ns = round(table["wall_s"] * NS_PER_S) if "wall_s" in table else cpu_ns and WALL_PER_CPU * cpu_ns
    memory = table["memory_mib"] * MIB if "memory_mib" in table else None
    return Limits().changed(
        wall_ns=wall_ns, cpu_ns=cpu_ns or wall_ns, memory_bytes=memory, processes=table.get("processes")
    )


def _known(where: str, table: Mapping[str, Any], keys: Sequence[str]) -> None:
    unknown = sorted(set(table.keys()) - set(keys))
    if unknown:
        raise ValueError(f"{where} has unknown keys: {', '.join(unknown)}; known are {', '.join(keys)}")


def _read(path: Path) -> str:
    """Return a file's text as it is, carriage returns included."""
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not UTF-8: {error.reason} at byte {error.start}") from error


def _text(path: Path) -> str | None:
    return _read(path) if path.is_file() else None


def _by_language(folder: Path) -> dict[str, str]:
    return {path.stem: _read(path) for path in sorted(folder.glob("*")) if path.is_file()}


def _solutions(folder: Path, problem: Problem, languages: Mapping[str, Language]) -> Iterator[Solution]:
    for place in sorted(path for path in (folder / "solutions").glob("*") if path.is_dir()):
        language = find_language(place.name, languages)
        for file in sorted(path for path in place.iterdir() if path.is_file() and not path.name.startswith(".")):
            if file.suffix != language.extension:
                raise ValueError(f"{place.name}/{file.name} does not end in {language.extension}")
            yield Solution(
                solution_id=f"{problem.slug}/{language.id}/{file.stem}",
                slug=problem.slug,
                language=language.id,
                code=_read(file),
                expected=_expectation(file.stem),
                source=problem.source,
                license=problem.license,
            )


def _expectation(name: str) -> Expectation:
    return next((value for prefix, value in PREFIXES.items() if name.startswith(prefix)), Expectation.ACCEPTED)


def _tests(folder: Path) -> Iterator[TestCase]:
    for file in sorted(folder.glob("*.in")):
        answer = file.with_suffix(".out")
        stdout = _text(answer)
        yield TestCase(test_id=file.stem, stdin=_read(file), stdout=stdout, kind="given")
