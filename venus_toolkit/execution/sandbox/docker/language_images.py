"""The Docker image of each language.

The image on the paper's base, ``venus-<id>:<base>`` (``gcc:11.2.0-bullseye`` gives
``venus-cpp:gcc-11.2.0-bullseye``), is used if this machine has it, else ``venus-<id>:debian``,
which is made from Debian packages.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Container, Iterable, Mapping
from typing import NamedTuple

from venus_toolkit.core.language import Language
from venus_toolkit.execution.sandbox.docker.docker_client import Client, connect, refusals

FROM_DEBIAN = "debian"


class Image(NamedTuple):
    """An image of the daemon: its name, digest, environment variables, and unpacked size."""

    name: str
    digest: str
    environment: Mapping[str, str]
    bytes: int


def image_on(language: Language, base: str) -> str:
    """Return the name of the image of a language on a base."""
    return f"venus-{language.id}:{base.replace('/', '-').replace(':', '-').replace('@', '-')}"


def debian_image(language: Language) -> str:
    """Return the name of the image that is made from Debian packages alone."""
    return f"venus-{language.id}:{FROM_DEBIAN}"


def candidates(language: Language) -> tuple[str, ...]:
    """Return possible names of the image of `language`, best first: paper's, current, Debian's."""
    bases = [base for base in (language.image, language.image_current) if base]
    return (*(image_on(language, base) for base in bases), debian_image(language))


def choose(language: Language, present: Container[str]) -> str | None:
    """Return the image of `language` among those that are `present`, or None."""
    return next((name for name in candidates(language) if name in present), None)


def missing_images(languages: Collection[Language]) -> list[str]:
    """Return the ids of the languages for which the daemon has no image."""
    with contextlib.closing(connect()) as client:
        images = find_images(client, languages)
    return [language.id for language in languages if language.id not in images]


def find_images(client: Client, languages: Iterable[Language]) -> dict[str, Image]:
    """Return the image of each language that has one, by language."""
    with refusals("the images cannot be listed"):
        listed = client.images(filters={"reference": "venus-*"})
        present = {tag for image in listed for tag in image.get("RepoTags") or ()}
        images = {}
        for language in languages:
            if name := choose(language, present):
                description = client.inspect_image(name)
                settings = (
                    setting.partition("=") for setting in description["Config"].get("Env") or ()
                )
                environment = {key: value for key, _, value in settings}
                images[language.id] = Image(
                    name, description["Id"], environment, description.get("Size", 0)
                )
        return images
