"""How work travels to a node: languages by their names, tests by reference, the rest as it is.

A language is compared by identity, and a node has its own copy of each, so that what it has compiled or found out is
found again. The tests of a problem are the bulk of what travels: they are put where every node fetches them once.
"""

from __future__ import annotations

import io
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from venus_toolkit.language import Language
from venus_toolkit.records import TestCase

KEPT = 256  # sets of tests that are kept where nodes fetch them


class Parcel(NamedTuple):
    """Packed work, and references to what it shares with other work."""

    body: bytes
    shared: tuple[Any, ...]


class Packer:
    """Packs work.

    Args:
        put: Puts a value where every node can fetch it, and returns a reference to it.
    """

    def __init__(self, put: Callable[[Any], Any]) -> None:
        self._put = put
        self._kept: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._mutex = threading.Lock()

    def pack(self, work: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Parcel:
        """Return a call of `work`, which is a function of a module."""
        buffer = io.BytesIO()
        shared: dict[int, tuple[int, Any]] = {}
        pickler = _Pickler(buffer, self._reference, shared)
        pickler.dump((work, args, kwargs))
        return Parcel(buffer.getvalue(), tuple(reference for _, reference in shared.values()))

    def _reference(self, tests: tuple[Any, ...]) -> Any:
        """Return the reference to a set of tests, which is put once."""
        with self._mutex:
            if id(tests) not in self._kept:
                self._kept[id(tests)] = (tests, self._put(tests))
            self._kept.move_to_end(id(tests))
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
            return self._kept[id(tests)][1]


class _Pickler(pickle.Pickler):
    def __init__(
        self, buffer: io.BytesIO, reference: Callable[[tuple[Any, ...]], Any], shared: dict[int, tuple[int, Any]]
    ) -> None:
        super().__init__(buffer, pickle.HIGHEST_PROTOCOL)
        self._reference = reference
        self._shared = shared

    def persistent_id(self, obj: Any) -> tuple[str, str | int] | None:
        if isinstance(obj, Language):
            return "language", obj.id
        if type(obj) is tuple and obj and isinstance(obj[0], TestCase):
            number, _ = self._shared.setdefault(id(obj), (len(self._shared), self._reference(obj)))
            return "shared", number
        return None


class Call(NamedTuple):
    """Work that was unpacked."""

    work: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


def unpack(body: bytes, languages: Mapping[str, Language], shared: Sequence[Any]) -> Call:
    """Return what was packed."""
    return Call(*_Unpickler(io.BytesIO(body), languages, shared).load())


class _Unpickler(pickle.Unpickler):
    def __init__(self, buffer: io.BytesIO, languages: Mapping[str, Language], shared: Sequence[Any]) -> None:
        super().__init__(buffer)
        self._languages = languages
        self._shared = shared

    def persistent_load(self, pid: tuple[str, Any]) -> Any:
        kind, which = pid
        return self._languages[which] if kind == "language" else self._shared[which]
