"""A Hub on loopback: the part of its protocol that huggingface_hub and datasets use, over real HTTP.

Not supported: Xet (clients need HF_HUB_DISABLE_XET=1), spaces, and discussions, except that a pull
request has a ref.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from tests.dataset.hub.faults import Fault, Faults
from tests.dataset.hub.storage import LARGE, REGULAR_BYTES, Commit, Entry, Refused, Repo, Storage

BLOCK = 65536


class Asked(NamedTuple):
    """A parsed request."""

    parts: tuple[str, ...]
    query: dict[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    user: str | None

    @property
    def kind(self) -> str:
        """The prefix of a repository's name in the address of its web page."""
        return "datasets/" if "datasets" in self.parts[:2] else ""

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


def plain(value: Any, status: int = 200, **headers: str) -> Answer:
    return Answer(
        status, json.dumps(value).encode(), {"Content-Type": "application/json", **headers}
    )


def refusal(refused: Refused) -> Answer:
    headers = {"X-Error-Code": refused.code} if refused.code else {}
    return plain(
        {"error": refused.message},
        refused.status,
        **headers,
        **{"X-Error-Message": refused.message},
    )


class Hub:
    """The server.

    `asked` lists every request as ``METHOD path``; `uploaded_bytes` counts the bodies of large files.
    """

    def __init__(self) -> None:
        self.storage = Storage()
        self.faults = Faults()
        self.asked: list[str] = []
        self.uploaded_bytes = 0
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def answer(self, method: str, asked: Asked) -> Answer:
        """Handle a request; a lock serialises them."""
        for verb, pattern, route in ROUTES:
            found = re.fullmatch(pattern, "/".join(asked.parts)) if verb == method else None
            if found:
                with self.storage.lock:
                    return route(self, asked, *(unquote(group or "") for group in found.groups()))
        raise Refused(404, f"no such route: {method} {'/'.join(asked.parts)}")

    def repo(self, asked: Asked, name: str, write: bool = False) -> Repo:
        """Return the repository, if the token allows access."""
        repo = self.storage.repo(name, asked.user)
        if write and asked.user is None:
            raise Refused(401, "Invalid username or password.")
        if write and not self.may_write(asked, name):
            raise Refused(403, "You don't have the rights to do this")
        return repo

    def may_write(self, asked: Asked, name: str) -> bool:
        """Whether the token allows writing to this namespace."""
        return (
            asked.headers.get("Authorization", "").endswith("-write")
            and asked.user == name.split("/")[0]
        )

    # ---------------------------------------------------------- writing

    def whoami(self, asked: Asked) -> Answer:
        if asked.user is None:
            raise Refused(401, "Invalid username or password.")
        return plain(
            {"type": "user", "name": asked.user, "orgs": [], "auth": {"type": "access_token"}}
        )

    def create(self, asked: Asked) -> Answer:
        body = asked.json()
        if asked.user is None:
            raise Refused(401, "Invalid username or password.")
        name = f"{body.get('organization') or asked.user}/{body['name']}"
        if not self.may_write(asked, name):
            raise Refused(403, "You don't have the rights to create a dataset under this namespace")
        private = body.get("visibility") == "private" or bool(body.get("private"))
        kind = "datasets/" if body["type"] == "dataset" else ""
        url = f"{self.url}/{kind}{name}"
        if name in self.storage.repos:
            return plain({"error": "You already created this dataset repo", "url": url}, 409)
        self.storage.create(name, private)
        return plain({"url": url, "name": name, "id": name})

    def validate(self, asked: Asked) -> Answer:
        parts = asked.json()["content"].split("---\n", 2)
        try:
            yaml.safe_load(parts[1] if len(parts) == 3 and not parts[0] else "")
        except yaml.YAMLError as error:
            return plain({"errors": [{"message": str(error)}], "warnings": []}, 400)
        return plain({"errors": [], "warnings": []})

    def preupload(self, asked: Asked, name: str, revision: str) -> Answer:
        tree = self.repo(asked, name, write="create_pr" not in asked.query).resolve(revision).tree
        files = []
        for file in asked.json()["files"]:
            mode = (
                "lfs" if file["path"].endswith(LARGE) or file["size"] > REGULAR_BYTES else "regular"
            )
            known = tree.get(file["path"])
            oid = {"oid": known.sha256 or known.oid} if known else {}
            files.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, **oid})
        return plain({"files": files})

    def batch(self, asked: Asked, name: str) -> Answer:
        repo = self.repo(asked, name)
        objects = []
        for each in asked.json()["objects"]:
            upload = {"href": f"{self.url}/lfs/{name}/{each['oid']}"}
            actions = {"upload": upload, "verify": {"href": f"{self.url}/verify/{name}"}}
            objects.append({**each, **({} if each["oid"] in repo.large else {"actions": actions})})
        return plain({"transfer": "basic", "objects": objects})

    def upload(self, asked: Asked, name: str, oid: str) -> Answer:
        if hashlib.sha256(asked.body).hexdigest() != oid:
            raise Refused(400, "the content is not what its name says")
        self.storage.repos[name].large[oid] = asked.body
        self.uploaded_bytes += len(asked.body)
        return Answer()

    def verify(self, asked: Asked, name: str) -> Answer:
        body = asked.json()
        if len(self.repo(asked, name).large.get(body["oid"], b"")) != body["size"]:
            raise Refused(404, "the file has not been uploaded")
        return Answer()

    def commit(self, asked: Asked, name: str, revision: str) -> Answer:
        request = "create_pr" in asked.query
        repo = self.repo(asked, name, write=not request)
        header, *lines = [json.loads(line) for line in asked.body.splitlines() if line]
        for line in lines:
            if line["key"] == "file":
                line["value"]["content"] = base64.b64decode(line["value"]["content"])
        if request:
            ref = self.storage.pull_request(repo, header["value"], lines)
            oid, number = repo.refs[ref], ref.rsplit("/", 1)[1]
            more = {"pullRequestUrl": f"{self.url}/{asked.kind}{name}/discussions/{number}"}
        else:
            oid, more = self.storage.commit(repo, revision, header["value"], lines).oid, {}
        url = f"{self.url}/{asked.kind}{name}/commit/{oid}"
        return plain(
            {"success": True, "commitOid": oid, "commitUrl": url, "hookOutput": "", **more}
        )

    def tag(self, asked: Asked, name: str, revision: str) -> Answer:
        self.storage.tag(self.repo(asked, name, write=True), revision, asked.json()["tag"])
        return Answer()

    # ---------------------------------------------------------- reading

    def info(self, asked: Asked, name: str, revision: str = "main") -> Answer:
        repo = self.repo(asked, name)
        commit = repo.resolve(revision)
        files = [{"rfilename": path} for path in sorted(commit.tree)]
        about = {
            "id": name,
            "sha": commit.oid,
            "siblings": files,
            "private": repo.private,
            "tags": [],
        }
        return plain(
            {
                **about,
                "lastModified": commit.date,
                "gated": False,
                "disabled": False,
                "downloads": 0,
            }
        )

    def refs(self, asked: Asked, name: str) -> Answer:
        repo = self.repo(asked, name)
        kinds = {"branches": "refs/heads/", "tags": "refs/tags/", "pullRequests": "refs/pr/"}
        listed: dict[str, list[dict[str, str]]] = {
            kind: [
                {"name": ref.removeprefix(start), "ref": ref, "targetCommit": oid}
                for ref, oid in repo.refs.items()
                if ref.startswith(start)
            ]
            for kind, start in kinds.items()
        }
        return plain({**listed, "converts": []})

    def commits(self, asked: Asked, name: str, revision: str) -> Answer:
        repo = self.repo(asked, name)
        return plain(
            [
                {
                    "id": each.oid,
                    "title": each.title,
                    "message": each.message,
                    "date": each.date,
                    "authors": [],
                }
                for each in repo.history(repo.resolve(revision))
            ]
        )

    def tree(self, asked: Asked, name: str, revision: str, folder: str) -> Answer:
        tree = self.repo(asked, name).resolve(revision).tree
        deep = asked.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        start = f"{folder}/" if folder else ""
        inside = {
            path.removeprefix(start): entry
            for path, entry in tree.items()
            if path.startswith(start)
        }
        if folder and not inside:
            raise Refused(404, f"{folder} does not exist", "EntryNotFound")
        found = [
            described(start + path, entry)
            for path, entry in inside.items()
            if deep or "/" not in path
        ]
        folders = {
            path.rsplit("/", 1)[0] if deep else path.split("/", 1)[0]
            for path in inside
            if "/" in path
        }
        found += [
            {"type": "directory", "oid": "0" * 40, "size": 0, "path": start + each}
            for each in sorted(folders)
        ]
        return plain(found)

    def paths_info(self, asked: Asked, name: str, revision: str) -> Answer:
        tree = self.repo(asked, name).resolve(revision).tree
        body = asked.json() if asked.body.startswith(b"{") else parse_qs(asked.body.decode())
        return plain([described(path, tree[path]) for path in body["paths"] if path in tree])

    def resolve(self, asked: Asked, name: str, revision: str, path: str) -> Answer:
        repo = self.repo(asked, name)
        commit = repo.resolve(revision)
        if path not in commit.tree:
            raise Refused(404, f"{path} does not exist in {revision}", "EntryNotFound")
        return content(repo, commit, commit.tree[path], asked.headers.get("Range"))


def described(path: str, entry: Entry) -> dict[str, Any]:
    large = (
        {"lfs": {"oid": entry.sha256, "size": entry.size, "pointerSize": 130}}
        if entry.sha256
        else {}
    )
    return {"type": "file", "oid": entry.oid, "size": entry.size, "path": path, **large}


def content(repo: Repo, commit: Commit, entry: Entry, wanted: str | None) -> Answer:
    data, etag = repo.read(entry), entry.sha256 or entry.oid
    headers = {"ETag": f'"{etag}"', "X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    headers |= (
        {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(entry.size)} if entry.sha256 else {}
    )
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", wanted or "")
    if not found:
        return Answer(200, data, headers)
    first, last = int(found[1]), min(int(found[2] or len(data) - 1), len(data) - 1)
    if first >= len(data):
        return Answer(416, b"", headers)
    return Answer(
        206,
        data[first : last + 1],
        {**headers, "Content-Range": f"bytes {first}-{last}/{len(data)}"},
    )


NAME = r"([^/]+/[^/]+)"
ROUTES: list[tuple[str, str, Callable[..., Answer]]] = [
    ("GET", "api/whoami-v2", Hub.whoami),
    ("POST", "api/repos/create", Hub.create),
    ("POST", "api/validate-yaml", Hub.validate),
    ("POST", f"api/(?:datasets|models)/{NAME}/preupload/([^/]+)", Hub.preupload),
    ("POST", f"(?:datasets/)?{NAME}\\.git/info/lfs/objects/batch", Hub.batch),
    ("PUT", f"lfs/{NAME}/([0-9a-f]+)", Hub.upload),
    ("POST", f"verify/{NAME}", Hub.verify),
    ("POST", f"api/(?:datasets|models)/{NAME}/commit/([^/]+)", Hub.commit),
    ("POST", f"api/(?:datasets|models)/{NAME}/tag/([^/]+)", Hub.tag),
    ("GET", f"api/(?:datasets|models)/{NAME}", Hub.info),
    ("GET", f"api/(?:datasets|models)/{NAME}/revision/([^/]+)", Hub.info),
    ("GET", f"api/(?:datasets|models)/{NAME}/refs", Hub.refs),
    ("GET", f"api/(?:datasets|models)/{NAME}/commits/([^/]+)", Hub.commits),
    ("GET", f"api/(?:datasets|models)/{NAME}/tree/([^/]+)/?(.*)", Hub.tree),
    ("POST", f"api/(?:datasets|models)/{NAME}/paths-info/([^/]+)", Hub.paths_info),
    ("GET", f"(?:datasets/)?{NAME}/resolve/([^/]+)/(.+)", Hub.resolve),
]


class Cut(Exception):
    """Closes the connection without an answer, or midway through one."""


class Handler(BaseHTTPRequestHandler):
    """Reads a request, applies the Hub's faults, and sends the answer."""

    hub: Hub
    protocol_version = "HTTP/1.1"

    def respond(self) -> None:
        path, method = urlsplit(self.path), self.command
        fault = self.hub.faults.take(method, self.path)
        self.hub.asked.append(f"{method} {self.path}")
        try:
            body = self.read(fault.cut_after if fault else None)
            answer = self.answer_with(fault, method, path.path.strip("/"), path.query, body)
            self.send(answer, fault.answer_cut if fault else None)
        except (Cut, OSError):
            self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = respond

    def answer_with(
        self, fault: Fault | None, method: str, path: str, query: str, body: bytes
    ) -> Answer:
        if fault:
            fault.released.wait(fault.delay_s)
            fault.wait("before")
            if fault.status:
                return plain({"error": f"asked for {fault.status}"}, fault.status, **fault.headers)
        asked = Asked(tuple(path.split("/")), parse_qs(query), self.headers, body, self.user())
        try:
            answer = self.hub.answer("GET" if method == "HEAD" else method, asked)
        except Refused as refused:
            answer = refusal(refused)
        if fault:
            fault.wait("after")
            if fault.lost:
                raise Cut
        return answer

    def user(self) -> str | None:
        found = re.fullmatch(r"Bearer (\w+)-(read|write)", self.headers.get("Authorization", ""))
        return found[1] if found else None

    def read(self, cut_after: int | None) -> bytes:
        body = b"".join(self.blocks()) if cut_after is None else self.rfile.read(cut_after)
        if cut_after is not None:
            raise Cut
        return body

    def blocks(self) -> Iterator[bytes]:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            yield self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def send(self, answer: Answer, cut_after: int | None) -> None:
        self.send_response(answer.status)
        for name, value in {**answer.headers, "Content-Length": str(len(answer.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[:cut_after])
            if cut_after is not None:
                raise Cut

    def log_message(self, *_: object) -> None:
        return


def handler(hub: Hub) -> type[Handler]:
    """Return the handler class of a Hub; http.server creates an instance for each connection."""
    return type("HubHandler", (Handler,), {"hub": hub})


@contextmanager
def serving() -> Iterator[Hub]:
    """Run a Hub in a thread until the context ends."""
    hub = Hub()
    thread = threading.Thread(target=hub.http.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.faults.clear()
        hub.http.shutdown()
        hub.http.server_close()
        thread.join()
