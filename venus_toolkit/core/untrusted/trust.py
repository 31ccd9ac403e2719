"""Decides which settings of an untrusted file apply: a project file, plan, recipe or suite.

Any file may set numbers and the keys in `HARMLESS`, and the keys in `BENEATH` if their paths lie
beneath the folder of the file. Every other key, known or not, may choose code, a location, an
address, an API key or isolation, and needs a trusted file. ``--trust`` remembers a file by its path
and a digest of its content and of all files that these settings lead to, as direnv does; after a
change, the file needs trust again. Options on the command line need no trust. Isolation can be
switched off on the command line only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

from venus_toolkit.core.errors import StoreError, UsageError
from venus_toolkit.core.temporary import cache_folder

HARMLESS = frozenset({
    "about", "across_problems", "activation_checkpointing", "aggregate", "allow_contaminated",
    "analysis", "apart", "api", "balance", "batch", "bf16", "by", "categories", "cheapest", "check",
    "clear.models",
    "compile", "corpus", "count", "counter", "current", "curves", "dry_run", "env", "export",
    "feedback", "figure", "filter", "fold", "form", "gradient_checkpointing", "intervals", "json", "keep_given",
    "kind", "lang", "large_inputs", "license", "like", "log_completions", "loss_type",
    "lr_scheduler_type", "merge", "method", "min_grade", "mode", "name", "objective", "optim",
    "overlong", "paid_only", "parameter_scan", "pr", "private", "problem", "problems", "quality.languages",
    "quick", "quiet", "rank", "reasoning_effort", "reduce", "references", "repeats", "report",
    "reseed", "resume", "reward", "rule", "run_name", "runs", "scale_rewards", "share_cores", "spec",
    "split", "start", "states", "stream", "style", "target_modules", "test_from", "ties",
    "time_factor", "title", "until", "use_vllm", "verbose", "version", "vllm_mode", "ways",
})  # fmt: skip
# Paths to read or write. A name on the Hub may take the place of a path, since its data is
# untrusted too.
BENEATH = frozenset({
    "benchmark", "benchmarks", "chat_template", "complexity", "data", "earlier", "export_csv", "export_json",
    "export_markdown", "file", "map", "model", "model_card", "optimize.about", "oracles", "out",
    "plan", "plot", "preset", "private_tests", "project", "recipe", "recipes", "reference_cache", "replay",
    "replay_measurements", "results", "save", "source", "starter", "stdin", "suite", "tests",
})  # fmt: skip
GUARDED: Mapping[str, str] = {
    **dict.fromkeys(("languages",), "it chooses commands that run on this machine"),
    **dict.fromkeys(("prompts",), "it chooses templates, which are code"),
    **dict.fromkeys(("cmd",), "it chooses a command that runs along with your programs"),
    **dict.fromkeys(("base", "from_debian"), "it chooses the tools that compile and run programs"),
    **dict.fromkeys(("sandbox", "engine"), "it chooses where programs run"),
    **dict.fromkeys(
        ("base_url", "ray_address", "host", "port", "vllm_server_host", "vllm_server_port"),
        "it chooses an address, which may get your programs and your API key",
    ),
    **dict.fromkeys(
        ("header", "headers", "param", "params"),
        "it chooses data that is sent along with your API key",
    ),
    **dict.fromkeys(
        ("api_keys", "queue"), "it chooses who may use this machine, and where jobs are kept"
    ),
    **dict.fromkeys(("to", "push", "report_to"), "it chooses where your data are published"),
    **dict.fromkeys(
        ("allow_secret", "allow_licence", "supersede"), "it chooses what may be published"
    ),
    **dict.fromkeys(("trust",), "it would trust itself"),
}
# Keys that no file may set, trusted or not.
TYPED_ONLY: Mapping[str, str] = dict.fromkeys(
    ("engine_arg", "engine_args"), "it chooses what vLLM loads and runs"
)
# Harmless values of guarded keys.
DEFAULTS: Mapping[str, tuple[str | int, ...]] = {
    "sandbox": ("auto", "local", "docker"), "engine": ("local",), "report_to": ("none",), "source": ("corpus",),
    "prompts": ("paper",), "vllm_server_host": ("127.0.0.1",), "vllm_server_port": (8000,),
}  # fmt: skip
# paths relative to the file, not to the working directory
OF_THE_FILE = ("chat_template", "prompts")
granted = ContextVar("granted", default=False)  # whether --trust is set


class Guarded(NamedTuple):
    """A setting that needs a trusted file; key is dotted, as in the file."""

    key: str
    value: Any
    reason: str


def guarded_settings(
    table: Mapping[str, Any],
    folder: Path,
    base: Path,
    typed: Mapping[str, Any] | None = None,
    words: tuple[str, ...] = (),
    tables: tuple[str, ...] = (),
) -> Iterator[Guarded]:
    """Yield the settings of a table that need trust.

    Args:
        table: The table as read, with nested tables.
        folder: The folder of the file, beneath which its paths must lie.
        base: The folder that relative paths in the table start from.
        typed: Settings of the command line, in the form of the table; they override the file.
        words: The command whose options the table has, such as ``("dataset", "build")``.
        tables: The keys of the enclosing tables.
    """
    for name, value in table.items():
        inner, own = (*tables, name.replace("-", "_")), (typed or {}).get(name)
        if isinstance(value, Mapping):
            yield from guarded_settings(
                value, folder, base, own if isinstance(own, Mapping) else {}, words, inner
            )
        elif own in (None, (), []) and (reason := _reason(words, inner, value, folder, base)):
            yield Guarded(".".join((*words, *inner)), value, reason)


def _reason(
    words: tuple[str, ...], inner: tuple[str, ...], value: Any, folder: Path, base: Path
) -> str:
    keys = (*words, *inner)
    if typed_only := next((key for key in keys if key in TYPED_ONLY), None):
        return TYPED_ONLY[typed_only]
    values = value if isinstance(value, list) else [value]
    # A key in a nested table, such as [model.headers], is classified by the table too: the author
    # of the file chooses its name, which may be that of a harmless key.
    names = [
        *(".".join(keys[at : at + 2]) for at in reversed(range(len(keys) - 1))),
        *(key for key in inner if key in GUARDED),
        *reversed(keys),
    ]
    name = next(
        (name for name in names if name in HARMLESS or name in BENEATH or name in GUARDED), ""
    )
    if all(item in ("", None, *DEFAULTS.get(name, ())) for item in values):
        return ""
    if name in GUARDED:
        return GUARDED[name]
    if any(isinstance(item, Mapping | list) for item in values):
        return "its content is not known to be harmless"
    if name in HARMLESS or all(
        isinstance(item, int | float) and not isinstance(item, bool) for item in values
    ):
        return ""
    if name not in BENEATH:
        return "it is not known to be harmless"
    start = folder if name in OF_THE_FILE else base
    paths = (path for item in values if isinstance(item, str) for path in _paths(item, start))
    own = folder.resolve()
    # A relative path that does not exist is a name, such as that of a model on the Hub.
    outside = next(
        (
            path
            for path in paths
            if not path.resolve().is_relative_to(own)
            and (path.exists() or not path.resolve().is_relative_to(start.resolve()))
        ),
        None,
    )
    return f"{outside} lies outside of {own}" if outside else ""


def _paths(text: str, base: Path) -> Iterator[Path]:
    """Yield every path that a setting may contain: PATH, NAME=PATH or NAME:LOCATION?key=PATH."""
    for word in dict.fromkeys(
        (text, *re.split("[:=?&]", text), *re.split("[:=?&]", unquote_plus(text)))
    ):
        if word and "\0" not in word:
            yield base / (os.path.expanduser(word) if word.startswith("~") else word)


def require_trust(
    file: Path, table: Mapping[str, Any], base: Path, settings: Sequence[Guarded]
) -> None:
    """Refuse settings that need trust, unless their file is trusted or ``--trust`` is set.

    Args:
        file: The file.
        table: Its whole content, which is trusted at once.
        base: The folder that relative paths in it start from.
        settings: The settings that need trust and are in effect.

    Raises:
        UsageError: The file is not trusted; the message says what to type.
        StoreError: Trust cannot be remembered.
    """
    if not settings:
        return
    if unsafe := next(
        (item for item in settings if item.key.endswith("sandbox") and item.value == "unsafe"), None
    ):
        reason = "a file must not switch the isolation of programs off"
        raise UsageError(
            f"{file}: {unsafe.key} must not be 'unsafe'", reason, "type: --sandbox unsafe"
        )
    if typed_only := next(
        (item for item in settings if not TYPED_ONLY.keys().isdisjoint(item.key.split("."))), None
    ):
        raise UsageError(
            f"{file} must not set {typed_only.key}",
            typed_only.reason,
            "type it on the command line: --engine-arg NAME=VALUE",
        )
    entry = _entry(file, table, base)
    if granted.get():
        _remember(file, entry)
    elif not (_is_own(entry.parent) and _is_own(entry)):
        key, value, reason = settings[0]
        words = (
            map(shlex.quote, sys.argv[1:])
            if Path(sys.argv[0]).stem in ("venus", "__main__")
            else ["…"]
        )
        fix = (
            f"read the file, then type: venus --trust {' '.join(words)}; or give it on the "
            "command line; see docs/security.md"
        )
        raise UsageError(f"{file}: {key} = {value!r} needs trust", reason, fix)


def check_trust(name: str, table: Mapping[str, Any], typed: Mapping[str, Any]) -> None:
    """Refuse settings that need trust in the file of a plan, recipe or suite.

    Args:
        name: The file; a name without ``.toml`` stands for a bundled file, which is trusted.
        table: The content of the file.
        typed: Settings of the command line, which override those in the file.

    Raises:
        UsageError: The file is not trusted; the message says what to type.
        StoreError: Trust cannot be remembered.
    """
    if name.endswith(".toml"):
        file, here = Path(name), Path.cwd()
        require_trust(file, table, here, list(guarded_settings(table, file.parent, here, typed)))


def _entry(file: Path, table: Mapping[str, Any], base: Path) -> Path:
    """Return the path of the entry that marks `file` as trusted with its present content."""
    digest = hashlib.sha256(json.dumps(table, default=str, sort_keys=True).encode())
    try:
        for key, value, _ in guarded_settings(table, file.parent, base):
            name = key.rpartition(".")[2]
            start = file.parent if name in OF_THE_FILE else base
            # Data may be large and is not executed, so only its location is part of the digest.
            for text in (value if isinstance(value, list) else [value]) if name in GUARDED else ():
                for path in _paths(text, start) if isinstance(text, str) else ():
                    _add_tree(digest, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"{file} cannot be trusted", f"{error.filename}: {reason}", "make it readable"
        ) from error
    words = f"{file.resolve()}\0{digest.hexdigest()}"
    return (
        cache_folder("trust") / hashlib.sha256(words.encode("utf-8", "surrogateescape")).hexdigest()
    )


def _add_tree(digest: Any, path: Path) -> None:
    """Add the names and the content of all files at a path to a digest."""
    paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    for entry in paths:
        if entry.is_dir() and entry.is_symlink():
            reason = "its target could change unnoticed"
            fix = "put a copy of the folder there"
            raise UsageError(f"{entry} is a link to a folder", reason, fix)
        if entry.is_file():
            name, content = os.fsencode(entry), entry.read_bytes()
            digest.update(b"%d %d " % (len(name), len(content)) + name + content)


def _remember(file: Path, entry: Path) -> None:
    try:
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(entry.parent):
            reason, fix = "others may write into it", f"type: chmod 700 {entry.parent}"
            raise StoreError(f"trust cannot be remembered in {entry.parent}", reason, fix)
        with open(os.open(entry, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb") as own:
            os.fchmod(own.fileno(), 0o600)
            # The content is for people; the existence of the file is what counts.
            own.write(os.fsencode(file.resolve()) + b"\n")
    except OSError as error:
        fix = "make it writable, or set VENUS_CACHE to another folder"
        raise StoreError(
            f"trust cannot be remembered in {entry.parent}", error.strerror or str(error), fix
        ) from error


def _is_own(path: Path) -> bool:
    """Whether a path belongs to this user, and no other user may write there."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return (
        status.st_uid == os.geteuid()
        and not stat.S_ISLNK(status.st_mode)
        and not status.st_mode & 0o022
    )
