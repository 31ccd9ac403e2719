"""The frames that a remote sandbox and its server exchange.

A frame consists of the length of its header (4 bytes, big-endian), a JSON header, and parts of raw
bytes, whose lengths are listed in ``bytes`` of the header. A request has its inputs as parts. An
answer has one frame for each run, with its two outputs as parts, and a last frame with ``end`` or
an error.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.core.errors import SandboxError
from venus_toolkit.core.records import Run, from_plain

LENGTH = struct.Struct(">I")
MAX_HEADER_BYTES = 256 << 20  # large, because it contains the samples of a long run
RUN_FIELDS = tuple(
    field.name for field in dataclasses.fields(Run) if field.name not in ("stdout", "stderr")
)
END = "end"


class Frame(NamedTuple):
    """A header and its parts."""

    header: dict[str, Any]
    parts: tuple[bytes, ...]


def frame(header: Mapping[str, Any], parts: Sequence[bytes] = ()) -> bytes:
    """Return a frame as bytes."""
    text = json.dumps(
        {**header, "bytes": [len(part) for part in parts]}, separators=(",", ":")
    ).encode()
    return b"".join((LENGTH.pack(len(text)), text, *parts))


def read_frame(read: Callable[[int], bytes]) -> Frame | None:
    """Read a frame.

    Args:
        read: Returns the requested number of bytes, or fewer at the end of the stream.

    Returns:
        The frame, or None at the end of the stream.

    Raises:
        EOFError: The stream ends in the middle of a frame.
        SandboxError: The frame is malformed.
    """

    def whole(size: int) -> bytes:
        data = read(size) if size else b""  # a read of 0 bytes could wait for the next frame
        if len(data) != size:
            raise EOFError(f"{len(data)} of {size} bytes")
        return data

    head = read(LENGTH.size)
    if not head:
        return None
    (size,) = LENGTH.unpack(head + whole(LENGTH.size - len(head)))
    if size > MAX_HEADER_BYTES:
        raise SandboxError("the server's answer cannot be read", f"a header of {size} bytes")
    try:
        header = json.loads(whole(size))
        sizes = [int(length) for length in header.pop("bytes")]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SandboxError("the server's answer cannot be read", str(error)) from error
    return Frame(header, tuple(map(whole, sizes)))


def run_frame(run: Run) -> bytes:
    """Return a run as a frame."""
    return frame({name: getattr(run, name) for name in RUN_FIELDS}, (run.stdout, run.stderr))


def run_of(frame: Frame) -> Run:
    """Return the run in a frame."""
    stdout, stderr = frame.parts
    trace = tuple((at, size) for at, size in frame.header["trace"])
    return from_plain(Run, {**frame.header, "trace": trace, "stdout": stdout, "stderr": stderr})
