"""Figures over time: bench/history.jsonl, and docs/figures.md, generated from it.

python -m bench.history > docs/figures.md
python -m bench.history --add FIGURE VALUE UNIT COMMAND

`python -m bench --record` appends the figures that figures.toml names. --add appends a figure of
another command, such as the time of a build. A line has the date, the commit, the machine, the name
of the figure, its value and unit, and the command.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from venus_toolkit.core.records import json_lines
from venus_toolkit.execution.measuring.measure import environment_facts

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ROOT / "bench" / "history.jsonl"
FIGURES = tomllib.loads((ROOT / "bench" / "figures.toml").read_text(encoding="utf-8"))
INTRO = """# Figures

Figures that change with the code. `python -m bench.history > docs/figures.md` writes this page: it
counts what is in the tree, and takes the latest value of every other figure, on any machine, from
`bench/history.jsonl` ([how figures are recorded](benchmarks.md#recorded-figures)). Rows that are
sizes give the number of solutions (curation) or of problems (release).
"""


def read_history() -> list[dict[str, Any]]:
    """Return the lines of the history, oldest first."""
    return [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()]


def append(rows: Iterable[Mapping[str, Any]]) -> None:
    """Append lines to the history."""
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json_lines(rows))


def stamp() -> dict[str, str]:
    """Return the columns that all figures of this run share: date, commit and machine."""
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    commit = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    facts = environment_facts((), {})
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)
    return {
        "date": datetime.date.today().isoformat(),
        "commit": commit.stdout.strip(),
        "machine": f"{facts['cores']} cores of {facts['cpu'] or facts['architecture']}, "
        f"{memory:.0f} GiB",
    }


def measured(figures: Mapping[str, Any], when: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the history lines of the measured figures that figures.toml names.

    `figures` are the values that --json writes, by benchmark; `when` is a `stamp`.
    """
    return [
        {
            **when,
            "figure": name,
            "value": value,
            "unit": entry["unit"],
            "command": f"python -m bench --only {name.partition('/')[0]}",
        }
        for name, value in _numbers(figures).items()
        if (entry := kept(name))
    ]


def _numbers(figures: object, name: str = "") -> dict[str, float]:
    """Return the numbers in nested figures by path; the first value of a row is its name in the path."""
    if isinstance(figures, list):
        figures = {str(next(iter(row.values()))): row for row in figures if isinstance(row, dict)}
    if isinstance(figures, dict):
        parts = (
            _numbers(value, f"{name}/{key}" if name else key) for key, value in figures.items()
        )
        return {path: value for part in parts for path, value in part.items()}
    return {name: figures} if isinstance(figures, int | float) else {}


def kept(figure: str) -> Mapping[str, Any]:
    """Return the unit and bounds of a figure: the first matching line of figures.toml."""
    return next((FIGURES[pattern] for pattern in FIGURES if fnmatchcase(figure, pattern)), {})


def latest(history: Iterable[dict[str, Any]], machine: str | None = None) -> dict[str, Any]:
    """Return the latest line of each figure, on one machine or on any."""
    return {row["figure"]: row for row in history if machine in (None, row["machine"])}


def compare_with_last(row: Mapping[str, Any], last: Mapping[str, Any] | None) -> str:
    """Return a figure next to the last one on this machine, with the change in percent."""
    text = f"{row['figure']}: {_shown(row)}"
    if last is None:
        return f"{text}, none recorded on this machine"
    change = f", {100 * (row['value'] / last['value'] - 1):+.1f} %" if last["value"] else ""
    return f"{text}, last {_shown(last)} on {last['date']}{change}"


def out_of_bounds(row: Mapping[str, Any]) -> str | None:
    """Return a complaint about a figure that is worse than figures.toml allows, or None."""
    entry = kept(row["figure"])
    for key, sign in (("at_most", 1), ("at_least", -1)):
        if key in entry and sign * row["value"] > sign * entry[key]:
            wanted = f"{key.replace('_', ' ')} {entry[key]}"
            return f"{row['figure']}: {_shown(row)}, but {wanted} is allowed (bench/figures.toml)"
    return None


def _shown(row: Mapping[str, Any]) -> str:
    value = row["value"]
    return f"{value:,.0f} {row['unit']}" if abs(value) >= 100 else f"{value:.4g} {row['unit']}"


def page(history: Sequence[dict[str, Any]]) -> str:
    """Return docs/figures.md."""
    return "\n".join([INTRO, *_tree_lines(), *_history_lines(history)]) + "\n"


def _tree_lines() -> Iterator[str]:
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("venus_toolkit", "builders", "training", "eval")
        for path in (ROOT / folder).rglob("*.py")
    ]
    corpus = ROOT / "corpus" / "problems"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    counts = {
        "languages": len([*(ROOT / "languages").glob("*/language.toml")]),
        "problems of the bundled corpus": len([*corpus.glob("*/problem.toml")]),
        "solutions of the bundled corpus": len([*corpus.glob("*/solutions/*/*")]),
        "required packages": len(project["dependencies"]),
        "modules of the toolkit": len(sources),
        "classes of the toolkit": sum(
            len(re.findall(r"^ *class \w+.*:$", text, flags=re.MULTILINE)) for text in sources
        ),
        "lines of Python of the toolkit": sum(text.count("\n") for text in sources),
    }
    yield from ("## tree", "", "| figure | value |", "|---|---|")
    yield from (f"| {name} | {count:,} |" for name, count in counts.items())


def _history_lines(history: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a table for each run: a row for each path in the figures' names but its last part."""
    sections: dict[str, dict[tuple[str, str, str], dict[str, dict[str, str]]]] = {}
    for row in latest(history).values():
        section, *path = row["figure"].split("/")
        *parts, column = path if len(path) > 1 else (*path, "value")
        run = row["command"], row["date"], row["machine"]
        table = sections.setdefault(section, {}).setdefault(run, {})
        table.setdefault("/".join(parts), {})[column] = _shown(row)
    for section, runs in sorted(sections.items()):
        yield from ("", f"## {section}")
        for (command, date, machine), table in runs.items():
            columns = list(dict.fromkeys(column for cells in table.values() for column in cells))
            yield from ("", f"`{command}`", f"({date}, {machine}):", "")
            yield from (f"| | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}")
            for name, cells in table.items():
                yield f"| {name} | {' | '.join(cells.get(column, '') for column in columns)} |"


def main() -> None:
    """Print the page, or add a figure to the history."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--add", nargs=4, metavar=("FIGURE", "VALUE", "UNIT", "COMMAND"))
    options = parser.parse_args()
    if options.add:
        figure, value, unit, command = options.add
        row = {"figure": figure, "value": float(value), "unit": unit, "command": command}
        append([{**stamp(), **row}])
    else:
        print(page(read_history()), end="")


if __name__ == "__main__":
    main()
