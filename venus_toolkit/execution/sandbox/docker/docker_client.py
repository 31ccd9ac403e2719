"""A client of the Docker daemon, its errors as SandboxErrors, and the labels of our containers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import docker
import docker.constants
import docker.errors
import docker.utils

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.temporary import start_of
from venus_toolkit.execution.sandbox.docker import daemon

LABEL = "venus"
MAKER = "venus.maker"
OLDEST_API = "1.41"

Client = Any  # docker.APIClient, which has no types
FIRST_ANSWER_S = 10  # a working daemon reports its version at once, even under load
REFUSALS = (docker.errors.DockerException, OSError)  # the exceptions of requests are OSErrors


def connect() -> Client:
    """Return a client of the daemon at ``DOCKER_HOST``, or of this machine's; close it when done.

    Raises:
        SandboxError: No daemon answers in time, or it is older than API 1.41 (Docker 20.10).
    """
    reason = daemon.problem()
    if reason:
        raise SandboxError("there is no Docker daemon", *reason)
    with refusals(
        "the Docker daemon cannot be used", "type: systemctl restart docker, or set DOCKER_HOST"
    ):
        client = docker.APIClient(timeout=FIRST_ANSWER_S, **docker.utils.kwargs_from_env())
        client.timeout = docker.constants.DEFAULT_TIMEOUT_SECONDS
    if _version(client.api_version) < _version(OLDEST_API):
        version = client.api_version
        client.close()
        raise SandboxError(
            "the Docker daemon is too old",
            f"it supports API {version}, but {OLDEST_API} is required",
            "update it",
        )
    return client


@contextmanager
def refusals(action: str, fix: str = "type: venus doctor") -> Iterator[None]:
    """Turn an error of the daemon into a SandboxError that says which `action` failed."""
    try:
        yield
    except REFUSALS as error:
        reason = getattr(error, "explanation", None) or error
        raise SandboxError(action, str(reason), fix) from error


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


class MakerProcess(NamedTuple):
    """A process: its PID, and its start time in clock ticks since boot.

    The PID is unique only within one boot of the kernel and one PID namespace.
    """

    boot: str
    namespace: str
    pid: str
    start: str

    @property
    def dead(self) -> bool:
        """Whether it has ended; False if unknown, as for another machine or namespace."""
        here = this_process()
        return (self.boot, self.namespace) == (here.boot, here.namespace) and start_of(
            self.pid
        ) != self.start


def this_process() -> MakerProcess:
    """Return the identity of this process."""
    boot, pid = Path("/proc/sys/kernel/random/boot_id").read_text().strip(), str(os.getpid())
    return MakerProcess(boot, os.readlink("/proc/self/ns/pid"), pid, start_of(pid) or "")


def labels() -> dict[str, str]:
    """Return the labels for a container of this process."""
    return {LABEL: "1", MAKER: " ".join(this_process())}


def maker(labels: Mapping[str, str]) -> MakerProcess | None:
    """Return the process that made a container with these labels, if they name it."""
    words = labels.get(MAKER, "").split(" ")
    return MakerProcess(*words) if len(words) == len(MakerProcess._fields) else None


def remove_leftovers(client: Client) -> list[str]:
    """Remove containers that carry our label and whose maker has ended; returns their ids."""
    with refusals("leftover containers cannot be removed"):
        ours = client.containers(all=True, filters={"label": f"{LABEL}=1"})
    left = [
        container["Id"]
        for container in ours
        if (process := maker(container.get("Labels") or {})) and process.dead
    ]
    for name in left:
        remove(client, name)
    return left


def remove(client: Client, name: str) -> None:
    """Remove a container, running or not; returns when it is gone."""
    with refusals(f"the container {name[:12]} cannot be removed"):
        try:
            client.remove_container(name, force=True, v=True)
        except docker.errors.NotFound:
            return
        except docker.errors.APIError as error:
            if error.status_code != 409:
                raise
            # it has just ended by itself, and the daemon is removing it
            with suppress(docker.errors.NotFound):
                client.wait(name, timeout=30, condition="removed")
