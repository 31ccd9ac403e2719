"""What protocols want to know of a result that a record does not say in their words."""

from __future__ import annotations

from venus_toolkit.language import Language
from venus_toolkit.records import NS_PER_S, Limits, Run, Verdict
from venus_toolkit.server.jobs import JobResult
from venus_toolkit.server.settings import Settings

OUT_OF_TIME = 124  # what timeout(1) exits with
OUT_OF_MEMORY = 137  # 128 + SIGKILL, as a shell says it
TOO_MUCH_OUTPUT = 153  # 128 + SIGXFSZ
SIGNAL_BASE = 128


def limits_of(settings: Settings, seconds: float, memory_bytes: int | None = None) -> Limits:
    """Return the limits of a run that may take `seconds` and `memory_bytes`, as far as the server allows.

    These protocols return the whole output or none: what would not be kept is over the limit.
    """
    most = settings.most
    wall_ns = min(most.wall_ns, max(1, round(seconds * NS_PER_S)))
    return Limits(
        wall_ns=wall_ns,
        cpu_ns=min(most.cpu_ns, wall_ns),
        memory_bytes=min(most.memory_bytes, memory_bytes or most.memory_bytes),
        output_bytes=min(most.output_bytes, settings.shown_bytes),
    )


def is_compiled(language: Language) -> bool:
    """Whether something else than the source is run; where not, compiling is a check of the syntax."""
    return not any(language.source_file in word for word in language.run_argv)


def run_of(result: JobResult) -> Run | None:
    """Return the only run of a job with one input; None where it was not run."""
    return result.runs[0] if result.runs else None


def text(output: bytes) -> str:
    """Return an output as text; what is not UTF-8 is replaced."""
    return output.decode("utf-8", "replace")


def timed_out(run: Run) -> bool:
    """Whether a time limit ended it."""
    return run.limit in ("wall", "cpu")


def exit_status(run: Run) -> int:
    """Return the exit status that a shell would show: never 0 for a run that did not end well."""
    if timed_out(run):
        return OUT_OF_TIME
    if run.limit == "memory":
        return OUT_OF_MEMORY
    if run.limit == "output" or run.stdout_cut or run.stderr_cut:
        return TOO_MUCH_OUTPUT
    if run.signal:
        return SIGNAL_BASE + run.signal
    return 1 if run.exit_code is None else run.exit_code


def reason(result: JobResult) -> str:
    """Return in one line why a program did not end well, or ""."""
    if result.verdict in (None, Verdict.ACCEPTED):
        return ""
    return ": ".join(filter(None, (str(result.verdict).replace("_", " "), result.reason)))
