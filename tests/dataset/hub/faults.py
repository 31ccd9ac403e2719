"""Faults of a Hub, or of the network in front of it."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field

HELD_S = 120.0


@dataclass
class Fault:
    """Affects `times` matching requests, after the first `skip`.

    Args:
        method: GET, HEAD, PUT or POST.
        path: A regular expression to search for in the path.
        status: Answer with this status and ignore the request; 0 handles it.
        headers: Headers of that answer.
        cut_after: Close the connection after reading this many bytes of the body; ignore the request.
        lost: Handle the request, then close the connection instead of answering.
        delay_s: Wait before doing anything.
        hold: Wait "before" or "after" handling the request, until `release` is called.
        answer_cut: Close the connection after sending this many bytes of the answer's body.
    """

    method: str
    path: str
    times: int = 1
    skip: int = 0
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    lost: bool = False
    delay_s: float = 0.0
    hold: str = ""
    answer_cut: int | None = None
    seen: int = 0
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def wait(self, moment: str) -> None:
        """Hold the request if the fault holds it at this moment."""
        if self.hold == moment:
            self.reached.set()
            self.released.wait(HELD_S)

    def release(self) -> None:
        """Resume held requests."""
        self.released.set()


class Faults:
    """The faults of a Hub."""

    def __init__(self) -> None:
        self._listed: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._listed.append(fault)
        return fault

    def clear(self) -> None:
        """Resume held requests, and remove all faults."""
        with self._lock:
            for fault in self._listed:
                fault.release()
            self._listed.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """Return the fault of this request, or None."""
        with self._lock:
            for fault in self._listed:
                if fault.method == method and re.search(fault.path, path):
                    fault.seen += 1
                    if fault.skip < fault.seen <= fault.skip + fault.times:
                        return fault
        return None
