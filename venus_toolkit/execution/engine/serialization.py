"""How work travels to a node: languages by their names, tests by reference, the rest as it is.

A language is compared by identity, and a node has its own copy of each, so that what it has
compiled or found out is found again. The tests of a problem are the bulk of what travels: they are
put where every node fetches them once.
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

KEPT = 256  # sets of tests that are kept where nodes fetch them


class SerializedCall(NamedTuple):
    """Packed work, and references to what it shares with other work."""

    body: bytes
    shared: tuple[Any, ...]


class CallSerializer:
    """Packs work; `put` puts a value where every node can fetch it, and returns a reference to it."""

    def __init__(self, put: Callable[[Any], Any]) -> None:
        self._put = put
        self._kept: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._mutex = threading.Lock()

    def serialize(
        self, work: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> SerializedCall:
        """Return a call of `work`, which is a function of a module."""
        buffer = io.BytesIO()
        shared: dict[int, tuple[int, Any]] = {}
        reference = self._reference

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: Any) -> tuple[str, Any] | None:
                if isinstance(obj, Language):
                    # A program may have commands of its own: another standard, a file beside it,
                    # arguments.
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
        """Return the reference to a set of tests, which is put once."""
        with self._mutex:
            if id(tests) not in self._kept:
                # With the tests themselves: once they were freed, their id could be that of others.
                self._kept[id(tests)] = (tests, self._put(tests))
            self._kept.move_to_end(id(tests))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[id(tests)][1]


class Call(NamedTuple):
    """Work that was unpacked."""

    work: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def deserialize(body: bytes, languages: Mapping[str, Language], shared: Sequence[Any]) -> Call:
    """Return what was packed."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: tuple[str, Any]) -> Any:
            kind, which = pid
            return (
                languages[which[0]].with_commands(*which[1:])
                if kind == "language"
                else shared[which]
            )

    return Call(*Unpickler(io.BytesIO(body)).load())
