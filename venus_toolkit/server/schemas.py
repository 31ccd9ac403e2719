"""The requests of the native protocol, as shown in OpenAPI, and the checks of a job.

Unknown fields are refused, because a misspelt limit must not be silently ignored. The models check
single fields; `check_job` checks jobs of all protocols against the languages and limits of this
server.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from venus_toolkit.core.errors import UsageError
from venus_toolkit.core.records import KIB, NS_PER_S, Limits, OutputComparison
from venus_toolkit.execution.measuring.rounds import NS_BETWEEN_SAMPLES
from venus_toolkit.execution.sandbox import Program
from venus_toolkit.execution.sandbox.folders import require_beside
from venus_toolkit.server.execute import job_program
from venus_toolkit.server.http_errors import BadJobError
from venus_toolkit.server.language_registry import LanguageRegistry, smaller
from venus_toolkit.server.queue.jobs import USUAL, Job
from venus_toolkit.server.settings import Settings

Positive = Annotated[int, Field(gt=0)]
Interval = Annotated[int, Field(ge=100_000, le=3600 * NS_PER_S)]


class Strict(BaseModel):
    """A request without unknown fields; it is frozen, so a default needs no copy."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitsIn(Strict):
    """The limits of one run."""

    wall_ns: Positive = USUAL.wall_ns
    cpu_ns: Positive = USUAL.cpu_ns
    memory_bytes: Positive = USUAL.memory_bytes
    output_bytes: Positive = USUAL.output_bytes
    file_bytes: Positive = USUAL.file_bytes
    processes: Positive = USUAL.processes
    open_files: Positive = USUAL.open_files

    def limits(self, most: Limits) -> Limits:
        """Return the limits; a default is the usual one, or the server's maximum if that is less."""
        return Limits(
            **dataclasses.asdict(smaller(USUAL, most)) | self.model_dump(exclude_unset=True)
        )


LimitsOf = Annotated[
    Limits, BeforeValidator(lambda value: Limits(**LimitsIn.model_validate(value).model_dump()))
]


class ComparisonIn(Strict):
    """The rule by which an output is compared with the expected one."""

    kind: Literal["exact", "float", "evaluator"] = "exact"
    absolute: Annotated[float, Field(ge=0)] = 0.0
    relative: Annotated[float, Field(ge=0)] = 0.0
    real: bool = False


class JobIn(Strict):
    """One program to judge on its inputs and, with `repeats`, to measure."""

    language: str = Field(
        description="An id, alias or Markdown fence name.", examples=["python", "cpp"]
    )
    code: str = Field(description="The complete program.", examples=["print(int(input()) * 2)"])
    stdins: list[str] = Field(
        [""], description="The inputs, one for each run.", examples=[["1\n", "21\n"]]
    )
    expected: list[str | None] = Field(
        [],
        description="The expected output for each input; null: only the exit status is judged.",
    )
    comparison: ComparisonIn = Field(ComparisonIn(), description="How outputs are compared.")
    evaluator: str | None = Field(
        None, description="Python with evaluate(expected, actual), run in the sandbox."
    )
    files: dict[str, str] = Field(
        {}, description="Read-only files in the program's folder: content in base64 by path."
    )
    limits: LimitsIn = Field(LimitsIn(), description="The limits of each run.")
    compile_wall_ns: Positive | None = Field(
        None, description="The compiler's time limit, if less than that of its language."
    )
    compile_memory_bytes: Positive | None = Field(
        None, description="The compiler's memory limit, if less than that of its language."
    )
    repeats: int = Field(
        0, ge=0, description="The number of measurements; none if an input is not accepted."
    )
    profile: bool = Field(
        False, description="Return the samples of memory over time in the trace of each run."
    )
    interval_ns: Interval = Field(
        NS_BETWEEN_SAMPLES, description="The time between two samples of memory."
    )
    every_test: bool = Field(True, description="Continue after a test that failed.")
    shown_bytes: int = Field(
        64 * KIB, ge=0, description="Bytes of each output to return; all of it is compared."
    )

    def job(self, most: Limits) -> Job:
        """Return the job, for a server with the maximum limits `most`."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        fields |= {
            "stdins": tuple(self.stdins),
            "expected": tuple(self.expected),
            "files": tuple(self.files.items()),
            "comparison": OutputComparison(**self.comparison.model_dump()),
            "limits": self.limits.limits(most),
        }
        return Job(**fields)


class BatchIn(Strict):
    """Many jobs; the server accepts all or none."""

    jobs: Annotated[list[JobIn], Field(min_length=1)]


class ResultsIn(Strict):
    """The ids of jobs; the server sends each result when the job is final."""

    ids: Annotated[list[str], Field(min_length=1)]
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 600


def check_job(job: Job, settings: Settings, languages: LanguageRegistry) -> Job:
    """Return a valid job with the id of its language.

    Raises:
        BadJobError: The job is invalid, or exceeds a limit of the server.
    """
    language = languages.find(job.language)
    _require_encodable("code", [job.code, job.evaluator])
    _require_encodable("stdins", job.stdins)
    _require_encodable("expected", job.expected)
    _require_encodable("files", [path for path, _ in job.files])
    _at_most("files", len(job.files), 256)  # a job is a program, not a project
    check_files(lambda: job_program(job, language))
    if not job.stdins:
        raise BadJobError(
            "the job has no inputs", "stdins is empty", 'give at least one; an empty input is ""'
        )
    _at_most("stdins", len(job.stdins), settings.job_stdins)
    _at_most("repeats", job.repeats, settings.job_repeats)
    _at_most("shown_bytes", job.shown_bytes, settings.shown_bytes)
    if job.expected and len(job.expected) != len(job.stdins):
        raise BadJobError(
            "each input has one expected output",
            f"there are {len(job.expected)} for {len(job.stdins)} inputs",
            "give null for an unknown output, or leave expected out",
        )
    check_limits(job.limits, settings.most)
    if (job.comparison.kind == "evaluator") != (job.evaluator is not None):
        reason = "an evaluator needs the comparison 'evaluator', and the comparison needs one"
        raise BadJobError("the comparison is incomplete", reason, "give both or neither")
    return dataclasses.replace(job, language=language.id)


def check_files(make: Callable[[], Program]) -> Program:
    """Return the program that `make` returns, after a check of its files."""
    try:
        program = make()
        require_beside(program)
    except UsageError as error:
        raise BadJobError(error.what, error.why, error.fix) from error
    except ValueError as error:
        raise BadJobError(
            "a file cannot be read", str(error), "send its content in base64"
        ) from error
    return program


def check_limits(limits: Limits, most: Limits) -> None:
    """Check that no limit is larger than the server's."""
    for field in dataclasses.fields(Limits):
        name = field.name
        _at_most(f"limits.{name}", getattr(limits, name), getattr(most, name))


def _require_encodable(name: str, texts: Iterable[str | None]) -> None:
    """Check that UTF-8 can encode the texts: it has no lone surrogates, which JSON allows."""
    try:
        for text in texts:
            (text or "").encode()
    except UnicodeEncodeError as error:
        raise BadJobError(
            f"{name} is not text", str(error), "split it between characters"
        ) from error


def _at_most(name: str, value: int, most: int) -> None:
    if value > most:
        raise BadJobError(
            f"{name} is too large",
            f"the job asks for {value}, the server allows {most}",
            "ask for less",
        )
