"""``venus serve``: the sandbox over HTTP."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from venus_toolkit.cli.options import languages_option
from venus_toolkit.errors import MachineError, UsageError
from venus_toolkit.records import MIB, NS_PER_S

if TYPE_CHECKING:
    from venus_toolkit.server.settings import Settings

EPILOG = """\b
Examples:
  venus serve
  venus serve --port 9000 --queue build/queue
  VENUS_API_KEY=$(cat key) venus serve --host 0.0.0.0
  venus build --lang cpp --sandbox http://127.0.0.1:8080

The address is printed once requests are answered. SIGTERM and Ctrl-C end it gracefully: what runs is finished as long
as --drain-s allows; what waits is done by the next server with the same --queue.
"""
KEY = "VENUS_API_KEY"


@click.command("serve", epilog=EPILOG)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address; any but this machine's own wants a key.")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port; 0: a free one.")
@click.option("--api-keys", type=click.Path(path_type=Path), metavar="FILE", help="A key a line; or set VENUS_API_KEY.")
@click.option(
    "--queue", "folder", type=click.Path(path_type=Path), help="Where jobs and results lie; of one server at a time."
)
@click.option("--sandbox", default="auto", show_default=True, metavar="NAME", help="auto, local, docker, or unsafe.")
@languages_option
@click.option("--workers", type=click.IntRange(min=1), help="Programs at a time; default: one for each core.")
@click.option("--apart", is_flag=True, help="Two cores for each worker: one measures, so the other is the program's.")
@click.option("--queue-jobs", type=click.IntRange(min=1), default=10_000, show_default=True, help="Jobs at most.")
@click.option("--queue-mib", type=click.IntRange(min=1), default=1024, show_default=True, help="Their size at most.")
@click.option("--body-mib", type=click.IntRange(min=1), default=50, show_default=True, help="Largest request.")
@click.option("--free-mib", type=click.IntRange(min=0), default=64, show_default=True, help="To stay free on the disk.")
@click.option("--most-wall-s", type=click.IntRange(min=1), default=120, show_default=True, help="Longest time limit.")
@click.option(
    "--most-memory-mib", type=click.IntRange(min=1), default=4096, show_default=True, help="The largest such limit."
)
@click.option(
    "--ttl-s", type=click.FloatRange(min=1), default=3600, show_default=True, help="Results are kept so long."
)
@click.option(
    "--drain-s",
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    help="Wait for what runs, at the end.",
)
def command(**flags: Any) -> None:
    """Serve the sandbox over HTTP, with a queue that loses nothing.

    Takes jobs (a program, its inputs, limits) and gives verdicts and measurement records; a page for people is at /,
    one for programmers at /docs. A job that was accepted is on disk: neither a restart nor a crash loses it. With
    --sandbox http://HOST:PORT, the other commands run their programs here.
    """
    try:
        from venus_toolkit.server.run import serve
    except ModuleNotFoundError as error:
        fix = 'type: pip install "venus-toolkit[serve]"'
        raise MachineError("the server is not installed", f"there is no module {error.name}", fix) from error
    serve(settings_from(**flags), click.echo)


def settings_from(**flags: Any) -> Settings:
    """Return the settings that the flags stand for."""
    from venus_toolkit.server.settings import MOST, Settings

    wall_ns = flags.pop("most_wall_s") * NS_PER_S
    most = MOST.changed(wall_ns=wall_ns, cpu_ns=4 * wall_ns, memory_bytes=flags.pop("most_memory_mib") * MIB)
    sizes = {f"{name}_bytes": flags.pop(f"{name}_mib") * MIB for name in ("queue", "body", "free")}
    keys = read_keys(flags.pop("api_keys"))
    folder = flags.pop("folder") or default_folder(flags["port"])
    languages = flags.pop("extra_languages")
    settings = Settings(folder, most=most, keys=keys, languages=languages, **sizes)
    return dataclasses.replace(settings, **flags)


def read_keys(file: Path | None) -> tuple[str, ...]:
    """Return the keys of a file, one a line, and those of the environment, between commas.

    Raises:
        UsageError: The file cannot be read, or has none.
    """
    own = tuple(key.strip() for key in os.environ.get(KEY, "").split(",") if key.strip())
    if file is None:
        return own
    try:
        found = tuple(line.strip() for line in file.read_text().splitlines() if line.strip())
    except (OSError, UnicodeError) as error:
        raise UsageError(f"cannot read the keys in {file}", str(error), "give a file with a key a line") from error
    if not found:
        raise UsageError(f"there is no key in {file}", "it is empty", "write a long random word into it")
    return own + found


def default_folder(port: int) -> Path:
    """Return where the queue of a server lies that was told nothing: in the cache of whoever runs it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "venus" / f"queue-{port}"
