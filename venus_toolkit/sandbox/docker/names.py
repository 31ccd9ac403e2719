"""Which image a language's programs run in.

The rule: the image on the paper's base, ``venus-<id>:<base>`` (``gcc:11.2.0-bullseye`` gives
``venus-cpp:gcc-11.2.0-bullseye``), where this machine has it, else ``venus-<id>:debian``, made from Debian packages.
"""

from __future__ import annotations

from collections.abc import Container

from venus_toolkit.language import Language

FROM_DEBIAN = "debian"


def paper_image(language: Language) -> str:
    """Return the name of the image on the paper's base."""
    return f"venus-{language.id}:{language.image.replace('/', '-').replace(':', '-').replace('@', '-')}"


def debian_image(language: Language) -> str:
    """Return the name of the image that is made from Debian packages alone."""
    return f"venus-{language.id}:{FROM_DEBIAN}"


def candidates(language: Language) -> tuple[str, str]:
    """Return the names under which an image of `language` is looked for, the preferred one first."""
    return paper_image(language), debian_image(language)


def choose(language: Language, present: Container[str]) -> str | None:
    """Return the image of `language` among those that are `present`, or None."""
    return next((name for name in candidates(language) if name in present), None)
