"""The settings of a server; units are in the names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from venus_toolkit.core.records import MIB, NS_PER_S, Limits

MOST = Limits(
    wall_ns=120 * NS_PER_S,
    cpu_ns=480 * NS_PER_S,
    memory_bytes=4096 * MIB,
    output_bytes=64 * MIB,
    file_bytes=512 * MIB,
    processes=512,
    open_files=4096,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a server; ``venus serve --help`` explains most of them.

    workers: None means one for each core or, with `apart`, for each pair of cores, one for the
    program and one for its sampler. Without keys, clients need none, and the host must be a
    loopback address. `most` bounds the limits of a job; job_stdins, job_repeats and shown_bytes
    (per output) are further bounds of one job. body_pause_s is the longest pause within a request,
    session_s the longest time for which a session may be idle, and sessions their largest number.
    """

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8080
    keys: tuple[str, ...] = ()
    sandbox: str = "auto"
    languages: Path | None = None
    workers: int | None = None
    apart: bool = False
    queue_jobs: int = 10_000
    queue_bytes: int = 1024 * MIB
    body_bytes: int = 50 * MIB
    body_pause_s: float = 30
    job_stdins: int = 10_000
    job_repeats: int = 100
    shown_bytes: int = 16 * MIB
    most: Limits = MOST
    ttl_s: float = 3600
    drain_s: float = 0.5
    free_bytes: int = 64 * MIB
    session_s: float = 600
    sessions: int = 256
