"""Digests of builds, derived sets, evaluations, rewards and cards from a fixed source.

A refactoring must not change any digest. Programs really run, but print their own costs to standard
error, so nothing depends on time or machine. A failure names the texts that differ; they are below
build/golden, to compare with those from before the change. To accept an intended change:

    .venv/bin/pytest -n 0 tests/golden --write-golden
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq
import pytest

from tests.brief import brief_references, no_pictures
from tests.building import needs_cpp, needs_isolation, thought
from tests.conftest import Workshop
from venus_toolkit.core import __version__
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import KIB, NS_PER_MS, Run
from venus_toolkit.execution.measuring.pressure import Pressure
from venus_toolkit.execution.measuring.rounds import MeasureOptions
from venus_toolkit.execution.sandbox import supervisor
from venus_toolkit.training.reward.grpo_reward import ExecutionReward
from venus_toolkit.training.reward.rewards import RewardOptions

pytestmark = [*needs_isolation, needs_cpp]
ROOT = Path(__file__).resolve().parents[2]
DIGESTS = Path(__file__).with_name("digests.json")
TEXTS = ROOT / "build" / "golden"
COST = {
    ".py": "import sys\nprint('cost {}', file=sys.stderr)\n",
    ".cpp": '#include <cstdio>\nstatic int cost = std::fprintf(stderr, "cost {}\\n");\n',
}


# ------------------------------------------------------------------ fixed figures


def _replayed(run: Run) -> Run:
    """Return a run with figures derived from the cost that the program printed, by default 20."""
    told = re.search(rb"cost (\d+)", run.stderr)
    units = int(told[1]) if told else 20
    time_ns = units * NS_PER_MS * (3 + len(run.stdout) % 3)
    peak_bytes = (4096 + 64 * units) * KIB
    return replace(
        run,
        wall_ns=time_ns + NS_PER_MS,
        cpu_ns=time_ns,
        user_ns=time_ns,
        system_ns=0,
        peak_bytes=peak_bytes,
        peak_source="rusage",
        cgroup_peak_bytes=None,
        integral_byte_ns=peak_bytes * time_ns // 2,
        integral_error_byte_ns=peak_bytes * NS_PER_MS,
        samples=100,
        largest_gap_ns=NS_PER_MS,
        processes=1,
        minor_faults=0,
        major_faults=0,
        voluntary_switches=0,
        involuntary_switches=0,
        accounting="processes",
        disagreement=None,
        runnable_ns=0,
    )


@contextmanager
def known_figures() -> Iterator[None]:
    """Replace the measured figures of runs, and ignore background load."""
    read, since = supervisor.read_answer, Pressure.since

    def read_replayed(stream: IO[bytes]) -> tuple[Run, bool] | None:
        answer = read(stream)
        return answer and (_replayed(answer[0]), answer[1])

    supervisor.read_answer = read_replayed
    Pressure.since = lambda self: []  # type: ignore[method-assign]
    try:
        yield
    finally:
        supervisor.read_answer = read
        Pressure.since = since  # type: ignore[method-assign]


# ------------------------------------------------------------------ reproducible texts


# Keys of manifests that depend on the machine, the date or the version of a tool; below, such lines
# of cards.
VOLATILE = {
    "toolkit", "fingerprint", "machines", "measured_on", "machine", "files", "calibration", "sandbox", "isolation",
    "threads", "memory_mib", "start_date", "environment",
}  # fmt: skip
VOLATILE_LINES = re.compile(
    r"(?m)^( *download_size: .*|\|.* kB \|.*|- Toolkit .*|- Processor: .*|- (cpp|python): .*"
    r"|\| (cpu|cores|architecture|kernel) \| .*)\n"
)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if name not in VOLATILE}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float):  # rounding errors of a sum depend on its order
        return float(f"{value:.6g}") if abs(value) > 1e-9 else 0.0
    return value


def _text(value: Any, folder: Path) -> str:
    """Return a value as text without volatile parts."""
    if isinstance(value, str):
        text = VOLATILE_LINES.sub("", value)
    else:
        text = json.dumps(_plain(value), indent=1, sort_keys=True, ensure_ascii=False, default=str)
    return text.replace(str(folder), "FOLDER").replace(__version__, "VERSION") + "\n"


def _rows(folder: Path, pattern: str) -> dict[str, Any]:
    return {
        file.relative_to(folder).as_posix(): pq.read_table(file).to_pylist()
        for file in sorted(folder.glob(pattern))
    }


# ------------------------------------------------------------------ the results


def _venus(*words: object) -> None:
    from venus_toolkit.cli import main

    before, sys.argv = sys.argv, ["venus", *map(str, words)]
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            main()
    except SystemExit as stop:
        if stop.code:
            pytest.fail(said.getvalue())
    finally:
        sys.argv = before


def _write_source(shop: Workshop) -> None:
    shop.small()
    third = shop.source / "add-two/solutions/python/sum.py"
    third.write_text("print(sum(map(int, input().split())))\n")
    for number, file in enumerate(sorted(shop.source.glob("*/solutions/*/*"))):
        with file.open("a") as appended:
            appended.write(COST[file.suffix].format(3 + number * 5 % 17))


def _build(shop: Workshop) -> dict[str, Any]:
    """Build the small source and return the contents of the release."""
    _write_source(shop)
    words = ("--lang", "python,c++", "--tests", "6", "--repeats", "2", "--min-solutions", "2")
    _venus(
        "build", *words, "--mutants", "4", "--jobs", "1", "--source", shop.source, "--out", shop.out
    )
    return {
        "rows": _rows(shop.out, "data/**/*.parquet"),
        "tests": _rows(shop.out, "tests/**/*.parquet"),
        "dropped": sorted(shop.dropped, key=str),
        "manifest": shop.manifest,
    }


def _right_codes(shop: Workshop) -> dict[str, list[str]]:
    """Return the passing Python programs of the train problems, by title."""
    return {
        title: [each["code"] for each in row["solutions"] if each["passed"]]
        for title, row in shop.rows().items()
        if row["split"] == "train"
    }


def _derive(shop: Workshop) -> dict[str, Any]:
    for kind in ("sft", "dpo", "grpo"):
        _venus("derive", kind, shop.out, "--lang", "python", "--min-ratio", "1.05")
    return _rows(shop.out, "derived/**/*.parquet")


def _evaluate(shop: Workshop) -> dict[str, Any]:
    """Evaluate replayed answers: for each train problem, the slowest passing solution and a wrong one."""
    answers, out = shop.folder / "answers.jsonl", shop.folder / "evaluation"
    lines = [
        {"title": title, "code": code}
        for title, codes in sorted(_right_codes(shop).items())
        for code in (codes[-1], "print(0)\n")
    ]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ("--lang", "python", "--samples", "2", "--repeats", "2", "--jobs", "1")
    asked = ("--model", f"replay:{answers}", "--data", shop.out, "--split", "train")
    _venus("eval", *asked, *words, "--out", out)
    _venus("card", out)
    return {
        "rows": _rows(out, "*.parquet"),
        "manifest": json.loads((out / "manifest.json").read_text()),
    }


def _reward(shop: Workshop) -> dict[str, Any]:
    """Reward right and wrong answers to the GRPO prompts, and one without code."""
    (prompts,) = _rows(shop.out, "derived/python-grpo/time*").values()
    asked, texts = list[dict[str, Any]](), list[str]()
    for prompt in sorted({row["title"]: row for row in prompts}.values(), key=itemgetter("title")):
        codes = [*_right_codes(shop)[prompt["title"]], "print(0)\n"]
        texts += [thought("Think.", code, load_languages()["python"]) for code in codes]
        texts.append("no code")
        asked += [prompt] * (len(codes) + 1)
    columns = {
        name: [row[name] for row in asked] for name in asked[0] if not name.startswith("prompt")
    }
    extra: dict[str, Any] = {}
    metrics: dict[str, float] = {}
    options = RewardOptions(measure=MeasureOptions(repeats=2), figure="cpu", jobs=1)
    with closing(ExecutionReward(shop.out, "local", options)) as reward:
        rewards = asyncio.run(
            reward(
                prompts=["?"] * len(texts),
                completions=texts,
                log_extra=extra.__setitem__,
                log_metric=metrics.__setitem__,
                **columns,
            )
        )
    return {"rewards": rewards, "columns": extra, "metrics": metrics}


def _write_all(shop: Workshop) -> dict[str, Any]:
    built = _build(shop)
    built_card = (shop.out / "README.md").read_text()
    return {
        "build": built,
        "build_card": built_card,
        "derived": _derive(shop),
        "derived_card": (shop.out / "README.md").read_text(),
        "evaluation": _evaluate(shop),
        "evaluation_card": (shop.folder / "evaluation/README.md").read_text(),
        "reward": _reward(shop),
    }


def test_golden(shop: Workshop, request: pytest.FixtureRequest) -> None:
    with known_figures(), brief_references(), no_pictures():
        texts = {name: _text(value, shop.folder) for name, value in _write_all(shop).items()}
    TEXTS.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (TEXTS / f"{name}.txt").write_text(text)
    digests = {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}
    if request.config.getoption("--write-golden"):
        DIGESTS.write_text(json.dumps(digests, indent=1) + "\n")
    assert digests == json.loads(DIGESTS.read_text()), (
        f"compare the texts in {TEXTS} with those of the tree before; see the top of this file"
    )
