"""Opens a sandbox by name, or the one that suits this machine."""

from __future__ import annotations

import logging
from collections.abc import Collection

from venus_toolkit.core.errors import MachineError, UsageError
from venus_toolkit.core.extras import require
from venus_toolkit.core.language import Language, load_languages
from venus_toolkit.core.options import nearest
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.execution.sandbox.docker import daemon

log = logging.getLogger(__name__)
NAMES = ("auto", "local", "docker", "unsafe")
SERVERS = ("http://", "https://")


def open_sandbox(
    name: str = "auto",
    languages: Collection[Language] | None = None,
    patience_s: float | None = None,
) -> Sandbox:
    """Return the sandbox called `name`.

    Args:
        name: One of NAMES, or the address of a `venus serve`. ``auto`` is ``docker`` if a daemon
            answers and has an image of each language, else ``local``, and never ``unsafe``.
        languages: The languages of the programs; None: all built-in ones.
        patience_s: How long to retry a server that does not answer, in seconds; None: 60.

    Raises:
        UsageError: The name is unknown.
        MachineError: The extra docker is not installed.
        SandboxError: This machine cannot isolate programs.
    """
    if name.startswith(SERVERS):
        from venus_toolkit.execution.sandbox.remote.remote_sandbox import RemoteSandbox
        from venus_toolkit.execution.sandbox.remote.server_client import PATIENCE_S

        return RemoteSandbox(name, PATIENCE_S if patience_s is None else patience_s)
    if name not in NAMES:
        reason = "expected one of " + ", ".join(NAMES) + ", or http://HOST:PORT of a `venus serve`"
        fix = nearest(name, NAMES) + "type: venus doctor"
        raise UsageError(f"unknown sandbox {name!r}", reason, fix)
    if name == "auto":
        name = "docker" if _docker_has(languages) else "local"
        log.info("--sandbox auto chose %s", name)
    if name == "docker":
        require("docker")
        from venus_toolkit.execution.sandbox.docker.docker_sandbox import DockerSandbox

        return DockerSandbox(languages)
    from venus_toolkit.execution.sandbox.local import LocalSandbox

    return LocalSandbox(isolate=name != "unsafe")


def _docker_has(languages: Collection[Language] | None) -> bool:
    """Whether a usable daemon answers and has the images; logs why not."""
    if daemon.problem():
        return False
    try:
        require("docker")
        from venus_toolkit.execution.sandbox.docker.language_images import missing_images

        missing = missing_images(load_languages().values() if languages is None else languages)
    except MachineError as error:
        log.info("a Docker daemon answers but cannot be used: %s", error)
        return False
    if missing:
        log.info("a Docker daemon answers; it has no image of %s", ", ".join(missing))
    return not missing
