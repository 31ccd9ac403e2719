"""A data set on the Hub: what is asked of it and done to it, one method a request or a few.

Uploads and downloads are tried again by huggingface_hub itself. What it does not try again (looking, creating,
committing, tagging) is asked again here, after looking whether a lost answer had not been a success.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from venus_toolkit.errors import ConflictError, HubError
from venus_toolkit.hub.faults import attributed, request_errors, translated, trouble_of
from venus_toolkit.hub.names import Version, version_of

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub._commit_api import CommitOperation

WAITS_S = (1.0, 2.0, 4.0, 8.0)
LONGEST_WAIT_S = 300.0
DATASET = "dataset"
Done = TypeVar("Done")
Contents = Mapping[str, "Path | bytes"]


class FileId(NamedTuple):
    """What a file holds, as the Hub knows it: a SHA-256 for large files, git's name for small ones."""

    size: int
    sha256: str | None
    git: str | None

    def same(self, other: FileId) -> bool:
        """Whether both are the same bytes, by whichever name both have."""
        if self.sha256 and other.sha256:
            return self.sha256 == other.sha256
        return self.git is not None and self.git == other.git


class Point(NamedTuple):
    """A commit: its hash and the first line of its message."""

    oid: str
    title: str


class Committed(NamedTuple):
    """What a commit led to; request is the address of the pull request, if it is one."""

    oid: str
    request: str = ""


class Remote:
    """One data set, or one model, on the Hub.

    Args:
        name: Owner and name; without an owner it is the token's.
        endpoint: Address of the Hub; by default what HF_ENDPOINT says, or huggingface.co.
        kind: ``dataset`` or ``model``.

    Raises:
        HubError: No owner is named, and there is no token, or the Hub does not know it.
    """

    def __init__(self, name: str, endpoint: str | None = None, kind: str = DATASET) -> None:
        from huggingface_hub import HfApi
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()  # progress is told to our caller
        self.kind = kind
        self.endpoint = endpoint or os.environ.get("HF_ENDPOINT")
        self.api: HfApi = HfApi(endpoint=self.endpoint, library_name="venus-toolkit")
        self.name = name if "/" in name else f"{self.who()}/{name}"

    def who(self) -> str:
        """Return the name that the token stands for.

        Raises:
            HubError: There is no token, or the Hub does not know it.
        """
        from huggingface_hub.errors import LocalTokenNotFoundError

        fix = "hf auth login, or put a token into the environment variable HF_TOKEN"
        try:
            return self._persist("cannot log in to the Hub", lambda: str(self.api.whoami()["name"]))
        except LocalTokenNotFoundError as error:
            raise HubError("cannot log in to the Hub", "there is no token", fix) from error

    # -------------------------------------------------------------- what is there

    def head(self) -> Point | None:
        """Return the last commit, or None where there is no such data set (or none that one may see)."""
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            return self.point("main")
        except HubError as error:
            if isinstance(error.__cause__, RepositoryNotFoundError):
                return None
            raise

    def point(self, revision: str) -> Point:
        """Return the commit that a branch, a tag or the ref of a pull request is at."""
        commits = self._persist(
            f"cannot look at {self.name}",
            lambda: self.api.list_repo_commits(self.name, repo_type=self.kind, revision=revision),
        )
        last = commits[0]
        return Point(last.commit_id, last.title)

    def tags(self) -> dict[Version, str]:
        """Return the commit of each version, the newest version first."""
        what = f"cannot list the versions of {self.name}"
        refs = self._persist(what, lambda: self.api.list_repo_refs(self.name, repo_type=self.kind))
        found = {version: tag.target_commit for tag in refs.tags if (version := version_of(tag.name))}
        return dict(sorted(found.items(), reverse=True))

    def requests(self) -> dict[str, str]:
        """Return the commit of each pull request, by its ref."""
        refs = self._persist(
            f"cannot list the pull requests of {self.name}",
            lambda: self.api.list_repo_refs(self.name, repo_type=self.kind, include_pull_requests=True),
        )
        return {each.ref: each.target_commit for each in refs.pull_requests or []}

    @property
    def url(self) -> str:
        """Its address for people."""
        return f"{self.api.endpoint}/{'datasets/' if self.kind == DATASET else ''}{self.name}"

    def request_url(self, ref: str) -> str:
        """Return the address of the pull request that has a ref such as ``refs/pr/1``."""
        return f"{self.url}/discussions/{ref.rsplit('/', 1)[1]}"

    def files(self, revision: str) -> dict[str, FileId]:
        """Return every file of a revision, by its path."""
        from huggingface_hub.hf_api import RepoFile

        found = self._persist(
            f"cannot list the files of {self.name}",
            lambda: list(self.api.list_repo_tree(self.name, repo_type=self.kind, revision=revision, recursive=True)),
        )
        files = [each for each in found if isinstance(each, RepoFile)]
        return {f.path: FileId(f.size, f.lfs.sha256 if f.lfs else None, None if f.lfs else f.blob_id) for f in files}

    def fetch(self, path: str, revision: str, into: Path | None = None) -> Path:
        """Return a file of a revision on this disk: in the Hub's cache, or below a folder. Goes on after a stop."""
        from huggingface_hub import hf_hub_download

        with attributed(f"cannot pull {path} of {self.name}"):
            file = hf_hub_download(
                self.name, path, repo_type=self.kind, revision=revision, endpoint=self.endpoint, local_dir=into
            )
        return Path(file)

    # -------------------------------------------------------------- what is done to it

    def create(self, private: bool) -> None:
        """Make the data set, unless it is there."""
        self._persist(
            f"cannot create {self.name}",
            lambda: self.api.create_repo(self.name, repo_type=self.kind, private=private, exist_ok=True),
        )

    def upload(self, contents: Contents, as_request: bool, progress: Callable[[int], None]) -> None:
        """Send the large files that are not there yet; `progress` is told the bytes of each that is.

        A commit sends them as well: this is for being told, and for going on where one stopped.
        """
        for operation in self._additions(contents):
            with attributed(f"cannot send {operation.path_in_repo} to {self.name}"):
                self.api.preupload_lfs_files(
                    self.name, [operation], repo_type=self.kind, create_pr=as_request, free_memory=False
                )
            progress(operation.upload_info.size)

    def commit(
        self,
        title: str,
        contents: Contents,
        gone: Iterable[str],
        parent: str,
        as_request: bool,
        done: Callable[[], Committed | None],
    ) -> Committed:
        """Put one commit on top of `parent`: these files written, those in `gone` deleted.

        Args:
            title: First line of its message.
            contents: Path to a file here, or to bytes.
            gone: Paths that are deleted.
            parent: The commit that the branch has to be at.
            as_request: Make a pull request of it.
            done: Looks whether the commit is there already; asked after every answer that was lost.

        Raises:
            ConflictError: The branch has moved on.
            HubError: The Hub refuses, or goes on failing.
        """
        from huggingface_hub import CommitOperationDelete

        gone = list(gone)

        def send() -> Committed:
            deletions = [CommitOperationDelete(path, is_folder=False) for path in gone]
            operations: list[CommitOperation] = [*self._additions(contents), *deletions]
            info = self.api.create_commit(
                self.name,
                operations,
                commit_message=title,
                repo_type=self.kind,
                parent_commit=parent,
                create_pr=as_request,
            )
            return Committed(info.oid, info.pr_url or "")

        return self._persist(f"cannot commit to {self.name}", send, done)

    def tag(self, version: Version, oid: str, message: str) -> None:
        """Give a commit the tag of a version.

        Raises:
            ConflictError: Another commit has it.
            HubError: The Hub refuses, or goes on failing.
        """

        def done() -> bool | None:
            return self._tagged(version, oid) or None

        def send() -> bool:
            if not self._tagged(version, oid):
                self.api.create_tag(self.name, tag=version.tag, revision=oid, tag_message=message, repo_type=self.kind)
            return True

        self._persist(f"cannot tag {version.tag} of {self.name}", send, done)

    def _tagged(self, version: Version, oid: str) -> bool:
        """Return whether the commit has the tag; where another one has it, say so."""
        there = self.tags().get(version)
        if there is not None and there != oid:
            raise taken(self.name, version)
        return there is not None

    @staticmethod
    def _additions(contents: Contents) -> list[CommitOperationAdd]:
        """Return new operations: they remember what they saw of the branch, so none is used twice."""
        from huggingface_hub import CommitOperationAdd

        return [CommitOperationAdd(path, content) for path, content in sorted(contents.items())]

    def _persist(self, what: str, send: Callable[[], Done], done: Callable[[], Done | None] | None = None) -> Done:
        """Send a request that huggingface_hub does not repeat, until it is done or cannot be."""
        for wait_s in (*WAITS_S, None):
            try:
                return send()
            except request_errors() as error:
                trouble = trouble_of(error)
                lost = trouble and (trouble.passing or trouble.status in (409, 412))
                found = done() if done and lost else None
                if found is not None:
                    return found
                if wait_s is None or not (trouble and trouble.passing):
                    known = translated(what, error)
                    if known is None:
                        raise
                    raise known from error
                time.sleep(min(LONGEST_WAIT_S, max(wait_s, trouble.wait_s or 0.0)))
        raise AssertionError("the last try returns or raises")


def taken(name: str, version: Version) -> ConflictError:
    """Return the error of a version that is there with other content."""
    what = f"{name} has a version {version} with other content"
    return ConflictError(what, "a published version never changes", "publish the next one: leave out --version")
