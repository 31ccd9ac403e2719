"""The specification of a problem's inputs, and what is done with one.

    from venus_inputs import draw, load, validate

    spec = load(text)            # the JSON text of a specification
    draw(spec, 7, "tiny")        # an input, the same for the same arguments
    validate(spec, stdin)        # why an input is not allowed; nothing where it is

Where values stand (`layout`), what is promised of them (`promises`), both with their JSON form
(`specification`); whether an input keeps it (`validate`), and inputs drawn from it (`draw`). This
package needs the standard library alone and imports only itself, relatively: it is published as
one file, ``venus_inputs.pyz``, beside the specifications that it runs.
"""

from .checking.validate import Validator, validate
from .drawing.draw import draw, families, sizes
from .specification import Spec, SpecError, spec_of, to_json
from .specification import from_json as load

__all__ = [
    "Spec", "SpecError", "Validator", "draw", "families", "load", "sizes", "spec_of", "to_json", "validate",
]  # fmt: skip
