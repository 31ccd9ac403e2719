"""The files of ``venus run --export-markdown``, ``--export-csv`` and ``--export-json``: every single run.

The JSON has the keys that hyperfine writes (in seconds), so that scripts for its files read ours,
and beside them those of the toolkit. The CSV has a line for each run of each test.
"""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.cli.machine.run_programs import NamedProgram
from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S, Run, TestCase
from venus_toolkit.core.store import write_whole
from venus_toolkit.execution.engine.assessment import Assessment, ProgramAssessment

FORMATS = ("markdown", "csv", "json")
FIGURES = ("wall_ns", "cpu_ns", "user_ns", "system_ns", "peak_bytes", "integral_byte_ns")


class ProgramRuns(NamedTuple):
    """A program, its results, and its repeats that count: a run on each test."""

    named: NamedProgram
    result: ProgramAssessment
    tests: tuple[TestCase, ...]
    repeats: tuple[tuple[Run, ...], ...]

    def each(self) -> Iterator[dict[str, Any]]:
        """Yield every run with its repeat and test."""
        for number, runs in enumerate(self.repeats, 1):
            for test, run in zip(self.tests, runs, strict=True):
                figures = {name: getattr(run, name) for name in FIGURES}
                yield {"repeat": number, "test": test.test_id, **figures}

    def totals(self, figure: str) -> list[int]:
        """Return a figure of each repeat, summed over the tests."""
        return [sum(getattr(run, figure) for run in runs) for runs in self.repeats]


def runs_of(
    programs: Sequence[NamedProgram], tests: tuple[TestCase, ...], assessment: Assessment
) -> list[ProgramRuns]:
    """Return the runs of each program of a panel; none of one that has no figures."""
    rounds = iter(assessment.rounds.of_each if assessment.rounds else ())
    rows = []
    for named, result in zip(programs, assessment.programs, strict=True):
        own = next(rounds) if result.measured else ()
        clean = (
            tuple(measured.runs for measured in own if measured.clean) if result.measurement else ()
        )
        rows.append(ProgramRuns(named, result, tests, clean))
    return rows


def check_exports(files: Mapping[str, Path | None], read: Iterable[Path] = ()) -> None:
    """Refuse files that could not be written, before anything is measured.

    Args:
        files: By format.
        read: What the command reads, which an export must not replace.

    Raises:
        UsageError: A folder is missing or may not be written, the command reads the file, or two
            formats have the same one.
    """
    chosen = {name: file for name, file in files.items() if file}
    places = [file.resolve() for file in chosen.values()]
    inputs = {file.resolve() for file in read}
    for name, file in chosen.items():
        problem, option = f"cannot write {file}", f"--export-{name}"
        if not file.parent.is_dir():
            reason = f"{file.parent} is not a folder"
            raise UsageError(
                problem, reason, f"type: mkdir -p {file.parent}, or {option} another file"
            )
        if file.is_dir():
            raise UsageError(problem, "it is a folder", f"type: {option} {file / f'runs.{name}'}")
        if places.count(file.resolve()) > 1:
            raise UsageError(problem, "two formats have this file", f"give {option} its own file")
        if file.resolve() in inputs and file.is_file():
            raise UsageError(problem, "this command reads it", f"give {option} another file")
        if file.exists() and not file.is_file():
            continue  # a device such as /dev/stdout
        try:
            if file.exists():
                file.open("ab").close()
            draft = file.with_name(f".{file.name}.draft")
            draft.touch()
            draft.unlink()
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(problem, reason, f"choose another file for {option}") from error


def write_exports(files: Mapping[str, Path | None], programs: Sequence[ProgramRuns]) -> None:
    """Write the files that were asked for.

    Raises:
        StoreError: One cannot be written.
    """
    writers = {"markdown": _markdown, "csv": _csv, "json": _json}
    for name, file in files.items():
        if file is None:
            continue
        content = writers[name](programs).encode("utf-8", "replace")
        try:
            if file.exists() and not file.is_file():
                file.write_bytes(content)
            else:
                write_whole(file, content)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreError(
                f"cannot write {file}", reason, "make room, or choose another"
            ) from error


def summary(values: Sequence[int], unit: int) -> dict[str, float | None]:
    """Return the statistics of a figure as hyperfine names them; None where they are not known."""
    if not values:
        return dict.fromkeys(("mean", "stddev", "median", "min", "max"))
    return {
        "mean": statistics.fmean(values) / unit,
        "stddev": statistics.stdev(values) / unit if len(values) > 1 else None,
        "median": statistics.median(values) / unit,
        "min": min(values) / unit,
        "max": max(values) / unit,
    }


def _json(programs: Sequence[ProgramRuns]) -> str:
    results = []
    for program in programs:
        walls = program.totals("wall_ns")
        user, system = (
            summary(program.totals(name), NS_PER_S)["mean"] for name in ("user_ns", "system_ns")
        )
        results.append(
            {
                "command": program.named.label,
                **summary(walls, NS_PER_S),
                "user": user,
                "system": system,
                "times": [wall / NS_PER_S for wall in walls],
                "memory_usage_byte": [
                    max(run.peak_bytes for run in runs) for runs in program.repeats
                ],
                "exit_codes": [0 for _ in program.repeats],  # others do not count
                "parameters": dict(program.named.parameters),
                "verdict": program.result.judgement.verdict,
                "reason": program.result.judgement.reason,
                "runs": list(program.each()),
            }
        )
    return json.dumps({"results": results}, indent=1, ensure_ascii=False) + "\n"


def _csv(programs: Sequence[ProgramRuns]) -> str:
    parameters = sorted({name for program in programs for name in program.named.parameters})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = [f"parameter_{name}" for name in parameters]
    writer.writerow(["command", *heads, "repeat", "test", *FIGURES])
    for program in programs:
        values = [program.named.parameters.get(name, "") for name in parameters]
        for run in program.each():
            writer.writerow([program.named.label, *values, *run.values()])
    return text.getvalue()


def _markdown(programs: Sequence[ProgramRuns]) -> str:
    rows: list[Sequence[str]] = []
    for program in programs:
        walls = summary(program.totals("wall_ns"), NS_PER_MS)
        error = "" if walls["stddev"] is None else f" ± {walls['stddev']:.2f}"
        cells = [_number(walls["mean"]) + error, _number(walls["min"]), _number(walls["max"])]
        rows.append([_code(program.named.label), *cells, _number(program.result.ratio)])
    table = _table(("Command", "Mean [ms]", "Min [ms]", "Max [ms]", "Relative"), rows)
    runs = [
        [
            _code(program.named.label),
            str(run["repeat"]),
            _code(run["test"]),
            _number(run["wall_ns"] / NS_PER_MS),
            _number(run["cpu_ns"] / NS_PER_MS),
            _number(run["peak_bytes"] / MIB),
        ]
        for program in programs
        for run in program.each()
    ]
    heads = ("Command", "Repeat", "Test", "Wall [ms]", "CPU [ms]", "Peak [MiB]")
    return f"{table}\n{_table(heads, runs)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _code(text: str) -> str:
    """Return a text as code in a cell of a table, where ``|`` would end the cell."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{' '.join(text.split())}{fence}".replace("|", "\\|")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    marks = [":---", *["---:"] * (len(heads) - 1)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, marks, *rows))
