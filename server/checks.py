"""Does a job make sense, and does it stay below what the server allows?"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from venus_toolkit.errors import UsageError
from venus_toolkit.records import Limits
from venus_toolkit.sandbox import Program
from venus_toolkit.sandbox.folders import require_beside
from venus_toolkit.server.execute import program_of
from venus_toolkit.server.jobs import Job
from venus_toolkit.server.refusals import BadJobError, require_positive
from venus_toolkit.server.settings import Settings
from venus_toolkit.server.tongues import Tongues

KINDS = ("exact", "float", "evaluator")
MOST_FILES = 256
LEAST_INTERVAL_NS = 100_000


def check_job(job: Job, settings: Settings, tongues: Tongues) -> Job:
    """Return a job with the id of its language.

    Raises:
        BadJobError: It makes no sense, or asks for more than there is.
    """
    language = tongues.find(job.language)
    _require_text("code", [job.code, job.evaluator])
    _require_text("stdins", job.stdins)
    _require_text("expected", job.expected)
    _require_text("files", [path for path, _ in job.files])
    _at_most("files", len(job.files), MOST_FILES)
    check_files(lambda: program_of(job, language))
    if not job.stdins:
        raise BadJobError("the job has no inputs", "stdins is empty", 'give at least one; an empty input is ""')
    _at_most("stdins", len(job.stdins), settings.job_stdins)
    _at_most("repeats", job.repeats, settings.job_repeats)
    _at_most("shown_bytes", job.shown_bytes, settings.shown_bytes)
    _at_least("repeats", job.repeats, 0)
    _at_least("shown_bytes", job.shown_bytes, 0)
    _at_least("interval_ns", job.interval_ns, LEAST_INTERVAL_NS)
    for name in ("compile_wall_ns", "compile_memory_bytes"):
        value = getattr(job, name)
        if value is not None:
            _at_least(name, value, 1)
    if job.expected and len(job.expected) != len(job.stdins):
        why = f"there are {len(job.expected)} for {len(job.stdins)} inputs"
        raise BadJobError("each input has one expected output", why, "give null where there is none, or none at all")
    check_limits(job.limits, settings.most)
    _check_comparison(job)
    return dataclasses.replace(job, language=language.id)


def check_files(make: Callable[[], Program]) -> Program:
    """Return the program that `make` makes, if its files can be read and lie beside it.

    Raises:
        BadJobError: They cannot.
    """
    try:
        program = make()
        require_beside(program)
    except UsageError as error:
        raise BadJobError(error.what, error.why, error.fix) from error
    except ValueError as error:
        raise BadJobError("a file cannot be read", str(error), "send its content in base64") from error
    return program


def check_limits(limits: Limits, most: Limits) -> None:
    """Check that every limit is positive and no larger than the server's.

    Raises:
        BadJobError: One is not.
    """
    require_positive(limits)
    for each in dataclasses.fields(Limits):
        _at_most(f"limits.{each.name}", getattr(limits, each.name), getattr(most, each.name))


def _check_comparison(job: Job) -> None:
    kind = job.comparison.kind
    if kind not in KINDS:
        raise BadJobError(f"there is no comparison {kind!r}", "known are " + ", ".join(KINDS), "choose one of them")
    if (kind == "evaluator") != (job.evaluator is not None):
        why = "an evaluator and the comparison 'evaluator' belong together"
        raise BadJobError("the comparison is incomplete", why, "give both or neither")


def _require_text(name: str, texts: Iterable[str | None]) -> None:
    try:
        for text in texts:
            (text or "").encode()
    except UnicodeEncodeError as error:
        raise BadJobError(f"{name} is no text", str(error), "send whole characters") from error


def _at_most(name: str, value: int, most: int) -> None:
    if value > most:
        raise BadJobError(f"{name} is too large", f"{value} was asked for, the server allows {most}", "ask for less")


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise BadJobError(f"{name} is too small", f"{value} was given", f"give at least {least}")
