"""Languages as data: reads ``languages/<id>/language.toml`` and renders runners.

A new language needs only a folder, and no Python code; ``venus languages check ID`` tests it.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import reprlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from venus_toolkit.core.errors import LanguageError, UsageError
from venus_toolkit.core.options import BELOW_1, NOT_NEGATIVE, POSITIVE, nearest, take, take_value
from venus_toolkit.core.records import MIB, NS_PER_S, Limits, Verdict

FOLDER = Path(__file__).parents[1] / "languages"
MARKER = "==Code Submission=="


class SelfTest(NamedTuple):
    """Programs with a known verdict for one input; the expected output is `stdout`."""

    stdin: str
    stdout: str
    limits: Limits
    programs: Mapping[Verdict, str]


class Mutation(NamedTuple):
    """The language's rules for mutants, in addition to builders/quality/mutations.toml.

    operators maps the name of an operator to pairs of tokens (before, after); types has pairs that
    are replaced everywhere at once. The last group of a pattern in bounds is the bound of a loop.
    Lines that match skip are not mutated; dropped replaces a removed statement. generics is true if
    ``name<…>`` is a type. A match of definition begins a function or a type; the last matching
    group is its name.
    """

    operators: Mapping[str, tuple[tuple[str, str], ...]] = {}
    types: tuple[tuple[str, str], ...] = ()
    bounds: tuple[re.Pattern[str], ...] = ()
    skip: re.Pattern[str] | None = None
    definition: re.Pattern[str] | None = None
    dropped: str = ";"
    generics: bool = False


class CoverageBuild(NamedTuple):
    """The commands that compile and run a program to record its coverage; empty: the usual ones.

    files, by name, are put into the folder of the program. A run takes up to `slowdown` times as
    long as usual. inputs is the maximum number of inputs to try, for a language whose runs are
    slow; 0 means all. server is true if one process answers many inputs, traced or not.
    """

    files: Mapping[str, bytes]
    compile_argv: tuple[str, ...]
    run_argv: tuple[str, ...]
    slowdown: Annotated[float, POSITIVE]
    inputs: Annotated[int, NOT_NEGATIVE] = 0
    server: bool = False


class CheckerHost(NamedTuple):
    """The program that passes answers to a checker in this language, and how both are compiled.

    Next to it, the folder ``checker`` has the checker's files (execution/judging/checker.py), and
    the file ``arguments`` its convention and flags, one per line.
    """

    source: str
    compile_argv: tuple[str, ...]


class Library(NamedTuple):
    """A library that judges offer in addition to the standard library.

    A program uses it if its code matches the pattern uses. The library's files are then put into
    the folder of the program, and prelude before its code. files are patterns of paths in the
    folder that the commands install fill (execution/judging/libraries.py), or in the folder of the
    language if there are none. environment is set for compiling and running the program.
    """

    name: str
    uses: re.Pattern[str]
    files: tuple[str, ...]
    version: str = ""
    install: tuple[tuple[str, ...], ...] = ()
    prelude: str = ""
    environment: Mapping[str, str] = {}


class PythonPackage(NamedTuple):
    """A Python package that contains a toolchain: its name on PyPI and the parent of ``bin``."""

    name: str
    folder: str


class Prepared(NamedTuple):
    """A precompiled file that makes the compiler faster, such as a precompiled header.

    It is made once for each toolchain, after the first `without` programs were compiled without it.
    Programs that come while it is made are compiled without it, too, or wait if `without` is 0.
    argv compiles source within limits. A program uses it if its code, after leading comments,
    matches the pattern begins (None: every program); the compiler can only read it.
    flags, with {prepared} for its folder, are inserted after the first word of the compile command
    `of`, and environment is set. The compiled program is the same either way.
    """

    source: str
    argv: tuple[str, ...]
    of: tuple[str, ...]
    limits: Limits
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    begins: re.Pattern[str] | None = None
    without: int = 3


class MainType(NamedTuple):
    """How to find the main type of a program, in a language such as Java where it names the file.

    The patterns are searched in the code without comments and strings. type matches the head of a
    type up to its name, with the groups ``name`` and ``public``, which is empty if the type is not
    public; entry matches the head of the method main; the first group of package is the package's
    name. The file of a program without any type is named after `usual`.
    """

    usual: str
    type: re.Pattern[str]
    entry: re.Pattern[str]
    package: re.Pattern[str]


class Syntax(NamedTuple):
    """The tree-sitter grammar of a language: a Python module, and the query of core/syntax.py."""

    grammar: str
    outline: str


class InstructionCounting(NamedTuple):
    """How to make every run of a program in this language execute the same number of instructions.

    environment and flags (after the first word of the run command) are added to a counted run.
    constants names the sources of variation that the emulator makes constant (clock, getrandom,
    nanosleep, tsc). spread is the remaining variation, (largest - smallest) / smallest count over
    20 runs, None if it was not measured; plain_spread is the variation without the constants, as
    with the processor's own counter. spread_instructions is a lower bound of both variations, in
    instructions, for short programs. A counted run may take `slowdown` times as long as the
    limits of the run allow.
    fork_server: the interpreter has one thread until it opens the program, so it starts under the
    emulator once per session, and each run is forked from there (execution/native/counter.c).
    """

    environment: Mapping[str, str] = {}
    flags: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    spread: Annotated[float | None, BELOW_1] = None
    slowdown: Annotated[float, POSITIVE] = 50.0
    plain_spread: Annotated[float | None, BELOW_1] = None
    spread_instructions: Annotated[int, NOT_NEGATIVE] = 0
    fork_server: bool = False

    def range_of(self, count: int, kind: str = "emulated") -> float | None:
        """Return the expected range of 20 counts like this one, in instructions."""
        spread = self.spread if kind == "emulated" else self.plain_spread
        return None if spread is None else max(spread * count, self.spread_instructions)

    def standard_error(self, count: int, kind: str) -> float | None:
        """Return the standard error of a count of a kind (``emulated``, ``pmu``), in instructions.

        The expected range of 20 normal values is 3.735 standard deviations. Processors count
        interrupts as instructions of the program (Weaver, Terpstra, Moore, ISPASS 2013): some
        thousands in 10^9 instructions a second, far less than the noise that comparisons allow for
        (`COUNT_NOISE` in execution/measuring/ranking.py).
        """
        expected_range = self.range_of(count, kind)
        return None if expected_range is None else expected_range / 3.735


# Compared by identity, so that a language is a cheap cache key.
@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """The content of a language folder; docs/languages.md explains each key."""

    id: str
    name: str
    aliases: tuple[str, ...]
    extension: str
    fences: tuple[str, ...]
    comment: str
    comments: re.Pattern[str]
    strings: re.Pattern[str]
    syntax: Syntax | None
    mutation: Mutation
    coverage: CoverageBuild | None
    checker: CheckerHost | None
    source_file: str
    main_type: MainType | None
    compile_argv: tuple[str, ...]
    standard: str  # the version of the language that compile_argv names, such as c++17, or empty
    compile_limits: Limits
    prepared: Prepared | None
    libraries: tuple[Library, ...]
    run_argv: tuple[str, ...]
    counting: InstructionCounting
    environment: Mapping[str, str]
    version_argv: tuple[str, ...]
    debian: tuple[str, ...]
    sysroot_argv: tuple[str, ...]
    mounts: tuple[str, ...]
    package: PythonPackage | None
    image: str
    image_current: str  # with current versions of the tools, or empty
    image_debian: tuple[str, ...]
    out_of_memory: re.Pattern[str]
    missing_library: re.Pattern[str]  # in an error; one group is the name of the library
    missing_file: re.Pattern[str]  # in an error; one group is the file that was not found
    frame: re.Pattern[str]  # in a traceback; groups file and line, and optionally function
    newest_frame_last: bool
    reference: str
    empty: str  # a program that does nothing, or empty
    selftest: SelfTest
    folder: Path
    # set for a program with its own commands: the language of all other programs
    base: Language | None = None

    @property
    def usual(self) -> Language:
        """The language as its reference program is compiled and run."""
        return self.base or self

    def argv(self, stage: str, limits: Limits, source: str = "", prepared: str = "") -> list[str]:
        """Return the command of stage ``compile``, ``run`` or ``count``, with the limits filled in.

        `prepared` is the folder of the precompiled file; empty: compile without one.
        """
        argv = self.compile_argv if stage == "compile" else self.run_argv
        if stage == "count":
            argv = (argv[0], *self.counting.flags, *argv[1:])
        if self.prepared and prepared:
            flags = (flag.replace("{prepared}", prepared) for flag in self.prepared.flags)
            argv = (argv[0], *flags, *argv[1:])
        name, qualified = _main_of(self, source)
        return [
            _filled(part, limits).replace("{type}", name).replace("{main}", qualified)
            for part in argv
        ]

    def of_standard(self, standard: str) -> Language:
        """Return this language as compiled by another standard (``gnu++17``); empty: its usual one.

        Raises:
            LanguageError: The language has no standards, or `standard` cannot be the name of one.
        """
        return self if standard in ("", self.standard) else _of_standard(self, standard)

    def with_commands(
        self,
        compile_argv: tuple[str, ...],
        run_argv: tuple[str, ...],
        environment: tuple[tuple[str, str], ...],
    ) -> Language:
        """Return this language with other commands and variables; the same object each time."""
        if (compile_argv, run_argv, dict(environment)) == (
            self.compile_argv,
            self.run_argv,
            dict(self.environment),
        ):
            return self
        return _with_commands(self, compile_argv, run_argv, environment)

    def called_with(self, arguments: Sequence[str], variables: Mapping[str, str]) -> Language:
        """Return this language with arguments and environment variables added to its run command.

        Raises:
            UsageError: The kernel cannot pass one of them to a program.
        """
        if not arguments and not variables:
            return self
        for name, value in variables.items():
            if not name or "=" in name or not (_can_be_passed(name) and _can_be_passed(value)):
                raise UsageError(
                    f"{reprlib.repr(name)} is not an environment variable",
                    "its name is empty or has a =, or a character cannot be passed to a program",
                    "name it, and leave out NUL and lone surrogates",
                )
        if wrong := next((word for word in arguments if not _can_be_passed(word)), None):
            raise UsageError(
                f"{reprlib.repr(wrong)} is not an argument",
                "a character of it cannot be passed to a program",
                "leave out NUL and lone surrogates",
            )
        environment = {**self.environment, **variables}
        return dataclasses.replace(
            self, run_argv=(*self.run_argv, *arguments), environment=environment
        )

    def file_of(self, source: str) -> str:
        """Return the file name under which the compiler accepts a program."""
        return self.source_file.replace("{type}", _main_of(self, source)[0])

    def is_prepared_for(self, source: str) -> bool:
        """Return whether the compiler would use the precompiled file for a program.

        It fits only the compile command that it was made for.
        """
        ready = self.prepared
        # Additional files at the end of the command do not matter.
        if ready is None or ready.of != self.compile_argv[: len(ready.of)]:
            return False
        return ready.begins is None or bool(
            ready.begins.match(self.comments.sub(" ", source).lstrip())
        )

    def prepared_environment(self, prepared: str) -> dict[str, str]:
        """Return the environment of a compiler that uses the precompiled file in a folder."""
        ready = self.prepared.environment if self.prepared and prepared else {}
        return {name: value.replace("{prepared}", prepared) for name, value in ready.items()}

    def counted_environment(self, limits: Limits) -> dict[str, str]:
        """Return the additional environment of a counted run, with the limits filled in."""
        return {name: _filled(value, limits) for name, value in self.counting.environment.items()}


@functools.cache  # returns the same object each time, since languages are compared by identity
def _of_standard(language: Language, standard: str) -> Language:
    if not language.standard or not re.fullmatch(r"[a-z0-9+]{1,20}", standard):
        reason = (
            f"expected a name such as {language.standard}"
            if language.standard
            else "it has no choice of standards"
        )
        raise LanguageError(
            f"{language.name} has no standard {standard!r}", reason, "see docs/languages.md"
        )

    def changed(argv: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(part.replace(language.standard, standard) for part in argv)

    coverage = language.coverage and language.coverage._replace(
        compile_argv=changed(language.coverage.compile_argv)
    )
    return dataclasses.replace(
        language, compile_argv=changed(language.compile_argv), standard=standard, coverage=coverage
    )


@functools.cache  # as above
def _with_commands(
    language: Language,
    compile_argv: tuple[str, ...],
    run_argv: tuple[str, ...],
    environment: tuple[tuple[str, str], ...],
) -> Language:
    changes = {"compile_argv": compile_argv, "run_argv": run_argv, "environment": dict(environment)}
    return dataclasses.replace(language, base=language.usual, **changes)  # type: ignore[arg-type]


@functools.lru_cache(maxsize=256)
def _main_of(language: Language, source: str) -> tuple[str, str]:
    """Return the names of a program's file and of its main type, the latter with its package."""
    main = language.main_type
    if main is None:
        return "", ""
    # In one pass, since a string may contain the start of a comment, and vice versa.
    hidden = re.compile(
        f"(?:{language.comments.pattern})|(?:{language.strings.pattern})", language.comments.flags
    )
    code = hidden.sub(" ", source)
    public, entries = list[str](), list[str]()
    for head, body in _top_level(code):
        if types := list(main.type.finditer(head)):
            public += [types[-1]["name"]] if types[-1]["public"] else []
            entries += [types[-1]["name"]] if main.entry.search(body) else []
    preferred = [main.usual, *public, *entries]
    name = next((name for name in preferred if name in entries), (public or [main.usual])[0])
    package = main.package.search(code)
    return (public or [name])[0], f"{package.group(1)}.{name}" if package else name


def _top_level(code: str) -> Iterator[tuple[str, str]]:
    """Yield the head and the body of each outermost block of braces, without its inner blocks."""
    depth, begun, head, body = 0, 0, "", list[str]()
    for brace in re.finditer("[{}]", code):
        if depth == 0 and brace.group() == "{":
            # A head is short, and patterns could take very long on a long untrusted text.
            head, body = code[max(begun, brace.start() - 2000) : brace.start()], []
        elif depth == 1:
            body.append(code[begun : brace.start()])
        depth = max(0, depth + (1 if brace.group() == "{" else -1))
        if depth < 2:
            begun = brace.end()
        if depth == 0 and body:
            yield head, " ".join(body)
            body = []


def _filled(text: str, limits: Limits) -> str:
    return text.replace("{memory_mib}", str(limits.memory_bytes // MIB))


def load_languages(extra: Path | None = None) -> dict[str, Language]:
    """Return all languages by id: the built-in ones and those in the folders of `extra`.

    Raises:
        LanguageError: A folder is not as documented.
    """
    own = list(extra.glob("*/language.toml")) if extra else []
    if extra and not own:
        raise LanguageError(
            "no language found",
            f"{extra} has no folder with a language.toml",
            "see docs/languages.md",
        )
    # The user's languages come last and replace built-in ones of the same id.
    return dict(_built_in()) | {
        language.id: language for language in (read_language(file.parent) for file in sorted(own))
    }


@functools.cache
def _built_in() -> dict[str, Language]:
    """Return the languages of this toolkit; the same objects each time, so that caches work."""
    files = sorted(FOLDER.glob("*/language.toml"))
    return {language.id: language for language in (read_language(file.parent) for file in files)}


def find_language(name: str, languages: Mapping[str, Language]) -> Language:
    """Return the language with an id, an alias or a Markdown fence `name`, in any case.

    Raises:
        LanguageError: The name is unknown; the message suggests the nearest one.
    """
    names = {
        alias: language
        for language in languages.values()
        for alias in (*language.fences, *language.aliases)
    }
    # An id takes precedence over an alias of another language.
    names |= languages
    match = names.get(name.strip().lower())
    if match:
        return match
    known = "expected one of " + ", ".join(sorted(languages))
    fix = nearest(name, names) + "type: venus languages list"
    raise LanguageError(f"unknown language {name!r}", known, fix)


def find_languages(names: Iterable[str], languages: Mapping[str, Language]) -> list[Language]:
    """Return the named languages without duplicates; a name may be a comma-separated list.

    Raises:
        LanguageError: A name is unknown.
    """
    single = [name for listed in names for name in listed.split(",") if name.strip()]
    return list(dict.fromkeys(find_language(name, languages) for name in single))


def language_of_file(path: Path, languages: Mapping[str, Language]) -> Language:
    """Return the language of a file by its extension.

    Raises:
        LanguageError: No language has this extension.
    """
    for language in languages.values():
        if path.suffix == language.extension:
            return language
    known = "known extensions are " + ", ".join(
        f"{language.extension} ({language.id})" for language in languages.values()
    )
    raise LanguageError(f"cannot tell the language of {path.name}", known, "name it: --lang ID")


def read_language(folder: Path) -> Language:
    """Return the language that `folder` describes.

    Raises:
        LanguageError: A key or file is missing, of the wrong type or unknown.
    """
    file, see = folder / "language.toml", "see docs/languages.md"
    try:
        table = tomllib.loads(file.read_text())
        optional = (
            "syntax",
            "mutation",
            "coverage",
            "checker",
            "counting",
            "prepared",
            "libraries",
        )
        required = ("lexical", "source", "compile", "run", "toolchain", "image", "diagnostics")
        tables = {name: table.pop(name, {}) for name in optional}
        tables |= {name: table.pop(name) for name in (*required, "reference", "selftest")}
        language = _language(folder, table, tables)
    except KeyError as error:
        raise LanguageError(f"{file} is incomplete", f"the key {error} is missing", see) from error
    except (
        OSError,
        UnicodeError,
        tomllib.TOMLDecodeError,
        TypeError,
        AttributeError,
        re.error,
    ) as error:
        raise LanguageError(
            f"the language folder {folder} cannot be read", str(error), see
        ) from error
    # The known keys were removed from the tables.
    if unknown := sorted(
        [*table, *(f"{name}.{key}" for name, rest in tables.items() for key in rest)]
    ):
        raise LanguageError(f"{file} has unknown keys", ", ".join(unknown), see)
    return language


# Each function below removes from a table the keys that it reads.
_text, _strings = partial(take_value, str), partial(take_value, tuple[str, ...])
_positive = partial(take_value, Annotated[float, POSITIVE])


def _language(
    folder: Path, table: dict[str, Any], tables: Mapping[str, dict[str, Any]]
) -> Language:
    compiling, toolchain, image, patterns = (
        tables[name] for name in ("compile", "toolchain", "image", "diagnostics")
    )
    coverage, checker, prepared, libraries = (
        tables[name] for name in ("coverage", "checker", "prepared", "libraries")
    )
    syntax = tables["syntax"]

    def file(table: dict[str, Any], key: str = "file") -> str:
        return Path(folder, _text(table, key)).read_text()

    extension, compile_s = _text(table, "extension"), _positive(compiling, "wall_s")
    compile_argv = _strings(compiling, "argv")
    # The CPU time of all threads of a compiler is limited: unlike wall time, it hardly depends on
    # other work on the machine.
    compile_limits = Limits(
        wall_ns=int(compile_s * NS_PER_S),
        # Compiling human programs takes up to 6 s.
        cpu_ns=int(take_value(Annotated[float, POSITIVE], compiling, "cpu_s", 30.0) * NS_PER_S),
        memory_bytes=int(_positive(compiling, "memory_mib") * MIB),
        processes=512,
        open_files=4096,
        file_bytes=512 * MIB,
    )
    # compiled from trusted source, once
    prepared_limits = compile_limits.changed(cpu_ns=4 * compile_limits.wall_ns)
    run_argv = _strings(tables["run"], "argv")
    return Language(
        id=_text(table, "id"),
        name=_text(table, "name"),
        aliases=_strings(table, "aliases"),
        extension=extension,
        fences=_strings(table, "fences"),
        comment=_text(table, "comment"),
        comments=re.compile(_text(tables["lexical"], "comments")),
        strings=re.compile(_text(tables["lexical"], "strings")),
        syntax=Syntax(_text(syntax, "grammar"), file(syntax, "outline")) if syntax else None,
        mutation=take(Mutation, tables["mutation"], "mutation"),
        coverage=take(
            CoverageBuild,
            coverage,
            "coverage",
            files={
                Path(name).name: (folder / name).read_bytes()
                for name in _strings(coverage, "files")
            },
            compile_argv=_strings(coverage, "compile", []),
            run_argv=_strings(coverage, "run", []),
        )
        if coverage
        else None,
        checker=CheckerHost(file(checker), _strings(checker, "compile")) if checker else None,
        source_file=_text(tables["source"], "file"),
        main_type=_main_type(tables["source"].pop("main")) if "main" in tables["source"] else None,
        compile_argv=compile_argv,
        standard=_standard(compiling, compile_argv),
        compile_limits=compile_limits,
        prepared=take(
            Prepared,
            prepared,
            "prepared",
            source=file(prepared),
            of=compile_argv,
            limits=prepared_limits,
        )
        if prepared
        else None,
        libraries=tuple(_library(name, libraries.pop(name)) for name in list(libraries)),
        run_argv=run_argv,
        counting=_counting(tables["counting"], next(iter(run_argv), "")),
        environment=dict(table.pop("environment", {})),
        version_argv=_strings(toolchain, "version"),
        debian=_strings(toolchain, "debian"),
        sysroot_argv=_strings(toolchain, "sysroot", []),
        mounts=_strings(toolchain, "mounts", []),
        package=take(PythonPackage, toolchain.pop("package"), "toolchain.package")
        if "package" in toolchain
        else None,
        image=_text(image, "paper"),
        image_current=_text(image, "current", ""),
        image_debian=_strings(image, "debian"),
        out_of_memory=re.compile(_text(patterns, "out_of_memory"), re.MULTILINE),
        missing_library=re.compile(_text(patterns, "missing_library", "(?!)")),
        missing_file=re.compile(_text(patterns, "missing_file", "(?!)"), re.MULTILINE),
        frame=_frame(patterns),
        newest_frame_last=take_value(bool, patterns, "newest_frame_last", False),
        reference=file(tables["reference"]),
        empty=file(tables["reference"], "empty") if "empty" in tables["reference"] else "",
        selftest=_selftest(folder / "selftest", extension, tables["selftest"]),
        folder=folder,
    )


def _main_type(table: dict[str, Any]) -> MainType:
    main = take(MainType, table, "source.main")
    if table or not {"name", "public"} <= main.type.groupindex.keys() or not main.package.groups:
        raise TypeError(
            "source.main needs usual, type (groups name and public), entry and package (a group)"
        )
    return main


def _can_be_passed(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _frame(table: dict[str, Any]) -> re.Pattern[str]:
    frame = re.compile(_text(table, "frame", "(?!)(?P<file>)(?P<line>)"), re.MULTILINE)
    if not {"file", "line"} <= frame.groupindex.keys():
        raise TypeError("diagnostics.frame needs the groups file and line")
    return frame


def _library(name: str, table: dict[str, Any]) -> Library:
    library = take(Library, table, f"libraries.{name}", name=name)
    if table:
        raise TypeError(f"libraries.{name} has unknown keys: {', '.join(sorted(table))}")
    return library


def _standard(table: dict[str, Any], argv: tuple[str, ...]) -> str:
    standard: str = _text(table, "standard", "")
    if standard and not any(standard in part for part in argv):
        raise TypeError(f"compile.standard must be a part of compile.argv, got {standard!r}")
    return standard


def _counting(table: dict[str, Any], program: str) -> InstructionCounting:
    known = ("clock", "getrandom", "nanosleep", "tsc")
    names = take_value(tuple[str, ...], table, "constant", [], where="counting")
    if unknown := [name for name in names if name not in known]:
        raise TypeError(
            f"counting.constant must name some of {', '.join(known)}, got {', '.join(unknown)}"
        )
    counting = take(InstructionCounting, table, "counting", constants=names)
    if counting.fork_server and "/" in program:
        # otherwise untrusted code would run before the fork
        raise TypeError(f"counting.fork_server needs an interpreter in run.argv, got {program}")
    return counting


def _selftest(folder: Path, extension: str, table: dict[str, Any]) -> SelfTest:
    files = {verdict: folder / f"{verdict}{extension}" for verdict in Verdict}
    programs = {verdict: file.read_text() for verdict, file in files.items() if file.is_file()}
    if Verdict.ACCEPTED not in programs:
        raise KeyError(f"selftest/accepted{extension}")
    cpu_s, memory_mib = _positive(table, "cpu_s"), _positive(table, "memory_mib")
    # CPU time decides, so that a busy machine changes no verdict.
    limits = Limits(
        wall_ns=int(4 * cpu_s * NS_PER_S),
        cpu_ns=int(cpu_s * NS_PER_S),
        memory_bytes=int(memory_mib * MIB),
    )
    return take(SelfTest, table, "selftest", limits=limits, programs=programs)


def render(runner: str, code: str) -> str:
    """Return the runner with `code` in place of the line with the marker ``==Code Submission==``.

    Raises:
        LanguageError: The runner has no such line, or several.
    """
    lines = runner.split("\n")
    marked = [index for index, line in enumerate(lines) if MARKER in line]
    if len(marked) != 1:
        reason = f"it has {len(marked)} lines with {MARKER}, expected one"
        raise LanguageError("the runner cannot be rendered", reason, "see docs/problems.md")
    lines[marked[0]] = code
    return "\n".join(lines)
