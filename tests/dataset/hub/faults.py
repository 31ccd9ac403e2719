"""What a Hub, or the network before it, may do instead of answering."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field

HELD_S = 120.0


@dataclass
class Fault:
    """Happens to the first `times` requests of a method whose path has the pattern, after `skip` that pass.

    Args:
        method: GET, HEAD, PUT or POST.
        path: A regular expression that is searched in the path.
        status: Answer with this status and do nothing; 0 does the work.
        headers: Headers of that answer.
        cut_after: Read so many bytes of the body, then cut the connection, having done nothing.
        lost: Do the work, then cut the connection in place of the answer.
        delay_s: Wait before doing anything.
        hold: Wait, before the work or after it ("before", "after"), until `release` is called.
        answer_cut: Send so many bytes of the answer's body, then cut the connection.
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
        """Hold the request where this was asked for."""
        if self.hold == moment:
            self.reached.set()
            self.released.wait(HELD_S)

    def release(self) -> None:
        """Let held requests go on."""
        self.released.set()


class Faults:
    """The faults that are still to happen."""

    def __init__(self) -> None:
        self._listed: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        """Ask for a fault."""
        with self._lock:
            self._listed.append(fault)
        return fault

    def clear(self) -> None:
        """Answer well from now on."""
        with self._lock:
            for fault in self._listed:
                fault.release()
            self._listed.clear()

    def take(self, method: str, path: str) -> Fault | None:
        """The fault of this request, or None."""
        with self._lock:
            for fault in self._listed:
                if fault.method == method and re.search(fault.path, path):
                    fault.seen += 1
                    if fault.skip < fault.seen <= fault.skip + fault.times:
                        return fault
        return None
