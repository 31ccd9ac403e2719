"""What can go wrong between here and the Hub, said in sentences: the one boundary where its failures are attributed."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from venus_toolkit.errors import ConflictError, HubError, MachineError, StoreError

AGAIN = "nothing is lost: type the same command to go on"
SECRET = re.compile(r"\b(hf_|Bearer\s+)\S+|\?\S+")  # tokens, and the signed part of addresses
PASSING = (408, 425, 429)  # and everything from 500 on


class Trouble(NamedTuple):
    """A request that failed: the status of its answer (0: there was none), what was said, how long to wait."""

    status: int
    said: str
    wait_s: float | None

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 0 or self.status in PASSING or self.status >= 500


@contextmanager
def attributed(what: str) -> Iterator[None]:
    """Turn failures of the network, of the server and of the disk into errors of ours.

    Raises:
        ConflictError: The branch has moved on.
        HubError: The Hub refused, or cannot be reached.
        StoreError: The disk is full or cannot be written.
    """
    try:
        yield
    except request_errors() as error:
        known = translated(what, error)
        if known is None:
            raise
        raise known from error


def request_errors() -> tuple[type[Exception], ...]:
    """Return what huggingface_hub raises where a request fails; RuntimeError wraps what happened in a thread of its."""
    return (_http_error(), OSError, RuntimeError)


def translated(what: str, error: BaseException) -> MachineError | None:
    """Return our error for one of huggingface_hub's; None where neither a request nor the disk failed."""
    local = local_fault(error)
    if local:
        why = local.strerror or str(local)
        return StoreError(what, why, "make room or choose another place, then type the same command")
    trouble = trouble_of(error)
    return explain(what, trouble) if trouble else None


def explain(what: str, trouble: Trouble) -> HubError:
    """Return the error that says what happened, why, and what to do."""
    if trouble.status == 412:
        return ConflictError(
            what, "somebody else has published since; nothing was overwritten", "look at it, then type the same command"
        )
    if trouble.status == 401:
        fix = "hf auth login, or put a token into the environment variable HF_TOKEN"
        return HubError(what, "the Hub does not know you, or this data set is not for you to see", fix)
    if trouble.status == 403:
        fix = "use a token that may write there, or another name after --to"
        return HubError(what, f"your token has not the right to ({trouble.said})", fix)
    if trouble.status == 404:
        return HubError(what, f"it is not there ({trouble.said})", "check the name; venus releases NAME lists versions")
    if trouble.status == 0:
        return HubError(what, f"the Hub cannot be reached ({trouble.said})", f"check the network; {AGAIN}")
    return HubError(what, f"the Hub answered {trouble.status} ({trouble.said})", AGAIN)


def trouble_of(error: BaseException) -> Trouble | None:
    """Return what a request failed of, or None where this is no failure of a request.

    huggingface_hub wraps what happened while it uploads or downloads, so causes are looked through as well.
    """
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    network: str | None = None
    for each in _causes(error):
        if isinstance(each, HfHubHTTPError):
            response = each.response
            said = clean(each.server_message or response.reason_phrase or str(each))
            return Trouble(response.status_code, said, _seconds(response.headers.get("Retry-After")))
        if isinstance(each, (_http_error(), ConnectionError, TimeoutError, LocalEntryNotFoundError)):
            network = clean(str(each) or type(each).__name__)
    return Trouble(0, network, None) if network is not None else None


def local_fault(error: BaseException) -> OSError | None:
    """Return the failure of the file system behind an error, or None."""
    ours = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EIO, errno.EFBIG, errno.ENOTDIR, errno.EISDIR}
    return next((each for each in _causes(error) if isinstance(each, OSError) and each.errno in ours), None)


def clean(text: str) -> str:
    """Return the first line of a message without tokens and signed addresses."""
    return SECRET.sub("…", text.strip().split("\n")[0])[:300]


def _http_error() -> type[Exception]:
    """Return the root of the errors of huggingface_hub's HTTP library, which is another one from 2.0 on."""
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    found: type[Exception] = HTTPError
    return found


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _seconds(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d+(\.\d+)?", text) else None
