"""What was asked lately: a memory that is bounded, and that a restart empties."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Value = TypeVar("Value")

ENTRY_BYTES = 1024  # what an entry takes beside what is in it, rather too much


class Lately(Generic[Value]):
    """Values by name; the oldest go first.

    Args:
        most_bytes: How much is kept, by the sizes that were told.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._kept)

    def keep(self, name: str, value: Value, size: int = 0) -> None:
        """Keep a value of `size` bytes."""
        self.take(name)
        self._kept[name] = (value, size + ENTRY_BYTES)
        self._bytes += size + ENTRY_BYTES
        while self._bytes > self._most_bytes:
            self._bytes -= self._kept.popitem(last=False)[1][1]

    def find(self, name: str) -> Value | None:
        """Return a value, if it is still there."""
        found = self._kept.get(name)
        return found[0] if found else None

    def take(self, name: str) -> Value | None:
        """Return a value, if it is still there, and forget it."""
        found = self._kept.pop(name, None)
        if found is None:
            return None
        self._bytes -= found[1]
        return found[0]
