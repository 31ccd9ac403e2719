"""Serving: the address is checked, signals drain, and what is served on is told once it is."""

from __future__ import annotations

import gc
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn

from venus_toolkit.errors import MachineError, UsageError
from venus_toolkit.server.app import create_app
from venus_toolkit.server.guard import is_loopback
from venus_toolkit.server.service import Service
from venus_toolkit.server.settings import Settings

BACKLOG = 2048
SWITCH_S = 0.0005  # whoever answers a client does not wait longer than that for a worker's thread


def serve(settings: Settings, tell: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; then finish what runs and leave the rest to the next server.

    Args:
        settings: What to serve, and where.
        tell: Told the address once requests are answered.

    Raises:
        UsageError: Others could use it without a key.
        MachineError: The address cannot be used, or programs cannot be run here.
    """
    require_key(settings)
    with listen(settings.host, settings.port) as listening:
        _serve(settings, listening, tell)


def _serve(settings: Settings, listening: socket.socket, tell: Callable[[str], None]) -> None:
    service = Service(settings)
    config = uvicorn.Config(
        create_app(settings, service),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=max(1, int(settings.drain_s)),
    )
    sys.setswitchinterval(SWITCH_S)
    gc.freeze()  # what is loaded by now stays: nobody has to look through it again
    host, port = listening.getsockname()[:2]
    Server(config, service, lambda: tell(f"http://{f'[{host}]' if ':' in host else host}:{port}")).run([listening])


class Server(uvicorn.Server):
    """A server that refuses new jobs from the moment it is told to stop, and says when it answers."""

    def __init__(self, config: uvicorn.Config, service: Service, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._service = service
        self._started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        if self.started:
            self._started()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take a signal to stop; a second Ctrl-C does not wait."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True
        self._service.drain()


def require_key(settings: Settings) -> None:
    """Check that strangers cannot use the server.

    Raises:
        UsageError: They could.
    """
    if not settings.keys and not is_loopback(settings.host):
        why = f"{settings.host} can be reached from elsewhere and there is no API key"
        raise UsageError(
            "the server is not started", why, "set VENUS_API_KEY, give --api-keys FILE, or --host 127.0.0.1"
        )


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        MachineError: It cannot.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise MachineError(f"cannot listen on {host}:{port}", str(error), "choose another --host or --port") from error
