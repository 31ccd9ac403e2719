"""The native protocol's requests as the OpenAPI page shows them, and how they become jobs.

Unknown fields are refused: a misspelt limit must not be silently ignored.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from venus_toolkit.records import KIB, NS_PER_MS, Comparison, Limits
from venus_toolkit.server.jobs import Job

USUAL = Limits()
Positive = Annotated[int, Field(gt=0)]


class Strict(BaseModel):
    """A request whose fields are all known; frozen ones need no copy where they are the default of another's field."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitsIn(Strict):
    """What one run may take."""

    wall_ns: Positive = USUAL.wall_ns
    cpu_ns: Positive = USUAL.cpu_ns
    memory_bytes: Positive = USUAL.memory_bytes
    output_bytes: Positive = USUAL.output_bytes
    file_bytes: Positive = USUAL.file_bytes
    processes: Positive = USUAL.processes
    open_files: Positive = USUAL.open_files

    def limits(self, most: Limits) -> Limits:
        """Return the limits; one that was not given is the usual one, or the server's `most` where that is less."""
        usual = {each.name: min(getattr(USUAL, each.name), getattr(most, each.name)) for each in fields(Limits)}
        return Limits(**usual | self.model_dump(exclude_unset=True))


class ComparisonIn(Strict):
    """How an output is compared with the expected one."""

    kind: Literal["exact", "float", "evaluator"] = "exact"
    absolute: Annotated[float, Field(ge=0)] = 0.0
    relative: Annotated[float, Field(ge=0)] = 0.0


class JobIn(Strict):
    """One program, to be judged on each of its inputs and, with `repeats`, measured beside the reference program."""

    language: str = Field(examples=["python", "cpp"])
    code: str = Field(examples=["print(int(input()) * 2)"])
    stdins: list[str] = Field([""], description="One run for each.", examples=[["1\n", "21\n"]])
    expected: list[str | None] = Field([], description="The output wanted of each; null: how it ends decides.")
    comparison: ComparisonIn = ComparisonIn()
    evaluator: str | None = Field(None, description="Python with evaluate(expected, actual), run in the sandbox.")
    files: dict[str, str] = Field({}, description="Files beside the program, read-only: content in base64 by path.")
    limits: LimitsIn = LimitsIn()
    compile_wall_ns: Positive | None = None
    compile_memory_bytes: Positive | None = None
    repeats: Annotated[int, Field(ge=0)] = 0
    profile: bool = Field(False, description="Keep the samples of memory over time in each run's trace.")
    interval_ns: Annotated[int, Field(ge=100_000)] = NS_PER_MS
    every_test: bool = Field(True, description="Go on after a test that failed.")
    shown_bytes: Annotated[int, Field(ge=0)] = Field(64 * KIB, description="How much of each output is kept.")

    def job(self, most: Limits) -> Job:
        """Return the job, on a server that allows limits of at most `most`."""
        told = {name: getattr(self, name) for name in type(self).model_fields}
        told |= {
            "stdins": tuple(self.stdins),
            "expected": tuple(self.expected),
            "files": tuple(self.files.items()),
            "comparison": Comparison(**self.comparison.model_dump()),
            "limits": self.limits.limits(most),
        }
        return Job(**told)


class BatchIn(Strict):
    """Many jobs, accepted all or none."""

    jobs: Annotated[list[JobIn], Field(min_length=1)]


class WantedIn(Strict):
    """Jobs whose results are wanted, each as soon as it is there."""

    ids: Annotated[list[str], Field(min_length=1)]
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 600
