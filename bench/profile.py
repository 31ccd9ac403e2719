"""Shows where the workers of a command spend their time: in programs, compilers, or the toolkit.

python -m bench.profile --picture docs/profile.svg venus build --lang cpp --plan demo --out /tmp/demo

py-spy samples the stacks of all threads. A worker that waits for a supervisor counts as what the
supervisor runs: a program, or a compiler. One that waits for work, or for another worker, counts as
waiting. Prints a table in Markdown, in seconds of workers, each of which has a core. `--picture`
draws a flame graph: a bar is a function of the toolkit, its width is its time, and above it are the
functions that it calls.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

RATE = 20  # samples per second; each stops the toolkit for a moment, but not what it runs
FRAME = re.compile(r"(?P<function>.+) \((?P<file>.+?)(?::\d+)?\)")
KINDS = {
    "programs": "#4c78a8",
    "compilers": "#f58518",
    "waiting": "#bab0ac",
    "toolkit": "#54a24b",
}
# Functions between a worker and its work that say nothing about it
PLUMBING = re.compile(
    r"_?spread|serve|results|attempt|once|run|_generator|_answer|read_answer|__\w+__"
)
NARROWEST = 0.004  # share of the picture's width; narrower bars are left out

Stack = tuple[str, ...]  # functions, the outermost first; the last entry is a key of KINDS


def sample(command: Sequence[str]) -> Iterator[str]:
    """Run a command, and yield its stacks: lines with frames between semicolons, and their number.

    Raises:
        CalledProcessError: The command or py-spy failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stacks")
        py_spy = [str(Path(sys.executable).with_name("py-spy")), "record", "--idle", "--function"]
        options = ["--rate", str(RATE), "--format", "raw", "--output", str(file)]
        subprocess.run([*py_spy, *options, "--", *command], check=True)
        yield from file.read_text(encoding="utf-8").splitlines()


def fold(lines: Iterable[str]) -> dict[Stack, float]:
    """Return the seconds of the stacks of workers."""
    seconds: dict[Stack, float] = defaultdict(float)
    for line in lines:
        stack, samples = line.rsplit(" ", 1)
        frames = [match for part in stack.split(";") if (match := FRAME.fullmatch(part))]
        names = [match["function"] for match in frames]
        if "spread.<locals>.serve" not in names:
            continue
        shown: list[str] = []
        for match in frames:
            name = re.sub(r"\.<.*", "", match["function"]).split(".")[-1]
            ours = match["file"].startswith("venus_toolkit/")
            if ours and not PLUMBING.fullmatch(name) and name not in shown[-1:]:
                shown.append(name)
        seconds[(*shown, kind_of(names))] += int(samples) / RATE
    return seconds


def kind_of(names: Sequence[str]) -> str:
    """Return the kind of the time of a worker with these functions on its stack."""
    if names[-1] == "spread.<locals>.serve" or "CompiledStore.preparing" in names:
        return "waiting"
    if names[-1] != "read_answer":
        return "toolkit"
    return "compilers" if "LocalSandbox.compile" in names else "programs"


def table(seconds: Mapping[Stack, float]) -> str:
    """Return a table in Markdown: a row for each function that workers begin with, and a column for each kind."""
    rows: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(KINDS, 0.0))
    for stack, spent in seconds.items():
        for row in (f"`{stack[0]}`" if len(stack) > 1 else "between two items", "all"):
            rows[row][stack[-1]] += spent
    lines = [f"| | {' | '.join(KINDS)} | all |", f"|---|{'---|' * (len(KINDS) + 1)}"]
    for row, values in sorted(rows.items(), key=lambda item: -sum(item[1].values())):
        cells = [f"{value:.1f}" for value in (*values.values(), sum(values.values()))]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(seconds: Mapping[Stack, float], title: str, picture: Path) -> None:
    """Write a flame graph; the suffix of the file names its format."""
    # Imported here, since they are slow and the table does not need them.
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    total = sum(seconds.values())
    below: dict[Stack, dict[str, float]] = defaultdict(lambda: dict.fromkeys(KINDS, 0.0))
    for stack, spent in seconds.items():
        for depth in range(len(stack)):
            below[stack[: depth + 1]][stack[-1]] += spent
    figure = Figure(figsize=(12, 6))
    axes = figure.subplots()

    def place(prefix: Stack, left: float) -> None:
        """Draw the bars above a bar, the widest first, and those above them."""
        above = [stack for stack in below if len(stack) == len(prefix) + 1 and stack[:-1] == prefix]
        for stack in sorted(above, key=lambda stack: -sum(below[stack].values())):
            spent = sum(below[stack].values())
            width = spent / total
            if width < NARROWEST:
                break
            colour = KINDS[max(below[stack], key=below[stack].__getitem__)]
            alpha = 1.0 if stack[-1] in KINDS else 0.5
            axes.barh(len(prefix), width, 0.94, left, color=colour, alpha=alpha, edgecolor="white")
            room = int(170 * width)  # characters
            label = f"{stack[-1]} {spent:.0f} s"
            label = label if len(label) <= room else stack[-1] if len(stack[-1]) <= room else ""
            middle = left + width / 2
            axes.text(middle, len(prefix), label, ha="center", va="center", fontsize=7)
            place(stack, left)
            left += width

    place((), 0.0)
    axes.set_xlim(0, 1)
    axes.axis("off")
    axes.set_title(f"{title}: {total:.0f} s of workers", fontsize=10)
    handles = [Patch(color=colour, label=kind) for kind, colour in KINDS.items()]
    axes.legend(handles=handles, loc="lower center", ncols=len(KINDS), fontsize=8, frameon=False)
    axes.set_ylim(bottom=-1.5)
    figure.savefig(
        picture, bbox_inches="tight", metadata={"Date": None} if picture.suffix == ".svg" else None
    )


def main() -> None:
    """Profile the command, print the table, and draw the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--picture", type=Path, help="the file of the flame graph: SVG or PNG")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("which command? for example: venus build --lang cpp --plan demo --out OUT")
    if not Path(sys.executable).with_name("py-spy").is_file():
        parser.error("py-spy is not installed; type: pip install -e '.[dev]'")
    program, *arguments = options.command
    beside = Path(sys.executable).with_name(program)
    seconds = fold(sample([str(beside) if beside.is_file() else program, *arguments]))
    print(table(seconds))
    if options.picture:
        draw(seconds, " ".join(options.command), options.picture)


if __name__ == "__main__":
    main()
