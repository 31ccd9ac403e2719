"""Languages as data: reads ``languages/<id>/language.toml``, finds toolchains, renders runners.

Adding a language adds a folder and edits no Python; ``venus languages check ID`` then tries it.
"""

from __future__ import annotations

import difflib
import functools
import glob
import math
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.errors import LanguageError, ToolchainError
from venus_toolkit.records import MIB, NS_PER_S, Limits, Verdict

FOLDER = Path(__file__).parent / "languages"
MARKER = "==Code Submission=="
SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")


class SelfTest(NamedTuple):
    """Programs with a known verdict for one input; the expected output is `stdout`."""

    stdin: str
    stdout: str
    limits: Limits
    programs: Mapping[Verdict, str]


class Mutation(NamedTuple):
    """How a program becomes subtly wrong, beyond what builders/quality/mutations.toml says for every language.

    operators has pairs of tokens (before, after) by the operator's name, types pairs that are replaced everywhere at
    once; the last group of a pattern in bounds is a loop's bound. Lines that skip matches stay as they are; dropped
    stands where a statement was. generics: ``name<…>`` is a type.
    """

    operators: Mapping[str, tuple[tuple[str, str], ...]]
    types: tuple[tuple[str, str], ...]
    bounds: tuple[re.Pattern[str], ...]
    skip: re.Pattern[str] | None
    dropped: str
    generics: bool


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """What a language folder says."""

    id: str
    name: str
    aliases: tuple[str, ...]
    extension: str
    fences: tuple[str, ...]
    comment: str
    comments: re.Pattern[str]
    strings: re.Pattern[str]
    mutation: Mutation
    source_file: str
    compile_argv: tuple[str, ...]
    compile_limits: Limits
    compile_cache: str | None
    run_argv: tuple[str, ...]
    environment: Mapping[str, str]
    version_argv: tuple[str, ...]
    debian: tuple[str, ...]
    sysroot_argv: tuple[str, ...]
    mounts: tuple[str, ...]
    image: str
    image_debian: tuple[str, ...]
    compile_error: re.Pattern[str]
    out_of_memory: re.Pattern[str]
    reference: str
    selftest: SelfTest
    folder: Path

    def argv(self, stage: str, limits: Limits) -> list[str]:
        """Return the command of stage ``compile`` or ``run`` with the limits filled in."""
        words = self.compile_argv if stage == "compile" else self.run_argv
        return [word.replace("{memory_mib}", str(limits.memory_bytes // MIB)) for word in words]


class Toolchain(NamedTuple):
    """Where a language's tools are on this machine: what to show in a sandbox, what to put into PATH, which version."""

    path: tuple[str, ...]
    mounts: tuple[str, ...]
    version: str


# ------------------------------------------------------------------ reading folders


def load_languages(extra: Path | None = None) -> dict[str, Language]:
    """Return all languages by id: the built-in ones and those in the folders of `extra`.

    Raises:
        LanguageError: A folder is not as documented.
    """
    folders = [*_folders(FOLDER), *(_folders(extra) if extra else [])]
    if extra and len(folders) == len(_folders(FOLDER)):
        raise LanguageError("no language found", f"{extra} has no folder with a language.toml", "see docs/languages.md")
    return {language.id: language for language in map(read_language, folders)}


def find_language(name: str, languages: Mapping[str, Language]) -> Language:
    """Return the language called `name`: an id, an alias or a Markdown fence name, in any case.

    Raises:
        LanguageError: Nothing is called so; the message names the nearest ones.
    """
    names = {alias: language for language in languages.values() for alias in (*language.fences, *language.aliases)}
    names |= languages
    found = names.get(name.strip().lower())
    if found:
        return found
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise LanguageError(
        f"unknown language {name!r}", "known are " + ", ".join(sorted(languages)), f"{hint}type: venus languages list"
    )


def find_languages(words: Iterable[str], languages: Mapping[str, Language]) -> list[Language]:
    """Return the languages that were named, each once: a word is a name, or several with commas between.

    Raises:
        LanguageError: Nothing is called so.
    """
    names = [name for word in words for name in word.split(",") if name.strip()]
    return list(dict.fromkeys(find_language(name, languages) for name in names))


def language_of_file(path: Path, languages: Mapping[str, Language]) -> Language:
    """Return the language that a file's extension stands for.

    Raises:
        LanguageError: No language has this extension.
    """
    for language in languages.values():
        if path.suffix == language.extension:
            return language
    known = ", ".join(f"{language.extension} ({language.id})" for language in languages.values())
    raise LanguageError(
        f"cannot tell the language of {path.name}", f"known extensions are {known}", "say it: --lang ID"
    )


def _folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob("*/language.toml"))


def read_language(folder: Path) -> Language:
    """Return the language that `folder` describes.

    Raises:
        LanguageError: A key or file is missing, of the wrong type or unknown.
    """
    try:
        table = tomllib.loads((folder / "language.toml").read_text())
        language = _language(folder, table)
    except KeyError as error:
        raise LanguageError(
            f"{folder}/language.toml is incomplete", f"the key {error} is missing", "see docs/languages.md"
        ) from error
    except (OSError, UnicodeError, tomllib.TOMLDecodeError, TypeError, AttributeError, re.error) as error:
        raise LanguageError(
            f"the language folder {folder} cannot be read", str(error), "see docs/languages.md"
        ) from error
    unknown = sorted(_unknown_keys(table))
    if unknown:
        raise LanguageError(f"{folder}/language.toml has unknown keys", ", ".join(unknown), "see docs/languages.md")
    return language


TABLES = {
    "lexical": {"comments", "strings"},
    "mutation": {"operators", "types", "bounds", "skip", "dropped", "generics"},
    "source": {"file"},
    "compile": {"argv", "wall_s", "memory_mib", "cache"},
    "run": {"argv"},
    "toolchain": {"version", "debian", "sysroot", "mounts"},
    "image": {"paper", "debian"},
    "diagnostics": {"compile_error", "out_of_memory"},
    "reference": {"file"},
    "selftest": {"stdin", "stdout", "cpu_s", "memory_mib"},
}
KEYS = {"id", "name", "aliases", "extension", "fences", "comment", "environment", *TABLES}


def _unknown_keys(table: Mapping[str, Any]) -> set[str]:
    inner = {f"{name}.{key}" for name, keys in TABLES.items() for key in set(table.get(name, ())) - keys}
    return (set(table) - KEYS) | inner


def _text(table: Mapping[str, Any], key: str) -> str:
    if not isinstance(table[key], str):
        raise TypeError(f"{key} is text, got {table[key]!r}")
    return str(table[key])


def _language(folder: Path, table: Mapping[str, Any]) -> Language:
    compiling, toolchain, image, patterns = table["compile"], table["toolchain"], table["image"], table["diagnostics"]
    return Language(
        id=_text(table, "id"),
        name=_text(table, "name"),
        aliases=_words(table, "aliases"),
        extension=_text(table, "extension"),
        fences=_words(table, "fences"),
        comment=_text(table, "comment"),
        comments=re.compile(_text(table["lexical"], "comments")),
        strings=re.compile(_text(table["lexical"], "strings")),
        mutation=read_mutation(table.get("mutation", {})),
        source_file=table["source"]["file"],
        compile_argv=_words(compiling, "argv"),
        compile_limits=_compile_limits(compiling).changed(processes=512, open_files=4096, file_bytes=512 * MIB),
        compile_cache=compiling.get("cache"),
        run_argv=_words(table["run"], "argv"),
        environment=dict(table.get("environment", {})),
        version_argv=_words(toolchain, "version"),
        debian=_words(toolchain, "debian"),
        sysroot_argv=_words({"sysroot": [], **toolchain}, "sysroot"),
        mounts=_words({"mounts": [], **toolchain}, "mounts"),
        image=image["paper"],
        image_debian=tuple(image["debian"]),
        compile_error=re.compile(patterns["compile_error"], re.MULTILINE),
        out_of_memory=re.compile(patterns["out_of_memory"], re.MULTILINE),
        reference=(folder / table["reference"]["file"]).read_text(),
        selftest=_selftest(folder, table),
        folder=folder,
    )


def _compile_limits(table: Mapping[str, Any]) -> Limits:
    """Compilers have threads: their processor time may be several times the wall time."""
    wall_ns = _positive(table, "wall_s") * NS_PER_S
    return Limits(int(wall_ns), int(4 * wall_ns), memory_bytes=int(_positive(table, "memory_mib") * MIB))


def _test_limits(table: Mapping[str, Any]) -> Limits:
    """Processor time is what counts: a busy machine changes no verdict."""
    cpu_ns = _positive(table, "cpu_s") * NS_PER_S
    return Limits(int(4 * cpu_ns), int(cpu_ns), memory_bytes=int(_positive(table, "memory_mib") * MIB))


def _positive(table: Mapping[str, Any], key: str) -> float:
    value = table[key]
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < math.inf:
        raise TypeError(f"{key} is a number greater than 0, got {value!r}")
    return value


def read_mutation(table: Mapping[str, Any]) -> Mutation:
    """Return what the table ``[mutation]`` says; a language needs none."""
    if not isinstance(table.get("generics", False), bool):
        raise TypeError(f"mutation.generics is true or false, got {table['generics']!r}")
    return Mutation(
        operators={name: _pairs(name, listed) for name, listed in table.get("operators", {}).items()},
        types=_pairs("types", table.get("types", [])),
        bounds=tuple(map(re.compile, _words({"bounds": [], **table}, "bounds"))),
        skip=re.compile(_text(table, "skip")) if "skip" in table else None,
        dropped=_text({"dropped": ";", **table}, "dropped"),
        generics=table.get("generics", False),
    )


def _pairs(name: str, listed: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(listed, list) or not all(len(_words({name: pair}, name)) == 2 for pair in listed):
        raise TypeError(f"mutation.{name} is a list of pairs of strings, got {listed!r}")
    return tuple((before, after) for before, after in listed)


def _words(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    words = table[key]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"{key} is a list of strings, got {words!r}")
    return tuple(words)


def _selftest(folder: Path, table: Mapping[str, Any]) -> SelfTest:
    files = {verdict: folder / "selftest" / f"{verdict}{table['extension']}" for verdict in Verdict}
    programs = {verdict: file.read_text() for verdict, file in files.items() if file.is_file()}
    if Verdict.ACCEPTED not in programs:
        raise KeyError(f"selftest/accepted{table['extension']}")
    test = table["selftest"]
    return SelfTest(test["stdin"], test["stdout"], _test_limits(test), programs)


# ------------------------------------------------------------------ runners


def render(runner: str, code: str) -> str:
    """Return the runner with the line that holds the marker ``==Code Submission==`` replaced by `code`.

    Raises:
        LanguageError: The runner has no such line, or several.
    """
    lines = runner.split("\n")
    marked = [i for i, line in enumerate(lines) if MARKER in line]
    if len(marked) != 1:
        raise LanguageError(
            "the runner cannot be rendered",
            f"it has {len(marked)} lines with {MARKER}, wanted is one",
            "see docs/problems.md",
        )
    lines[marked[0]] = code
    return "\n".join(lines)


# ------------------------------------------------------------------ toolchains


@functools.cache
def find_toolchain(language: Language) -> Toolchain:
    """Return where the tools of `language` are on this machine.

    Raises:
        ToolchainError: A program of it is missing or does not start; the message says what to install.
    """
    install = "type: apt-get install " + " ".join(language.debian) if language.debian else "install it and try again"
    needed = {words[0] for words in (language.version_argv, language.compile_argv, language.run_argv) if words}
    missing = sorted(word for word in needed if not word.startswith("./") and not shutil.which(word))
    if missing:
        raise ToolchainError(f"{language.name} is not installed", f"{', '.join(missing)} not found in PATH", install)
    version = _first_line(language.version_argv)
    root = _first_line(language.sysroot_argv) if language.sysroot_argv else ""
    if version is None or root is None:
        raise ToolchainError(f"{language.name} does not start", f"{' '.join(language.version_argv)} failed", install)
    outside = bool(root) and not _shown_anyway(root) and Path(root).is_dir()
    mounts = [match for pattern in language.mounts for match in glob.glob(pattern)]
    mounts += [str(Path(match).resolve()) for match in mounts]
    return Toolchain(
        path=((f"{root}/bin",) if outside else ()) + SYSTEM_PATH,
        mounts=tuple(dict.fromkeys(m for m in [*mounts, *([root] if outside else [])] if not _shown_anyway(m))),
        version=version,
    )


def _shown_anyway(path: str) -> bool:
    return path == "/usr" or path.startswith("/usr/")


def _first_line(argv: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd="/", env=_probe_environment())
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else None


def _probe_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def installed(languages: Iterable[Language]) -> tuple[list[Language], dict[str, ToolchainError]]:
    """Return the languages whose tools are here, and the error of each that are not, by id."""
    here, lacking = [], {}
    for language in languages:
        try:
            find_toolchain(language)
            here.append(language)
        except ToolchainError as error:
            lacking[language.id] = error
    return here, lacking
