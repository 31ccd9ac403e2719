"""The protocol of the native supervisor: its command line, requests and answers."""

from __future__ import annotations

import functools
import io
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from venus_toolkit.core.errors import MachineError, SandboxError
from venus_toolkit.core.records import NS_PER_MS, Limits, Run

BINARY = Path(__file__).parents[1] / "native" / "venus-supervisor"
SOURCE = Path(__file__).parents[1] / "native" / "supervisor.c"


@dataclass(frozen=True, slots=True)
class Cores:
    """The processors of a program and of its supervisor; None: the kernel chooses.

    `spin_ns` is how long the supervisor reads memory without sleeping at the start of a run. It is
    used only if the supervisor has its own core.
    """

    program: int | None = None
    sampler: int | None = None
    spin_ns: int = 0

    @property
    def apart(self) -> bool:
        """Whether program and supervisor have different cores."""
        return (
            self.program is not None and self.sampler is not None and self.program != self.sampler
        )


@dataclass(frozen=True, slots=True)
class Sampling:
    """The interval of samples of the resident set, and whether the samples are reported."""

    interval_ns: int = 1_000_000
    trace: bool = False


# For counting: memory is sampled only to enforce the limit, since it includes the emulator's.
COUNTED = Sampling(interval_ns=10 * NS_PER_MS)


def binary() -> Path:
    """Return the path of the compiled supervisor.

    Raises:
        MachineError: It is not compiled (a checkout that was not installed), or its source is
            newer.
    """
    if not BINARY.is_file():
        raise MachineError(
            "the native supervisor is not compiled", f"{BINARY} does not exist", "type: make native"
        )
    # A supervisor that does not match the sources would fail in confusing ways.
    if SOURCE.is_file() and SOURCE.stat().st_mtime > BINARY.stat().st_mtime + 1:
        raise MachineError(
            "the native supervisor is out of date", f"{SOURCE.name} is newer", "type: make native"
        )
    return BINARY


@functools.cache
def version() -> str:
    """Return the name and version that the supervisor prints.

    Raises:
        MachineError: It is not compiled.
    """
    done = subprocess.run([str(binary()), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def argv(
    executable: str,
    limits: Limits,
    program: Sequence[str],
    *,
    cores: Cores | None = None,
    sampling: Sampling | None = None,
    extra: Sequence[str] = (),
) -> list[str]:
    """Return the command line that supervises `program` (an argv) under `limits`."""
    cores = cores or Cores()
    sampling = sampling or Sampling()
    options: dict[str, int] = {
        "--wall-ns": limits.wall_ns,
        "--cpu-ns": limits.cpu_ns,
        "--memory-bytes": limits.memory_bytes,
        "--output-bytes": limits.output_bytes,
        "--file-bytes": limits.file_bytes,
        "--processes": limits.processes,
        "--open-files": limits.open_files,
        "--interval-ns": sampling.interval_ns,
        "--spin-ns": cores.spin_ns if cores.apart else 0,
    }
    if cores.program is not None:
        options["--program-cpu"] = cores.program
    if cores.sampler is not None:
        options["--sampler-cpu"] = cores.sampler
    words = [executable]
    for name, value in options.items():
        words += [name, str(value)]
    return [*words, *(["--trace"] if sampling.trace else []), *extra, "--", *program]


def request_line(size: int) -> bytes:
    """Return the request for one run on the `size` bytes that follow."""
    return b"run %d\n" % size


def read_answer(stream: IO[bytes]) -> tuple[Run, bool] | None:
    """Read one answer from a supervisor.

    Returns:
        The run, and whether the supervisor ends because it could not remove temporary files; None
        at the end of the stream.

    Raises:
        SandboxError: The answer is malformed.
    """
    line = stream.readline()
    if not line:
        return None
    try:
        fields = json.loads(line)
        stdout = _exactly(stream, fields.pop("stdout_bytes"))
        stderr = _exactly(stream, fields.pop("stderr_bytes"))
        dirty = bool(fields.pop("dirty"))
        # In an answer, -1 (for a signal 0) means none or unknown.
        fields["exit_code"] = None if fields["exit_code"] == -1 else fields["exit_code"]
        fields["signal"] = fields["signal"] or None
        fields["cgroup_peak_bytes"] = (
            None if fields["cgroup_peak_bytes"] == -1 else fields["cgroup_peak_bytes"]
        )
        fields["instructions"] = None if fields["instructions"] == -1 else fields["instructions"]
        fields["trace"] = tuple((at, size) for at, size in fields["trace"])
        error_byte_ns = fields["peak_bytes"] * fields["largest_gap_ns"]
        return Run(
            **fields, integral_error_byte_ns=error_byte_ns, stdout=stdout, stderr=stderr
        ), dirty
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SandboxError(
            "the supervisor's answer cannot be read", f"{error}: {line[:200]!r}"
        ) from error


def one_run(words: Sequence[str]) -> tuple[Run | None, str]:
    """Run a trusted program once, on empty input, under a supervisor outside any sandbox.

    Args:
        words: The supervisor's command line.

    Returns:
        The run, or None and the reason why there is none.
    """
    done = subprocess.run(words, input=request_line(0), capture_output=True)
    answer = read_answer(io.BytesIO(done.stdout))
    return answer[0] if answer else None, done.stderr.decode("utf-8", "replace").strip()


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise SandboxError(
            "the supervisor stopped in the middle of an answer",
            f"{len(data)} of {size} bytes of output",
        )
    return data
