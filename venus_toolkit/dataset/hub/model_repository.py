"""Pushes a trained model to the Hub.

A push is one commit with the files and the card. Files that the Hub already has are not sent.

Text that people added to the card on the Hub is kept. Files of an earlier model that this one lacks
are removed; other files that people put there are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.core.errors import HubError, UsageError
from venus_toolkit.dataset.hub.repository import AGAIN, Commit, Repository
from venus_toolkit.dataset.hub.snapshots import FileDigest, holds_exactly, snapshot_file
from venus_toolkit.dataset.hub.versions import parse_name
from venus_toolkit.dataset.release import CARD

# The files that training writes. Those that the Hub has and this model lacks belong to an earlier
# model.
OURS = re.compile(
    r"(adapter/.*|model[\w.-]*\.safetensors|model\.safetensors\.index\.json|log\.jsonl|results\.json|training\.json)"
)


class Pushed(NamedTuple):
    """The result of a push; `status` is ``pushed``, or ``unchanged`` if the Hub already had it."""

    name: str
    status: str
    commit: str
    url: str
    files: int


def push_model(
    folder: Path,
    to: str,
    card: Callable[[str], str],
    private: bool = False,
) -> Pushed:
    """Send the model in a folder to the Hub as ``owner/name``; default owner: the token's.

    `card` takes the card on the Hub, or "" if there is none, and returns the new one. Only the
    owner sees a repository that is created as `private`.

    Raises:
        UsageError: The folder holds no model, or the name is invalid.
        ConflictError: Another user pushed meanwhile; nothing was overwritten.
        HubError: The Hub refuses or cannot be reached.
        StoreError: A file cannot be read.
    """
    present = sorted(
        file for file in [*folder.glob("*"), *folder.glob("adapter/*")] if file.is_file()
    )
    names = {file.relative_to(folder).as_posix(): file for file in present}
    # no checkpoints
    sent = re.compile(r"(adapter/)?[\w.-]+\.(json|jsonl|safetensors|jinja|txt|model)")
    files = {name: file for name, file in names.items() if sent.fullmatch(name)}
    if not any(name.endswith(".safetensors") for name in files):
        raise UsageError(
            f"{folder} holds no model",
            "no weights are in it",
            "train one first: venus train --help",
        )
    repository = open_model(to)
    head = repository.head()
    there = repository.files(head.oid) if head else {}
    old_card = (
        repository.fetch(CARD, head.oid).read_text(encoding="utf-8")
        if head and CARD in there
        else ""
    )
    contents: dict[str, Path | bytes] = {**files, CARD: card(old_card).encode()}
    expected = {
        name: FileDigest.of(content)
        if isinstance(content, bytes)
        else snapshot_file(content).digest
        for name, content in contents.items()
    }
    if head and holds_exactly(expected, there, OURS):
        return Pushed(repository.name, "unchanged", head.oid, repository.url, len(expected))

    def find() -> Commit | None:
        now = repository.head()
        return now if now and holds_exactly(expected, repository.files(now.oid), OURS) else None

    commit = repository.commit(
        "Trained model",
        {
            name: contents[name]
            for name, digest in expected.items()
            if name not in there or not digest.same(there[name])
        },
        [name for name in there.keys() - expected.keys() if OURS.fullmatch(name)],
        head=head,
        find=find,
        private=private,
    )
    # Files are hashed first and sent later: one may have been written in between.
    if not holds_exactly(expected, repository.files(commit.oid), OURS):
        complaint = f"{repository.name} at {commit.oid[:7]} is not what was sent"
        raise HubError(complaint, "a file changed while it was sent", AGAIN)
    return Pushed(repository.name, "pushed", commit.oid, repository.url, len(expected))


def open_model(to: str) -> Repository:
    """Return a model on the Hub, which need not be there yet.

    Raises:
        UsageError: The name is invalid or includes a version.
        HubError: The token is missing, or the Hub does not know it.
    """
    named = parse_name(to)
    if named.version:
        raise UsageError(
            f"{to} names a version", "models are not versioned here", f"type: --push {named.name}"
        )
    repository = Repository(named.name, kind="model")
    repository.who()
    return repository
