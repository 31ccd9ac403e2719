"""The one place where Jinja environments are made.

All of them are sandboxed: a template reaches no attribute that begins with an underscore, changes
no value that it was given, and its ranges end at 100,000. A folder of templates is read like any
folder of a stranger (core/untrusted/beneath.py). Loops within loops are not bounded here: templates
of a user are rendered in a process with limits (models/prompts/template_process.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from venus_toolkit.core.untrusted.beneath import read_beneath


def make_environment(*folders: Path, **options: Any) -> jinja2.Environment:
    """Return an environment with the templates of these folders, the first of which has precedence.

    Args:
        folders: Where the templates are.
        options: Of `jinja2.Environment`. A name that a template misspells is an error.
    """

    def read(name: str) -> str | None:
        found = (folder for folder in folders if (folder / name).is_file())
        folder = next(found, None)
        return read_beneath(folder / name, folder).decode("utf-8") if folder else None

    settings: dict[str, Any] = {
        "loader": jinja2.FunctionLoader(read),
        "undefined": jinja2.StrictUndefined,
        **options,
    }
    return ImmutableSandboxedEnvironment(**settings)
