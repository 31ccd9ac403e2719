"""The images that programs run in.

List, pull and build them, and remove what killed runs left behind.

There are two ways to make the image of a language: its Dockerfile on the paper's base image, or
Debian packages alone, where no registry can be reached. Each gives it one of the names in
``sandbox/docker/language_images.py``; the first that exists is used. Where no daemon answers, or it
refuses, everything here raises a SandboxError.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from venus_toolkit.core.errors import SandboxError, UsageError
from venus_toolkit.core.language import Language
from venus_toolkit.core.temporary import sweep, temporary_folder
from venus_toolkit.execution.machine import debian
from venus_toolkit.execution.sandbox.docker.docker_client import connect, refusals, remove_leftovers
from venus_toolkit.execution.sandbox.docker.language_images import (
    FROM_DEBIAN,
    candidates,
    debian_image,
    find_images,
    image_on,
)

Log = Callable[[str], None]
KIND = "images"


class ImageRow(NamedTuple):
    """A language, the image that is used here with its digest and size (or None), and the names of possible images."""

    language: str
    image: str | None
    digest: str | None
    bytes: int | None
    names: tuple[str, ...]


def list_images(languages: Sequence[Language]) -> list[ImageRow]:
    """Return for each language the image that is used."""
    with closing(connect()) as client:
        images = find_images(client, languages)
    rows = []
    for each in languages:
        image = images.get(each.id)
        name, digest, size = (
            (image.name, image.digest, image.bytes) if image else (None, None, None)
        )
        rows.append(ImageRow(each.id, name, digest, size, candidates(each)))
    return rows


def clean() -> list[str]:
    """Remove Venus's containers and folders whose process is dead, and nothing else.

    Returns the containers' ids.
    """
    sweep(KIND)
    with closing(connect()) as client:
        return remove_leftovers(client)


def pull(language: Language, log: Log = lambda _: None, current: bool = False) -> None:
    """Fetch the paper's base image of `language`, or the `current` one, from its registry."""
    base = _base(language, current)
    fix = (
        "check the network, or without a registry type: venus images build --from-debian "
        f"{language.id}"
    )
    what = f"the image {base} cannot be pulled"
    with closing(connect()) as client, refusals(what, fix):
        _pass_on(client.pull(base, stream=True, decode=True), log, what, fix)


def build(
    language: Language, base: str | None = None, log: Log = lambda _: None, current: bool = False
) -> str:
    """Build the image of `language` from its Dockerfile, on the paper's base or the `current` one; returns its name.

    With another `base` the image is called as on the paper's, so mention it in what you publish.
    """
    usual = _base(language, current)
    name, what = image_on(language, usual), f"the image of {language.name} cannot be built"
    fix = (
        "check the network, or without a registry type: venus images build --from-debian "
        f"{language.id}"
    )
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(language.folder / "Dockerfile", "Dockerfile")
    archive.seek(0)  # it was written to its end
    with closing(connect()) as client, refusals(what, fix):
        lines = client.build(
            fileobj=archive,
            custom_context=True,
            tag=name,
            buildargs={"BASE": base or usual},
            network_mode="none",  # the Dockerfiles fetch nothing
            rm=True,
            forcerm=True,  # also where it fails
            decode=True,
        )
        _pass_on(lines, log, what, fix)
    return name


def _base(language: Language, current: bool) -> str:
    if current and not language.image_current:
        why = "its language.toml has no [image] current"
        raise UsageError(
            f"{language.name} names no current image",
            why,
            "leave --current out, or name one by --base",
        )
    return language.image_current if current else language.image


def _pass_on(lines: Iterable[dict[str, Any]], log: Log, what: str, fix: str) -> None:
    """Log the lines of the daemon's progress, or raise the error that one reports."""
    for line in lines:
        if "error" in line:
            raise SandboxError(what, str(line["error"]).strip(), fix)
        if text := str(line.get("stream") or line.get("status") or "").strip():
            log(text)


def build_from_debian(languages: Sequence[Language], log: Log = lambda _: None) -> Iterator[str]:
    """Make an image of each language from Debian packages alone; yields the names as they come.

    One bootstrapped system is shared by all; packages come from where this machine has its own.
    """
    with closing(connect()) as client, temporary_folder(KIND) as folder:
        log("bootstrapping a base system")
        base = debian.bootstrap(folder / "base")
        for language in languages:
            log(f"{language.id}: installing {' '.join(language.image_debian)}")
            root = debian.install(base, folder / language.id, language.image_debian)
            log(f"{language.id}: importing")
            with (
                debian.packed(root) as archive,
                refusals(f"the image of {language.name} cannot be imported"),
            ):
                client.import_image_from_stream(archive, f"venus-{language.id}", FROM_DEBIAN)
            shutil.rmtree(root)
            yield debian_image(language)
