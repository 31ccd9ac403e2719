"""Generators as programs of their own.

Our modules that make inputs, and what they are given, in one text.
"""

from __future__ import annotations

import ast
import json
import pprint
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jinja2

from venus_toolkit.builders.inputs.spec.draw import families, sizes
from venus_toolkit.builders.inputs.spec.specification import Spec, to_json
from venus_toolkit.builders.inputs.validators.render import in_comment
from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent
INPUTS = FOLDER.parent
WIDTH = 120


def derived_source(spec: Spec) -> str:
    """Return the generator that draws from a specification, with the modules that do so."""
    plain = json.loads(to_json(spec))
    return _template("derived.py.j2").render(
        slug=in_comment(spec.name),
        modules=_runtime(),
        spec=pprint.pformat(plain, width=WIDTH, sort_dicts=False),
        sizes=sizes(spec),
        families=families(spec),
    )


@cache
def _runtime() -> str:
    """Return the modules of the runtime by name, as a literal."""
    files = sorted((INPUTS / "spec").glob("*.py"))
    entries = (f"    {file.stem!r}: {file.read_text(encoding='utf-8')!r},\n" for file in files)
    return "{\n" + "".join(entries) + "}"


def mutated_source(slug: str, inputs: Sequence[str]) -> str:
    """Return the generator that varies `inputs`."""
    literal = pprint.pformat(list(inputs), width=WIDTH, sort_dicts=False)
    return _template("mutated.py.j2").render(
        slug=in_comment(slug), code=code_of("spec/mutation"), inputs=literal
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
