"""The command line: parse, call one function, print. A command is imported when it is used."""

from __future__ import annotations

import errno
import functools
import importlib
import logging
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import click

from venus_toolkit.cli.printing import LONG_S, QUIET, heartbeat, printable
from venus_toolkit.core import __version__, interruption
from venus_toolkit.core.activity import doing
from venus_toolkit.core.errors import EXIT_MACHINE, EXIT_USAGE, UsageError, VenusError
from venus_toolkit.core.extras import require
from venus_toolkit.core.options import nearest
from venus_toolkit.core.untrusted.trust import granted

log = logging.getLogger(__name__)
# Each command with the object that click runs and its line in the list of commands.
COMMANDS = {
    "init": ("data.init:command", "Write files to start from: a problem, a plan, a language."),
    "build": ("data.build:command", "Build a dataset: tests, verdicts, measurements, Parquet."),
    "publish": ("data.hub:publish", "Publish a release on the Hub: checks, one commit, a tag."),
    "releases": ("data.hub:releases", "List the versions of a dataset on the Hub."),
    "pull": ("data.hub:pull", "Download a version of a dataset from the Hub."),
    "card": ("data.card:command", "Write or check the card of a release."),
    "derive": (
        "data.derive:command",
        "Make training sets from a release: SFT, DPO, cold start, GRPO.",
    ),
    "export": ("data.export:command", "Write a release in the format of other software."),
    "train": (
        "models.train:command",
        "Train a model on such sets: SFT, DPO, cold start, GRPO, or all.",
    ),
    "eval": ("models.eval:command", "Evaluate a model: is its code correct, and how efficient?"),
    "report": ("models.report:command", "Report evaluations: an HTML page, Markdown, pictures."),
    "optimize": (
        "models.optimize:command",
        "Let a model make a program more efficient, step by step.",
    ),
    "run": ("machine.run:command", "Measure one program in any of the languages."),
    "inspect": ("data.inspect:command", "Show what is in a release folder, and check every file."),
    "languages": ("machine.languages:command", "List the languages, or check that one works here."),
    "sources": ("data.sources:command", "List the sources of problems, or inspect one."),
    "images": (
        "machine.images:command",
        "Build, check and clean up the images of the Docker sandbox.",
    ),
    "cache": ("machine.cache:command", "Show, clear or limit the store of compiled programs."),
    "serve": ("machine.serve:command", "Serve the sandbox over HTTP, with a durable queue."),
    "completion": (
        "machine.completion:command",
        "Print the completion script for bash, zsh or fish.",
    ),
    "scale": ("data.scale:command", "Estimate the cost of a build in core-hours."),
    "doctor": (
        "machine.doctor:command",
        "Check isolation and measurement noise on this machine.",
    ),
}
# The extra of pyproject.toml that a command needs, if any.
EXTRAS = {
    "build": "build",
    "publish": "build",
    "releases": "build",
    "pull": "build",
    "card": "build",
    "derive": "build",
    "export": "build",
    "train": "train",
    "eval": "eval",
    "report": "eval",
    "optimize": "eval",
    "inspect": "build",
    "sources": "build",
    "scale": "build",
    "images": "docker",
    "serve": "serve",
}
SILENT_S = 2.0  # time after which a silent command on a terminal prints its current activity
UNWATCHED = ("serve", "completion")  # commands that wait for requests, or print at once
# Errors of an exhausted machine, with what to do.
EXHAUSTED = {
    errno.EMFILE: "allow more open files (ulimit -n 1024)",
    errno.ENFILE: "close other programs: too many files are open on this machine",
    errno.ENOSPC: "make room, or set TMPDIR and VENUS_CACHE to another disk",
    errno.EDQUOT: "make room, or set TMPDIR and VENUS_CACHE to another disk",
    errno.EROFS: "choose another folder, or set TMPDIR and VENUS_CACHE to another disk",
    errno.ENOMEM: "close other programs: memory is full",
    errno.EAGAIN: "close other programs: there are too many processes",
}
# Errors of an unusable path, with what to do.
UNUSABLE = {
    errno.ENAMETOOLONG: "give a shorter name",
    errno.ELOOP: "give the folder or file that the link is meant to lead to",
}


def _log(context: click.Context, parameter: click.Parameter, verbose: bool) -> None:
    if verbose:
        logging.getLogger("venus_toolkit").setLevel(logging.INFO)
        _log_project_file(context)


def _log_project_file(context: click.Context) -> None:
    if project := context.find_root().obj:
        log.info("defaults of options come from %s", project.path)


def _silence(context: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    if quiet:
        context.meta[QUIET] = True  # subcommands share it
        # disables progress bars of libraries, which read it during import
        os.environ["TQDM_DISABLE"] = "1"


def _trust(context: click.Context, parameter: click.Parameter, trust: bool) -> None:
    if trust:
        token = granted.set(True)
        context.call_on_close(lambda: granted.reset(token))


# Every command accepts these, before or after its name.
COMMON = (
    click.Option(
        ["-v", "--verbose"],
        is_flag=True,
        expose_value=False,
        callback=_log,
        help="Log to stderr what is being done.",
    ),
    click.Option(
        ["-q", "--quiet"],
        is_flag=True,
        expose_value=False,
        callback=_silence,
        help="Print no progress, only results, warnings and errors.",
    ),
    click.Option(
        ["--trust"],
        is_flag=True,
        is_eager=True,  # evaluated before options whose defaults depend on trust
        expose_value=False,
        callback=_trust,
        help="Trust the files that this command reads, in their current state (docs/configuration.md).",
    ),
)


def _with_common_options(command: click.Command, name: str = "") -> click.Command:
    """Add the common options to a command and its subcommands, and return it.

    As the command `name` of `venus`, it also prints its activity after a long silence, and names
    its extra if a package is not installed.
    """
    if COMMON[0] not in command.params:
        command.params += COMMON
        if name and command.callback and not isinstance(command, click.Group):
            command.callback = _watched(name, EXTRAS.get(name), command.callback)
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        _with_common_options(inner, name)
    return command


def _watched(name: str, extra: str | None, callback: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(callback)
    def run(*values: Any, **flags: Any) -> Any:
        with ExitStack() as stack:
            if name not in UNWATCHED:
                stack.enter_context(doing(name))
                stack.enter_context(heartbeat(SILENT_S if sys.stderr.isatty() else LONG_S))
            try:
                return callback(*values, **flags)
            except ModuleNotFoundError:
                if extra:
                    require(extra)
                raise  # the extra is installed, so this is a bug

    return run


class LazyGroup(click.Group):
    """A group that imports a command when it is used, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of a typical session."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if it does not exist."""
        if cmd_name not in COMMANDS:
            return None  # click reports the error
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(
            importlib.import_module(f"venus_toolkit.cli.{module}"), name
        )
        return _with_common_options(command, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command; for an unknown name, the error suggests the nearest one."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            fix = nearest(name, COMMANDS) + "type: venus --help"
            raise UsageError(f"there is no command {name!r}", "", fix)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    epilog="""\b
Examples:
  venus build --lang cpp --out build/venus     the bundled corpus, C++ solutions
  venus run solution.py --stdin input.txt      time, memory and integral of one program
  venus doctor                                 what this machine can do
""",
    context_settings={"help_option_names": ["-h", "--help"]},
    params=list(COMMON),
)
@click.version_option(__version__, prog_name="venus")
def venus() -> None:
    """Build, publish, train on and evaluate with code-efficiency datasets."""
    from venus_toolkit.cli.project_file import find_project_file

    context = click.get_current_context()
    context.obj = find_project_file(COMMANDS)
    _log_project_file(context)
    name = context.invoked_subcommand
    if context.obj and name and (command := venus.get_command(context, name)):
        context.default_map = {name: context.obj.defaults((name,), command)}


def main(command: click.Command = venus, name: str = "venus") -> None:
    """Run the command line; errors have three parts on stderr and exit codes of errors.py.

    Programs of the checkout run their own `command` in the same way.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("venus_toolkit").setLevel(logging.WARNING)
    logging.getLogger("huggingface_hub").propagate = False  # it prints its warnings itself
    try:
        with interruption.handle_signals():
            # Not standalone: click would use its own error format and exit codes.
            _with_common_options(command)(prog_name=name, standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_report_error(interruption.STOPPED, "", interruption.EXIT_INTERRUPTED))
    except VenusError as error:
        message = f"venus: {error.what}" + (f": {error.why}" if error.why else "")
        sys.exit(_report_error(message, error.fix, error.exit_code))
    # The reader of a pipe, such as head, has closed it.
    except BrokenPipeError:
        sys.exit(EXIT_MACHINE)
    # Caught here, because any module may open files and start processes.
    except OSError as error:
        if fix := UNUSABLE.get(error.errno or 0):
            message = f"venus: cannot use {str(error.filename)[:100]}: {error.strerror}"
            sys.exit(_report_error(message, fix, EXIT_USAGE))
        if error.errno not in EXHAUSTED:
            raise
        message = f"venus: this machine has run out of a resource: {error}"
        fix = f"{EXHAUSTED[error.errno]}, then type the same command: finished work is kept"
        sys.exit(_report_error(message, fix, EXIT_MACHINE))


def _report_error(message: str, fix: str, exit_code: int) -> int:
    # A message may contain untrusted text: a column, a slug, the name of a model.
    click.echo(printable(message), err=True)
    if fix:
        click.echo(f"  {printable(fix)}", err=True)
    return exit_code
