"""Results of the service, for tests of translations without a sandbox."""

from __future__ import annotations

from typing import Any

from venus_toolkit.core.records import MIB, NS_PER_MS, Run, Verdict
from venus_toolkit.server.queue.jobs import JobResult, JobState

PLAIN: dict[str, Any] = {
    "exit_code": 0,
    "signal": None,
    "limit": None,
    "wall_ns": 20 * NS_PER_MS,
    "cpu_ns": 15 * NS_PER_MS,
    "user_ns": 10 * NS_PER_MS,
    "system_ns": 5 * NS_PER_MS,
    "peak_bytes": 10 * MIB,
    "peak_source": "rusage",
    "cgroup_peak_bytes": None,
    "integral_byte_ns": 8 * MIB * 20 * NS_PER_MS,
    "integral_error_byte_ns": 0,
    "samples": 3,
    "largest_gap_ns": NS_PER_MS,
    "processes": 1,
    "oom_kills": 0,
    "minor_faults": 0,
    "major_faults": 0,
    "voluntary_switches": 0,
    "involuntary_switches": 0,
    "stdout_cut": False,
    "stderr_cut": False,
    "containment": "",
    "stdout": b"out\n",
    "stderr": b"err\n",
}


def run(**changes: Any) -> Run:
    """Return a successful run of 20 ms, with changes."""
    return Run(**{**PLAIN, **changes})


def done(verdict: Verdict, *runs: Run, **changes: Any) -> JobResult:
    """Return the result of a finished job."""
    values = {
        "language": "python",
        "verdict": verdict,
        "runs": runs,
        "compile_run": run(stdout=b"", stderr=b""),
    }
    return JobResult("0" * 31 + "a", JobState.DONE, **{**values, **changes})


TIME = run(exit_code=None, signal=9, limit="cpu")
MEMORY = run(exit_code=None, signal=9, limit="memory")
OUTPUT = run(exit_code=0, limit="output", stdout_cut=True)
CRASH = run(exit_code=None, signal=11)
EXIT = run(exit_code=3)
FAILED = JobResult("0" * 31 + "b", JobState.FAILED, error="the sandbox failed")
