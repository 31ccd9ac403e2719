"""Defaults of options, in ``venus.toml`` or in ``[tool.venus]`` of ``pyproject.toml``.

    sandbox = "docker"          # of every command that has this option

    [run]
    repeats = 5                 # venus run --repeats

    [languages.check]
    json = true                 # venus languages check --json

A key is an option's long name, with - or _. A value acts like the option on the command line, which
takes precedence. A value that selects code, a path, an address, a key or isolation is only accepted
from a trusted file (core/untrusted/trust.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.options import nearest
from venus_toolkit.core.untrusted.trust import guarded_settings, require_trust

NAME, PYPROJECT = "venus.toml", "pyproject.toml"
SEE = "see docs/configuration.md"
# Options with the same meaning in several commands, which are allowed at the top of the file.
SHARED = (
    "sandbox", "languages", "jobs", "engine", "ray_address", "base_url", "api", "concurrency", "timeout", "prompts",
    "json", "verbose", "quiet",
)  # fmt: skip


@dataclass(frozen=True)
class ProjectFile:
    """A project file: its path and its table of commands and shared options."""

    path: Path
    table: Mapping[str, Any]

    def defaults(self, words: tuple[str, ...], command: click.Command) -> dict[str, Any]:
        """Return the default map of the command called by `words`, and of its subcommands.

        Raises:
            UsageError: A key is not an option of the command, or its value is invalid.
        """
        own = self._own(words)
        subcommands = command.commands if isinstance(command, click.Group) else {}
        # by long name without dashes, with _
        options = {
            _plain(flag.removeprefix("--")): parameter
            for parameter in command.params
            if isinstance(parameter, click.Option)
            for flag in parameter.opts
            if flag.startswith("--")
        }
        defaults: dict[str, Any] = {
            name: self.defaults((*words, name), subcommand)
            for name, subcommand in subcommands.items()
        }
        shared = {
            key: value
            for key, value in self.table.items()
            if _is_shared(key, value) and _plain(key) in options
        }
        for key, value in (shared | own).items():
            if key in subcommands:
                continue
            table_words = words if key in own else ()
            if _plain(key) not in options:
                reason = f"venus {' '.join(words)} has no such option"
                raise self.unknown(
                    f"{'.'.join(words)}.{key}", reason, key, (*options, *subcommands)
                )
            option = options[_plain(key)]
            assert option.name
            defaults[option.name] = self._if_trusted(
                table_words, key, value, self._value(key, value, option)
            )
        return defaults

    def _if_trusted(self, words: tuple[str, ...], key: str, value: Any, default: Any) -> Any:
        """Return a default, or, if the setting needs trust, a function that checks and returns it.

        click calls the function only if the option is not on the command line. `words` is the path
        of the table that holds the key.
        """
        folder = self.path.parent
        if not (settings := list(guarded_settings({key: value}, folder, folder, words=words))):
            return default

        def trusted() -> Any:
            require_trust(self.path, self.table, folder, settings)
            return default

        return trusted

    def _own(self, words: tuple[str, ...]) -> dict[str, Any]:
        """Return the table of a command."""
        own: Any = self.table
        for number, word in enumerate(words, 1):
            own = own.get(word, {})
            # `languages` is a command and a shared option.
            if number == 1 and _is_shared(word, own):
                return {}
            if not isinstance(own, Mapping):
                raise UsageError(
                    f"{self.path}: {'.'.join(words[:number])} must be a table", f"got {own!r}", SEE
                )
        return dict(own)

    def unknown(self, key: str, reason: str, typed: str, known: Iterable[str]) -> UsageError:
        """Return the error for an unknown key, with the nearest known one."""
        return UsageError(
            f"{self.path}: unknown key {key}", reason, nearest(typed, map(_plain, known)) + SEE
        )

    def _value(self, key: str, value: Any, option: click.Option) -> Any:
        """Return the value of an option; relative paths are resolved from the folder of the file.

        Raises:
            UsageError: The value does not have the option's type.
        """
        items = value if isinstance(value, list) else [value]
        wrong = isinstance(value, Mapping) or (isinstance(value, list) and not option.multiple)
        if wrong or any(isinstance(item, bool) != option.is_flag for item in items):
            expected = (
                "true or false" if option.is_flag else "a list" if option.multiple else "one value"
            )
            raise UsageError(f"{self.path}: {key} must be {expected}", f"got {value!r}", SEE)
        items = [
            self._resolve_path(item, option) if isinstance(item, str) else item for item in items
        ]
        try:
            for item in items:
                option.type.convert(item, option, None)
        except click.BadParameter as error:
            raise UsageError(
                f"{self.path}: {key} = {value!r} is invalid", error.message, SEE
            ) from error
        return items if option.multiple else items[0]

    def _resolve_path(self, value: str, option: click.Option) -> str:
        """Return a path relative to the file as one relative to the working folder.

        Values that are not paths are returned unchanged.
        """
        path = self.path.parent / value
        if value in getattr(option.type, "names", ()):
            return value
        if self.path.parent == Path.cwd() or Path(value).is_absolute() or value == "-":
            return value
        # The metavar shows whether a text option takes a path.
        may_be_path = any(
            word in (option.metavar or "") for word in ("FILE", "FOLDER", "DIR", "PATH")
        )
        return (
            str(path)
            if isinstance(option.type, click.Path) or (may_be_path and path.exists())
            else value
        )


def find_project_file(commands: Collection[str]) -> ProjectFile | None:
    """Return the project file of the working folder or of the nearest folder above it.

    The search stops at a folder with ``.git``.

    Raises:
        UsageError: The file cannot be read, or has a key at its top that is neither a command nor a
            shared option.
    """
    try:
        here = Path.cwd()
    except OSError:
        return None  # the working folder was removed
    for folder in (here, *here.parents):
        for name in (NAME, PYPROJECT):
            table = _read(folder / name)
            if table is None:
                continue
            project = ProjectFile(folder / name, table)
            for key, value in table.items():
                if key not in commands and not _is_shared(key, value):
                    reason = (
                        "it is neither a command nor an option that commands share; options of "
                        "one command belong into [COMMAND]"
                    )
                    raise project.unknown(key, reason, key, (*commands, *SHARED))
            return project
        if (folder / ".git").exists():
            break
    return None


def _read(path: Path) -> Mapping[str, Any] | None:
    """Return the table of a file, or None without a file or a table of the toolkit."""
    if not path.is_file():
        return None
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.name == PYPROJECT:
            table = table.get("tool", {}).get("venus")
    except (OSError, ValueError, AttributeError) as error:
        if path.name == PYPROJECT:
            return None  # other tools report a broken pyproject.toml
        raise UsageError(f"{path} cannot be read", str(error), SEE) from error
    if table is not None and not isinstance(table, Mapping):
        raise UsageError(f"{path}: tool.venus must be a table", f"got {table!r}", SEE)
    return table


def _is_shared(key: str, value: Any) -> bool:
    return _plain(key) in SHARED and not isinstance(value, Mapping)


def _plain(key: str) -> str:
    return key.replace("-", "_")
