"""``venus serve``: the sandbox over HTTP."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from venus_toolkit.cli import shared_options as shared
from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import MIB, NS_PER_S
from venus_toolkit.core.temporary import cache_folder

AT_LEAST_1 = click.IntRange(min=1)


@click.command(
    "serve",
    epilog="""\b
Examples:
  venus serve
  venus serve --port 9000 --queue build/queue
  VENUS_API_KEY=$(cat key) venus serve --host 0.0.0.0
  venus build --lang cpp --sandbox http://127.0.0.1:8080

The server prints its address as soon as it answers requests. SIGTERM and Ctrl-C stop it gracefully: running jobs get
--drain-s seconds to finish; the next server with the same --queue runs the waiting jobs.
""",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but a loopback address needs a key.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port to listen on; 0: any free one.",
)
@click.option(
    "--api-keys", type=shared.PATH, metavar="FILE", help="One key per line; or set VENUS_API_KEY."
)
@click.option(
    "--queue",
    "folder",
    type=shared.PATH,
    help="Folder of jobs and results, for one server at a time.",
)
@click.option(
    "--sandbox",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="auto, local, docker, or unsafe.",
)
@shared.languages_option
@click.option(
    "--workers", type=AT_LEAST_1, help="Number of programs run in parallel; default: one per core."
)
@click.option(
    "--apart",
    is_flag=True,
    help="Two cores per worker: one for the program, one for its measurement.",
)
@click.option(
    "--queue-jobs",
    type=AT_LEAST_1,
    default=10_000,
    show_default=True,
    help="Maximum number of jobs.",
)
@click.option(
    "--queue-mib",
    type=AT_LEAST_1,
    default=1024,
    show_default=True,
    help="Maximum size of all jobs.",
)
@click.option(
    "--body-mib", type=AT_LEAST_1, default=50, show_default=True, help="Maximum size of a request."
)
@click.option(
    "--free-mib",
    type=click.IntRange(min=0),
    default=64,
    show_default=True,
    help="Free disk space to keep.",
)
@click.option(
    "--most-wall-s",
    type=AT_LEAST_1,
    default=120,
    show_default=True,
    help="Largest time limit that a job may have.",
)
@click.option(
    "--most-memory-mib",
    type=AT_LEAST_1,
    default=4096,
    show_default=True,
    help="Largest memory limit that a job may have.",
)
@click.option(
    "--ttl-s",
    type=click.FloatRange(min=1),
    default=3600,
    show_default=True,
    help="How long results are kept.",
)
@click.option(
    "--drain-s",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Time that running jobs have to finish on shutdown.",
)
def command(**flags: Any) -> None:
    """Serve the sandbox over HTTP, with a durable queue.

    Accepts jobs (a program, its inputs, limits) and returns verdicts and measurements. / is a web
    page, and /docs the documentation of the API. Accepted jobs are on disk, so neither a restart
    nor a crash loses one. With --sandbox http://HOST:PORT, other commands run their programs on
    this server.
    """
    from venus_toolkit.server.app import serve
    from venus_toolkit.server.settings import MOST, Settings

    wall_ns = flags.pop("most_wall_s") * NS_PER_S
    most = MOST.changed(
        wall_ns=wall_ns, cpu_ns=4 * wall_ns, memory_bytes=flags.pop("most_memory_mib") * MIB
    )
    sizes = {f"{name}_bytes": flags.pop(f"{name}_mib") * MIB for name in ("queue", "body", "free")}
    keys, languages = _read_keys(flags.pop("api_keys")), flags.pop("extra_languages")
    # A queue belongs to one server at a time, so the default folder depends on the port.
    folder = flags.pop("folder") or cache_folder(f"queue-{flags['port']}")
    # The other flags have the names of the settings.
    serve(Settings(folder, most=most, keys=keys, languages=languages, **sizes, **flags), click.echo)


def _read_keys(file: Path | None) -> tuple[str, ...]:
    """Return the keys in a file, one per line, and those in VENUS_API_KEY, separated by commas."""
    own = tuple(
        key.strip() for key in os.environ.get("VENUS_API_KEY", "").split(",") if key.strip()
    )
    if file is None:
        return own
    try:
        keys = tuple(line.strip() for line in file.read_text().splitlines() if line.strip())
    except (OSError, UnicodeError) as error:
        raise UsageError(
            f"cannot read the keys in {file}", str(error), "give a file with one key per line"
        ) from error
    if not keys:
        raise UsageError(
            f"there is no key in {file}", "it is empty", "write a long random key into it"
        )
    return own + keys
