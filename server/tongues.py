"""The languages of a server: which are installed, and the forms in which clients ask for them."""

from __future__ import annotations

import dataclasses
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from functools import partial
from pathlib import Path

from venus_toolkit.errors import LanguageError, ToolchainError
from venus_toolkit.language import Language, find_language, load_languages
from venus_toolkit.records import MIB, NS_PER_S, Limits
from venus_toolkit.sandbox import Sandbox
from venus_toolkit.server.refusals import BadJobError, require_positive

FORMS = 256


class Tongues:
    """The languages of a server.

    Args:
        sandbox: Where their tools have to be.
        folder: More languages than the built-in ones.
    """

    def __init__(self, sandbox: Sandbox, folder: Path | None = None) -> None:
        self.all = load_languages(folder)
        self.versions: dict[str, str] = {}
        self._lacking: dict[str, ToolchainError] = {}
        self._forms: dict[object, Language] = {}
        self._mutex = threading.Lock()
        with ThreadPoolExecutor() as pool:  # each starts its tools to be told their version
            list(pool.map(partial(self._look_for, sandbox), self.all.values()))

    def _look_for(self, sandbox: Sandbox, language: Language) -> None:
        try:
            self.versions[language.id] = sandbox.toolchain(language).version
        except ToolchainError as error:
            self._lacking[language.id] = error

    def find(self, name: str) -> Language:
        """Return an installed language by any of its names.

        Raises:
            BadJobError: There is none, or its tools are not here.
        """
        try:
            language = find_language(name, self.all)
        except LanguageError as error:
            raise BadJobError(error.what, error.why, "GET /v1/languages lists them") from error
        if language.id in self._lacking:
            lacking = self._lacking[language.id]
            raise BadJobError(lacking.what, lacking.why, "ask whoever runs the server to install it")
        return language

    def within(self, language: Language, wall_ns: int | None, memory_bytes: int | None) -> Language:
        """Return a language whose compiler has less time and memory, in whole seconds and powers of two."""
        usual = language.compile_limits
        wall = min(usual.wall_ns, math.ceil(wall_ns / NS_PER_S) * NS_PER_S) if wall_ns else usual.wall_ns
        room = usual.memory_bytes
        if memory_bytes:
            room = min(room, MIB << max(0, math.ceil(math.log2(memory_bytes / MIB))))
        if (wall, room) == (usual.wall_ns, usual.memory_bytes):
            return language
        limits = usual.changed(wall_ns=wall, cpu_ns=4 * wall, memory_bytes=room)
        return self._form(language, compile_limits=limits)

    def called(
        self, language: Language, compile_argv: tuple[str, ...], run_argv: tuple[str, ...], most: Limits
    ) -> Language:
        """Return a language with other commands, which run inside the sandbox as everything does.

        Its compiler gets no more than `most`, and no more than usually.
        """
        usual = language.compile_limits
        limits = Limits(*(min(pair) for pair in zip(astuple(usual), astuple(most), strict=True)))
        require_positive(limits)
        if (compile_argv, run_argv, limits) == (language.compile_argv, language.run_argv, usual):
            return language
        return self._form(language, compile_argv=compile_argv, run_argv=run_argv, compile_limits=limits)

    def _form(self, language: Language, **changes: object) -> Language:
        """Return a changed language; the same one each time, because toolchains are looked up once for each.

        Raises:
            BadJobError: Too many forms were asked for.
        """
        key = (language.id, *sorted((name, str(value)) for name, value in changes.items()))
        with self._mutex:
            if key not in self._forms and len(self._forms) >= FORMS:
                why = f"{FORMS} were asked for since it started"
                raise BadJobError("the server knows too many forms of languages", why, "start it again")
            if key not in self._forms:
                self._forms[key] = dataclasses.replace(language, **changes)  # type: ignore[arg-type]
            return self._forms[key]
