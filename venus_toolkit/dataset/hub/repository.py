"""A data set or a model on the Hub: one method for each request, with its failures explained.

huggingface_hub itself retries failed uploads and downloads. The other requests (reading, creating,
committing, tagging) are retried here, after a check that the request failed, since only its answer
may have been lost.
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from venus_toolkit.core.errors import ConflictError, HubError, MachineError, StoreError
from venus_toolkit.core.interruption import current
from venus_toolkit.core.store import MANIFEST
from venus_toolkit.dataset.hub.snapshots import FileDigest
from venus_toolkit.dataset.hub.versions import Version, version_of

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd
    from huggingface_hub.hf_api import GitRefs

AGAIN = "finished work is kept: type the same command to continue"
LOG_IN = "hf auth login, or put a token into the environment variable HF_TOKEN"

Result = TypeVar("Result")
Progress = Callable[[str, int, int], None]


class Commit(NamedTuple):
    """A commit: its hash, the first line of its message, and the address of its pull request."""

    oid: str
    title: str = ""
    pull_request: str = ""


class Repository:
    """One data set, or one model, on the Hub.

    A name without an owner belongs to the owner of the token. `kind` is ``dataset`` or ``model``.
    Methods that send requests raise HubError if the Hub refuses or keeps failing.

    Raises:
        HubError: The name has no owner, and the token is missing or invalid.
    """

    def __init__(self, name: str, kind: str = "dataset") -> None:
        from huggingface_hub import HfApi
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()  # our caller shows the progress
        self.kind = kind
        # huggingface_hub reads HF_ENDPOINT only once, when it is imported.
        self.api = HfApi(endpoint=os.environ.get("HF_ENDPOINT"), library_name="venus-toolkit")
        self.name = name if "/" in name else f"{self.who()}/{name}"

    def who(self) -> str:
        """Return the name that the token stands for."""
        from huggingface_hub.errors import LocalTokenNotFoundError

        action = "cannot log in to the Hub"
        self._reach(action)
        try:
            return self._request(action, lambda: str(self.api.whoami()["name"]))
        except LocalTokenNotFoundError as error:
            raise HubError(action, "there is no token", LOG_IN) from error

    def _reach(self, action: str) -> None:
        """Fail at once without a network: the requests would be repeated for minutes.

        Raises:
            HubError: The Hub's host is unknown, or refuses connections.
        """
        address = urlsplit(self.api.endpoint)
        # Behind a proxy a direct connection proves nothing.
        if getproxies() or not address.hostname:
            return
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            socket.create_connection((address.hostname, port), timeout=10.0).close()
        except TimeoutError:
            return  # it may only be slow
        except OSError as error:
            reason = f"{address.hostname} cannot be reached ({error.strerror or error})"
            raise HubError(action, reason, f"check the network; {AGAIN}") from error

    @property
    def url(self) -> str:
        """Its address for people."""
        return f"{self.api.endpoint}/{'datasets/' if self.kind == 'dataset' else ''}{self.name}"

    def head(self) -> Commit | None:
        """Return the last commit, or None if the repository does not exist or is not visible."""
        from huggingface_hub.errors import RepositoryNotFoundError

        self._reach(f"cannot look at {self.name}")
        try:
            commits = self._request(
                f"cannot look at {self.name}",
                lambda: self.api.list_repo_commits(self.name, repo_type=self.kind, revision="main"),
            )
        except HubError as error:
            if isinstance(error.__cause__, RepositoryNotFoundError):
                return None
            raise
        return Commit(commits[0].commit_id, commits[0].title)

    def tags(self) -> dict[Version, str]:
        """Return the commit of each version, the newest version first."""
        refs = self._refs()
        versions = {
            version: tag.target_commit for tag in refs.tags if (version := version_of(tag.name))
        }
        return dict(sorted(versions.items(), reverse=True))

    def pull_requests(self) -> list[Commit]:
        """Return the last commit of each pull request."""
        refs = self._refs().pull_requests or []
        return [
            Commit(
                ref.target_commit,
                pull_request=f"{self.url}/discussions/{ref.ref.rsplit('/', 1)[1]}",
            )
            for ref in refs
        ]

    def _refs(self) -> GitRefs:
        self._reach(f"cannot list the versions of {self.name}")
        return self._request(
            f"cannot list the versions of {self.name}",
            lambda: self.api.list_repo_refs(
                self.name, repo_type=self.kind, include_pull_requests=True
            ),
        )

    def files(self, revision: str) -> dict[str, FileDigest]:
        """Return every file of a revision, by its path."""
        from huggingface_hub.hf_api import RepoFile

        entries = self._request(
            f"cannot list the files of {self.name}",
            lambda: list(
                self.api.list_repo_tree(
                    self.name, repo_type=self.kind, revision=revision, recursive=True
                )
            ),
        )
        return {
            file.path: FileDigest(file.size, file.lfs.sha256, None)
            if file.lfs
            else FileDigest(file.size, None, file.blob_id)
            for file in entries
            if isinstance(file, RepoFile)
        }

    def fetch(self, path: str, revision: str, into: Path | None = None) -> Path:
        """Return a file of a revision on this disk: in the Hub's cache, or below a folder.

        Resumes what was stopped.
        """
        download = partial(
            self.api.hf_hub_download,
            self.name,
            path,
            repo_type=self.kind,
            revision=revision,
            local_dir=into,
        )
        # No waits: huggingface_hub has repeated the download already.
        return Path(self._request(f"cannot pull {path} of {self.name}", download, waits_s=()))

    def manifest(self, revision: str) -> Any:
        """Return the manifest of a revision, or None if it has none.

        Raises:
            ValueError: It is not JSON.
        """
        if MANIFEST not in self.files(revision):
            return None
        return json.loads(self.fetch(MANIFEST, revision).read_text(encoding="utf-8"))

    def commit(
        self,
        title: str,
        contents: Mapping[str, Path | bytes],
        deleted: Iterable[str],
        *,
        head: Commit | None,
        find: Callable[[], Commit | None],
        private: bool = False,
        as_request: bool = False,
        progress: Progress = lambda *_: None,
        last_check: Callable[[], None] = lambda: None,
    ) -> Commit:
        """Put one commit on top of `head`, which must still be the head of the branch.

        Without a head the repository is created.

        `contents` maps paths in the repository to local files or bytes. `find` returns the commit
        if the Hub has it already; it is called after every lost answer. The large files are sent
        first: `progress` is called with a label, the sent KiB and the total KiB. Then `last_check`
        is called; an exception from it ends the attempt. `as_request` opens a pull request instead
        of committing to the branch.

        Raises:
            ConflictError: The branch has moved on.
            HubError: The Hub refuses, or keeps failing.
        """
        from huggingface_hub import CommitOperationDelete

        parent = (head or self._create(private)).oid
        self._upload(contents, as_request, progress)
        last_check()
        deletions = [CommitOperationDelete(path, is_folder=False) for path in sorted(deleted)]

        # Not upload_folder: it splits many files into several commits, and only the first has to be
        # on top of `parent`.
        def send() -> Commit:
            info = self.api.create_commit(
                self.name,
                [*_additions(contents), *deletions],
                commit_message=title,
                repo_type=self.kind,
                parent_commit=parent,
                create_pr=as_request,
            )
            return Commit(info.oid, title, info.pr_url or "")

        return self._request(f"cannot commit to {self.name}", send, find)

    def _create(self, private: bool) -> Commit:
        # exist_ok does what `find` does elsewhere: an attempt whose answer was lost may have
        # created it.
        self._request(
            f"cannot create {self.name}",
            lambda: self.api.create_repo(
                self.name, repo_type=self.kind, private=private, exist_ok=True
            ),
        )
        head = self.head()
        if head is None:
            raise HubError(
                f"cannot publish {self.name}", "it was created but cannot be found", AGAIN
            )
        return head

    def _upload(
        self, contents: Mapping[str, Path | bytes], as_request: bool, progress: Progress
    ) -> None:
        """Send the large files that the Hub lacks.

        The commit would send them as well; sent before it, each is reported, and a stop loses none.
        """
        operations, sent = _additions(contents), 0
        total = sum(operation.upload_info.size for operation in operations)
        for operation in operations:
            send = partial(
                self.api.preupload_lfs_files,
                self.name,
                [operation],
                repo_type=self.kind,
                create_pr=as_request,
            )
            self._request(f"cannot send {operation.path_in_repo} to {self.name}", send, waits_s=())
            sent += operation.upload_info.size
            progress("send (KiB)", sent // 1024, total // 1024)

    def tag(self, version: Version, oid: str, message: str) -> None:
        """Give a commit the tag of a version.

        Raises:
            ConflictError: Another commit has it.
            HubError: The Hub refuses, or keeps failing.
        """

        # Not exist_ok of create_tag: that accepts a tag of this name on whatever commit it is.
        def is_tagged() -> bool:
            there = self.tags().get(version)
            if there not in (None, oid):
                complaint = f"{self.name} has a version {version} with other content"
                raise ConflictError(
                    complaint,
                    "a published version never changes",
                    "publish the next one: leave out --version",
                )
            return there is not None

        def send() -> bool:
            if not is_tagged():
                self.api.create_tag(
                    self.name,
                    tag=version.tag,
                    revision=oid,
                    tag_message=message,
                    repo_type=self.kind,
                )
            return True

        self._request(f"cannot tag {version.tag} of {self.name}", send, lambda: is_tagged() or None)

    def _request(
        self,
        action: str,
        send: Callable[[], Result],
        find: Callable[[], Result | None] = lambda: None,
        waits_s: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0),
    ) -> Result:
        """Send a request until it succeeds, or `find` returns the result of an earlier attempt.

        Raises:
            HubError, ConflictError, StoreError: The request cannot succeed.
        """
        from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

        for wait_s in (*waits_s, None):  # None: nothing follows the last attempt
            try:
                return send()
            # huggingface_hub raises RuntimeError for what happened in a thread of its own.
            except (HTTPError, OSError, RuntimeError) as error:
                failure = failure_of(error)
                # 409 and 412 too: the branch may have moved on by this very request, whose answer
                # was lost.
                result = (
                    find()
                    if failure and (failure.temporary or failure.status in (409, 412))
                    else None
                )
                if result is not None:
                    return result
                if wait_s is None or not (failure and failure.temporary):
                    known = attribute(action, error)
                    if known is None:
                        raise
                    raise known from error
                # No longer than 300 s, whatever Retry-After says.
                current().sleep(min(300.0, max(wait_s, failure.retry_after_s)))
        raise AssertionError("the last attempt returns or raises")


def _additions(contents: Mapping[str, Path | bytes]) -> list[CommitOperationAdd]:
    """Return new operations: they cache the state of the branch, so none is used twice."""
    from huggingface_hub import CommitOperationAdd

    return [CommitOperationAdd(path, content) for path, content in sorted(contents.items())]


class RequestFailure(NamedTuple):
    """A request that failed.

    `status` is that of the answer, 0 without an answer; `retry_after_s` is the wait it asks for.
    """

    status: int
    message: str
    retry_after_s: float = 0.0

    @property
    def temporary(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status in (408, 425, 429) or self.status >= 500


def attribute(action: str, error: BaseException) -> MachineError | None:
    """Return our error for one of huggingface_hub; None: neither a request nor the disk failed."""
    disk_errors = {
        errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EIO, errno.EFBIG, errno.ENOTDIR, errno.EISDIR,
    }  # fmt: skip
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.errno in disk_errors:
            fix = "make room or choose another path, then type the same command"
            return StoreError(action, cause.strerror or str(cause), fix)
    failure = failure_of(error)
    if failure is None:
        return None
    if failure.status == 412:
        reason = "another user has published since; nothing was overwritten"
        return ConflictError(action, reason, "look at it, then type the same command")
    quoted = f"({failure.message})"
    reasons = {
        401: ("the Hub does not know you, or this data set is not for you to see", LOG_IN),
        403: (
            f"your token does not allow it {quoted}",
            "use a token that may write there, or another name after --to",
        ),
        404: (f"it is not there {quoted}", "check the name; venus releases NAME lists versions"),
        0: (f"the Hub cannot be reached {quoted}", f"check the network; {AGAIN}"),
    }
    return HubError(
        action, *reasons.get(failure.status, (f"the Hub answered {failure.status} {quoted}", AGAIN))
    )


def unreachable(error: HubError) -> bool:
    """Return whether the Hub did not answer at all: the network or the Hub is down."""
    failure = failure_of(error)
    return failure.status == 0 if failure else isinstance(error.__cause__, OSError)


def failure_of(error: BaseException) -> RequestFailure | None:
    """Return why a request failed, or None if no request failed.

    huggingface_hub wraps errors of uploads and downloads, so causes are searched as well.
    """
    from huggingface_hub.errors import HfHubHTTPError, HTTPError, LocalEntryNotFoundError  # type: ignore[attr-defined]

    network: RequestFailure | None = None
    for cause in _causes(error):
        if isinstance(cause, HfHubHTTPError):
            response = cause.response
            message = clean(cause.server_message or response.reason_phrase or str(cause))
            # It may also be a date, which counts as no wait.
            wait = response.headers.get("Retry-After") or ""
            return RequestFailure(
                response.status_code,
                message,
                float(wait) if re.fullmatch(r"\d+(\.\d+)?", wait) else 0.0,
            )
        # LocalEntryNotFoundError: the Hub did not answer, and the cache lacks the file.
        if isinstance(cause, (HTTPError, ConnectionError, TimeoutError, LocalEntryNotFoundError)):
            network = RequestFailure(0, clean(str(cause) or type(cause).__name__))
    return network


def clean(text: str) -> str:
    """Return the first line of a message without tokens and signed addresses."""
    return re.sub(r"\b(hf_|Bearer\s+)\S+|\?\S+", "…", text.strip().split("\n")[0])[:300]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
