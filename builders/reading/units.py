"""Times and sizes as people write them into tables: ``2 seconds``, ``52ms``, ``256.0 megabytes``."""

from __future__ import annotations

import re
from collections.abc import Mapping

SECONDS = {"": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "ms": 1e-3, "millisecond": 1e-3}
BITS = {
    "b": 0, "byte": 0, "kb": 10, "kib": 10, "kilobyte": 10, "mb": 20, "mib": 20, "megabyte": 20,
    "gb": 30, "gib": 30, "gigabyte": 30,
}  # fmt: skip
BYTES = {unit: float(1 << bits) for unit, bits in BITS.items()}
QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def seconds(text: str) -> float:
    """Return a time in seconds; a bare number is one.

    Raises:
        ValueError: It is no time.
    """
    return _scaled(text, SECONDS)


def size(text: str) -> float:
    """Return a size in bytes; kilo, mega and giga are powers of 1024, as judges count, and a unit is needed.

    Raises:
        ValueError: It is no size.
    """
    return _scaled(text, BYTES)


def _scaled(text: str, units: Mapping[str, float]) -> float:
    found = QUANTITY.fullmatch(text)
    unit = found[2].lower() if found else None
    factor = units.get(unit, units.get(unit.removesuffix("s"))) if unit is not None else None
    if found is None or factor is None:
        raise ValueError(f"no unit of {', '.join(filter(None, units))}")
    return float(found[1]) * factor
