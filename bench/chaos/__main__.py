"""Runs disturbances, adds results to build/chaos.jsonl and writes docs/reliability.md from them."""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import bench.chaos
from bench.chaos import traces
from bench.chaos.faults import FAULTS, faults
from bench.chaos.interrupts import INTERRUPTED, interrupt, interrupted_here
from bench.chaos.kills import kill
from bench.chaos.page import PAGE, RESULTS, keep, page
from bench.chaos.serving import kill_servers
from bench.chaos.subjects import DOCKER, SUBJECTS, Place, write_inputs
from tests.dataset.hub.routes import serving

KILLS = {"build": 50, "publish": 50, "serve": 50}
OTHER_KILLS = 15


def tell(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr, flush=True)


def names(text: str) -> list[str]:
    """Split names at commas."""
    return text.split(",")


def main() -> None:
    """Run the chosen disturbances; the exit code is 1 if there are complaints."""
    parser = argparse.ArgumentParser(
        description=bench.chaos.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [*(name for name in SUBJECTS if name != DOCKER.name), "serve"]
    parser.add_argument(
        "--only",
        type=names,
        help=f"comma-separated: {', '.join(INTERRUPTED)}; some support only interrupts",
    )
    parser.add_argument(
        "--kills", type=int, help=f"kills of each command ({KILLS}, others {OTHER_KILLS})"
    )
    parser.add_argument(
        "--interrupts",
        type=int,
        default=0,
        help="interrupts of each command, instead of kills and faults",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--faults",
        type=names,
        default=[*FAULTS],
        help=f"comma-separated: {', '.join(FAULTS)}; or none",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=math.inf,
        help="start nothing new after this time",
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to append results to")
    parser.add_argument("--fresh", action="store_true", help="delete earlier results")
    parser.add_argument(
        "--page", action="store_true", help="only write the page from earlier results"
    )
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page(options.results))
        return
    if options.fresh:
        options.results.unlink(missing_ok=True)
    add = partial(keep, options.results, options.seed)
    traces.adopt_orphans()
    end = time.monotonic() + options.seconds
    complaints: list[str] = []
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder, serving() as hub:
        place = Place(Path(folder), hub)
        write_inputs(place)
        for name in options.only or (interrupted_here() if options.interrupts else every):
            if options.interrupts:
                outcome = interrupt(
                    INTERRUPTED[name], place, options.interrupts, options.seed, tell, end
                )
                complaints += add(outcome)
                continue
            kills = KILLS.get(name, OTHER_KILLS) if options.kills is None else options.kills
            if kills and name == "serve":
                complaints += add(kill_servers(place, kills, options.seed, tell, end))
            elif kills:
                complaints += add(kill(SUBJECTS[name], place, kills, options.seed, tell, end))
            if name in SUBJECTS:
                for outcome in faults(SUBJECTS[name], place, options.faults, options.seed, end):
                    tell(
                        f"{name}, {outcome.fault}: {outcome.ended}, complaints: "
                        f"{outcome.complaints}"
                    )
                    complaints += add(outcome)
    if options.results == RESULTS:
        PAGE.write_text(page(RESULTS))
    print(*complaints, sep="\n")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    if "CHAOS_ALONE" not in os.environ:
        # In a private mount namespace, so that other mounts on this machine do not count as traces.
        words = ["unshare", "--mount", sys.executable, "-m", "bench.chaos", *sys.argv[1:]]
        sys.exit(subprocess.run(words, env={**os.environ, "CHAOS_ALONE": "1"}).returncode)
    main()
