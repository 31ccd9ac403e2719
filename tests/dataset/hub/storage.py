"""The storage of the loopback Hub: repositories, commits, refs and the bytes of files, in memory."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

Tree = dict[str, "Entry"]
LARGE = (".parquet", ".png", ".arrow", ".safetensors")
REGULAR_BYTES = 10_000_000


class Entry(NamedTuple):
    """A file of a commit.

    `oid` is the git hash of the file, or of the pointer to a large file; `sha256` is None for a file in git.
    """

    oid: str
    size: int
    sha256: str | None


class Commit(NamedTuple):
    """A commit; `tree` has all files."""

    oid: str
    title: str
    message: str
    parent: str | None
    date: str
    tree: Tree


class Refused(Exception):
    """Makes the Hub answer with a status and one of its error codes."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


def git_name(content: bytes) -> str:
    """Return the hash that git gives to a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def pointer(sha256: str, size: int) -> bytes:
    """Return the pointer that git stores instead of a large file."""
    return (
        f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n".encode()
    )


@dataclass
class Repo:
    """A repository; its refs have names like ``refs/heads/main``, ``refs/tags/v1.0.0``, ``refs/pr/1``."""

    name: str
    private: bool
    commits: dict[str, Commit] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    large: dict[str, bytes] = field(default_factory=dict)
    small: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Add an initial commit, as the Hub does."""
        self.save(
            "refs/heads/main",
            "initial commit",
            "",
            self.put({".gitattributes": b"*.parquet filter=lfs\n"}),
        )

    def resolve(self, revision: str) -> Commit:
        """Return the commit of a branch, a tag, a pull request or a (shortened) hash."""
        for ref in (revision, f"refs/heads/{revision}", f"refs/tags/{revision}"):
            if ref in self.refs:
                return self.commits[self.refs[ref]]
        found = [oid for oid in self.commits if len(revision) >= 7 and oid.startswith(revision)]
        if len(found) != 1:
            raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[found[0]]

    @property
    def head(self) -> Commit:
        return self.resolve("main")

    def history(self, commit: Commit) -> Iterable[Commit]:
        """Yield a commit and its ancestors, newest first."""
        while True:
            yield commit
            if commit.parent is None:
                return
            commit = self.commits[commit.parent]

    def tags(self) -> dict[str, str]:
        """Return the commit of each tag."""
        return {
            ref.removeprefix("refs/tags/"): oid
            for ref, oid in self.refs.items()
            if ref.startswith("refs/tags/")
        }

    def read(self, entry: Entry) -> bytes:
        return self.small[entry.oid] if entry.sha256 is None else self.large[entry.sha256]

    def put(self, files: Mapping[str, bytes]) -> Tree:
        """Store small files, and return a tree of them."""
        self.small |= {git_name(content): content for content in files.values()}
        return {
            path: Entry(git_name(content), len(content), None) for path, content in files.items()
        }

    def save(self, ref: str, title: str, message: str, tree: Tree) -> Commit:
        """Add a commit to a ref."""
        parent = self.refs.get(ref)
        text = repr((parent, title, message, sorted(tree.items()), len(self.commits)))
        oid = hashlib.sha1(text.encode()).hexdigest()
        date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self.commits[oid] = Commit(oid, title, message, parent, date, tree)
        self.refs[ref] = oid
        return self.commits[oid]

    def changed(self, tree: Tree, lines: Iterable[Mapping[str, Any]]) -> Tree:
        """Return the tree after the operations of a commit request."""
        after = dict(tree)
        for line in lines:
            value, path = line["value"], line["value"].get("path", "")
            if line["key"] == "file":
                after |= self.put({path: value["content"]})
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.large:
                    raise Refused(400, f"{path} has not been uploaded")
                size = len(self.large[value["oid"]])
                after[path] = Entry(git_name(pointer(value["oid"], size)), size, value["oid"])
            elif line["key"] == "deletedFile":
                if path not in after:
                    raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
                del after[path]
            else:
                raise Refused(400, f"unknown operation {line['key']}")
        return after


class Storage:
    """All repositories. Tokens are ``NAMESPACE-write`` or ``NAMESPACE-read``."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.lock = threading.RLock()

    def repo(self, name: str, user: str | None = None) -> Repo:
        """Return a repository that this user may read."""
        repo = self.repos.get(name)
        if repo is None or (repo.private and user != name.split("/")[0]):
            raise Refused(404 if user else 401, "Repository not found", "RepoNotFound")
        return repo

    def create(self, name: str, private: bool) -> Repo:
        if name in self.repos:
            raise Refused(409, "You already created this dataset repo")
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
            raise Refused(400, f"{name} is no name of a repository")
        self.repos[name] = Repo(name, private)
        return self.repos[name]

    def commit(
        self,
        repo: Repo,
        revision: str,
        header: Mapping[str, Any],
        lines: Iterable[Mapping[str, Any]],
    ) -> Commit:
        """Add a commit to a branch, if its parent is still the head."""
        head = repo.resolve(revision)
        if header.get("parentCommit") not in (None, head.oid):
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        tree = repo.changed(head.tree, lines)
        return repo.save(
            f"refs/heads/{revision}", header["summary"], header.get("description", ""), tree
        )

    def pull_request(
        self, repo: Repo, header: Mapping[str, Any], lines: Iterable[Mapping[str, Any]]
    ) -> str:
        """Add a commit to a new ref, and return the ref."""
        number = 1 + sum(ref.startswith("refs/pr/") for ref in repo.refs)
        ref = f"refs/pr/{number}"
        repo.refs[ref] = repo.head.oid
        repo.save(
            ref,
            header["summary"],
            header.get("description", ""),
            repo.changed(repo.head.tree, lines),
        )
        return ref

    def tag(self, repo: Repo, revision: str, name: str) -> None:
        if name in repo.tags():
            raise Refused(409, f"Tag {name} already exists")
        repo.refs[f"refs/tags/{name}"] = repo.resolve(revision).oid
