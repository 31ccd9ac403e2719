"""The command line: parse, call one function, print. A command is loaded when it is typed."""

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
# Each with the object that click runs, and a line for the list of commands.
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
        "Show what this machine can enforce and how well it measures.",
    ),
}
# The extra of pyproject.toml that a command needs; the others need none.
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
SILENT_S = 2.0  # after which a command on a terminal says what it is at
UNWATCHED = ("serve", "completion")  # they wait for others, or print at once
# What the machine has too little of, and what to do, wherever it was asked for.
EXHAUSTED = {
    errno.EMFILE: "allow more open files (ulimit -n 1024)",
    errno.ENFILE: "close other programs: too many files are open on this machine",
    errno.ENOSPC: "make room, or set TMPDIR and VENUS_CACHE to another disk",
    errno.EDQUOT: "make room, or set TMPDIR and VENUS_CACHE to another disk",
    errno.EROFS: "choose another folder, or set TMPDIR and VENUS_CACHE to another disk",
    errno.ENOMEM: "close other programs: memory is full",
    errno.EAGAIN: "close other programs: there are too many processes",
}
# What is wrong with a path that somebody typed, and what to do.
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
        context.meta[QUIET] = True  # contexts of commands within commands share it
        # the bars of libraries, which read it when they are imported
        os.environ["TQDM_DISABLE"] = "1"


def _trust(context: click.Context, parameter: click.Parameter, trust: bool) -> None:
    if trust:
        token = granted.set(True)
        context.call_on_close(lambda: granted.reset(token))


# Every command has them, before its name or behind it.
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
        is_eager=True,  # before the options whose defaults need it
        expose_value=False,
        callback=_trust,
        help="Trust the files that this command reads, as they are now (docs/configuration.md).",
    ),
)


def _with_common_options(command: click.Command, name: str = "") -> click.Command:
    """Return a command that has the common options, and so have the commands in it.

    As the command `name` of `venus`, it says what it is at where it is silent for long, and where it
    meets a package that is not installed, the error names its extra.
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
                raise  # the extra is there: this is a mistake of ours

    return run


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of a session with them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None where there is none of this name."""
        if cmd_name not in COMMANDS:
            return None  # click then says that there is no such command
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(
            importlib.import_module(f"venus_toolkit.cli.{module}"), name
        )
        return _with_common_options(command, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that was typed.

        Where there is none of this name the error says which may be meant.
        """
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
    """Run the command line; every error is three parts on stderr and an exit code of errors.py.

    A program of the checkout runs its own command in the same way.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("venus_toolkit").setLevel(logging.WARNING)
    logging.getLogger("huggingface_hub").propagate = False  # it prints its warnings itself
    try:
        with interruption.handle_signals():
            # Not standalone: click would print errors in its own form and choose the exit codes.
            _with_common_options(command)(prog_name=name, standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_say(interruption.STOPPED, "", interruption.EXIT_INTERRUPTED))
    except VenusError as error:
        sys.exit(
            _say(
                f"venus: {error.what}" + (f": {error.why}" if error.why else ""),
                error.fix,
                error.exit_code,
            )
        )
    # The reader of a pipe, such as head, has ended.
    except BrokenPipeError:
        sys.exit(EXIT_MACHINE)
    # Anything opens files and starts processes, so no module below can say this of all places where
    # it does.
    except OSError as error:
        if fix := UNUSABLE.get(error.errno or 0):
            problem = f"venus: cannot use {str(error.filename)[:100]}: {error.strerror}"
            sys.exit(_say(problem, fix, EXIT_USAGE))
        if error.errno not in EXHAUSTED:
            raise
        problem = f"venus: this machine has run out of a resource: {error}"
        fix = f"{EXHAUSTED[error.errno]}, then type the same command: finished work is kept"
        sys.exit(_say(problem, fix, EXIT_MACHINE))


def _say(problem: str, fix: str, exit_code: int) -> int:
    # A message may name what strangers wrote: a column, a slug, a model.
    click.echo(printable(problem), err=True)
    if fix:
        click.echo(f"  {printable(fix)}", err=True)
    return exit_code
