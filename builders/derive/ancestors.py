"""Exports a release in the form of the ancestors' `Venus_Python`, for their evaluators and scripts.

A row is a problem in one language with exactly their columns. ``test_cases`` has every test, as a
JSON list of ``input`` and ``output``, both strings. Their evaluator inserts a program into
``test_case_runners``, indents the result into a function, indents ``test_case_evaluator`` into
another, and calls both in one process for every test, with strings in place of standard input and
output. The runners and evaluators of a release expect a process of their own, so the exported ones
carry them as strings: a function allows neither star imports nor ``global``, indenting changes
string literals, and a string in place of standard input has no ``buffer``.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from venus_toolkit.builders.derive.exporting import TEMPLATES, ExportedDataset
from venus_toolkit.core.language import MARKER, load_languages
from venus_toolkit.core.store import explained
from venus_toolkit.core.untrusted.templates import make_environment
from venus_toolkit.dataset.card.header import licence_keys
from venus_toolkit.dataset.columns import FLAG, INTEGER, REAL, TEXT, name_of
from venus_toolkit.dataset.parquet import open_parquet, write_rows
from venus_toolkit.dataset.release import CARD, Release
from venus_toolkit.dataset.task import unreadable
from venus_toolkit.dataset.test_cases import all_cases
from venus_toolkit.execution.judging.generators import materialise
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.opening import open_sandbox

FIGURES = ("time", "memory", "integral")  # ms, KiB and KiB·ms, as in a release
FORM = pa.schema({
    "problem_id": INTEGER, "title": TEXT, "question_content": TEXT, "difficulty": TEXT, "tags": pa.list_(TEXT),
    "code_prompt": TEXT, "test_case_generator": TEXT, "test_case_evaluator": TEXT, "test_case_runners": TEXT,
    "test_cases": TEXT,
    "solutions": pa.list_(pa.struct({
        "code": TEXT, "status": TEXT, "passed": FLAG, **dict.fromkeys(FIGURES, REAL),
    })),
})  # fmt: skip
QUOTES = ("'''", '"""')  # around a program


def export_ancestors(release: Release, out: Path) -> list[ExportedDataset]:
    """Write every language and split of a release into a folder that ``load_dataset`` reads.

    Accepted solutions without figures are omitted, because an evaluator compares with all of them;
    the figures of failing ones are infinite, as in `Venus_Python`.

    Raises:
        ReleaseError: A file cannot be read, or an omitted input cannot be generated again.
        SandboxError: The sandbox failed while generating an omitted input again.
        StoreError: The folder cannot be written.
    """
    written, licences = list[ExportedDataset](), set[str]()
    with ExitStack() as opened:
        python = load_languages()["python"]
        sandbox = cache(lambda: opened.enter_context(open_sandbox("auto", [python])))
        for language in release.languages:
            for split in release.splits(language):
                rows = _rows(release, language, split, sandbox, licences)
                for name in write_rows(out, f"{language}/{split}", rows, FORM):
                    with open_parquet(out / name) as file:
                        count = file.metadata.num_rows
                    written.append(ExportedDataset(f"{language}/{split}", out / name, count))
    globs = {language: release.splits(language) for language in release.languages}
    environment = make_environment(TEMPLATES, keep_trailing_newline=True, trim_blocks=True)
    card = environment.get_template("ancestors.md.j2").render(
        configs=globs, licence=licence_keys(licences)
    )
    with explained(f"cannot write into {out}"):
        (out / CARD).write_text(card, encoding="utf-8")
    return written


def _rows(
    release: Release,
    language: str,
    split: str,
    sandbox: Callable[[], Sandbox],
    licences: set[str],
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a split, and add the licences of their contents to `licences`."""
    for file in release.files(language, split):
        with open_parquet(file) as parquet:
            for group in range(parquet.num_row_groups):
                for row in parquet.read_row_group(group).to_pylist():
                    try:
                        yield _row(file, row, language, sandbox)
                    except (KeyError, TypeError, ValueError, SyntaxError) as error:
                        raise unreadable(row, error) from error
                    licences |= {
                        record["license"]
                        for record in (row, *row["solutions"])
                        if record["license"]
                    }


def _row(
    file: Path, row: Mapping[str, Any], language: str, sandbox: Callable[[], Sandbox]
) -> dict[str, Any]:
    cases = all_cases(file, row)
    if any(case["input"] is None for case in cases):
        cases = materialise(cases, row["test_case_generator"] or None, sandbox())
    solutions = [
        {name: solution[name] for name in ("code", "status", "passed")}
        | {name: solution[name] if solution["passed"] else math.inf for name in FIGURES}
        for solution in row["solutions"]
        if not solution["passed"] or all(solution[name] is not None for name in FIGURES)
    ]
    runner = alone(row["test_case_runners"])
    if language == "python":
        runner = quoted_runner(
            runner, [solution["code"] for solution in solutions if solution["passed"]]
        )
    texts = [{"input": case["input"], "output": case["output"] or ""} for case in cases]
    return {
        **{name: row[name] for name in FORM.names if name in row},
        "difficulty": name_of("difficulty", row["difficulty"]),
        "test_case_evaluator": two_arguments(row["test_case_evaluator"]),
        "test_case_runners": runner,
        "test_cases": json.dumps(texts, ensure_ascii=False),
        "solutions": solutions,
    }


def alone(runner: str) -> str:
    """Return a runner with only the marker on its line: the ancestors replace only the marker."""
    return "\n".join(MARKER if MARKER in line else line for line in runner.split("\n"))


def quoted_runner(runner: str, programs: list[str]) -> str:
    """Return a Python runner that executes its own text and a program's from string literals.

    It uses the quotes that the fewest `programs` contain: a program that contains them cannot run.
    """
    quote = min(QUOTES, key=lambda mark: sum(mark in program for program in programs))
    before, _, after = runner.partition(MARKER)
    parts = {
        name: [repr(line) for line in text.splitlines(keepends=True)] or ["''"]
        for name, text in (("before", before), ("after", after))
    }
    return _render("ancestors_runner.py.j2", marker=MARKER, quote=quote, **parts)


def two_arguments(evaluator: str) -> str:
    """Return an evaluator that works inside a function and takes the expected and actual output.

    If it also takes the input, it reads the ancestors' variable `input_data`.
    """
    nodes = list(ast.walk(ast.parse(evaluator)))
    asks_input = any(
        isinstance(node, ast.FunctionDef)
        and node.name == "evaluate"
        and len(node.args.posonlyargs) + len(node.args.args) > 2
        for node in nodes
    )
    # Statements that only a module may contain
    needs_module = any(
        isinstance(node, ast.Global)
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module == "__future__" or node.names[0].name == "*")
        )
        for node in nodes
    )
    if not asks_input and not needs_module:
        return evaluator
    return _render("ancestors_evaluator.py.j2", source=repr(evaluator), asks_input=asks_input)


def _render(name: str, **values: object) -> str:
    environment = make_environment(TEMPLATES, keep_trailing_newline=True, trim_blocks=True)
    return environment.get_template(name).render(**values)
