"""A command as a program: in a folder, which another command may compile, or by itself."""

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

MOST_FILES = 2000
MOST_BYTES = 64 * MIB
LEFT_OUT = (".git", "__pycache__")
# Files belong to another user than the compiler's, who may replace them and not change their modes.
MARK = (
    'for each in {names}; do cp -- "$each" .copy && chmod +x .copy && mv -f .copy "$each" || '
    "exit; done"
)
# Asked here, a command that is missing is a mistake of the program; when it is run, a failure of
# the sandbox.
# `command -v` would find what only a shell has, and not the program echo or printf of that name.
FOUND = (
    '{{ (IFS=:; for each in {folders}; do test -f "$each"/{name} -a -x "$each"/{name} && exit; done; '
    "exit 1) || {{ echo no executable command {name} >&2; exit 127; }}; }}"
)
# a program has a source file, and a project has none that it must be
COMMAND_FILE = ".venus-command"
# as the tools of a system say it: sort: cannot read: data.txt: No such file or directory
NO_FILE = re.compile(r"(?:^|[\s'])([^\s:'\n]{1,200})'?: No such file or directory", re.MULTILINE)


def read_project(
    folder: Path,
    command: str,
    languages: Mapping[str, Language],
    *,
    compile: str = "",
    lang: str | None = None,
    beside: Sequence[File] = (),
) -> Program:
    """Return the program that a command runs in a folder.

    Args:
        folder: All files below it, but those of git and Python's bytecode, lie in the sandbox's
            working folder. Links that lead out of it are refused.
        command: Its words, quoted as in a shell; it is run without one, so that only the program is
            measured.
        languages: The known ones, by id.
        compile: A command that a shell runs in the folder, once and before the files become
            read-only.
        lang: The language whose tools the command needs; None: that of its first word, or of most
            files.
        beside: Other files.

    Raises:
        UsageError: There is no such folder, it is empty or too large, or the command is empty.
        LanguageError: The language is not known.
    """
    words = _words(command)
    paths = _paths(folder)
    language = find_language(lang, languages) if lang else _language(words[0], paths, languages)
    files = (
        *(File(name, read_beneath(path, folder)) for name, path in _readable(paths, folder)),
        *beside,
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
    beside: Sequence[File] = (),
) -> Program:
    """Return the program that a command runs by itself, such as ``sort -n``.

    It sees the tools of its language; where it is in none, those in the system's folders, and its
    language has no reference program.

    Args:
        command: As in `read_project`.
        languages: The known ones, by id.
        lang: The language whose tools it needs; None: that of its first word, if that is one.
        beside: Files in the working folder.

    Raises:
        UsageError: The command is empty.
        LanguageError: The language is not known.
    """
    words = _words(command)
    if lang:
        return _program(find_language(lang, languages), words, [], beside)
    try:
        return _program(_language(words[0], {}, languages), words, [], beside)
    except LanguageError:
        pass
    # A sandbox opens for a language: one whose tools every checkout of the toolkit has.
    base = languages.get("python") or next(iter(languages.values()))
    plain = _program(base, words, [], beside)
    never = re.compile("(?!)")
    how = dataclasses.replace(
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
    return plain._replace(language=how)


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
    """Return the program that runs words after the steps of a shell."""
    folders = '""' if words[0].startswith("/") else "." if "/" in words[0] else "$PATH"
    steps = [*steps, FOUND.format(name=shlex.quote(words[0]), folders=folders)]
    how = dataclasses.replace(
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
    return Program(how, f"{shlex.join(words)}\n", tuple(files))


def _paths(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their names there, in the order of the names."""
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
        if len(files) > MOST_FILES or total > MOST_BYTES:
            reason = f"it has more than {MOST_FILES} files, or {MOST_BYTES // MIB} MiB"
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
    """Return the language of a command's first word, such as python3 or node.

    Else that of most files.
    """
    tool = Path(word).name
    if runs := next(
        (language for language in languages.values() if language.run_argv[0] == tool), None
    ):
        return runs
    if word == tool:
        try:
            return find_language(tool, languages)
        except LanguageError:
            pass  # some other program: what it runs says more
    by_extension = {language.extension: language for language in reversed(list(languages.values()))}
    counted = Counter(path.suffix for path in paths.values() if path.suffix in by_extension)
    if not counted:
        reason = f"neither {word} nor the extension of a file says it"
        raise LanguageError(
            "the language of the project is not known", reason, "name it: --lang ID"
        )
    return by_extension[counted.most_common(1)[0][0]]
