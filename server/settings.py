"""What a server is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from venus_toolkit.records import MIB, NS_PER_S, Limits

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
    """How to serve.

    Attributes:
        folder: Where the queue lies; it belongs to one server at a time.
        host: The address to listen on; any other than loopback needs a key.
        port: The port; 0 takes a free one.
        keys: The API keys; none: no key is asked for.
        sandbox: Where programs run.
        languages: A folder with more languages.
        workers: How many; None: one for each core, or one for each pair.
        apart: Two cores for each worker: one for the program, one for what samples its memory.
        queue_jobs: How many jobs wait or run at most.
        queue_bytes: How large they may be together.
        body_bytes: How large a request may be.
        job_stdins: How many inputs a job may have.
        job_repeats: How often a job may be measured.
        shown_bytes: How much of each output a job may keep.
        most: What the limits of a job may be at most.
        ttl_s: How long results are kept.
        drain_s: How long a server that is told to stop waits for what is running.
        free_bytes: What has to be free on the disk for a job to be accepted.
        session_s: How long a session may be idle.
        sessions: How many sessions there may be.
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
    job_stdins: int = 10_000
    job_repeats: int = 100
    shown_bytes: int = 16 * MIB
    most: Limits = MOST
    ttl_s: float = 3600
    drain_s: float = 30
    free_bytes: int = 64 * MIB
    session_s: float = 600
    sessions: int = 256
