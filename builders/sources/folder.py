"""Problems as folders: the format of the bundled corpus and of users' own problems (docs/problems.md)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import MAX_INT64, Cells, as_text, show
from venus_toolkit.builders.reading.values import (
    WALL_PER_CPU,
    asks_for_real_numbers,
    fill_evaluator,
    stable_id,
)
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import LanguageError, SourceError
from venus_toolkit.core.language import Language, find_language
from venus_toolkit.core.options import nearest
from venus_toolkit.core.records import (
    MIB,
    NS_PER_S,
    Expectation,
    Limits,
    OutputComparison,
    Problem,
    Solution,
    TestCase,
)
from venus_toolkit.core.untrusted.beneath import read_beneath, refusal

CORPUS = Path(__file__).resolve().parents[2] / "corpus" / "problems"
SEE = "see docs/problems.md"
PREFIXES = {"wrong_": Expectation.WRONG, "slow_": Expectation.SLOW, "unknown_": Expectation.UNKNOWN}


@source(location="corpus", license="Apache-2.0")
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems in the folder `location`, or in the bundled corpus, sorted by name."""
    root = CORPUS if location == "corpus" else Path(location)
    for folder in problem_folders(root):
        rejected: list[Rejected] = []
        try:
            if folder != root and (reason := refusal(folder, root)):
                raise SourceError(
                    f"the problem {folder.name} is not read",
                    reason,
                    "put a copy of the folder there",
                )
            yield _read_entry(folder, languages, rejected)
        except SourceError as error:
            yield Rejected(folder.name, str(error))
        else:
            yield from rejected


def problem_folders(root: Path) -> list[Path]:
    """Return the problem folders in `root`, or `root` itself if it is one.

    Raises:
        SourceError: `root` holds no problem folder.
    """
    if not root.exists():
        raise SourceError(
            f"the source {root} does not exist", "no such folder", "type: venus build --help"
        )
    if (root / "problem.toml").is_file():
        return [root]
    folders = sorted(path.parent for path in root.glob("*/problem.toml"))
    if not folders:
        raise SourceError(
            f"the source {root} has no problems", "no folder in it holds a problem.toml", SEE
        )
    return folders


def _read_entry(folder: Path, languages: Mapping[str, Language], rejected: list[Rejected]) -> Entry:
    """Read one problem folder, and add its unreadable solutions to `rejected`."""
    try:
        table = tomllib.loads(_read(folder / "problem.toml", folder).removeprefix("\ufeff"))
        problem = _problem(folder, table, languages)
        solutions = tuple(_solutions(folder, problem, languages, rejected))
        tests = tuple(
            TestCase(
                file.stem,
                _read(file, folder),
                _read_optional(file.with_suffix(".out"), folder),
                kind="given",
            )
            for file in sorted((folder / "tests").glob("*.in"))
        )
        return Entry(problem, solutions, tests)
    except KeyError as error:
        raise SourceError(
            f"{folder.name}/problem.toml is incomplete", f"the key {error} is missing", SEE
        ) from error
    except (
        OSError,
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise SourceError(f"the problem {folder.name} cannot be read", str(error), SEE) from error


def _problem(folder: Path, table: Mapping[str, Any], languages: Mapping[str, Language]) -> Problem:
    keys = (
        "id",
        "title",
        "difficulty",
        "tags",
        "style",
        "source",
        "license",
        "limits",
        "compare",
        "standards",
    )
    _check_keys("problem.toml", table, keys)
    style, compare = table.get("style", "stdin"), table.get("compare", {})
    _check_keys("[compare]", compare, ("kind", "absolute", "relative", "real"))
    kind, statement = compare.get("kind", "exact"), _read(folder / "statement.md", folder)
    real = compare.get("real", kind == "float" and asks_for_real_numbers(statement))
    styles, kinds = ("stdin", "function"), ("exact", "float", "evaluator")
    if style not in styles or kind not in kinds:
        choices = f"style must be one of {styles}, compare.kind one of {kinds}"
        raise ValueError(f"{choices}: got {style!r} and {kind!r}")
    if not isinstance(real, bool) or (real and kind != "float"):
        raise ValueError(
            f'compare.real must be true or false, for kind = "float" only: got {real!r} for '
            f"{kind!r}"
        )
    difficulty = table.get("difficulty", "Medium")
    difficulties = ("Easy", "Medium", "Hard")
    if difficulty not in difficulties:
        raise ValueError(f"difficulty must be one of {difficulties}, got {difficulty!r}")
    slug, cells, tolerance = folder.name, Cells(table), Cells(compare)
    number = cells.whole("id")
    if number is not None and not 0 <= number <= MAX_INT64:
        raise ValueError(f"id must be a number from 0 to {MAX_INT64}, got {show(number)}")
    return Problem(
        slug=slug,
        problem_id=stable_id(slug) if number is None else number,
        title=as_text(table["title"], "title"),
        statement=statement,
        difficulty=difficulty,
        tags=cells.texts("tags"),
        style=style,
        source=cells.text("source", "user"),
        license=cells.text("license", "unknown"),
        limits=_limits(table.get("limits", {})),
        comparison=OutputComparison(
            kind, tolerance.number("absolute") or 0.0, tolerance.number("relative") or 0.0, real
        ),
        generator=_read_optional(folder / "generator.py", folder),
        evaluator=_evaluator(folder),
        validator=_read_optional(folder / "validator.py", folder),
        starter_code=_read_by_language(folder, "starter"),
        runners=_read_by_language(folder, "runners"),
        standards=_standards(table.get("standards", {}), languages),
    )


def _standards(table: Mapping[str, Any], languages: Mapping[str, Language]) -> dict[str, str]:
    try:
        named = {
            find_language(name, languages): as_text(standard, name)
            for name, standard in table.items()
        }
        return {
            language.id: language.of_standard(standard).standard
            for language, standard in named.items()
        }
    except LanguageError as error:
        raise ValueError(f"[standards]: {error.what}, {error.why}") from error


def _evaluator(folder: Path) -> str | None:
    """Return ``evaluator.py``, or an evaluator that runs ``checker.cpp`` with its headers."""
    own = _read_optional(folder / "evaluator.py", folder)
    if not (folder / "checker.cpp").is_file():
        return own
    if own is not None:
        raise ValueError("it has both an evaluator.py and a checker.cpp: remove one")
    files = {
        path.name: _read(path, folder)
        for path in sorted((folder / "checker.cpp", *folder.glob("*.h")))
    }
    checker = {"language": "cpp", "convention": "testlib", "files": files, "flags": []}
    return fill_evaluator("compiled_checker", checker=checker)


def _limits(table: Mapping[str, Any]) -> Limits:
    """Read the limits; CPU time takes precedence, because background load does not affect it."""
    _check_keys("[limits]", table, ("cpu_s", "wall_s", "memory_mib", "processes"))
    # The largest value of every limit: eleven days in seconds, about a tebibyte in MiB. Larger ones
    # may not fit into 64 bits.
    largest = 10**6
    for key, value in table.items():
        whole = key in ("memory_mib", "processes")
        fits = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not fits or not 0 < value <= largest:
            description = f"{'whole ' * whole}number greater than 0 and at most {largest}"
            raise ValueError(f"{key} must be a {description}, got {show(value)}")
    cpu_ns = round(table["cpu_s"] * NS_PER_S) if "cpu_s" in table else None
    wall_ns = (
        round(table["wall_s"] * NS_PER_S) if "wall_s" in table else cpu_ns and WALL_PER_CPU * cpu_ns
    )
    memory = table["memory_mib"] * MIB if "memory_mib" in table else None
    # If only the wall time is set, the default CPU time must not be shorter.
    return Limits().changed(
        wall_ns=wall_ns,
        cpu_ns=cpu_ns or wall_ns,
        memory_bytes=memory,
        processes=table.get("processes"),
    )


def _check_keys(where: str, table: Mapping[str, Any], keys: Sequence[str]) -> None:
    unknown = sorted(set(table.keys()) - set(keys))  # AttributeError if it is not a table
    if unknown:
        raise ValueError(
            f"{where} has unknown keys: {', '.join(unknown)}; {nearest(unknown[0], keys)}"
            f"expected one of {', '.join(keys)}"
        )


def _read(path: Path, folder: Path) -> str:
    """Return the text of a file in a problem folder, carriage returns included."""
    try:
        return read_beneath(path, folder).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} is not UTF-8: {error.reason} at byte {error.start}"
        ) from error


def _read_optional(path: Path, folder: Path) -> str | None:
    return _read(path, folder) if path.exists() else None


def _read_by_language(folder: Path, part: str) -> dict[str, str]:
    return {
        path.stem: _read(path, folder)
        for path in sorted((folder / part).glob("*"))
        if not path.is_dir()
    }


def _solutions(
    folder: Path, problem: Problem, languages: Mapping[str, Language], rejected: list[Rejected]
) -> Iterator[Solution]:
    for place in sorted(path for path in (folder / "solutions").glob("*") if path.is_dir()):
        try:
            language = find_language(place.name, languages)
        except LanguageError as error:
            rejected.append(
                Rejected(
                    f"{problem.slug}/{place.name}", f"{error.what}; type: venus languages list"
                )
            )
            continue
        # Editors and file managers leave hidden files.
        for file in sorted(
            path for path in place.iterdir() if not (path.is_dir() or path.name.startswith("."))
        ):
            # An unreadable file rejects one solution, not the problem.
            try:
                file_name = f"{place.name}/{file.name}"
                if file.suffix != language.extension:
                    raise ValueError(f"{file_name} does not end in {language.extension}")
                code = _read(file, folder)
                if not code.strip():
                    raise ValueError(f"{file_name}: there is no code")
            except (ValueError, SourceError) as error:
                rejected.append(Rejected(f"{problem.slug}/{language.id}/{file.stem}", str(error)))
                continue
            expected = next(
                (label for prefix, label in PREFIXES.items() if file.stem.startswith(prefix)),
                Expectation.ACCEPTED,
            )
            yield Solution(
                solution_id=f"{problem.slug}/{language.id}/{file.stem}",
                slug=problem.slug,
                language=language.id,
                code=code,
                expected=expected,
                source=problem.source,
                license=problem.license,
                origin=file.relative_to(folder.parent).as_posix(),
            )
