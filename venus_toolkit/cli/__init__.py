"""The command line: parse, call one function, print. Each command is a module here, loaded when it is typed."""

from __future__ import annotations

import importlib
import logging
import sys

import click

from venus_toolkit import __version__
from venus_toolkit.errors import EXIT_MACHINE, VenusError

COMMANDS = {
    "build": "Build a dataset: tests, verdicts, measurements, Parquet.",
    "publish": "Publish a release on the Hub: checked, one commit, a tag.",
    "releases": "List the versions of a data set on the Hub.",
    "pull": "Get a version of a data set from the Hub.",
    "card": "Write or check the card of a release.",
    "derive": "Make training sets from a release: SFT, DPO, cold start, GRPO.",
    "export": "Write derived sets in the form of a training framework.",
    "train": "Train a model on them: SFT, DPO, cold start, GRPO, or the chain.",
    "eval": "Evaluate a model: is its code right, and how cheap is it?",
    "report": "Show what evaluations found: a page, Markdown, pictures.",
    "reproduce": "Let a small model learn which programs are cheap: the paper's claim in miniature.",
    "optimize": "Let a model make a program cheaper, step by step.",
    "run": "Measure one program in any of the languages.",
    "inspect": "Say what is in a release folder, and check every file.",
    "languages": "List the languages, or check that one works here.",
    "sources": "List where problems can come from, or look into a source.",
    "images": "Make, check and tidy the images of the Docker sandbox.",
    "serve": "Serve the sandbox over HTTP, with a queue that loses nothing.",
    "scale": "Say what a build of a given size costs in core-hours.",
    "doctor": "Say what this machine can enforce and how well it can measure.",
}
EPILOG = """\b
Examples:
  venus build --lang cpp --out build/venus     the bundled corpus, C++ solutions
  venus run solution.py --stdin input.txt      time, memory and integral of one program
  venus doctor                                 what this machine can do
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed, so that --help is instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of a session with them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None where there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"venus_toolkit.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="venus")
@click.option("-v", "--verbose", is_flag=True, help="Log what is being done, on stderr.")
def venus(verbose: bool) -> None:
    """Build, publish, train on and evaluate with code-efficiency datasets."""
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )


def main() -> None:
    """Run the command line; every refusal is three parts on stderr and an exit code of errors.py."""
    try:
        venus(prog_name="venus", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(_say("stopped", "what was finished is kept: type the same command to go on", 130))
    except VenusError as error:
        sys.exit(_say(f"venus: {error.what}" + (f": {error.why}" if error.why else ""), error.fix, error.exit_code))
    except BrokenPipeError:
        sys.exit(EXIT_MACHINE)


def _say(what: str, fix: str, exit_code: int) -> int:
    click.echo(what, err=True)
    if fix:
        click.echo(f"  {fix}", err=True)
    return exit_code
