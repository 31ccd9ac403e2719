"""The programs and tests of ``venus run``: files, projects, commands and parameter scans."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation, localcontext
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.cli.printing import printable
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.language import Language, find_language, language_of_file
from venus_toolkit.core.records import TestCase
from venus_toolkit.execution.judging.files import program_runner, read_tests, read_text
from venus_toolkit.execution.judging.libraries import program_of
from venus_toolkit.execution.judging.project import read_command, read_project
from venus_toolkit.execution.sandbox import File, Program

MAX_VALUES = 1000  # values of a parameter
MAX_DIGITS = 20  # digits of a number, before and after the decimal point
SCAN = "--parameter-scan"


class NamedProgram(NamedTuple):
    """A program to run.

    Attributes:
        name: The file, the project folder or the command.
        program: The program.
        file: Its file or project folder; None: a command.
        parameters: The value of the parameter by its name; empty without a parameter.
    """

    name: str
    program: Program
    file: Path | None
    parameters: Mapping[str, str]

    @property
    def label(self) -> str:
        """The name with the value of the parameter."""
        suffix = "".join(f" ({name}={value})" for name, value in self.parameters.items())
        return f"{printable(self.name)}{suffix}"


class ProgramGroup(NamedTuple):
    """Programs with the same tests, which are measured interleaved."""

    tests: tuple[TestCase, ...]
    programs: tuple[NamedProgram, ...]


class Scan(NamedTuple):
    """The values of a parameter, which replace the text ``{name}``."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Scan:
        """Parse ``NAME MIN MAX [STEP]``.

        Raises:
            UsageError: The text has another form, or it describes no values or too many.
        """
        message, fix = (
            f"{SCAN} {text} is not a scan",
            f"type: {SCAN} n 1 10, or with a step: n 0 1 0.1",
        )
        name, *rest = text.split()
        try:
            lowest, highest, step = map(Decimal, rest if len(rest) == 3 else [*rest, "1"])
        except (InvalidOperation, ValueError) as error:
            raise UsageError(message, "it is not NAME MIN MAX [STEP] with numbers", fix) from error
        if not name.isidentifier():
            raise UsageError(message, f"{name!r} is not a name", fix)
        if not all(number.is_finite() for number in (lowest, highest, step)):
            raise UsageError(message, "MIN, MAX and STEP must be finite", fix)
        if any(map(_too_long, (lowest, highest, step))):
            reason = f"a number has more than {MAX_DIGITS} digits before or after the decimal point"
            raise UsageError(message, reason, fix)
        if step <= 0 or lowest > highest:
            reason = "STEP must be greater than 0" if step <= 0 else f"{lowest} is above {highest}"
            raise UsageError(message, reason, fix)
        with localcontext(prec=3 * MAX_DIGITS):
            if highest - lowest >= step * MAX_VALUES:
                reason = f"it has more than {MAX_VALUES:,} values"
                raise UsageError(f"{SCAN} {text} is too long", reason, "use a larger STEP")
            count = int((highest - lowest) / step) + 1
            return cls(name, tuple(f"{lowest + number * step:f}" for number in range(count)))

    def fill(self, value: str, text: str) -> str:
        """Return the text with the parameter replaced by a value."""
        return text.replace(f"{{{self.name}}}", value)


def _too_long(number: Decimal) -> bool:
    return number.adjusted() >= MAX_DIGITS or int(number.as_tuple().exponent) < -MAX_DIGITS


class Invocation(NamedTuple):
    """The environment of a program: arguments, extra files, environment variables."""

    arguments: tuple[str, ...]
    files: tuple[File, ...]
    environment: Mapping[str, str]

    @classmethod
    def of(
        cls, arguments: tuple[str, ...], extra_files: Sequence[str], variables: Sequence[str]
    ) -> Invocation:
        """Read the values of ``--``, ``--file`` and ``--env``.

        Raises:
            UsageError: A file cannot be read, or a variable has no ``=``.
        """
        files = []
        for text in extra_files:
            path, _, name = text.partition("=")
            try:
                files.append(File(name or Path(path).name, Path(path).read_bytes()))
            except OSError as error:
                reason = error.strerror or str(error)
                raise UsageError(
                    f"cannot read the file {path}", reason, "check the path"
                ) from error
        pairs = [variable.partition("=") for variable in variables]
        if wrong := next((name for name, sign, _ in pairs if not sign), None):
            raise UsageError(f"--env {wrong} sets nothing", "it has no =", "write --env NAME=VALUE")
        return cls(arguments, tuple(files), {name: value for name, _, value in pairs})

    def filled(self, fill: Callable[[str], str]) -> Invocation:
        """Return the invocation with a parameter replaced in arguments and variables."""
        variables = {name: fill(value) for name, value in self.environment.items()}
        return self._replace(arguments=tuple(map(fill, self.arguments)), environment=variables)


def read_groups(
    files: tuple[Path, ...],
    lang: str | None,
    languages: Mapping[str, Language],
    arguments: tuple[str, ...],
    flags: Mapping[str, Any],
) -> list[ProgramGroup]:
    """Return one group of programs, or one for each value of a parameter that changes the input.

    Raises:
        UsageError: No program is named, options contradict each other, or a file cannot be read.
        LanguageError: A language is not known.
    """
    _check_options(files, flags)
    invocation = Invocation.of(arguments, flags["extra_files"], flags["env"])
    read = _reader(files, lang, languages, invocation, flags)
    if not flags["parameter_scan"]:
        tests = load_tests(flags["tests"], flags["stdin"])
        return [ProgramGroup(tests, tuple(read(lambda text: text, {})))]
    scan = Scan.of(flags["parameter_scan"])
    mark = f"{{{scan.name}}}"
    stdin: str | None = flags["stdin"]
    # Standard input can be read only once.
    template_tests = load_tests(flags["tests"], stdin) if mark not in (stdin or "") else ()
    in_tests = not template_tests or any(mark in test.stdin for test in template_tests)
    texts_of_programs = (*arguments, *flags["cmd"], flags["compiling"] or "", *flags["env"])
    if not in_tests and not any(mark in text for text in texts_of_programs):
        reason = f"{mark} is in no argument, input, variable or command"
        fix = f"type it where the value goes: venus run a.py {SCAN} n 1 9 -- '{{n}}'"
        raise UsageError(f"the parameter {scan.name} changes nothing", reason, fix)
    groups = []
    for value in scan.values:

        def fill(text: str, value: str = value) -> str:
            return scan.fill(value, text)

        tests = template_tests or load_tests(None, fill(stdin or ""))
        tests = tuple(replace(test, stdin=fill(test.stdin)) for test in tests)
        groups.append(ProgramGroup(tests, tuple(read(fill, {scan.name: value}))))
    if in_tests or len(groups[0].programs) > 1:
        return groups
    # One program on one input: its parameter values are measured interleaved and ranked.
    return [
        ProgramGroup(
            groups[0].tests, tuple(program for group in groups for program in group.programs)
        )
    ]


def _check_options(files: tuple[Path, ...], flags: Mapping[str, Any]) -> None:
    """Reject contradictory options.

    Raises:
        UsageError: Options contradict each other, or no program is named.
    """
    if flags["project"]:
        if files or flags["starter"]:
            conflicting = f"the file {files[0]}" if files else "--starter"
            reason = "--cmd names the command that runs the project"
            raise UsageError(
                f"--project cannot be combined with {conflicting}", reason, "leave one of them out"
            )
        if not flags["cmd"]:
            raise UsageError(
                "--project needs --cmd",
                "--cmd is the command that runs the program",
                'type: --cmd "python3 main.py"',
            )
    elif flags["compiling"] is not None:
        raise UsageError("--compile changes nothing", "it is for --project", "add --project DIR")
    elif not files and not flags["cmd"]:
        raise UsageError(
            "no program was named",
            "there is no FILE, no --cmd and no --project",
            "type: venus run solution.py",
        )


def _reader(
    files: tuple[Path, ...],
    lang: str | None,
    languages: Mapping[str, Language],
    invocation: Invocation,
    flags: Mapping[str, Any],
) -> Callable[[Callable[[str], str], Mapping[str, str]], list[NamedProgram]]:
    """Return a function that reads all programs with a parameter replaced."""
    folder: Path | None = flags["project"]

    def read(fill: Callable[[str], str], parameters: Mapping[str, str]) -> list[NamedProgram]:
        own_invocation = invocation.filled(fill)
        programs = [
            NamedProgram(
                str(file),
                read_program(file, lang, languages, flags["starter"], own_invocation),
                file,
                parameters,
            )
            for file in files
        ]
        for command in map(fill, flags["cmd"]):
            program = (
                read_project(
                    folder,
                    command,
                    languages,
                    compile=fill(flags["compiling"] or ""),
                    lang=lang,
                    extra_files=own_invocation.files,
                )
                if folder
                else read_command(command, languages, lang=lang, extra_files=own_invocation.files)
            )
            language = program.language.called_with(
                own_invocation.arguments, own_invocation.environment
            )
            name = str(folder) if folder and len(flags["cmd"]) == 1 else command
            program = program._replace(language=language)
            programs.append(NamedProgram(name, program, folder, parameters))
        return programs

    return read


def read_program(
    file: Path,
    lang: str | None,
    languages: Mapping[str, Language],
    starter: Path | None,
    invocation: Invocation,
) -> Program:
    """Return the program in a file, with a runner if there is starter code.

    Raises:
        UsageError: The file cannot be read.
        LanguageError: Its language is not known.
    """
    if file.is_dir():
        reason = "a program of several files needs a command that runs it"
        raise UsageError(
            f"{file} is a folder", reason, f'type: --project {file} --cmd "python3 main.py"'
        )
    language = find_language(lang, languages) if lang else language_of_file(file, languages)
    code = read_text(file, "program")
    runner = program_runner(starter, language, languages) if starter else None
    language = language.called_with(invocation.arguments, invocation.environment)
    return program_of(language, code, invocation.files, runner)


def load_tests(folder: Path | None, stdin: str | None) -> tuple[TestCase, ...]:
    """Return the tests of a folder, or one test from a file, standard input or an empty input."""
    if folder and stdin is not None:
        reason = "inputs come either from a folder or from one file"
        raise UsageError("--tests cannot be combined with --stdin", reason, "leave one of them out")
    if folder:
        return read_tests(folder)
    if stdin is None:
        return (TestCase("empty", "", kind="given"),)
    if stdin != "-":
        return (TestCase(Path(stdin).name, read_text(Path(stdin), "input"), kind="given"),)
    try:
        # The buffer, because sys.stdin would translate line endings.
        return (TestCase("stdin", sys.stdin.buffer.read().decode("utf-8"), kind="given"),)
    except UnicodeDecodeError as error:
        raise UsageError(
            "the standard input is not UTF-8 text", str(error), "give text on standard input"
        ) from error
