"""A trained model on the Hub: one commit with its files and its card, and nothing sent that is there already.

What people wrote into the card on the Hub stays. Files of an earlier model that this one has not are removed; other
files that people put there are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from venus_toolkit.errors import HubError, UsageError
from venus_toolkit.hub.faults import AGAIN
from venus_toolkit.hub.names import parse_name
from venus_toolkit.hub.remote import Committed, FileId, Point, Remote
from venus_toolkit.hub.sealed import identity, seal_file

CARD = "README.md"
MODEL = "model"
OURS = re.compile(
    r"(adapter/.*|model[\w.-]*\.safetensors|model\.safetensors\.index\.json|log\.jsonl|results\.json|training\.json)"
)
SENT = re.compile(r"(adapter/)?[\w.-]+\.(json|jsonl|safetensors|jinja|txt|model)")
Progress = Callable[[str, int, int], None]


class Pushed(NamedTuple):
    """What became of a model. status: ``pushed``, or ``unchanged`` where it was there already."""

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
    progress: Progress = lambda *_: None,
) -> Pushed:
    """Send a model to the Hub.

    Args:
        folder: With its files.
        to: ``owner/name``; without an owner it is the token's.
        card: Returns the card, given the one that is there, or "".
        private: A repository that is made now is seen by its owner only.
        progress: Is told a stage, how much of it is done, and how much there is.

    Raises:
        UsageError: The folder holds no model, or the name is none.
        ConflictError: Somebody else pushed meanwhile; nothing was overwritten.
        HubError: The Hub refuses or cannot be reached.
        StoreError: A file cannot be read.
    """
    files, remote = _files(folder), open_model(to)
    head = remote.head()
    there = remote.files(head.oid) if head else {}
    text = card(remote.fetch(CARD, head.oid).read_text(encoding="utf-8") if head and CARD in there else "").encode()
    expected = {**{name: seal_file(file).content for name, file in files.items()}, CARD: identity(text)}
    if head and _is_there(expected, there):
        return Pushed(remote.name, "unchanged", head.oid, remote.url, len(expected))
    committed = _commit(remote, head, there, expected, {**files, CARD: text}, private, progress)
    if not _is_there(expected, remote.files(committed.oid)):
        what = f"{remote.name} at {committed.oid[:7]} is not what was sent"
        raise HubError(what, "a file changed while it was sent", AGAIN)
    return Pushed(remote.name, "pushed", committed.oid, remote.url, len(expected))


def open_model(to: str) -> Remote:
    """Return a model on the Hub, which need not be there yet.

    Raises:
        UsageError: The name is none.
        HubError: There is no token, or the Hub does not know it.
    """
    named = parse_name(to)
    if named.version:
        raise UsageError(f"{to} names a version", "models are not versioned here", f"type: --push {named.name}")
    remote = Remote(named.name, kind=MODEL)
    remote.who()
    return remote


def _files(folder: Path) -> dict[str, Path]:
    """Return what is sent, by its name on the Hub: no checkpoints, nothing hidden, and the card apart."""
    found = {
        file.relative_to(folder).as_posix(): file
        for file in sorted([*folder.glob("*"), *folder.glob("adapter/*")])
        if file.is_file() and SENT.fullmatch(file.relative_to(folder).as_posix())
    }
    if not any(name.endswith(".safetensors") for name in found):
        raise UsageError(f"{folder} holds no model", "no weights are in it", "train one first: venus train --help")
    return found


def _is_there(expected: dict[str, FileId], there: dict[str, FileId]) -> bool:
    """Return whether the Hub has all of these files, and none of an earlier model's beside them."""
    stale = any(OURS.fullmatch(name) for name in there.keys() - expected.keys())
    return not stale and all(name in there and each.same(there[name]) for name, each in expected.items())


def _commit(
    remote: Remote,
    head: Point | None,
    there: dict[str, FileId],
    expected: dict[str, FileId],
    contents: dict[str, Path | bytes],
    private: bool,
    progress: Progress,
) -> Committed:
    if head is None:
        remote.create(private)
        head = remote.head()
    if head is None:
        raise HubError(f"cannot push {remote.name}", "it was created and cannot be seen", AGAIN)
    new = {n: c for n, c in contents.items() if n not in there or not expected[n].same(there[n])}
    size, sent = sum(expected[name].size for name in new), 0

    def tell(count: int) -> None:
        nonlocal sent
        sent += count
        progress("send (KiB)", sent // 1024, size // 1024)

    remote.upload(new, False, tell)
    gone = [name for name in there.keys() - expected.keys() if OURS.fullmatch(name)]

    def find() -> Committed | None:
        now = remote.head()
        return Committed(now.oid) if now and _is_there(expected, remote.files(now.oid)) else None

    return remote.commit("Trained model", new, gone, head.oid, False, find)
