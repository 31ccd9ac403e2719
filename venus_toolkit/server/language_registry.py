"""The languages of a server: those that are installed, and the variants that clients request."""

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

    `all` has every language by its id; `versions` is what the tools of the installed ones say of
    themselves.
    """

    def __init__(self, sandbox: Sandbox, folder: Path | None = None) -> None:
        self.all = load_languages(folder)
        self.versions: dict[str, str] = {}
        self._missing: dict[str, ToolchainError] = {}
        self._variants: dict[object, Language] = {}
        self._mutex = threading.Lock()

        def look_for(language: Language) -> None:
            try:
                self.versions[language.id] = sandbox.toolchain(language).version
            except ToolchainError as error:
                self._missing[language.id] = error

        with ThreadPoolExecutor() as pool:  # each starts its tools to ask for their version
            list(pool.map(look_for, self.all.values()))

    def find(self, name: str) -> Language:
        """Return an installed language by any of its names."""
        try:
            language = find_language(name, self.all)
        except LanguageError as error:
            raise BadJobError(error.what, error.why, "GET /v1/languages lists them") from error
        if missing := self._missing.get(language.id):
            raise BadJobError(
                missing.what, missing.why, "ask whoever runs the server to install it"
            )
        return language

    def with_compile_limits(
        self, language: Language, wall_ns: int | None, memory_bytes: int | None
    ) -> Language:
        """Return a language whose compiler has less time and memory.

        Limits are rounded up to whole seconds and powers of two, so that requests share variants.
        """
        usual = language.compile_limits
        wall, memory = usual.wall_ns, usual.memory_bytes
        if wall_ns:
            # Only ever less than usual: a client must not give the compiler more than the language
            # does.
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
        """Return a language with other commands, which run inside the sandbox as everything does.

        Its compiler gets no more than `most`, and no more than usually.
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
        """Return a changed language; the same object each time, as toolchains are found by it."""
        key = (language.id, *sorted((name, str(value)) for name, value in changes.items()))
        with self._mutex:  # workers and the event loop ask
            if key not in self._variants:
                # Each is kept with the version of its tools, and a client may ask for any number.
                if len(self._variants) >= 256:
                    why = "256 were asked for since it started"
                    raise BadJobError(
                        "the server knows too many variants of languages", why, "start it again"
                    )
                self._variants[key] = dataclasses.replace(language, **changes)  # type: ignore[arg-type]
            return self._variants[key]


def smaller(one: Limits, other: Limits) -> Limits:
    """Return the smaller one of each two limits."""
    names = (each.name for each in dataclasses.fields(Limits))
    return Limits(**{name: min(getattr(one, name), getattr(other, name)) for name in names})
