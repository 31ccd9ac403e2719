"""The only module that creates Jinja environments.

All of them are sandboxed: a template cannot access attributes that begin with an underscore, change
its arguments, or use ranges above 100,000. Folders of templates are read as untrusted
(core/untrusted/beneath.py). Nested loops are not bounded here: a user's templates are rendered in a
process with limits (models/prompts/template_process.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from venus_toolkit.core.untrusted.beneath import read_beneath


def make_environment(*folders: Path, **options: Any) -> jinja2.Environment:
    """Return an environment with the templates of these folders; the first folder has precedence.

    Args:
        folders: The folders of the templates.
        options: Options of `jinja2.Environment`. By default an undefined name is an error.
    """

    def read(name: str) -> str | None:
        folder = next((folder for folder in folders if (folder / name).is_file()), None)
        return read_beneath(folder / name, folder).decode("utf-8") if folder else None

    settings: dict[str, Any] = {
        "loader": jinja2.FunctionLoader(read),
        "undefined": jinja2.StrictUndefined,
        **options,
    }
    return ImmutableSandboxedEnvironment(**settings)
