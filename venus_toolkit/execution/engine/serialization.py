"""Serializes work for a node: languages by name, tests by reference, everything else pickled.

Languages are compared by identity, and a node has its own copy of each, which keys its caches. The
tests of a problem are most of the data, so each node fetches them once.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.core.language import Language
from venus_toolkit.core.records import TestCase

KEPT = 256  # sets of tests in the shared store


class SerializedCall(NamedTuple):
    """Pickled work, and references to data that it shares with other work."""

    body: bytes
    shared: tuple[Any, ...]


class CallSerializer:
    """Pickles work; `put` stores a value where every node can fetch it, and returns a reference."""

    def __init__(self, put: Callable[[Any], Any]) -> None:
        self._put = put
        self._kept: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._mutex = threading.Lock()

    def serialize(
        self, work: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> SerializedCall:
        """Return a call of `work`, a module-level function."""
        buffer = io.BytesIO()
        shared: dict[int, tuple[int, Any]] = {}
        reference = self._reference

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: Any) -> tuple[str, Any] | None:
                if isinstance(obj, Language):
                    # A program may have its own commands: another standard, arguments, or an
                    # additional file.
                    return "language", (
                        obj.id,
                        obj.compile_argv,
                        obj.run_argv,
                        tuple(obj.environment.items()),
                    )
                if type(obj) is tuple and obj and isinstance(obj[0], TestCase):
                    number, _ = shared.setdefault(id(obj), (len(shared), reference(obj)))
                    return "shared", number
                return None

        Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump((work, args, kwargs))
        return SerializedCall(buffer.getvalue(), tuple(put for _, put in shared.values()))

    def _reference(self, tests: tuple[Any, ...]) -> Any:
        """Return the reference to a set of tests, which is stored once."""
        with self._mutex:
            if id(tests) not in self._kept:
                # Keep the tests alive: otherwise their id could be reused for other tests.
                self._kept[id(tests)] = (tests, self._put(tests))
            self._kept.move_to_end(id(tests))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[id(tests)][1]


class Call(NamedTuple):
    """A function and its arguments."""

    work: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def deserialize(body: bytes, languages: Mapping[str, Language], shared: Sequence[Any]) -> Call:
    """Return the call that `CallSerializer.serialize` packed."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: tuple[str, Any]) -> Any:
            kind, which = pid
            return (
                languages[which[0]].with_commands(*which[1:])
                if kind == "language"
                else shared[which]
            )

    return Call(*Unpickler(io.BytesIO(body)).load())
