"""The programs that are published with a specification: a few lines that hold it and call its runtime."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import jinja2

from venus_toolkit.builders.inputs.spec import SpecError, families, load, sizes, to_json
from venus_toolkit.builders.inputs.spec.specification import Spec
from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent / "templates"
LONGEST = 4_000_000  # characters of a program in which a specification is looked for


def generator_text(spec: Spec) -> str:
    """Return the generator that draws inputs of a specification."""
    return _template("generator").render(
        slug=_in_comment(spec.name),
        spec=repr(to_json(spec)),
        families=families(spec),
        sizes=sizes(spec),
    )


def validator_text(spec: Spec) -> str:
    """Return the validator that accepts what keeps a specification."""
    return _template("validator").render(slug=_in_comment(spec.name), spec=repr(to_json(spec)))


def spec_of(code: str | None) -> Spec | None:
    """Return the specification that a generator or validator holds, or None.

    Nothing is run: the text of somebody's program is searched for ``SPEC = load("…")``.
    """
    if not code or len(code) > LONGEST or "SPEC = load(" not in code:
        return None
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in body:
        match node:
            case ast.Assign(
                targets=[ast.Name(id="SPEC")],
                value=ast.Call(func=ast.Name(id="load"), args=[ast.Constant(value=str(text))]),
            ):
                try:
                    return load(text)
                except SpecError:
                    return None
    return None


def _in_comment(text: str) -> str:
    """Return anybody's text as one line that ends no docstring."""
    return "".join(sign if sign.isprintable() and sign not in "\"'\\" else " " for sign in text)


@cache
def _template(name: str) -> jinja2.Template:
    return make_environment(FOLDER, keep_trailing_newline=True).get_template(f"{name}.py.j2")
