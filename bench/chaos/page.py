"""The file with the results of all disturbances, and the page generated from it."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bench.chaos.faults import DESCRIPTORS, SHARES, FaultOutcome
from bench.chaos.interrupts import InterruptOutcome
from bench.chaos.kills import MAX_PER_SESSION, KillOutcome

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "chaos.jsonl"
PAGE = ROOT / "docs" / "reliability.md"


def keep(
    results: Path, seed: int, outcome: KillOutcome | FaultOutcome | InterruptOutcome
) -> list[str]:
    """Append an outcome to the results; return its complaints, each with the subject."""
    results.parent.mkdir(exist_ok=True)
    kind = {KillOutcome: "kills", FaultOutcome: "fault", InterruptOutcome: "interrupts"}[
        type(outcome)
    ]
    row = {"kind": kind, "seed": seed, "machine": machine(), **dataclasses.asdict(outcome)}
    with results.open("a") as file:
        file.write(json.dumps(row) + "\n")
    return [f"{outcome.subject}: {complaint}" for complaint in outcome.complaints]


def machine() -> str:
    """Return the description of this machine for the page."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )
    return f"{len(os.sched_getaffinity(0))} cores of {name}, Linux {platform.release()}"


def page(results: Path) -> str:
    """Return the text of the page."""
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("reliability.md.j2").render(
        kills=added([row for row in rows if row["kind"] == "kills"], ("subject",)),
        interrupts=added([row for row in rows if row["kind"] == "interrupts"], ("subject",)),
        faults=added([row for row in rows if row["kind"] == "fault"], ("fault", "subject")),
        seeds=", ".join(str(seed) for seed in sorted({row["seed"] for row in rows})),
        machines=sorted({row["machine"] for row in rows}),
        most_of_session=MAX_PER_SESSION,
        shares=", ".join(f"{share:.0%}" for share in SHARES["out"]),
        descriptors=", ".join(map(str, DESCRIPTORS)),
        minutes=sum(row["took_s"] for row in rows) / 60,
    )


def added(rows: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Merge rows with equal values in the columns `names`: sums of counts, the longest times."""
    totals: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        totals[key] = merged(totals[key], row) if key in totals else row
    return list(totals.values())


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Merge two results."""
    both: dict[str, Any] = {}
    for name, value in one.items():
        more = other[name]
        if isinstance(value, dict):
            both[name] = {key: value.get(key, 0) + more.get(key, 0) for key in {**value, **more}}
        elif isinstance(value, list) or name in ("late", "sessions", "given_up", "times", "took_s"):
            both[name] = value + more
        elif name.endswith("_s"):
            both[name] = max(value, more)
        else:
            both[name] = value or more
    return both
