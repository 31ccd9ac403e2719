"""Generators as programs of their own: our modules that make inputs, and what they are given, in one text."""

from __future__ import annotations

import ast
import pprint
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

FOLDER = Path(__file__).parent
WIDTH = 120


def derived_source(slug: str, shape: Mapping[str, Any]) -> str:
    """Return the generator that makes inputs of `shape`."""
    code = _code("expressions", "synthesis")
    return _template("derived.py.j2").render(slug=slug, code=code, shape=_literal(dict(shape)))


def mutated_source(slug: str, inputs: Sequence[str]) -> str:
    """Return the generator that varies `inputs`."""
    return _template("mutated.py.j2").render(slug=slug, code=_code("mutation"), inputs=_literal(list(inputs)))


def _literal(value: Any) -> str:
    return pprint.pformat(value, width=WIDTH, sort_dicts=False)


def _template(name: str) -> jinja2.Template:
    text = (FOLDER / "templates" / name).read_text(encoding="utf-8")
    return jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined).from_string(text)


@cache
def _code(*modules: str) -> str:
    """Return the texts of our modules as one, imports first, without docstrings of modules and imports of ours."""
    imports: dict[str, None] = {}
    bodies = []
    for module in modules:
        text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
        nodes = ast.parse(text).body
        ours = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        for node in ours:
            imports.update(dict.fromkeys([] if _skipped(node) else [ast.unparse(node)]))
        lines = text.splitlines()
        bodies.append("\n".join(lines[ours[-1].end_lineno :]).strip())
    return "\n".join(imports) + "\n\n" + "\n\n\n".join(bodies)


def _skipped(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("venus_toolkit", "__future__")
