"""Checks whether the Docker daemon answers, without the docker package, in milliseconds.

``DOCKER_HOST`` is respected for ``unix://`` and plain ``tcp://``. A daemon behind TLS or ssh is not
checked: only its use shows whether it works.
"""

from __future__ import annotations

import os
import socket
from urllib.parse import urlsplit

SOCKET = "/var/run/docker.sock"
PING = b"GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n"
PATIENCE_S = 1.0  # a daemon that hangs must not delay `--sandbox auto`
SCHEMES = ("unix", "tcp", "http", "https", "ssh")


def address() -> str:
    """Return the URL of the daemon."""
    return os.environ.get("DOCKER_HOST") or f"unix://{SOCKET}"


def problem(url: str | None = None) -> tuple[str, str] | None:
    """Return why no daemon answers at `url` (default: `address()`) and a fix, or None."""
    url = url or address()
    try:
        connection = _connect(url)
        if connection is None:
            return None
        with connection:
            connection.sendall(PING)
            reply = connection.recv(64)
    except FileNotFoundError:
        return f"{url} does not exist", "type: apt-get install docker.io, or set DOCKER_HOST"
    except PermissionError:
        return (
            f"{url} may not be opened by this user",
            "type: usermod -aG docker $USER, and log in again",
        )
    except ValueError as error:
        return (
            f"DOCKER_HOST is {url!r}, which is not the address of a daemon ({error})",
            f"set it, say to unix://{SOCKET}",
        )
    except OSError as error:
        return (
            f"{url} does not answer ({error})",
            "type: systemctl restart docker, or set DOCKER_HOST",
        )
    if b" 200 " in reply:
        return None
    return f"{url} is not a Docker daemon ({reply[:40]!r})", "set DOCKER_HOST"


def _connect(url: str) -> socket.socket | None:
    """Return a connection to the daemon, or None if only the docker package can connect.

    Raises:
        ValueError: The URL is not an address of a daemon.
    """
    parts = urlsplit(url)
    if parts.scheme not in SCHEMES:
        raise ValueError(f"expected one of {', '.join(f'{scheme}://' for scheme in SCHEMES)}")
    if parts.scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(PATIENCE_S)
        try:
            connection.connect(parts.netloc + parts.path)
        except OSError:
            connection.close()
            raise
        return connection
    if parts.scheme in ("tcp", "http") and not os.environ.get("DOCKER_TLS_VERIFY"):
        return socket.create_connection(
            (parts.hostname or "localhost", parts.port or 2375), PATIENCE_S
        )
    return None
