"""The programs published with a specification: a few lines that contain it and call its runtime."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from venus_toolkit.builders.inputs.spec import Spec, families, sizes, to_json
from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent / "templates"


def generator_text(spec: Spec) -> str:
    """Return the generator that draws inputs of a specification."""
    return _template("generator").render(
        slug=_in_comment(spec.name),
        spec=repr(to_json(spec)),
        families=families(spec),
        sizes=sizes(spec),
    )


def validator_text(spec: Spec) -> str:
    """Return the validator that accepts the inputs of a specification."""
    return _template("validator").render(slug=_in_comment(spec.name), spec=repr(to_json(spec)))


def _in_comment(text: str) -> str:
    """Return an untrusted text as one line that cannot end a docstring."""
    return "".join(sign if sign.isprintable() and sign not in "\"'\\" else " " for sign in text)


@cache
def _template(name: str) -> jinja2.Template:
    return make_environment(FOLDER, keep_trailing_newline=True).get_template(f"{name}.py.j2")
