"""The extras of pyproject.toml: packages that only some commands need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec

from venus_toolkit.core.errors import MachineError

DISTRIBUTION = "venus-toolkit"
# Packages whose module has another name.
MODULES = {"markdown-it-py": "markdown_it", "pyyaml": "yaml"}


def require(extra: str) -> None:
    """Check that the packages of an extra are installed, without importing them.

    Raises:
        MachineError: Packages are missing; the message names them and the command to type.
    """
    missing = [name for name, module in packages(extra) if find_spec(module) is None]
    if missing:
        raise MachineError(
            f"the extra {extra} is not installed",
            f"missing: {', '.join(sorted(missing))}",
            f"type: pip install '{DISTRIBUTION}[{extra}]'",
        )


def packages(extra: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the module of each package that an extra installs."""
    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # a folder on PYTHONPATH has no metadata
        return
    for line in required:
        requirement, _, marker = line.partition(";")
        if not re.search(rf"\bextra == (['\"]){re.escape(extra)}\1", marker):
            continue
        name, inner = re.match(r"([\w.-]+)(?:\[(.*?)\])?", requirement.strip()).groups()  # type: ignore[union-attr]
        name = name.lower()
        if name == DISTRIBUTION:
            for other in inner.split(","):
                yield from packages(other.strip())
        else:
            yield name, MODULES.get(name, name.replace("-", "_"))
