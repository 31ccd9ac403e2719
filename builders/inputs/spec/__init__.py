"""The specification of a problem's inputs: read it, draw inputs from it, check inputs against it.

    from venus_inputs import draw, load, validate

    spec = load(text)            # the JSON text of a specification
    draw(spec, 7, "tiny")        # an input, the same for the same arguments
    validate(spec, stdin)        # the reasons why an input is not allowed; none if it is

A specification (`specification`, with its JSON form) says where values stand (`layout`) and which
properties they have (`promises`). `validate` checks an input against it, `draw` draws inputs from
it. This package depends only on the standard library, and its imports are relative: it is published
as one file, ``venus_inputs.pyz``, next to the specifications that it runs.
"""

from .checking.validate import Validator, validate
from .drawing.draw import draw, families, sizes
from .specification import Spec, SpecError, spec_of, to_json
from .specification import from_json as load

__all__ = [
    "Spec", "SpecError", "Validator", "draw", "families", "load", "sizes", "spec_of", "to_json", "validate",
]  # fmt: skip
