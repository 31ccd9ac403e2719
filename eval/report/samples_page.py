"""samples.html: filters, sorts and shows every sample of every run, and compares two runs.

The page is one file that needs no server, for ten thousand samples and more. Figures are one block
of compressed JSON, which the page reads at once; texts are blocks of 32 tasks each, which it
unpacks when a sample is opened. Data never becomes markup: the script writes text nodes only, and
the page has the policy of the report.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.parquet as pq

from venus_toolkit.core.formatting import visible
from venus_toolkit.core.records import MIB, NS_PER_MS, NS_PER_S
from venus_toolkit.eval.report.page_templates import TEMPLATES, page_assets, page_templates
from venus_toolkit.eval.report.runs import EvaluationRun, Row
from venus_toolkit.eval.report.task_views import best_human, truncate
from venus_toolkit.eval.scoring.results import CURVE, RESULTS
from venus_toolkit.eval.scoring.summary import grouped
from venus_toolkit.models.prompts import OBJECTIVES


def render_samples(runs: Sequence[EvaluationRun], title: str) -> str:
    """Return the page of runs that have the same tasks."""
    block_size = 32  # tasks per block of texts
    # The figures of a sample: column, heading, unit, and divisor.
    columns: tuple[tuple[str, str, str, float], ...] = (
        ("wall_ns", "time", "ms", NS_PER_MS),
        ("peak_bytes", "memory", "MiB", MIB),
        ("integral_byte_ns", "integral", "MiB·s", MIB * NS_PER_S),
        ("percentile_time", "rank T", "%", 0.01),
        ("percentile_memory", "rank M", "%", 0.01),
        ("percentile_integral", "rank I", "%", 0.01),
        ("completion_tokens", "tokens", "", 1),
    )
    texts = [_texts(run) for run in runs]
    final = [grouped(run.final(), "task") for run in runs]
    tasks = sorted({row["task"] for run in runs for row in run.rows})
    number_of = {task: number for number, task in enumerate(tasks)}
    figures = {
        "runs": [visible(run.name) for run in runs],
        "tasks": [visible(task) for task in tasks],
        "figures": [[heading, unit] for _, heading, unit, _ in columns],
        "rows": [
            [
                number,
                number_of[row["task"]],
                row["sample"],
                row["outcome"],
                visible(row["verdict"] or ""),
                [row[f"place_{objective}"] for objective in OBJECTIVES],
                [
                    None if row[name] is None else float(f"{row[name] / divisor:.6g}")
                    for name, _, _, divisor in columns
                ],
            ]
            for number, tasks_of_run in enumerate(final)
            for rows in tasks_of_run.values()
            for row in rows
        ],
        "together": block_size,
    }
    parts = [tasks[start : start + block_size] for start in range(0, len(tasks), block_size)]
    blocks = [_packed(_block(part, runs, final, texts)) for part in parts]
    template = page_templates(TEMPLATES).get_template("samples.html.j2")
    return template.render(
        title=title,
        figures=_packed(figures),
        blocks=blocks,
        **page_assets("highlight.js", "samples.js"),
    )


def _block(
    tasks: Sequence[str],
    runs: Sequence[EvaluationRun],
    rows: Sequence[Mapping[str, Sequence[Row]]],
    texts: Sequence[Mapping[Any, Row]],
) -> dict[str, Any]:
    """Return the texts of some tasks: of samples by ``run/task/sample``, and the best humans."""
    block: dict[str, Any] = {"humans": {}, "samples": {}}
    for task in tasks:
        if human := best_human(runs, task):
            block["humans"][visible(task)] = truncate(visible(human))
        for number, rows_by_task in enumerate(rows):
            for row in rows_by_task.get(task, ()):
                long_texts = texts[number].get((task, row["sample"], row["iteration"]), {})
                cells = {
                    name: row[name] for name in ("code", "reason", "failing_test", "answer_reason")
                } | dict(long_texts)
                block["samples"][f"{number}/{visible(task)}/{row['sample']}"] = {
                    name: text
                    if name == CURVE
                    else _messages(text)
                    if name == "prompt"
                    else truncate(visible(text))
                    for name, text in cells.items()
                    if text
                }
    return block


def _messages(prompt: str) -> list[tuple[str, str]]:
    """Return role and content of each message, or the whole text if it is not such a list."""
    try:
        return [
            (visible(str(message["role"])), truncate(visible(str(message["content"]))))
            for message in json.loads(prompt)
        ]
    except (ValueError, TypeError, KeyError, RecursionError):
        return [("prompt", truncate(visible(prompt)))]


def _texts(run: EvaluationRun) -> dict[Any, Row]:
    """Return the long texts of a run, by task, sample and iteration."""
    file = run.folder / RESULTS
    stored = pq.read_schema(file).names
    # Evaluations by earlier versions may lack these columns.
    texts = ("prompt", "answer", "reasoning", CURVE)
    names = [name for name in (*texts, "task", "sample", "iteration") if name in stored]
    rows = pq.read_table(file, columns=names).to_pylist()
    return {
        (row["task"], row["sample"], row.get("iteration") or 0): {
            name: row[name] for name in texts if name in row
        }
        for row in rows
    }


def _packed(value: Any) -> str:
    """Return a value as compressed JSON in base64; equal values give equal texts."""
    return base64.b64encode(
        gzip.compress(json.dumps(value, ensure_ascii=False).encode(), 9, mtime=0)
    ).decode()
