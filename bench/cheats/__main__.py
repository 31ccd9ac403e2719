"""Runs every cheat and its honest twin, interleaved, and prints the gain: see residuals.py.

python -m bench.cheats                                    # all, in every available sandbox
python -m bench.cheats vanish memory/pipes --sandbox local
python -m bench.cheats --write docs/security.md           # and the table into the page
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.cheats.residuals import COLUMNS, SECTION, cheats, results, table
from venus_toolkit.execution.sandbox.docker import daemon


def main() -> None:
    """Run the cheats."""
    parser = argparse.ArgumentParser(
        "bench.cheats", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="cheats, or programs of cheats (default: all)")
    parser.add_argument(
        "--sandbox", action="append", choices=COLUMNS, help="default: every available one"
    )
    parser.add_argument("--write", type=Path, metavar="PAGE", help="page whose table to rewrite")
    options = parser.parse_args()
    known = {
        cheat: {cheat.name, cheat.family, f"{cheat.family}/{cheat.name}"} for cheat in cheats()
    }
    unknown = set(options.names) - set().union(*known.values())
    if unknown:
        parser.error(
            f"no cheat or program is called {', '.join(sorted(unknown))}: see bench/cheats/programs"
        )
    chosen = [
        cheat for cheat, names in known.items() if not options.names or names & set(options.names)
    ]
    columns: dict[str, dict[object, str]] = {}
    for name in options.sandbox or [
        name for name in COLUMNS if name != "docker" or not daemon.problem()
    ]:
        columns[name] = {}
        for cheat, words in results(name, chosen):
            columns[name][cheat] = words
            print(
                f"{name:9} {cheat.family + '/' + cheat.name:34} {words}",
                file=sys.stderr,
                flush=True,
            )
        if options.write:  # after each sandbox, so that an interrupted command keeps its results
            text = options.write.read_text()
            options.write.write_text(SECTION.sub(lambda old: table(columns, old.group()), text))
    if not options.write:
        print(table(columns, chosen=chosen), end="")


if __name__ == "__main__":
    main()
