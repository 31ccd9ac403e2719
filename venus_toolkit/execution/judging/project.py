"""Reads a command as a program: in a project folder, optionally with a build step, or by itself."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from venus_toolkit.core.errors import LanguageError, UsageError
from venus_toolkit.core.language import InstructionCounting, Language, find_language
from venus_toolkit.core.records import MIB
from venus_toolkit.core.untrusted.beneath import read_beneath, refusal
from venus_toolkit.execution.sandbox import File, Program

MAX_FILES = 2000
MAX_BYTES = 64 * MIB
LEFT_OUT = (".git", "__pycache__")
# The compiler's user does not own the files: it may replace them, but not change their modes.
MARK = (
    'for each in {names}; do cp -- "$each" .copy && chmod +x .copy && mv -f .copy "$each" || '
    "exit; done"
)
# A check at compile time: a missing command is then a fault of the program; at run time it would be
# a failure of the sandbox. `command -v` is not used because it also finds builtins of the shell.
FOUND = (
    '{{ (IFS=:; for each in {folders}; do test -f "$each"/{name} -a -x "$each"/{name} && exit; done; '
    "exit 1) || {{ echo no executable command {name} >&2; exit 127; }}; }}"
)
# Every program needs a source file; that of a project contains its command.
COMMAND_FILE = ".venus-command"
# Messages of system tools, such as "sort: cannot read: data.txt: No such file or directory".
NO_FILE = re.compile(r"(?:^|[\s'])([^\s:'\n]{1,200})'?: No such file or directory", re.MULTILINE)


def read_project(
    folder: Path,
    command: str,
    languages: Mapping[str, Language],
    *,
    compile: str = "",
    lang: str | None = None,
    extra_files: Sequence[File] = (),
) -> Program:
    """Return the program that a command runs in a folder.

    Args:
        folder: All files below it are copied into the sandbox's working folder, except for those of
            git and Python's bytecode. Links that lead out of it are refused.
        command: Words, quoted as in a shell. No shell runs them, so that only the program is
            measured.
        languages: All languages, by id.
        compile: A shell command that runs once in the folder, before its files become read-only.
        lang: The language whose tools the command needs; None: that of its first word, or of most
            files.
        extra_files: Additional files in the working folder.

    Raises:
        UsageError: The folder is missing, empty or too large, or the command is empty.
        LanguageError: The language is unknown.
    """
    words = _words(command)
    paths = _paths(folder)
    language = find_language(lang, languages) if lang else _language(words[0], paths, languages)
    files = (
        *(File(name, read_beneath(path, folder)) for name, path in _readable(paths, folder)),
        *extra_files,
    )
    executable = [name for name, path in paths.items() if os.access(path, os.X_OK)]
    steps = [MARK.format(names=shlex.join(executable))] if executable else []
    steps += [f"{{ {compile}\n}}"] if compile.strip() else []
    return _program(language, words, steps, files)


def read_command(
    command: str,
    languages: Mapping[str, Language],
    *,
    lang: str | None = None,
    extra_files: Sequence[File] = (),
) -> Program:
    """Return the program that a command such as ``sort -n`` runs by itself.

    It can use the tools of its language. Without a language it can use those in the system's
    folders, and has no reference program.

    Args:
        command: As in `read_project`.
        languages: All languages, by id.
        lang: The language whose tools it needs; None: that of its first word, if any.
        extra_files: Files in the working folder.

    Raises:
        UsageError: The command is empty.
        LanguageError: The language is unknown.
    """
    words = _words(command)
    if lang:
        return _program(find_language(lang, languages), words, [], extra_files)
    try:
        return _program(_language(words[0], {}, languages), words, [], extra_files)
    except LanguageError:
        pass
    # A program needs a language; every machine with the toolkit has Python.
    base = languages.get("python") or next(iter(languages.values()))
    plain = _program(base, words, [], extra_files)
    never = re.compile("(?!)")
    system = dataclasses.replace(
        plain.language,
        name="the command",
        environment={"LC_ALL": "C.UTF-8"},
        libraries=(),
        counting=InstructionCounting(),
        out_of_memory=never,
        missing_library=never,
        missing_file=NO_FILE,
        frame=re.compile("(?!)(?P<file>)(?P<line>)"),
        reference="",
        empty="",
    )
    return plain._replace(language=system)


def _words(command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(
            f"--cmd {command!r} cannot be read", str(error), "close every quotation mark"
        ) from error
    if not words or not words[0]:
        raise UsageError(
            "the command is empty", "nothing would run", 'type: --cmd "python3 main.py"'
        )
    return words


def _program(
    language: Language, words: tuple[str, ...], steps: Sequence[str], files: Sequence[File]
) -> Program:
    """Return the program that runs a command after the build steps, which a shell runs."""
    folders = '""' if words[0].startswith("/") else "." if "/" in words[0] else "$PATH"
    steps = [*steps, FOUND.format(name=shlex.quote(words[0]), folders=folders)]
    command_language = dataclasses.replace(
        language,
        source_file=COMMAND_FILE,
        main_type=None,
        compile_argv=("sh", "-c", " && ".join(steps)),
        run_argv=words,
        prepared=None,
        counting=language.counting
        if words[0] == language.run_argv[0]
        else language.counting._replace(flags=()),
        base=language,
    )
    return Program(command_language, f"{shlex.join(words)}\n", tuple(files))


def _paths(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their relative paths, sorted."""
    if not folder.is_dir():
        reason = "it is not a folder" if folder.exists() else "there is no such folder"
        raise UsageError(
            f"cannot read the project {folder}", reason, "name the folder that holds the program"
        )
    files: dict[str, Path] = {}
    total = 0
    for path in _walk(folder):
        files[str(path.relative_to(folder))] = path
        total += path.stat().st_size if path.exists() else 0
        if len(files) > MAX_FILES or total > MAX_BYTES:
            reason = f"it has more than {MAX_FILES} files, or {MAX_BYTES // MIB} MiB"
            raise UsageError(
                f"the project {folder} is too large", reason, "name a folder with the program alone"
            )
    if not files:
        raise UsageError(
            f"the project {folder} is empty",
            "it has no file",
            "name the folder that holds the program",
        )
    return dict(sorted(files.items()))


def _walk(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in folders:
            if (Path(here) / name).is_symlink():
                reason = "links to folders are not followed"
                raise UsageError(
                    f"{Path(here) / name} is a link to a folder",
                    reason,
                    "put a copy of the folder there",
                )
        yield from (Path(here) / name for name in names)


def _readable(paths: Mapping[str, Path], folder: Path) -> Iterator[tuple[str, Path]]:
    for name, path in paths.items():
        reason = refusal(path, folder)
        if not reason and not (path.is_file() and os.access(path, os.R_OK)):
            reason = (
                "it is not a file that you may read"
                if path.exists()
                else "it is a link that leads nowhere"
            )
        if reason:
            raise UsageError(
                f"cannot read {path}", reason, "remove it from the project, or repair it"
            )
        yield name, path


def _language(word: str, paths: Mapping[str, Path], languages: Mapping[str, Language]) -> Language:
    """Return the language of a command's first word, such as python3, or else of most files."""
    tool = Path(word).name
    if interpreted := next(
        (language for language in languages.values() if language.run_argv[0] == tool), None
    ):
        return interpreted
    if word == tool:
        try:
            return find_language(tool, languages)
        except LanguageError:
            pass  # another program, so its files decide
    by_extension = {language.extension: language for language in reversed(list(languages.values()))}
    counted = Counter(path.suffix for path in paths.values() if path.suffix in by_extension)
    if not counted:
        reason = f"neither {word} nor the extension of a file shows it"
        raise LanguageError(
            "the language of the project is not known", reason, "name it: --lang ID"
        )
    return by_extension[counted.most_common(1)[0][0]]
