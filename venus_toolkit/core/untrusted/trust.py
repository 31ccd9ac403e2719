"""What a stranger's file may set: a project file, plan, recipe or suite of a repository.

Numbers and the keys in `HARMLESS` may be set by any file, and those in `BENEATH` as long as what
they name lies beneath the folder of the file. Everything else, and every key that this module does
not know, chooses code, a place, an address, a key or isolation. Such a setting counts only if its
file is trusted. ``--trust`` remembers a file by its path and a digest of its content and of all
files that these settings lead to, as direnv does: after a change it is asked again. An option that
is typed needs no trust. Isolation is switched off on the command line alone.
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
# What is read or written. A name of the Hub may stand in for a path: its data are a stranger's,
# too.
BENEATH = frozenset({
    "benchmark", "benchmarks", "chat_template", "complexity", "data", "earlier", "export_csv", "export_json",
    "export_markdown", "file", "map", "model", "model_card", "optimize.about", "oracles", "out",
    "plan", "plot", "preset", "private_tests", "project", "recipe", "recipes", "reference_cache", "replay",
    "replay_measurements", "results", "save", "source", "starter", "stdin", "suite", "tests",
})  # fmt: skip
GUARDED: Mapping[str, str] = {
    **dict.fromkeys(("languages",), "it chooses commands that run on this machine"),
    **dict.fromkeys(("prompts",), "it chooses templates, which are code"),
    **dict.fromkeys(("cmd",), "it chooses a command that runs beside your programs"),
    **dict.fromkeys(("base", "from_debian"), "it chooses the tools that compile and run programs"),
    **dict.fromkeys(("sandbox", "engine"), "it chooses where programs run"),
    **dict.fromkeys(
        ("base_url", "ray_address", "host", "port", "vllm_server_host", "vllm_server_port"),
        "it chooses an address, which may get your programs and your API key",
    ),
    **dict.fromkeys(
        ("header", "headers", "param", "params"), "it chooses what is sent beside your API key"
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
# What no file may set, trusted or not.
TYPED_ONLY: Mapping[str, str] = dict.fromkeys(
    ("engine_arg", "engine_args"), "it chooses what vLLM loads and runs"
)
# Values that choose nothing.
DEFAULTS: Mapping[str, tuple[str | int, ...]] = {
    "sandbox": ("auto", "local", "docker"), "engine": ("local",), "report_to": ("none",), "source": ("corpus",),
    "prompts": ("paper",), "vllm_server_host": ("127.0.0.1",), "vllm_server_port": (8000,),
}  # fmt: skip
# paths that begin at the file, wherever the command was typed
OF_THE_FILE = ("chat_template", "prompts")
granted = ContextVar("granted", default=False)  # whether --trust was typed


class Guarded(NamedTuple):
    """A setting that counts only in a trusted file; key is dotted, as in the file."""

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
        table: As it was read, with tables in it.
        folder: That of the file; what it names has to lie beneath.
        base: Where the relative paths in it begin.
        typed: Settings of the command line, in the form of the table; these the file does not
            decide.
        words: The command whose options the table has, as it is typed.
        tables: The keys of the tables that the table lies in.
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
    if typed_only := next((each for each in keys if each in TYPED_ONLY), None):
        return TYPED_ONLY[typed_only]
    values = value if isinstance(value, list) else [value]
    # A key in a table of its own, such as [model.headers], is classified with it: whoever writes the
    # file chose its name, which may be that of something harmless.
    names = [
        *(".".join(keys[at : at + 2]) for at in reversed(range(len(keys) - 1))),
        *(each for each in inner if each in GUARDED),
        *reversed(keys),
    ]
    name = next(
        (each for each in names if each in HARMLESS or each in BENEATH or each in GUARDED), ""
    )
    if all(each in ("", None, *DEFAULTS.get(name, ())) for each in values):
        return ""
    if name in GUARDED:
        return GUARDED[name]
    if any(isinstance(each, Mapping | list) for each in values):
        return "what is in it is not known to be harmless"
    if name in HARMLESS or all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in values
    ):
        return ""
    if name not in BENEATH:
        return "it is not known to be harmless"
    start = folder if name in OF_THE_FILE else base
    paths = (path for each in values if isinstance(each, str) for path in _paths(each, start))
    own = folder.resolve()
    # What begins here and does not exist is a name, such as a model's on the Hub.
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
    """Yield every path that a setting may name, alone or in NAME:LOCATION?key=PATH or NAME=PATH."""
    for word in dict.fromkeys(
        (text, *re.split("[:=?&]", text), *re.split("[:=?&]", unquote_plus(text)))
    ):
        if word and "\0" not in word:
            yield base / (os.path.expanduser(word) if word.startswith("~") else word)


def require_trust(
    file: Path, table: Mapping[str, Any], base: Path, settings: Sequence[Guarded]
) -> None:
    """Refuse settings that need trust, unless their file is trusted or ``--trust`` was typed.

    Args:
        file: The file.
        table: Everything in it, all of which is trusted at once.
        base: Where the relative paths in it begin.
        settings: Those that are in effect.

    Raises:
        UsageError: It is not trusted; the message says what to type.
        StoreError: Trust cannot be remembered.
    """
    if not settings:
        return
    if unsafe := next(
        (each for each in settings if each.key.endswith("sandbox") and each.value == "unsafe"), None
    ):
        why = "a file must not switch the isolation of programs off"
        raise UsageError(
            f"{file}: {unsafe.key} must not be 'unsafe'", why, "type: --sandbox unsafe"
        )
    if typed_only := next(
        (each for each in settings if not TYPED_ONLY.keys().isdisjoint(each.key.split("."))), None
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
    """Refuse what needs trust in the file of a plan, recipe or suite.

    Args:
        name: The file; anything that does not end in ``.toml`` is the name of a bundled one.
        table: What is in it.
        typed: Settings of the command line, which take the place of those in the file.

    Raises:
        UsageError: It is not trusted; the message says what to type.
        StoreError: Trust cannot be remembered.
    """
    if name.endswith(".toml"):
        file, here = Path(name), Path.cwd()
        require_trust(file, table, here, list(guarded_settings(table, file.parent, here, typed)))


def _entry(file: Path, table: Mapping[str, Any], base: Path) -> Path:
    """Return the path at which a file means that `file` is trusted as it is now."""
    digest = hashlib.sha256(json.dumps(table, default=str, sort_keys=True).encode())
    try:
        for key, value, _ in guarded_settings(table, file.parent, base):
            name = key.rpartition(".")[2]
            start = file.parent if name in OF_THE_FILE else base
            # Of data the place alone is trusted: they may be large, and none of their code runs
            # here.
            for text in (value if isinstance(value, list) else [value]) if name in GUARDED else ():
                for path in _paths(text, start) if isinstance(text, str) else ():
                    _add_tree(digest, path)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            f"{file} cannot be trusted", f"{error.filename}: {why}", "make it readable"
        ) from error
    words = f"{file.resolve()}\0{digest.hexdigest()}"
    return (
        cache_folder("trust") / hashlib.sha256(words.encode("utf-8", "surrogateescape")).hexdigest()
    )


def _add_tree(digest: Any, path: Path) -> None:
    """Add the names and the content of all files at a path to a digest."""
    paths = sorted(path.rglob("*")) if path.is_dir() else [path]
    for each in paths:
        if each.is_dir() and each.is_symlink():
            why = "what it leads to could change unseen"
            raise UsageError(f"{each} is a link to a folder", why, "put a copy of the folder there")
        if each.is_file():
            name, content = os.fsencode(each), each.read_bytes()
            digest.update(b"%d %d " % (len(name), len(content)) + name + content)


def _remember(file: Path, entry: Path) -> None:
    try:
        entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(entry.parent):
            why, fix = "others may write into it", f"type: chmod 700 {entry.parent}"
            raise StoreError(f"trust cannot be remembered in {entry.parent}", why, fix)
        with open(os.open(entry, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600), "wb") as own:
            os.fchmod(own.fileno(), 0o600)
            # for people: it counts that there is such a file
            own.write(os.fsencode(file.resolve()) + b"\n")
    except OSError as error:
        fix = "make it writable, or set VENUS_CACHE to another folder"
        raise StoreError(
            f"trust cannot be remembered in {entry.parent}", error.strerror or str(error), fix
        ) from error


def _is_own(path: Path) -> bool:
    """Whether a path belongs to this user, and nobody else may write there."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return (
        status.st_uid == os.geteuid()
        and not stat.S_ISLNK(status.st_mode)
        and not status.st_mode & 0o022
    )
