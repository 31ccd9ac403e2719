"""Exports a finished evaluation to the file formats of other frameworks.

inspect    a log of inspect_ai (version 2 of its format): ``inspect view``, or ``read_eval_log`` in Python
lm-eval    the results of the LM Evaluation Harness, as ``lm_eval --output_path`` writes them

Both are JSON. The input of a sample is its prompt, or the name of its task if the run has no
prompts (runs with iterations, and runs of earlier versions). Scores keep our names; shares are
fractions of 1, as both frameworks expect.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from venus_toolkit.core import __version__
from venus_toolkit.core.records import digest
from venus_toolkit.core.store import MANIFEST, explained, write_whole
from venus_toolkit.eval.report.runs import EvaluationRun, Row, open_runs
from venus_toolkit.eval.scoring.results import RESULTS
from venus_toolkit.eval.scoring.statistics import REPLICATES, Interval
from venus_toolkit.eval.scoring.summary import Scores, score_group
from venus_toolkit.models.prompts import OBJECTIVES


def write_exports(
    folders: Sequence[Path], out: Path, formats: Sequence[str], seed: int = 0
) -> list[Path]:
    """Write each run in each of `formats` below `out`; return the files.

    Existing files are replaced.

    Raises:
        ReleaseError: A folder is not a finished evaluation, or cannot be read.
        StoreError: The files cannot be written.
    """
    written = []
    with explained(f"cannot write the exports into {out}"):
        for run in open_runs(folders) if formats else []:
            # The rows of a run lack prompts and answers.
            names = {"prompt", "answer"} & {*pq.read_schema(run.folder / RESULTS).names}
            texts = pq.read_table(run.folder / RESULTS, columns=sorted(names)).to_pylist()
            rows = [
                {**row, "prompt": None, **text} for row, text in zip(run.rows, texts, strict=True)
            ]
            run = replace(run, rows=rows)
            scores = score_group("all", "all", run.final(), REPLICATES, seed)
            made_at = datetime.fromtimestamp((run.folder / MANIFEST).stat().st_mtime, UTC)
            for name in formats:
                safe_name = re.sub(r"[^\w.-]+", "_", run.name).strip("_")
                file = out / name / f"{safe_name}.json"
                content = FORMATS[name](run, scores, made_at)
                write_whole(file, json.dumps(content, ensure_ascii=False, indent=1).encode())
                written.append(file)
    return written


def _metrics(scores: Scores) -> dict[str, Interval]:
    """Return the scores that have an interval, by name."""
    intervals = {"passed": scores.pass_at_1}
    intervals |= {f"beyond_{name}": score.beyond for name, score in scores.efficiency.items()}
    return {name: interval for name, interval in intervals.items() if interval}


def _inspect(run: EvaluationRun, scores: Scores, made_at: datetime) -> dict[str, Any]:
    rows, at = run.final(), made_at.isoformat()
    identity = digest(run.name, [row["task"] for row in rows], at)[:22]
    metrics = _metrics(scores)
    count = len({row["sample"] for row in rows})
    total = {
        "input_tokens": _sum(rows, "prompt_tokens"),
        "output_tokens": _sum(rows, "completion_tokens"),
    }
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": identity, "run_id": identity, "task_id": identity, "created": at, "task": "venus",
            "dataset": {"name": str(run.options.get("data", "")), "samples": len({row["task"] for row in rows})},
            "model": run.model, "packages": {"venus-toolkit": __version__},
            "config": {"epochs": count}, "metadata": {"objective": run.objective},
        },
        "plan": {"name": "plan", "steps": []},
        "results": {
            "total_samples": len(rows), "completed_samples": sum(row["passed"] is not None for row in rows),
            "scores": [
                {"name": name, "scorer": "venus", "metrics": {
                    "mean": {"name": "mean", "value": metric.estimate},
                    "stderr": {"name": "stderr", "value": _error(metric)},
                }}
                for name, metric in metrics.items()
            ],
        },
        "stats": {"started_at": at, "completed_at": at, "model_usage": {run.model: _usage(total)}},
        "samples": [_inspect_sample(row, run.model) for row in rows],
    }  # fmt: skip


def _inspect_sample(row: Row, model: str) -> dict[str, Any]:
    metrics = {"passed": row["passed"]} | {
        f"beyond_{name}": row[f"percentile_{name}"] for name in OBJECTIVES
    }
    tokens = {
        "input_tokens": row["prompt_tokens"] or 0,
        "output_tokens": row["completion_tokens"] or 0,
    }
    messages = (
        json.loads(row["prompt"]) if row["prompt"] else [{"role": "user", "content": row["task"]}]
    )
    stops = {"length": "max_tokens", "content_filter": "content_filter", "context": "model_length"}
    metadata = (
        "language", "difficulty", "tags", "verdict", "failing_test", "wall_ns", "cpu_ns", "peak_bytes",
        "integral_byte_ns", "relative_time", *(f"place_{objective}" for objective in OBJECTIVES), "unranked",
    )  # fmt: skip
    answer = {"role": "assistant", "content": row["answer"] or "", "source": "generate"}
    reason = " ".join(str(row[name]) for name in ("outcome", "reason") if row[name])
    scores = {
        name: {"value": float(value), "answer": row["code"], "explanation": reason}
        for name, value in metrics.items()
        if value is not None
    }
    return {
        "id": row["task"], "epoch": row["sample"] + 1, "input": messages, "target": "",
        "messages": [*messages, answer],
        "output": {
            "model": model, "usage": _usage(tokens),
            "choices": [{"message": answer, "stop_reason": stops.get(row["outcome"], "stop")}],
        },
        "scores": scores, "metadata": {name: row[name] for name in metadata if row[name] is not None},
        **({"error": {"message": reason, "traceback": "", "traceback_ansi": ""}} if row["passed"] is None else {}),
    }  # fmt: skip


def _usage(tokens: Mapping[str, int]) -> dict[str, Any]:
    return {**tokens, "total_tokens": sum(tokens.values())}


def _lm_eval(run: EvaluationRun, scores: Scores, made_at: datetime) -> dict[str, Any]:
    less_is_better = ("et", "net", "mu", "nmu", "tmu", "ntmu")
    results: dict[str, Any] = {"alias": "venus"}
    for name, metric in _metrics(scores).items():
        results |= {f"{name},none": metric.estimate, f"{name}_stderr,none": _error(metric)}
    for name, value in scores.published.items():
        results |= {f"{name},none": value, f"{name}_stderr,none": "N/A"}
    names = [
        name.removesuffix(",none")
        for name in results
        if name.endswith(",none") and "stderr" not in name
    ]
    count = len({row["task"] for row in run.rows})
    return {
        "results": {"venus": results},
        "group_subtasks": {"venus": []},
        "configs": {
            "venus": {
                "task": "venus",
                "dataset_path": str(run.options.get("data", "")),
                "metadata": {"version": 0},
            }
        },
        "versions": {"venus": 0},
        "n-shot": {"venus": 0},
        "higher_is_better": {
            "venus": {
                name: name.removesuffix("_median").removesuffix("_of_sums") not in less_is_better
                for name in names
            }
        },
        "n-samples": {"venus": {"original": count, "effective": count}},
        "config": {"model": run.model, "model_args": "", "random_seed": run.options.get("seed", 0)},
        "model_name": run.model,
        "date": made_at.timestamp(),
        "venus_toolkit": __version__,
    }


def _error(interval: Interval) -> float:
    """Return the standard error that corresponds to a 95 % interval."""
    return (interval.high - interval.low) / (2 * 1.96)  # the interval is the mean ± 1.96 errors


def _sum(rows: Sequence[Row], column: str) -> int:
    return sum(row[column] or 0 for row in rows)


FORMATS: Mapping[str, Callable[[EvaluationRun, Scores, datetime], dict[str, Any]]] = {
    "inspect": _inspect,
    "lm-eval": _lm_eval,
}
