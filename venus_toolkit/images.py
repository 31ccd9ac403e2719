"""The images that programs run in: listed, pulled, built, checked, and what killed runs left behind removed.

Two ways make an image of a language: its Dockerfile on the paper's base, or Debian packages alone, for places without
a registry. Either gives it one of the names in ``sandbox/docker/names.py``; the first one there is, is used.
"""

from __future__ import annotations

import contextlib
import io
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from venus_toolkit import debian
from venus_toolkit.errors import SandboxError
from venus_toolkit.language import Language
from venus_toolkit.sandbox.docker import connect, find_images, refusals, remove_leftovers
from venus_toolkit.sandbox.docker.names import FROM_DEBIAN, candidates, debian_image, paper_image
from venus_toolkit.temporary import sweep, temporary_folder

Say = Callable[[str], None]
KIND = "images"


class Row(NamedTuple):
    """One language and its image: what is used here and its digest, or None, and the names it is looked for under."""

    language: str
    image: str | None
    digest: str | None
    names: tuple[str, str]


@contextmanager
def _daemon() -> Iterator[Any]:
    with contextlib.closing(connect()) as client:
        yield client


def list_images(languages: Iterable[Language]) -> list[Row]:
    """Return for each language the image that is used.

    Raises:
        SandboxError: No daemon answers.
    """
    wanted = list(languages)
    with _daemon() as client:
        here = find_images(client, wanted)
    rows = []
    for language in wanted:
        image = here.get(language.id)
        name, digest = (image.name, image.digest) if image else (None, None)
        rows.append(Row(language.id, name, digest, candidates(language)))
    return rows


def clean() -> list[str]:
    """Remove containers and folders of ours whose maker is dead, and nothing else; returns the ids of the containers.

    Raises:
        SandboxError: No daemon answers, or it refuses.
    """
    sweep(KIND)
    with _daemon() as client:
        return remove_leftovers(client)


# ------------------------------------------------------------------ making them


def pull(language: Language, say: Say = lambda _: None) -> None:
    """Fetch the paper's base image of `language` from its registry.

    Raises:
        SandboxError: No daemon answers, or the registry does not.
    """
    fix = f"check the network, or without a registry type: venus images build --from-debian {language.id}"
    with _daemon() as client, refusals(f"the image {language.image} cannot be pulled", fix):
        for line in client.pull(language.image, stream=True, decode=True):
            _heed(line, say, f"the image {language.image} cannot be pulled", fix)


def build(language: Language, base: str | None = None, say: Say = lambda _: None) -> str:
    """Build the image of `language` from its Dockerfile; returns its name.

    Args:
        language: The language.
        base: Another base than the paper's; the image keeps its name, so say so in what you publish.
        say: Told what is being done.

    Raises:
        SandboxError: No daemon answers, or the build fails.
    """
    name, what = paper_image(language), f"the image of {language.name} cannot be built"
    fix = f"check the network, or without a registry type: venus images build --from-debian {language.id}"
    with _daemon() as client, refusals(what, fix):
        said = client.build(
            fileobj=_context(language),
            custom_context=True,
            tag=name,
            buildargs={"BASE": base or language.image},
            network_mode="none",  # the Dockerfiles fetch nothing
            rm=True,
            forcerm=True,
            decode=True,
        )
        for line in said:
            _heed(line, say, what, fix)
    return name


def _context(language: Language) -> io.BytesIO:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(language.folder / "Dockerfile", "Dockerfile")
    archive.seek(0)
    return archive


def _heed(line: dict[str, Any], say: Say, what: str, fix: str) -> None:
    """Pass on what the daemon says while it works; what it says of an error is raised."""
    if "error" in line:
        raise SandboxError(what, str(line["error"]).strip(), fix)
    text = str(line.get("stream") or line.get("status") or "").strip()
    if text:
        say(text)


def build_from_debian(languages: Sequence[Language], say: Say = lambda _: None) -> Iterator[str]:
    """Make an image of each language from Debian packages alone; yields the names as they come.

    One bootstrapped system is shared by all; packages come from where this machine has its own.

    Raises:
        SandboxError: No daemon answers, or it refuses.
        MachineError: This is not root on Debian or Ubuntu with debootstrap, or a package is missing.
    """
    with _daemon() as client, temporary_folder(KIND) as folder:
        say("bootstrapping a base system")
        base = debian.bootstrap(folder / "base")
        for language in languages:
            say(f"{language.id}: installing {' '.join(language.image_debian)}")
            root = debian.install(base, folder / language.id, language.image_debian)
            say(f"{language.id}: importing")
            with debian.packed(root) as archive, refusals(f"the image of {language.name} cannot be imported"):
                client.import_image_from_stream(archive, f"venus-{language.id}", FROM_DEBIAN)
            debian.remove(root)
            yield debian_image(language)
