"""Languages as data: reads ``languages/<id>/language.toml`` and renders runners.

Adding a language adds a folder and edits no Python; ``venus languages check ID`` then tries it.
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
    """How mutants of a program are made, in addition to builders/quality/mutations.toml.

    operators has pairs of tokens (before, after) by the operator's name, types has pairs that are
    replaced everywhere at once; the last group of a pattern in bounds is a loop's bound. Lines that
    match skip stay as they are; dropped replaces a removed statement. generics: ``name<…>`` is a
    type. A match of definition begins a function or a type that is called by its name, the last
    group that matched.
    """

    operators: Mapping[str, tuple[tuple[str, str], ...]] = {}
    types: tuple[tuple[str, str], ...] = ()
    bounds: tuple[re.Pattern[str], ...] = ()
    skip: re.Pattern[str] | None = None
    definition: re.Pattern[str] | None = None
    dropped: str = ";"
    generics: bool = False


class CoverageBuild(NamedTuple):
    """How a program is compiled and run so that it tells what it went through; empty: as otherwise.

    files, by name, lie beside the program. It takes up to `slowdown` times as long. inputs: a run
    is so dear that no more than so many inputs are tried; 0: as many as there are. server: a
    process answers many inputs, traced or not.
    """

    files: Mapping[str, bytes]
    compile_argv: tuple[str, ...]
    run_argv: tuple[str, ...]
    slowdown: Annotated[float, POSITIVE]
    inputs: Annotated[int, NOT_NEGATIVE] = 0
    server: bool = False


class CheckerHost(NamedTuple):
    """The program that asks a checker in this language about answers, and how both are compiled.

    The checker's files (execution/judging/checker.py) lie in the folder ``checker`` beside it, its
    convention and flags, one a line, in ``arguments``.
    """

    source: str
    compile_argv: tuple[str, ...]


class Library(NamedTuple):
    """What judges offer beside the standard library; its files lie beside programs that use it.

    A program uses it where the pattern uses is found in its code; prelude is then put before the
    code. files are patterns of paths in a folder: of the language where the commands install are
    empty, else one that they fill (execution/judging/libraries.py). environment is set for its
    compiler and its runs.
    """

    name: str
    uses: re.Pattern[str]
    files: tuple[str, ...]
    version: str = ""
    install: tuple[tuple[str, ...], ...] = ()
    prelude: str = ""
    environment: Mapping[str, str] = {}


class PythonPackage(NamedTuple):
    """A package of Python that carries a toolchain.

    Its name in the registry, and the folder that has ``bin``.
    """

    name: str
    folder: str


class Prepared(NamedTuple):
    """What the compiler of a language reads ready-made.

    It is made once for each toolchain, by a compilation.

    argv makes it of source, within limits, once so many programs were compiled `without`. It is
    shown read-only to the compiler of programs whose code, after leading comments, begins with the
    pattern begins (None: of all programs). flags, where {prepared} stands for its folder, come
    behind the first word of the compile command `of`, and environment is set for it. It saves time
    and changes nothing in what is compiled.
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
    """How to find the main type of a program, where it names the source file: Java.

    The patterns are searched in a program whose comments and strings are hidden. type matches the
    head of a type up to its name, with the groups ``name`` and ``public``, which is empty where the
    type is not public; entry matches the head of the method main, package what stands before a
    type. A program without any type is called `usual`, and the compiler may complain.
    """

    usual: str
    type: re.Pattern[str]
    entry: re.Pattern[str]
    package: re.Pattern[str]


class Syntax(NamedTuple):
    """The tree-sitter grammar of a language.

    A Python module, and a query for what core/syntax.py asks of programs.
    """

    grammar: str
    outline: str


class InstructionCounting(NamedTuple):
    """How a run of a language is made to take the same number of instructions each time.

    environment and flags (behind the first word of the run command) are added to a counted run.
    constants names what the emulator makes constant (clock, getrandom, nanosleep, tsc). spread is
    what is left: (largest - smallest) / smallest count over 20 runs, None where nobody has found
    out; plain_spread that without the constants, as the processor's counter runs programs.
    spread_instructions is the part of both that does not grow with the program; the larger one
    counts. A counted run may take `slowdown` times as long as the limits of the run allow.
    fork_server: the interpreter has one thread until it opens the program, so it starts under the
    emulator once for a session, and each run is forked from there (execution/native/counter.c).
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
        """Return how far apart 20 counts like this one are, in instructions."""
        spread = self.spread if kind == "emulated" else self.plain_spread
        return None if spread is None else max(spread * count, self.spread_instructions)

    def standard_error(self, count: int, kind: str) -> float | None:
        """Return that of one count of a kind (``emulated``, ``pmu``), in instructions.

        The range of 20 normal values is 3.735 deviations. Interrupts, which processors count as
        instructions of the program (Weaver, Terpstra, Moore, ISPASS 2013), are some thousands a
        second of some 10^9 instructions: nothing beside what comparisons allow for anyway
        (`COUNT_NOISE` in execution/measuring/ranking.py).
        """
        apart = self.range_of(count, kind)
        return None if apart is None else apart / 3.735


# Compared by identity, so that a language is a cheap key of caches.
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
    standard: str  # the version of the language that compile_argv names; empty where it names none
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
    image_current: str  # with the tools of today; empty where none is named
    image_debian: tuple[str, ...]
    out_of_memory: re.Pattern[str]
    missing_library: re.Pattern[str]  # in an error; one of its groups names the library
    missing_file: re.Pattern[str]  # likewise the file that a program could not open
    frame: re.Pattern[str]  # of a traceback: groups file and line, maybe function
    newest_frame_last: bool
    reference: str
    empty: str  # a program that does nothing; empty where there is none
    selftest: SelfTest
    folder: Path
    # where a program has commands of its own: how other programs are compiled and run
    base: Language | None = None

    @property
    def usual(self) -> Language:
        """The language as its reference program is compiled and run."""
        return self.base or self

    def argv(self, stage: str, limits: Limits, source: str = "", prepared: str = "") -> list[str]:
        """Return the command of stage ``compile``, ``run`` or ``count``, with the limits filled in.

        `prepared` is the folder where the compiler finds what was made ready for it; empty: it has
        to do without.
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
        """Return this language as compiled by another standard (``gnu++17``).

        Itself where that is empty or its own.

        Raises:
            LanguageError: It has no standard to choose, or `standard` is no name of one.
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
            UsageError: The kernel cannot hand one of them to a program.
        """
        if not arguments and not variables:
            return self
        for name, value in variables.items():
            if not name or "=" in name or not (_can_be_passed(name) and _can_be_passed(value)):
                why = "its name is empty or has a =, or a character cannot be passed to a program"
                fix = "name it, and leave out NUL and lone surrogates"
                what = f"{reprlib.repr(name)} is not an environment variable"
                raise UsageError(what, why, fix)
        if wrong := next((word for word in arguments if not _can_be_passed(word)), None):
            why = "a character of it cannot be passed to a program"
            fix = "leave out NUL and lone surrogates"
            raise UsageError(f"{reprlib.repr(wrong)} is not an argument", why, fix)
        environment = {**self.environment, **variables}
        return dataclasses.replace(
            self, run_argv=(*self.run_argv, *arguments), environment=environment
        )

    def file_of(self, source: str) -> str:
        """Return the name of the file that the compiler wants a program in."""
        return self.source_file.replace("{type}", _main_of(self, source)[0])

    def is_prepared_for(self, source: str) -> bool:
        """Return whether the compiler of a program would use what is prepared.

        Another command would not.
        """
        ready = self.prepared
        # More files behind it change nothing in what the compiler reads ready-made.
        if ready is None or ready.of != self.compile_argv[: len(ready.of)]:
            return False
        return ready.begins is None or bool(
            ready.begins.match(self.comments.sub(" ", source).lstrip())
        )

    def prepared_environment(self, prepared: str) -> dict[str, str]:
        """Return the environment of a compiler that uses the files in the folder `prepared`."""
        ready = self.prepared.environment if self.prepared and prepared else {}
        return {name: value.replace("{prepared}", prepared) for name, value in ready.items()}

    def counted_environment(self, limits: Limits) -> dict[str, str]:
        """Return the additional environment of a counted run, with the limits filled in."""
        return {name: _filled(value, limits) for name, value in self.counting.environment.items()}


@functools.cache  # languages are compared by identity: the same one each time
def _of_standard(language: Language, standard: str) -> Language:
    if not language.standard or not re.fullmatch(r"[a-z0-9+]{1,20}", standard):
        why = (
            "it has none to choose from"
            if not language.standard
            else f"it is like {language.standard}"
        )
        raise LanguageError(
            f"{language.name} has no standard {standard!r}", why, "see docs/languages.md"
        )

    def changed(argv: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(part.replace(language.standard, standard) for part in argv)

    how = language.coverage and language.coverage._replace(
        compile_argv=changed(language.coverage.compile_argv)
    )
    return dataclasses.replace(
        language, compile_argv=changed(language.compile_argv), standard=standard, coverage=how
    )


@functools.cache  # as above; its reference program is compiled and run as usual
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
    """Return the name of a program's file, and of the type that it begins in, with its package."""
    main = language.main_type
    if main is None:
        return "", ""
    # In one pass: what looks like a comment may lie in a string, and the other way round.
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
    name = next((each for each in preferred if each in entries), (public or [main.usual])[0])
    package = main.package.search(code)
    return (public or [name])[0], f"{package.group(1)}.{name}" if package else name


def _top_level(code: str) -> Iterator[tuple[str, str]]:
    """Yield each block of braces that lies in no other.

    What stands before it, and in it without its inner blocks.
    """
    depth, begun, head, body = 0, 0, "", list[str]()
    for brace in re.finditer("[{}]", code):
        if depth == 0 and brace.group() == "{":
            # A head is short: patterns take long on a text that somebody else wrote.
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
    # One's own come last: they replace built-in ones of the same id.
    return dict(_built_in()) | {
        each.id: each for each in (read_language(file.parent) for file in sorted(own))
    }


@functools.cache
def _built_in() -> dict[str, Language]:
    """Return the languages of this toolkit, read once.

    Toolchains that were found are kept by language.
    """
    return {
        each.id: each
        for each in (read_language(file.parent) for file in sorted(FOLDER.glob("*/language.toml")))
    }


def find_language(name: str, languages: Mapping[str, Language]) -> Language:
    """Return the language called `name`.

    An id, an alias or a Markdown fence name, in upper or lower case.

    Raises:
        LanguageError: There is no such language; the message names the nearest one.
    """
    names = {
        alias: language
        for language in languages.values()
        for alias in (*language.fences, *language.aliases)
    }
    # An id wins over an alias of another language.
    names |= languages
    match = names.get(name.strip().lower())
    if match:
        return match
    known = "known are " + ", ".join(sorted(languages))
    fix = nearest(name, names) + "type: venus languages list"
    raise LanguageError(f"unknown language {name!r}", known, fix)


def find_languages(names: Iterable[str], languages: Mapping[str, Language]) -> list[Language]:
    """Return the languages that were named, each once; a name may be several with commas between.

    Raises:
        LanguageError: There is no such language.
    """
    single = [name for listed in names for name in listed.split(",") if name.strip()]
    return list(dict.fromkeys(find_language(name, languages) for name in single))


def language_of_file(path: Path, languages: Mapping[str, Language]) -> Language:
    """Return the language that a file's extension stands for.

    Raises:
        LanguageError: No language has this extension.
    """
    for language in languages.values():
        if path.suffix == language.extension:
            return language
    known = "known extensions are " + ", ".join(
        f"{each.extension} ({each.id})" for each in languages.values()
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
    # Whatever is known was taken out of the tables.
    if unknown := sorted(
        [*table, *(f"{name}.{key}" for name, rest in tables.items() for key in rest)]
    ):
        raise LanguageError(f"{file} has unknown keys", ", ".join(unknown), see)
    return language


# Each function below takes out of a table what it reads.
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
    # CPU time decides, of all threads of a compiler together: it does not depend on who else is
    # busy.
    compile_limits = Limits(
        wall_ns=int(compile_s * NS_PER_S),
        # Programs of people take up to 6 s.
        cpu_ns=int(take_value(Annotated[float, POSITIVE], compiling, "cpu_s", 30.0) * NS_PER_S),
        memory_bytes=int(_positive(compiling, "memory_mib") * MIB),
        processes=512,
        open_files=4096,
        file_bytes=512 * MIB,
    )
    # ours, and made once
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
    found = take(MainType, table, "source.main")
    if table or not {"name", "public"} <= found.type.groupindex.keys() or not found.package.groups:
        raise TypeError(
            "source.main has usual, type (groups name and public), entry and package (a group)"
        )
    return found


def _can_be_passed(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _frame(table: dict[str, Any]) -> re.Pattern[str]:
    found = re.compile(_text(table, "frame", "(?!)(?P<file>)(?P<line>)"), re.MULTILINE)
    if not {"file", "line"} <= found.groupindex.keys():
        raise TypeError("diagnostics.frame has the groups file and line")
    return found


def _library(name: str, table: dict[str, Any]) -> Library:
    read = take(Library, table, f"libraries.{name}", name=name)
    if table:
        raise TypeError(f"libraries.{name} has unknown keys: {', '.join(sorted(table))}")
    return read


def _standard(table: dict[str, Any], argv: tuple[str, ...]) -> str:
    standard: str = _text(table, "standard", "")
    if standard and not any(standard in part for part in argv):
        raise TypeError(f"compile.standard is a part of compile.argv, got {standard!r}")
    return standard


def _counting(table: dict[str, Any], program: str) -> InstructionCounting:
    known = ("clock", "getrandom", "nanosleep", "tsc")
    names = take_value(tuple[str, ...], table, "constant", [], where="counting")
    if unknown := [name for name in names if name not in known]:
        raise TypeError(f"counting.constant names {', '.join(known)}, got {', '.join(unknown)}")
    counting = take(InstructionCounting, table, "counting", constants=names)
    if counting.fork_server and "/" in program:
        # it would run what somebody else wrote before it forks
        raise TypeError(f"counting.fork_server needs an interpreter in run.argv, got {program}")
    return counting


def _selftest(folder: Path, extension: str, table: dict[str, Any]) -> SelfTest:
    files = {verdict: folder / f"{verdict}{extension}" for verdict in Verdict}
    programs = {verdict: file.read_text() for verdict, file in files.items() if file.is_file()}
    if Verdict.ACCEPTED not in programs:
        raise KeyError(f"selftest/accepted{extension}")
    cpu_s, memory_mib = _positive(table, "cpu_s"), _positive(table, "memory_mib")
    # CPU time is what counts, so a busy machine changes no verdict.
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
        why = f"it has {len(marked)} lines with {MARKER}, expected one"
        raise LanguageError("the runner cannot be rendered", why, "see docs/problems.md")
    lines[marked[0]] = code
    return "\n".join(lines)
