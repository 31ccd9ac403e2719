"""EvalPerf: tasks of HumanEval+ and MBPP+ with reference solutions at each level of performance (evalplus/evalperf).

``?problems=LOCATION`` names the table of HumanEval+ or MBPP+ with prompts and tests (given twice:
both tables); write ``?``, ``&`` and ``=`` in that location as %3F, %26 and %3D. Without it only
rows with a ``prompt`` are usable. Inputs come without outputs: a build takes the output on which
all references agree. Arguments are JSON, so a tuple becomes a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from venus_toolkit.builders.reading.cells import Cells, TableRow, json_text, show
from venus_toolkit.builders.reading.drafts import (
    Draft,
    attempt,
    given_tests,
    new_problem,
    read_rows,
)
from venus_toolkit.builders.reading.python_functions import (
    documented,
    python_runner,
    starter_of_function,
)
from venus_toolkit.builders.reading.tables import parse_location, read_table
from venus_toolkit.builders.reading.values import fill_evaluator, slugify
from venus_toolkit.builders.sources import Entry, Rejected, source
from venus_toolkit.core.language import Language
from venus_toolkit.core.records import OutputComparison, TestCase

LICENSE = "Apache-2.0"


@source(location="evalplus/evalperf", license=LICENSE)
def read(location: str, languages: Mapping[str, Language]) -> Iterator[Entry | Rejected]:
    """Yield the tasks of EvalPerf."""
    place = parse_location(location, more=("problems",))
    known: dict[str, TableRow] = {}
    for other in place.options.get("problems", ()):
        known |= {
            str(row.raw("task_id")): row for row in read_table(other) if isinstance(row, TableRow)
        }

    def join(row: TableRow | Rejected) -> TableRow | Rejected:
        if isinstance(row, TableRow) and (more := known.get(str(row.raw("task_id")))):
            # The columns of EvalPerf win.
            return TableRow({**more.values, **row.values}, row.where, row.config, row.split)
        return row

    return read_rows(map(join, read_table(place)), languages, _draft, key="task_id")


def _draft(row: TableRow) -> Draft:
    task = row.text("task_id")
    if "prompt" not in row:
        raise ValueError(
            "the prompt is missing: add ?problems= and the table of HumanEval+ or MBPP+"
        )
    prompt, entry = row.text("prompt"), row.text("entry_point")
    tolerance, references = row.number("atol") or 0.0, row.texts("reference")
    if not references:
        raise ValueError("reference is empty")
    is_code = not prompt.lstrip().startswith(('"', "'"))
    statement = documented(prompt, entry) if is_code else prompt.strip().strip("\"'").strip() + "\n"
    problem = new_problem(
        slugify("evalperf", task),
        statement,
        title=entry,
        style="function",
        source="evalperf",
        license=LICENSE,
        starter_code={"python": prompt if is_code else starter_of_function(references[0], entry)},
        runners={"python": python_runner(entry, prompt if is_code else "")},
        comparison=OutputComparison("evaluator") if tolerance else OutputComparison(),
        evaluator=fill_evaluator("float", absolute=tolerance, relative=tolerance)
        if tolerance
        else None,
        extra={"entry_point": entry},
    )
    correctness = [case for name in ("base_input", "plus_input") for case in _cases(row, name)]
    most_correctness = 100  # inputs: HumanEval+ has a thousand similar ones for some tasks
    tests = [
        *_tests(_cases(row, "pe_input"), "performance"),
        *_tests(correctness[:most_correctness], "correctness"),
    ]
    # The benchmark's own solution; HumanEval's is the rest of the function after the prompt.
    canonical = row.text("canonical_solution", "").rstrip()
    whole = f"{prompt if is_code else ''}{canonical}\n"
    codes = dict.fromkeys([*references, *([whole] if canonical else [])])
    return Draft(problem, [attempt("python", code) for code in codes], tests)


def _cases(row: Cells, name: str) -> Sequence[Any]:
    arguments = row.structure(name) or []
    if not isinstance(arguments, list) or not all(isinstance(case, list) for case in arguments):
        raise ValueError(f"{name} must be a list of lists of arguments, found {show(arguments)}")
    return arguments


def _tests(cases: Iterable[Sequence[Any]], name: str) -> list[TestCase]:
    return given_tests(
        (("".join(json_text(argument) + "\n" for argument in case), None) for case in cases), name
    )
