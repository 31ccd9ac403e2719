"""Defaults of options, in ``venus.toml`` or in ``[tool.venus]`` of ``pyproject.toml``.

    sandbox = "docker"          # of every command that has this option

    [run]
    repeats = 5                 # venus run --repeats

    [languages.check]
    json = true                 # venus languages check --json

A key is an option's long name, with - or _. A value acts as if the option had been typed, and what
is typed wins. A value that chooses code, a place, an address, a key or isolation counts only in a
trusted file (core/untrusted/trust.py).
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
# Options that mean the same in several commands: they may stand at the top of the file.
SHARED = (
    "sandbox", "languages", "jobs", "engine", "ray_address", "base_url", "api", "concurrency", "timeout", "prompts",
    "json", "verbose", "quiet",
)  # fmt: skip


@dataclass(frozen=True)
class ProjectFile:
    """What a project file says: a table of commands and shared options."""

    path: Path
    table: Mapping[str, Any]

    def defaults(self, words: tuple[str, ...], command: click.Command) -> dict[str, Any]:
        """Return the default map of the command called by `words`, and of the commands in it.

        Raises:
            UsageError: A key is no option of the command, or its value makes no sense.
        """
        own = self._own(words)
        inner = command.commands if isinstance(command, click.Group) else {}
        # by their long names, without the dashes and with _
        options = {
            _plain(flag.removeprefix("--")): parameter
            for parameter in command.params
            if isinstance(parameter, click.Option)
            for flag in parameter.opts
            if flag.startswith("--")
        }
        values: dict[str, Any] = {
            name: self.defaults((*words, name), inner_value) for name, inner_value in inner.items()
        }
        shared = {
            key: value
            for key, value in self.table.items()
            if _is_shared(key, value) and _plain(key) in options
        }
        for key, value in (shared | own).items():
            if key in inner:
                continue
            above = words if key in own else ()
            if _plain(key) not in options:
                reason = f"venus {' '.join(words)} has no such option"
                raise self.unknown(f"{'.'.join(words)}.{key}", reason, key, (*options, *inner))
            option = options[_plain(key)]
            assert option.name
            values[option.name] = self._if_trusted(
                above, key, value, self._value(key, value, option)
            )
        return values

    def _if_trusted(self, above: tuple[str, ...], key: str, value: Any, default: Any) -> Any:
        """Return a default, or, if the setting needs trust, a function that returns or refuses it.

        click calls the function only where the option was not typed.
        """
        folder = self.path.parent
        if not (settings := list(guarded_settings({key: value}, folder, folder, words=above))):
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
        """Return the error about a key that does not exist, with the nearest one that does."""
        return UsageError(
            f"{self.path}: unknown key {key}", reason, nearest(typed, map(_plain, known)) + SEE
        )

    def _value(self, key: str, value: Any, option: click.Option) -> Any:
        """Return the value of an option; relative paths are those from the folder of the file.

        Raises:
            UsageError: It is not of the option's type.
        """
        several = value if isinstance(value, list) else [value]
        wrong = isinstance(value, Mapping) or (isinstance(value, list) and not option.multiple)
        if wrong or any(isinstance(item, bool) != option.is_flag for item in several):
            expected = (
                "true or false" if option.is_flag else "a list" if option.multiple else "one value"
            )
            raise UsageError(f"{self.path}: {key} must be {expected}", f"got {value!r}", SEE)
        several = [
            self._located(item, option) if isinstance(item, str) else item for item in several
        ]
        try:
            for item in several:
                option.type.convert(item, option, None)
        except click.BadParameter as error:
            raise UsageError(
                f"{self.path}: {key} = {value!r} is invalid", error.message, SEE
            ) from error
        return several if option.multiple else several[0]

    def _located(self, value: str, option: click.Option) -> str:
        """Return a path as it is from the working folder.

        One that is written in the file is relative to the file.
        """
        path = self.path.parent / value
        if value in getattr(option.type, "names", ()):
            return value
        if self.path.parent == Path.cwd() or Path(value).is_absolute() or value == "-":
            return value
        # The metavar says so of an option that takes a path as text.
        written = any(word in (option.metavar or "") for word in ("FILE", "FOLDER", "DIR", "PATH"))
        return (
            str(path)
            if isinstance(option.type, click.Path) or (written and path.exists())
            else value
        )


def find_project_file(commands: Collection[str]) -> ProjectFile | None:
    """Return the project file of the working folder or of the nearest folder above it.

    A ``.git`` ends the search.

    Raises:
        UsageError: It cannot be read, or has a key at its top that is neither a command nor an
            option that is shared.
    """
    try:
        here = Path.cwd()
    except OSError:
        return None  # it was removed
    for folder in (here, *here.parents):
        for name in (NAME, PYPROJECT):
            table = _read(folder / name)
            if table is None:
                continue
            project = ProjectFile(folder / name, table)
            for key, value in table.items():
                if key not in commands and not _is_shared(key, value):
                    reason = (
                        "it is neither a command nor an option that commands share; those of one "
                        "stand in [COMMAND]"
                    )
                    raise project.unknown(key, reason, key, (*commands, *SHARED))
            return project
        if (folder / ".git").exists():
            break
    return None


def _read(path: Path) -> Mapping[str, Any] | None:
    """Return the table of a file.

    None where it is not there, or is a pyproject.toml without ours.
    """
    if not path.is_file():
        return None
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.name == PYPROJECT:
            table = table.get("tool", {}).get("venus")
    except (OSError, ValueError, AttributeError) as error:
        if path.name == PYPROJECT:
            return None  # a broken pyproject.toml is no business of ours
        raise UsageError(f"{path} cannot be read", str(error), SEE) from error
    if table is not None and not isinstance(table, Mapping):
        raise UsageError(f"{path}: tool.venus must be a table", f"got {table!r}", SEE)
    return table


def _is_shared(key: str, value: Any) -> bool:
    return _plain(key) in SHARED and not isinstance(value, Mapping)


def _plain(key: str) -> str:
    return key.replace("-", "_")
