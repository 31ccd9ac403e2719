"""ENAMEL: HumanEval with expert solutions, and generators of inputs at four levels (a checkout of its repository).

A build makes its tests with these generators, and all solutions must agree on them: the expert's,
and those of HumanEval and HumanEval+ if ``samples/`` has them. Arguments are JSON, so a tuple
becomes a list.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from venus_toolkit.builders.reading.cells import TableRow, parse_json
from venus_toolkit.builders.reading.drafts import Draft, attempt, new_problem, read_rows
from venus_toolkit.builders.reading.python_functions import documented, python_runner
from venus_toolkit.builders.reading.tables import SEE
from venus_toolkit.builders.reading.values import slugify
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import OutputComparison
from venus_toolkit.core.untrusted.beneath import read_beneath

LICENSE = "Apache-2.0"
# LEVELS has ENAMEL's level for each size class, TESTS_OF_LEVELS its number of tests at each level.
GENERATOR = """{tools}

{prompt}

{generator}

import json

LEVELS = {{"small": 0, "boundary": 0, "random": 1, "large": 2, "worst": 3}}
SIZES_OF_LEVELS = {sizes}
TESTS_OF_LEVELS = (8, 4, 4, 4)


def generate(seed, size):
    random.seed(f"{{size}} {{seed}}")
    level = LEVELS[size]
    case = (seed + 4 * (size == "boundary")) % TESTS_OF_LEVELS[level]
    arguments = generate_input(size=SIZES_OF_LEVELS[level], lid=level, cid=case)
    return "".join(json.dumps(each) + "\\n" for each in arguments)
"""
EVALUATOR = """{prompt}
    pass

{checker}

import json

tuple = list


def evaluate(expected, actual, stdin):
    arguments = [json.loads(line) for line in stdin.split("\\n") if line.strip()]
    return bool(__check(arguments, json.loads(expected), json.loads(actual)))
"""


@source(license=LICENSE)
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the problems of a checkout of the repository.

    Raises:
        SourceError: A file is missing or malformed.
    """
    folder = Path(location)
    table_file = "dataset/enamel.csv"
    table = _text(folder / table_file, folder)
    tools = _text(folder / "enam" / "datautils.py", folder)
    sample_files = ("samples/humaneval-canonical.json", "samples/humanevalplus-canonical.json")
    samples = [
        _samples(folder / name, folder) for name in sample_files if (folder / name).is_file()
    ]
    longest_cell = 1 << 24
    csv.field_size_limit(longest_cell)
    try:
        table_rows = list(csv.DictReader(table.splitlines(keepends=True), strict=True))
    except csv.Error as error:
        raise SourceError(f"{folder / table_file} is not a CSV table", str(error), SEE) from error
    rows = (
        TableRow(
            {**cells, "more": [sample[number] for sample in samples if number < len(sample)]},
            f"{table_file} {number}",
        )
        for number, cells in enumerate(table_rows)
    )
    return read_rows(rows, languages, lambda row: _draft(row, tools), key="task_id")


def _text(file: Path, folder: Path) -> str:
    try:
        return read_beneath(file, folder).decode("utf-8")
    except (OSError, ValueError) as error:
        raise SourceError(f"{file} cannot be read", str(error), SEE) from error


def _samples(file: Path, folder: Path) -> list[Any]:
    """Return the programs of each problem, in the order of the table."""
    try:
        programs = parse_json(_text(file, folder))
    except ValueError as error:
        raise SourceError(f"{file} cannot be read", str(error), SEE) from error
    if not isinstance(programs, list):
        raise SourceError(f"{file} cannot be read", "it is not a list of lists", SEE)
    return programs


def _draft(row: TableRow, tools: str) -> Draft:
    prompt, entry, checker = row.text("prompt"), row.text("entry_point"), row.text("checker")
    sizes = tuple(int(word) for word in row.text("input_levels").split())
    if len(sizes) != 4:
        raise ValueError(f"input_levels must be four numbers, found {len(sizes)}")
    generator = row.text("input_generator")
    plain = checker.strip().endswith("return type(output) == type(answer) and output == answer")
    problem = new_problem(
        slugify("enamel", row.text("task_id")),
        documented(prompt, entry),
        title=entry,
        style="function",
        source="enamel",
        license=LICENSE,
        starter_code={"python": prompt},
        runners={"python": python_runner(entry, prompt)},
        generator=GENERATOR.format(tools=tools, prompt=prompt, generator=generator, sizes=sizes),
        comparison=OutputComparison() if plain else OutputComparison("evaluator"),
        evaluator=None if plain else EVALUATOR.format(prompt=prompt, checker=checker),
        extra={"entry_point": entry},
    )
    more = [code for programs in row.raw("more") for code in programs if isinstance(code, str)]
    codes = dict.fromkeys([f"{prompt}\n{row.text('reference_solution')}", *more])
    return Draft(problem, [attempt("python", code) for code in codes])
