"""Generators as programs of their own.

Our modules that make inputs, and what they are given, in one text.
"""

from __future__ import annotations

import ast
import pprint
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from venus_toolkit.builders.inputs.spec.synthesis import largest_sizes
from venus_toolkit.builders.inputs.validators.render import checks, in_comment
from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent
INPUTS = FOLDER.parent
WIDTH = 120
MOST_SAMPLES = 16  # in the text of a generator that varies them
LONGEST_SAMPLE = 4_000  # characters of each


def derived_source(slug: str, shape: Mapping[str, Any], samples: Sequence[str] = ()) -> str:
    """Return the generator that makes inputs of `shape`.

    Of `samples` it varies those that are short enough.
    """
    code = code_of(
        "spec/expressions",
        "spec/bounds",
        "spec/patterns",
        "spec/replay",
        "spec/synthesis",
    )
    code += "\n\n\n" + checks()["is_prime"]
    short = [text for text in dict.fromkeys(samples) if len(text) <= LONGEST_SAMPLE][:MOST_SAMPLES]
    plain, shown = (
        pprint.pformat(value, width=WIDTH, sort_dicts=False) for value in (dict(shape), short)
    )
    sizes = largest_sizes(shape)
    return _template("derived.py.j2").render(
        slug=in_comment(slug), code=code, shape=plain, samples=shown, sizes=sizes
    )


def _template(name: str) -> jinja2.Template:
    return make_environment(FOLDER / "templates", keep_trailing_newline=True).get_template(name)


@cache
def code_of(*modules: str) -> str:
    """Return the texts of our modules as one, imports first, without docstrings of modules and imports of ours."""
    imports: dict[str, None] = {}
    bodies = []
    for module in modules:
        text = (INPUTS / f"{module}.py").read_text(encoding="utf-8")
        found = [
            node for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        for node in found:
            # A generator runs without our package, and says at its top what it takes from the
            # future.
            package = (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else ""
            if package not in ("venus_toolkit", "__future__") and not getattr(node, "level", 0):
                imports[ast.unparse(node)] = None
        bodies.append("\n".join(text.splitlines()[found[-1].end_lineno :]).strip())
    return "\n".join(imports) + "\n\n" + "\n\n\n".join(bodies)
