"""The files of ``venus run --export-markdown``, ``--export-csv`` and ``--export-json``.

They contain every single run. The JSON has the keys of hyperfine (in seconds), so that scripts for
hyperfine can read it, and additional keys of the toolkit. The CSV has a line for each run of each
test.
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
    """A program, its results, and its valid repeats, each with a run on each test."""

    named: NamedProgram
    result: ProgramAssessment
    tests: tuple[TestCase, ...]
    repeats: tuple[tuple[Run, ...], ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield every run as a row with its repeat and test."""
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
    """Return the runs of each program of a panel; empty if a program has no figures."""
    rounds = iter(assessment.rounds.of_each if assessment.rounds else ())
    rows = []
    for named, result in zip(programs, assessment.programs, strict=True):
        program_rounds = next(rounds) if result.measured else ()
        clean = (
            tuple(measured.runs for measured in program_rounds if measured.clean)
            if result.measurement
            else ()
        )
        rows.append(ProgramRuns(named, result, tests, clean))
    return rows


def check_exports(files: Mapping[str, Path | None], read: Iterable[Path] = ()) -> None:
    """Reject files that cannot be written, before anything is measured.

    Args:
        files: The export files by format.
        read: The files that the command reads, which an export must not replace.

    Raises:
        UsageError: A folder is missing or not writable, the command reads the file, or two formats
            have the same file.
    """
    exports = {name: file for name, file in files.items() if file}
    targets = [file.resolve() for file in exports.values()]
    inputs = {file.resolve() for file in read}
    for name, file in exports.items():
        message, option = f"cannot write {file}", f"--export-{name}"
        if not file.parent.is_dir():
            reason = f"{file.parent} is not a folder"
            raise UsageError(
                message, reason, f"type: mkdir -p {file.parent}, or {option} another file"
            )
        if file.is_dir():
            raise UsageError(message, "it is a folder", f"type: {option} {file / f'runs.{name}'}")
        if targets.count(file.resolve()) > 1:
            raise UsageError(message, "two formats name this file", f"give {option} its own file")
        if file.resolve() in inputs and file.is_file():
            raise UsageError(message, "this command reads it", f"give {option} another file")
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
            raise UsageError(message, reason, f"choose another file for {option}") from error


def write_exports(files: Mapping[str, Path | None], programs: Sequence[ProgramRuns]) -> None:
    """Write the requested files.

    Raises:
        StoreError: A file cannot be written.
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


def summary(figures: Sequence[int], unit: int) -> dict[str, float | None]:
    """Return the statistics of a figure by hyperfine's names; None if unknown."""
    if not figures:
        return dict.fromkeys(("mean", "stddev", "median", "min", "max"))
    return {
        "mean": statistics.fmean(figures) / unit,
        "stddev": statistics.stdev(figures) / unit if len(figures) > 1 else None,
        "median": statistics.median(figures) / unit,
        "min": min(figures) / unit,
        "max": max(figures) / unit,
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
                "exit_codes": [0 for _ in program.repeats],  # other repeats are not valid
                "parameters": dict(program.named.parameters),
                "verdict": program.result.judgement.verdict,
                "reason": program.result.judgement.reason,
                "runs": list(program.rows()),
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
        cells = [program.named.parameters.get(name, "") for name in parameters]
        for run in program.rows():
            writer.writerow([program.named.label, *cells, *run.values()])
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
        for run in program.rows()
    ]
    heads = ("Command", "Repeat", "Test", "Wall [ms]", "CPU [ms]", "Peak [MiB]")
    return f"{table}\n{_table(heads, runs)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _code(text: str) -> str:
    """Return a text as code in a table cell, with ``|`` escaped."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{' '.join(text.split())}{fence}".replace("|", "\\|")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    marks = [":---", *["---:"] * (len(heads) - 1)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (heads, marks, *rows))
