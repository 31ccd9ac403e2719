"""Inputs drawn from a specification.

What `FAMILIES` are for is said in `synthesis`. The family ``unsure`` is one of `families` only
where promises are suspected: its inputs break one of them and keep the others.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .names import names_of
from .shape import make_shape
from .specification import Spec, from_json, to_json
from .synthesis import FAMILIES, largest_sizes, write_input
from .traits import traits_of

__all__ = ["FAMILIES", "draw", "families", "sizes"]


def draw(spec: Spec, seed: int, family: str) -> str:
    """Return an input for a seed and a family, or a size (``1000``, ``n=1000``).

    The same arguments give the same text.

    Raises:
        SpecError: No input keeps what the specification promises.
    """
    return write_input(_shape(to_json(spec)), seed, family, spec.samples)


def families(spec: Spec) -> tuple[str, ...]:
    """Return the families that `draw` takes for a specification."""
    return (*FAMILIES, "unsure") if spec.promises("suspected") else FAMILIES


def sizes(spec: Spec) -> dict[str, int]:
    """Return the sizes that inputs may be asked for by a number, each with the largest.

    "" is all of them at once.
    """
    return largest_sizes(_shape(to_json(spec)))


@lru_cache(maxsize=16)
def _shape(text: str) -> dict[str, Any]:
    spec = from_json(text)
    names = names_of(spec.layout, first=spec.first)
    traits = traits_of(spec.promises(), names, spec.layout)
    relations = list(dict.fromkeys(traits.relations))
    return make_shape(
        spec.layout, relations, traits, spec.rectangular, spec.constants, spec.words, spec.first
    )
