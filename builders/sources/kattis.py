"""Problem packages of Kattis and ICPC, the legacy and the 2023-07 layout (a package, or a folder of packages).

A custom validator must be written in Python or C++; other packages are rejected. Links that lead
out of the package are not followed.
"""

from __future__ import annotations

import math
import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from venus_toolkit.builders.reading.cells import Cells, show
from venus_toolkit.builders.reading.drafts import Draft, attempt, finish, new_problem
from venus_toolkit.builders.reading.tables import SEE
from venus_toolkit.builders.reading.values import fill_evaluator, limits, slugify
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import LanguageError, SourceError
from venus_toolkit.core.language import Language, language_of_file
from venus_toolkit.core.records import (
    MIB,
    Expectation,
    Limits,
    OutputComparison,
    Solution,
    TestCase,
)
from venus_toolkit.core.untrusted.beneath import read_beneath, refusal

CPP_SOURCES = frozenset({".cpp", ".cc", ".cxx", ".c++", ".C", ".c"})
CPP_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx"})


@source()
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the packages at `location`, sorted by name.

    Raises:
        SourceError: `location` holds no package.
    """
    root = Path(location)
    packages = (
        [root]
        if (root / "problem.yaml").is_file()
        else sorted(p.parent for p in root.glob("*/problem.yaml"))
    )
    if not packages:
        raise SourceError(
            f"{root} has no problem package", "no folder in it holds a problem.yaml", SEE
        )
    for package in packages:
        try:
            if package != root:
                _check_inside(package, root)
            yield from finish(_draft(package, languages), languages)
        except (
            OSError,
            SourceError,
            ValueError,
            ArithmeticError,
            RecursionError,
            yaml.YAMLError,
        ) as error:
            # Messages of PyYAML have several lines.
            yield Rejected(package.name, " ".join(str(error).split()))


def _draft(package: Path, languages: Mapping[str, Language]) -> Draft:
    about = _read_yaml(package / "problem.yaml", package)
    # Resolved, because the name of the path `.` is empty.
    slug = slugify(package.resolve().name)
    kinds = [*_words(about.raw("type")), *_words(about.raw("validation"))]
    category = next(
        (kind for kind in ("interactive", "multi-pass", "submit-answer") if kind in kinds),
        "algorithms",
    )
    comparison, evaluator = OutputComparison(), ""
    validators = ("output_validators", "output_validator")
    if category == "algorithms":
        flags = _flags(package, about)
        folders = [package / name for name in validators if (package / name).is_dir()]
        for path in (path for folder in folders for path in folder.rglob("*")):
            _check_inside(path, package)
        custom = (
            "custom" in _words(about.raw("validation")) or (package / "output_validator").is_dir()
        )
        comparison = OutputComparison("evaluator")
        evaluator = own_validator(package, folders, flags) if custom else default_validator(flags)
    statement = _statement(package)
    rejected: list[Rejected] = []
    problem = new_problem(
        slug,
        _read(statement, package),
        title=_first_text(about.raw("name"), slug),
        tags=tuple(_words(about.raw("keywords"))),
        source=_first_text(about.raw("source"), "kattis"),
        license=_first_text(about.raw("license"), "unknown"),
        limits=_limits(package, about),
        category=category,
        comparison=comparison,
        evaluator=evaluator or None,
        extra={"statement_file": statement.name},
    )
    attempts = list(_attempts(package, slug, languages, rejected))
    return Draft(problem, attempts, list(_tests(package, slug, rejected)), rejected)


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads YAML without aliases, which can expand beyond memory or refer to themselves."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise ValueError("it has an alias, which is not read")
        return super().compose_node(parent, index)


def _read_yaml(path: Path, package: Path) -> Cells:
    _check_inside(path, package)
    most_bytes = 1 << 20  # a problem.yaml has a few lines, and PyYAML is slow
    if path.stat().st_size > most_bytes:
        raise ValueError(f"{path.name} is larger than {most_bytes >> 10} KiB")
    table = yaml.load(_read(path, package), _Loader) or {}
    if not isinstance(table, dict):
        raise ValueError(f"{path.name} is not a mapping")
    return Cells(table, f"{path.name}: ")


def _first_text(value: Any, default: str) -> str:
    """Return the English or first text of a text, list or mapping (names by language, sources)."""
    if isinstance(value, dict):
        value = value.get("en") or value.get("name") or next(iter(value.values()), None)
    if isinstance(value, list):
        return _first_text(value[0], default) if value else default
    return str(value) if value not in (None, "") else default


def _words(value: Any, split: Callable[[str], list[str]] = str.split) -> list[str]:
    if isinstance(value, str):
        return split(value)
    if not isinstance(value, (list, dict, type(None))):
        raise ValueError(f"words must be text or a list, found {show(value)}")
    return [str(word) for word in value or ()]


def _statement(package: Path) -> Path:
    """Return the statement: English before others, Markdown before LaTeX."""
    paths = (
        path
        for name in ("problem_statement", "statement")
        for path in sorted((package / name).glob("problem*"))
    )
    files = [path for path in paths if _is_own_file(path, package)]
    readable = [file for suffix in (".md", ".tex") for file in files if file.suffix == suffix]
    # problem.en.tex, or problem.tex: the default language is English.
    english = [file for file in readable if file.name.split(".")[1:-1] in (["en"], [])]
    if not readable:
        raise ValueError("it has no statement in Markdown or LaTeX")
    return (english or readable)[0]


def _limits(package: Path, about: Cells) -> Limits:
    """Read the limits; the legacy layout has the time in .timelimit or domjudge-problem.ini."""
    stated_limits = about.cells("limits")
    seconds = stated_limits.number("time_limit")
    stated, ini = package / ".timelimit", package / "domjudge-problem.ini"
    if seconds is None and _is_own_file(stated, package):
        seconds = float(_read(stated, package))
    if seconds is None and _is_own_file(ini, package):
        pairs = [line.partition("=") for line in _read(ini, package).splitlines()]
        values = [value.strip(" '\"\t") for key, _, value in pairs if key.strip() == "timelimit"]
        seconds = float(values[0]) if values else None
    memory, output = stated_limits.number("memory"), stated_limits.number("output")
    time_and_memory = limits(seconds, memory * MIB if memory else None)
    return time_and_memory.changed(output_bytes=round(output * MIB) if output else None)


def _flags(package: Path, about: Cells) -> Sequence[str]:
    """Return the validator's flags.

    They must be the same for all tests, because a problem has one evaluator.
    """
    flag_lists = {tuple(_words(about.raw("validator_flags"), shlex.split))} - {()}
    group_files = ("testdata.yaml", "test_group.yaml")
    group_flags = ("output_validator_flags", "output_validator_args")
    for path in sorted(path for name in group_files for path in (package / "data").rglob(name)):
        group = _read_yaml(path, package)
        flag_lists |= {
            tuple(_words(group.raw(key), shlex.split)) for key in group_flags if key in group
        }
    if len(flag_lists) > 1:
        raise ValueError("its groups of tests have different validator flags")
    return next(iter(flag_lists), ())


def _read(path: Path, package: Path) -> str:
    # Normalises line ends; only tests keep theirs.
    return read_beneath(path, package).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _check_inside(path: Path, package: Path) -> None:
    if reason := refusal(path, package):
        raise ValueError(f"{path.name}: {reason}")


def _is_own_file(path: Path, package: Path) -> bool:
    return path.is_file() and not refusal(path, package)


def _tests(package: Path, slug: str, rejected: list[Rejected]) -> Iterator[TestCase]:
    data = package / "data"
    for file in sorted(
        path for part in ("sample", "secret") for path in (data / part).rglob("*.in")
    ):
        name = "-".join(file.relative_to(data).with_suffix("").parts)
        answer = file.with_suffix(".ans")
        try:
            if not _is_own_file(file, package) or (
                answer.exists() and not _is_own_file(answer, package)
            ):
                raise ValueError("it is not a file of the package")
            # As bytes, because reading text would change line ends.
            stdout = read_beneath(answer, package).decode("utf-8") if answer.exists() else None
            yield TestCase(name, read_beneath(file, package).decode("utf-8"), stdout, kind="given")
        except ValueError as error:
            rejected.append(Rejected(f"{slug}/{name}", str(error)))


def _attempts(
    package: Path, slug: str, languages: Mapping[str, Language], rejected: list[Rejected]
) -> Iterator[Solution]:
    verdicts = {
        "accepted": Expectation.ACCEPTED,
        "wrong_answer": Expectation.WRONG,
        "run_time_error": Expectation.WRONG,
        "rejected": Expectation.WRONG,
        "time_limit_exceeded": Expectation.SLOW,
    }
    usual_suffixes = {".cc": ".cpp", ".cxx": ".cpp", ".c++": ".cpp", ".C": ".cpp", ".py3": ".py"}
    for folder in sorted(path for path in (package / "submissions").glob("*") if path.is_dir()):
        for place in sorted(path for path in folder.iterdir() if not path.name.startswith(".")):
            files = (
                [place]
                if place.is_file()
                else [path for path in place.rglob("*") if path.is_file()]
            )
            name = f"{folder.name}/{place.name}"
            try:
                if not files:
                    raise ValueError("a submission of 0 files")
                if not all(_is_own_file(path, package) for path in files):
                    raise ValueError("a submission with a file that leads outside of the package")
                texts = {path.relative_to(place).as_posix(): _read(path, package) for path in files}
                main = files[0] if len(files) == 1 else place / "main.cpp"
                language = language_of_file(
                    main.with_suffix(usual_suffixes.get(main.suffix, main.suffix)), languages
                )
                code = join_cpp(texts) if len(files) > 1 else next(iter(texts.values()))
            except (ValueError, LanguageError) as error:
                reason = error.what if isinstance(error, LanguageError) else str(error)
                rejected.append(Rejected(f"{slug}/{name}", reason))
                continue
            expected = verdicts.get(folder.name, Expectation.UNKNOWN)
            yield attempt(language.id, code, expected, {"submission": name})


def default_validator(flags: Sequence[str]) -> str:
    """Return an evaluator that compares like the default validator.

    Raises:
        ValueError: A flag is unknown, or a tolerance is not a number.
    """
    flag_tolerances = {
        "float_tolerance": ("absolute", "relative"),
        "float_absolute_tolerance": ("absolute",),
        "float_relative_tolerance": ("relative",),
    }
    flag_switches = {
        "case_sensitive": "case_sensitive",
        "space_change_sensitive": "space_sensitive",
    }
    tolerances: dict[str, float | None] = {"absolute": None, "relative": None}
    switches = {"case_sensitive": False, "space_sensitive": False}
    words = iter(flags)
    for word in words:
        if word in flag_tolerances:
            argument = next(words, "nothing")
            with suppress(ValueError):
                # `float` accepts nan and inf.
                if 0 <= float(argument) < math.inf:
                    tolerances |= dict.fromkeys(flag_tolerances[word], float(argument))
                    continue
            raise ValueError(f"{word} wants a number, found {argument}")
        elif word in flag_switches:
            switches[flag_switches[word]] = True
        else:
            raise ValueError(f"the default validator has no flag {word}")
    return fill_evaluator("kattis", **tolerances, **switches)


def own_validator(package: Path, folders: Sequence[Path], flags: Sequence[str]) -> str:
    """Return an evaluator that runs a package's own validator.

    Raises:
        ValueError: The package has no validator or several, or it is in neither Python nor C++.
    """
    places: list[Path] = []
    for folder in folders:
        # Each file or folder is one validator, but all files in output_validator together form one.
        inside = sorted(path for path in folder.glob("*") if not path.name.startswith("."))
        together = folder.name == "output_validator" and any(path.is_file() for path in inside)
        places += [folder] if together else inside
    if len(places) != 1:
        raise ValueError(f"the package has {len(places)} output validators, expected one")
    (place,) = places
    sources = (
        [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    )
    root = place.parent if place.is_file() else place
    files = {path.relative_to(root).as_posix(): _read(path, package) for path in sources}
    suffixes = {path.suffix for path in sources}
    if suffixes & CPP_SOURCES and suffixes <= CPP_SOURCES | CPP_HEADERS:
        checker = {"language": "cpp", "convention": "kattis", "files": files, "flags": list(flags)}
        return fill_evaluator("compiled_checker", checker=checker)
    others = [path.name for path in sources if path.suffix not in (".py", ".py3")]
    if others or not sources:
        files_named = ", ".join(others[:5]) or "an empty folder"
        raise ValueError(
            f"its output validator is neither in Python nor in C++ alone: {files_named}"
        )
    main = next((name for name in ("main.py", "__main__.py") if name in files), next(iter(files)))
    if len(files) > 1 and main not in ("main.py", "__main__.py"):
        raise ValueError("its output validator has several files and no main.py")
    return fill_evaluator("kattis_validator", files=files, main=main, flags=list(flags))


def join_cpp(files: Mapping[str, str]) -> str:
    """Join C++ files, given as texts by path, into one file equivalent to compiling them together.

    Source files follow in the order of their names; a header is inserted once, at its first
    inclusion. Programs that clash in one file (two static functions of the same name) do not
    compile and are rejected later.

    Raises:
        ValueError: A file is neither a source nor a header of C++, or sources are missing.
    """
    sources = [name for name in sorted(files) if posixpath.splitext(name)[1] in CPP_SOURCES]
    others = [
        name for name in files if posixpath.splitext(name)[1] not in CPP_SOURCES | CPP_HEADERS
    ]
    if others or not sources:
        raise ValueError(f"a submission of {len(files)} files, expected one, or several in C++")
    seen: set[str] = set()

    own_include = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)".*$', re.MULTILINE)

    def text_of(name: str) -> str:
        seen.add(name)

        def included(line: re.Match[str]) -> str:
            # First in the folder of the including file, then in the root, as with -I.
            sibling = posixpath.normpath(posixpath.join(posixpath.dirname(name), line[1]))
            target = next(
                (path for path in (sibling, posixpath.normpath(line[1])) if path in files), None
            )
            if target is None:
                return line[0]
            return "" if target in seen else text_of(target)

        own = own_include.sub(included, files[name].replace("#pragma once", ""))
        return f"// {name}\n{own.rstrip()}\n"

    return "\n".join(text_of(name) for name in sources if name not in seen)
