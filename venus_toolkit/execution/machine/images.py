"""Lists, pulls and builds the images that programs run in, and removes leftovers of killed runs.

The image of a language is built from its Dockerfile on the paper's base image or, without a
registry, from Debian packages alone. Each way has a name in
``sandbox/docker/language_images.py``; the first existing image is used. If no daemon answers, or it
refuses, every function raises a SandboxError.
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
    """A language, its image with digest and size in bytes (or None), and all possible names."""

    language: str
    image: str | None
    digest: str | None
    bytes: int | None
    names: tuple[str, ...]


def list_images(languages: Sequence[Language]) -> list[ImageRow]:
    """Return the current image of each language."""
    with closing(connect()) as client:
        images = find_images(client, languages)
    rows = []
    for language in languages:
        image = images.get(language.id)
        name, digest, size = (
            (image.name, image.digest, image.bytes) if image else (None, None, None)
        )
        rows.append(ImageRow(language.id, name, digest, size, candidates(language)))
    return rows


def clean() -> list[str]:
    """Remove Venus's containers and folders whose process is dead; return the containers' ids."""
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
    failure = f"the image {base} cannot be pulled"
    with closing(connect()) as client, refusals(failure, fix):
        _log_progress(client.pull(base, stream=True, decode=True), log, failure, fix)


def build(
    language: Language, base: str | None = None, log: Log = lambda _: None, current: bool = False
) -> str:
    """Build the image of `language` from its Dockerfile, and return its name.

    The base is that of the paper, or the `current` one. With another `base` the image has the same
    name as with the paper's, so mention the base in publications.
    """
    usual = _base(language, current)
    name, failure = image_on(language, usual), f"the image of {language.name} cannot be built"
    fix = (
        "check the network, or without a registry type: venus images build --from-debian "
        f"{language.id}"
    )
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(language.folder / "Dockerfile", "Dockerfile")
    archive.seek(0)
    with closing(connect()) as client, refusals(failure, fix):
        lines = client.build(
            fileobj=archive,
            custom_context=True,
            tag=name,
            buildargs={"BASE": base or usual},
            network_mode="none",  # the Dockerfiles fetch nothing
            rm=True,
            forcerm=True,  # also after a failure
            decode=True,
        )
        _log_progress(lines, log, failure, fix)
    return name


def _base(language: Language, current: bool) -> str:
    if current and not language.image_current:
        reason = "its language.toml has no [image] current"
        raise UsageError(
            f"{language.name} names no current image",
            reason,
            "leave --current out, or name one by --base",
        )
    return language.image_current if current else language.image


def _log_progress(lines: Iterable[dict[str, Any]], log: Log, failure: str, fix: str) -> None:
    """Log the daemon's progress, or raise the error that it reports."""
    for line in lines:
        if "error" in line:
            raise SandboxError(failure, str(line["error"]).strip(), fix)
        if text := str(line.get("stream") or line.get("status") or "").strip():
            log(text)


def build_from_debian(languages: Sequence[Language], log: Log = lambda _: None) -> Iterator[str]:
    """Build an image of each language from Debian packages alone, and yield the names one by one.

    All images share one bootstrapped system; packages come from this machine's package sources.
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
