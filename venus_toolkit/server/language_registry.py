"""The languages of a server: the installed ones, and variants that clients request."""

from __future__ import annotations

import dataclasses
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from venus_toolkit.core.errors import LanguageError, ToolchainError
from venus_toolkit.core.language import Language, find_language, load_languages
from venus_toolkit.core.records import MIB, NS_PER_S, Limits
from venus_toolkit.execution.sandbox import Sandbox
from venus_toolkit.server.http_errors import BadJobError


class LanguageRegistry:
    """The languages of a server: built-in ones and those in `folder`.

    `all` has every language by its id; `versions` has the versions of the installed ones' tools.
    """

    def __init__(self, sandbox: Sandbox, folder: Path | None = None) -> None:
        self.all = load_languages(folder)
        self.versions: dict[str, str] = {}
        self._missing: dict[str, ToolchainError] = {}
        self._variants: dict[object, Language] = {}
        self._mutex = threading.Lock()

        def find_version(language: Language) -> None:
            try:
                self.versions[language.id] = sandbox.toolchain(language).version
            except ToolchainError as error:
                self._missing[language.id] = error

        with ThreadPoolExecutor() as pool:  # each call starts a tool and waits
            list(pool.map(find_version, self.all.values()))

    def find(self, name: str) -> Language:
        """Return an installed language by any of its names."""
        try:
            language = find_language(name, self.all)
        except LanguageError as error:
            raise BadJobError(error.what, error.why, "GET /v1/languages lists them") from error
        if missing := self._missing.get(language.id):
            raise BadJobError(
                missing.what, missing.why, "ask the operator of the server to install it"
            )
        return language

    def with_compile_limits(
        self, language: Language, wall_ns: int | None, memory_bytes: int | None
    ) -> Language:
        """Return a language whose compiler has less time and memory.

        Limits are rounded up to whole seconds and powers of two MiB, so that requests share
        variants.
        """
        usual = language.compile_limits
        wall, memory = usual.wall_ns, usual.memory_bytes
        if wall_ns:
            # A client must not give the compiler more than the language does.
            wall = min(wall, math.ceil(wall_ns / NS_PER_S) * NS_PER_S)
        if memory_bytes:
            memory = min(memory, MIB << max(0, math.ceil(math.log2(memory_bytes / MIB))))
        if (wall, memory) == (usual.wall_ns, usual.memory_bytes):
            return language
        return self._variant(
            language,
            compile_limits=usual.changed(
                wall_ns=wall, cpu_ns=min(usual.cpu_ns, 4 * wall), memory_bytes=memory
            ),
        )

    def with_commands(
        self,
        language: Language,
        compile_argv: tuple[str, ...],
        run_argv: tuple[str, ...],
        most: Limits,
    ) -> Language:
        """Return a language with other commands, which run inside the sandbox like all others.

        Its compiler gets at most the limits `most`, and at most its usual ones.
        """
        limits = smaller(language.compile_limits, most)
        if (compile_argv, run_argv, limits) == (
            language.compile_argv,
            language.run_argv,
            language.compile_limits,
        ):
            return language
        return self._variant(
            language, compile_argv=compile_argv, run_argv=run_argv, compile_limits=limits
        )

    def _variant(self, language: Language, **changes: object) -> Language:
        """Return a changed language, always the same object: it is the key of cached toolchains."""
        key = (language.id, *sorted((name, str(value)) for name, value in changes.items()))
        with self._mutex:  # workers and the event loop call this
            if key not in self._variants:
                # Variants stay in memory, and a client may request any number.
                if len(self._variants) >= 256:
                    reason = "clients have requested 256 since it started"
                    raise BadJobError(
                        "the server knows too many variants of languages", reason, "restart it"
                    )
                self._variants[key] = dataclasses.replace(language, **changes)  # type: ignore[arg-type]
            return self._variants[key]


def smaller(one: Limits, other: Limits) -> Limits:
    """Return the smaller value of each limit."""
    names = (field.name for field in dataclasses.fields(Limits))
    return Limits(**{name: min(getattr(one, name), getattr(other, name)) for name in names})
