"""What ``venus run`` runs: programs in files, projects and commands, for each value of a parameter, and their tests."""

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

MOST_VALUES = 1000  # of a parameter
MOST_DIGITS = 20  # of one of its numbers, before and after the decimal point
SCAN = "--parameter-scan"


class NamedProgram(NamedTuple):
    """A program to run.

    Attributes:
        name: The file, the project folder or the command.
        program: What runs.
        file: Its file or project folder; None: a command.
        parameters: The value of the parameter by its name; empty: there is none.
    """

    name: str
    program: Program
    file: Path | None
    parameters: Mapping[str, str]

    @property
    def label(self) -> str:
        """The name with the value of the parameter."""
        values = "".join(f" ({name}={value})" for name, value in self.parameters.items())
        return f"{printable(self.name)}{values}"


class ProgramGroup(NamedTuple):
    """Programs with the same tests, which are measured in turns."""

    tests: tuple[TestCase, ...]
    programs: tuple[NamedProgram, ...]


class Scan(NamedTuple):
    """The values of a parameter: the text ``{name}`` stands for each of them."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Scan:
        """Read ``NAME MIN MAX [STEP]``.

        Raises:
            UsageError: It is something else, or has no or too many values.
        """
        problem, fix = (
            f"{SCAN} {text} is not a scan",
            f"type: {SCAN} n 1 10, or with a step: n 0 1 0.1",
        )
        name, *rest = text.split()
        try:
            lowest, highest, step = map(Decimal, rest if len(rest) == 3 else [*rest, "1"])
        except (InvalidOperation, ValueError) as error:
            raise UsageError(problem, "it is not NAME MIN MAX [STEP] with numbers", fix) from error
        if not name.isidentifier():
            raise UsageError(problem, f"{name!r} is not a name", fix)
        if not all(number.is_finite() for number in (lowest, highest, step)):
            raise UsageError(problem, "MIN, MAX and STEP must be finite", fix)
        if any(map(_too_long, (lowest, highest, step))):
            reason = (
                f"a number has more than {MOST_DIGITS} digits before or after the decimal point"
            )
            raise UsageError(problem, reason, fix)
        if step <= 0 or lowest > highest:
            reason = "STEP must be greater than 0" if step <= 0 else f"{lowest} is above {highest}"
            raise UsageError(problem, reason, fix)
        with localcontext(prec=3 * MOST_DIGITS):
            if highest - lowest >= step * MOST_VALUES:
                reason = f"it has more than {MOST_VALUES:,} values"
                raise UsageError(f"{SCAN} {text} is too long", reason, "use a larger STEP")
            count = int((highest - lowest) / step) + 1
            return cls(name, tuple(f"{lowest + number * step:f}" for number in range(count)))

    def fill(self, value: str, text: str) -> str:
        """Return a text with a value in place of the parameter."""
        return text.replace(f"{{{self.name}}}", value)


def _too_long(number: Decimal) -> bool:
    return number.adjusted() >= MOST_DIGITS or int(number.as_tuple().exponent) < -MOST_DIGITS


class Invocation(NamedTuple):
    """What a program finds: arguments, files beside it, environment variables."""

    arguments: tuple[str, ...]
    files: tuple[File, ...]
    environment: Mapping[str, str]

    @classmethod
    def of(
        cls, arguments: tuple[str, ...], beside: Sequence[str], variables: Sequence[str]
    ) -> Invocation:
        """Read what ``--``, ``--file`` and ``--env`` say.

        Raises:
            UsageError: A file cannot be read, or a variable has no ``=``.
        """
        files = []
        for variable in beside:
            path, _, name = variable.partition("=")
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
        """Return it with a parameter's value in the arguments and variables."""
        variables = {name: fill(value) for name, value in self.environment.items()}
        return self._replace(arguments=tuple(map(fill, self.arguments)), environment=variables)


def read_groups(
    files: tuple[Path, ...],
    lang: str | None,
    languages: Mapping[str, Language],
    arguments: tuple[str, ...],
    flags: Mapping[str, Any],
) -> list[ProgramGroup]:
    """Return what to run: one group, or one for each value of a parameter that changes the input.

    Raises:
        UsageError: There is no program, options contradict each other, or a file cannot be read.
        LanguageError: A language is not known.
    """
    _check(files, flags)
    invocation = Invocation.of(arguments, flags["beside"], flags["env"])
    read = _reader(files, lang, languages, invocation, flags)
    if not flags["parameter_scan"]:
        tests = asked_tests(flags["tests"], flags["stdin"])
        return [ProgramGroup(tests, tuple(read(lambda text: text, {})))]
    scan = Scan.of(flags["parameter_scan"])
    mark = f"{{{scan.name}}}"
    stdin: str | None = flags["stdin"]
    # Standard input is read once.
    texts = asked_tests(flags["tests"], stdin) if mark not in (stdin or "") else ()
    in_tests = not texts or any(mark in test.stdin for test in texts)
    texts_of_programs = (*arguments, *flags["cmd"], flags["compiling"] or "", *flags["env"])
    if not in_tests and not any(mark in text for text in texts_of_programs):
        reason = f"{mark} is in no argument, input, variable or command"
        fix = f"type it where the value goes: venus run a.py {SCAN} n 1 9 -- '{{n}}'"
        raise UsageError(f"the parameter {scan.name} changes nothing", reason, fix)
    groups = []
    for value in scan.values:

        def fill(text: str, value: str = value) -> str:
            return scan.fill(value, text)

        tests = texts or asked_tests(None, fill(stdin or ""))
        filled = tuple(replace(test, stdin=fill(test.stdin)) for test in tests)
        groups.append(ProgramGroup(filled, tuple(read(fill, {scan.name: value}))))
    if in_tests or len(groups[0].programs) > 1:
        return groups
    # One program on one input: its values take turns and are ranked.
    return [
        ProgramGroup(
            groups[0].tests, tuple(program for group in groups for program in group.programs)
        )
    ]


def _check(files: tuple[Path, ...], flags: Mapping[str, Any]) -> None:
    """Refuse options that do not go together.

    Raises:
        UsageError: They do not, or there is no program.
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
    """Return a function that returns all programs, with a parameter filled in."""
    folder: Path | None = flags["project"]

    def read(fill: Callable[[str], str], parameters: Mapping[str, str]) -> list[NamedProgram]:
        filled = invocation.filled(fill)
        tests = [
            NamedProgram(
                str(file),
                read_program(file, lang, languages, flags["starter"], filled),
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
                    beside=filled.files,
                )
                if folder
                else read_command(command, languages, lang=lang, beside=filled.files)
            )
            called = program.language.called_with(filled.arguments, filled.environment)
            name = str(folder) if folder and len(flags["cmd"]) == 1 else command
            program = program._replace(language=called)
            tests.append(NamedProgram(name, program, folder, parameters))
        return tests

    return read


def read_program(
    file: Path,
    lang: str | None,
    languages: Mapping[str, Language],
    starter: Path | None,
    surroundings: Invocation,
) -> Program:
    """Return the program in a file, in a runner where there is starter code.

    Raises:
        UsageError: It cannot be read.
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
    called = language.called_with(surroundings.arguments, surroundings.environment)
    return program_of(called, code, surroundings.files, runner)


def asked_tests(folder: Path | None, stdin: str | None) -> tuple[TestCase, ...]:
    """Return the tests of a folder, or one made of a file, of standard input or of nothing."""
    if folder and stdin is not None:
        reason = "inputs come either from a folder or from one file"
        raise UsageError("--tests and --stdin were given together", reason, "leave one of them out")
    if folder:
        return read_tests(folder)
    if stdin is None:
        return (TestCase("empty", "", kind="given"),)
    if stdin != "-":
        return (TestCase(Path(stdin).name, read_text(Path(stdin), "input"), kind="given"),)
    try:
        # The buffer, since sys.stdin would translate line ends.
        return (TestCase("stdin", sys.stdin.buffer.read().decode("utf-8"), kind="given"),)
    except UnicodeDecodeError as error:
        raise UsageError(
            "the standard input is not UTF-8 text", str(error), "give text on standard input"
        ) from error
