"""A specification as frozen dataclasses, and its JSON form."""

from __future__ import annotations

import ast
import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import promises as promise_kinds
from .layout import Choice, Item, Layout, Line, Loop, Many, Node, Scalar, Tuple
from .promises import Promise, Reading
from .structures import KINDS as STRUCTURES
from .structures import Structure, check_structures

VERSION = 1
DEEPEST = 40  # nodes within nodes
PROMISES = {kind.__name__: kind for kind in typing.get_args(Promise)}


class SpecError(ValueError):
    """A text is not a specification that this version reads; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What the inputs of a problem look like.

    Attributes:
        name: The problem.
        layout: Where the values stand.
        readings: What is promised of them, by the sentence or witness that says so.
        first: The index of a list's first value by name, where the statement counts differently
            from its style (1 in lines, 0 in JSON).
        directed: Whether the edges of graphs have a direction.
        loose: Whether an input may have more white space than its layout.
        rectangular: Whether the rows of a list of lists have one length.
        constants: Numbers that the statement or programs spell out; values are drawn near them.
        words: Texts that they spell out; texts are drawn with them.
        samples: Allowed inputs that `draw` varies.
        unread: Sentences that may promise something and were not understood.
    """

    name: str
    layout: Layout
    readings: tuple[Reading, ...] = ()
    first: Mapping[str, int] = field(default_factory=dict)
    directed: bool = False
    loose: bool = False
    rectangular: bool = True
    constants: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def promises(self, *witnesses: str) -> list[Promise]:
        """Return what these witnesses promise; all of them without arguments."""
        return [
            promise
            for reading in self.readings
            if not witnesses or reading.witness in witnesses
            for promise in reading.promises
        ]


# ------------------------------------------------------------------ to JSON


def to_json(spec: Spec) -> str:
    """Return the JSON text of a specification, on one line."""
    return json.dumps(to_plain(spec), ensure_ascii=False)


def to_plain(spec: Spec) -> dict[str, Any]:
    """Return a specification as JSON values; what has its default is left out."""
    plain: dict[str, Any] = {"version": VERSION, "name": spec.name}
    layout = spec.layout
    plain["layout"] = {"style": layout.style, "body": [_plain_item(item) for item in layout.body]}
    if layout.cases is not None:
        plain["layout"]["cases"] = layout.cases
    plain["readings"] = [
        {
            "witness": reading.witness,
            "sentence": reading.sentence,
            "promises": [
                {"kind": type(promise).__name__} | _fields(promise) for promise in reading.promises
            ],
        }
        for reading in spec.readings
    ]
    return plain | {
        name: value
        for name, value in _fields(spec).items()
        if name not in ("name", "layout", "readings")
    }


def _fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that do not have their default, tuples as lists."""
    plain = {}
    for each in dataclasses.fields(value):
        content = getattr(value, each.name)
        if content != each.default and not (each.default_factory is dict and not content):
            plain[each.name] = _plain(content)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _plain_item(item: Item) -> dict[str, Any]:
    if isinstance(item, Loop):
        return {"count": item.count, "body": [_plain_item(inner) for inner in item.body]}
    if isinstance(item, Choice):
        return {
            "kinds": {kind: [_plain_node(node) for node in nodes] for kind, nodes in item.kinds}
        }
    return {"line": [_plain_node(node) for node in item.nodes]}


def _plain_node(node: Node) -> dict[str, Any]:
    if isinstance(node, Scalar):
        return {"kind": node.kind, "name": node.name} | (
            {"length": node.length} if node.length is not None else {}
        )
    if isinstance(node, Tuple):
        return {"kind": "tuple", "items": [_plain_node(item) for item in node.items]}
    if isinstance(node, Structure):
        plain = {"kind": node.kind, "name": node.name, "options": dict(node.options)}
        return plain | {"nodes": [_plain_node(inner) for inner in node.nodes]}
    return {"kind": "list", "name": node.name, "count": node.count, "item": _plain_node(node.item)}


# ------------------------------------------------------------------ from JSON


def from_json(text: str) -> Spec:
    """Return the specification in a JSON text.

    Raises:
        SpecError: It is none, or one of a later version.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"not JSON: {error}") from None
    return from_plain(plain)


def spec_of(program: str) -> Spec | None:
    """Return the specification that a published program carries, None where it carries none.

    That is the text in ``SPEC = json.loads(r'''…''')``, however the program is laid out.

    Raises:
        SpecError: It is damaged, or of a later version.
    """
    try:
        statements = ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for statement in statements:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            texts = getattr(statement.value, "args", [])
            if names == ["SPEC"] and texts and isinstance(texts[0], ast.Constant):
                return from_json(str(texts[0].value))
    return None


def from_plain(plain: Any) -> Spec:
    """Return the specification in JSON values.

    Raises:
        SpecError: It is none, or one of a later version.
    """
    _expect(plain, dict, "the specification")
    version = plain.get("version")
    if version != VERSION:
        later = isinstance(version, int) and version > VERSION
        fix = "; use the venus_inputs that came with it" if later else ""
        raise SpecError(f"version {version!r} is not {VERSION}{fix}")
    layout = _member(plain, "layout", dict, "the specification")
    body = _member(layout, "body", list, "layout")
    readings = [
        _reading(reading, f"readings[{number}]")
        for number, reading in enumerate(_member(plain, "readings", list, "the specification"))
    ]
    rest = {k: v for k, v in plain.items() if k not in ("version", "layout", "readings")}
    style = _member(layout, "style", str, "layout")
    if style not in ("lines", "json"):
        raise SpecError(f"layout.style: {style!r} is neither lines nor json")
    items = tuple(_item(item, f"layout.body[{number}]", 0) for number, item in enumerate(body))
    rest["layout"] = Layout(style, items, _optional(layout, "cases", "layout"))
    try:
        check_structures(rest["layout"])
    except ValueError as error:
        raise SpecError(f"layout.body: {error}") from None
    rest["readings"] = tuple(readings)
    return _record(Spec, rest, "the specification")


def _reading(plain: Any, place: str) -> Reading:
    _expect(plain, dict, place)
    witness = _member(plain, "witness", str, place)
    if witness not in ("statement", "suspected", "guess"):
        raise SpecError(f"{place}.witness: {witness!r} is not statement, suspected or guess")
    promises = []
    for number, promise in enumerate(_member(plain, "promises", list, place)):
        where = f"{place}.promises[{number}]"
        kind = PROMISES.get(_member(_expect(promise, dict, where), "kind", str, where))
        if kind is None:
            raise SpecError(f"{where}.kind: one of {', '.join(PROMISES)} is expected")
        promises.append(_record(kind, {k: v for k, v in promise.items() if k != "kind"}, where))
    return Reading(_member(plain, "sentence", str, place), tuple(promises), witness)


def _record(kind: type[Any], plain: Mapping[str, Any], place: str) -> Any:
    """Return a dataclass whose fields have the values of a mapping, each of its annotated type."""
    hints = typing.get_type_hints(kind, vars(promise_kinds) | globals())
    unknown = set(plain) - set(hints)
    if unknown:
        raise SpecError(f"{place}: unknown {', '.join(sorted(map(str, unknown)))}")
    values = {name: _typed(value, hints[name], f"{place}.{name}") for name, value in plain.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise SpecError(f"{place}: {error}") from None


def _typed(value: Any, wanted: Any, place: str) -> Any:
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if origin is tuple:
        if isinstance(value, tuple):
            return value
        return tuple(
            _typed(item, arguments[0], f"{place}[{number}]")
            for number, item in enumerate(_expect(value, list, place))
        )
    if origin in (typing.Union, types.UnionType):
        if not any(type(value) is choice for choice in arguments):
            raise SpecError(f"{place}: {value!r} is not {wanted}")
        return value
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {
            _expect(key, str, place): _expect(item, int, f"{place}.{key}")
            for key, item in _expect(value, dict, place).items()
        }
    return _expect(value, wanted, place)


def _item(plain: Any, place: str, depth: int) -> Any:
    _expect(plain, dict, place)
    if depth > DEEPEST:
        raise SpecError(f"{place}: more than {DEEPEST} levels")
    if "body" in plain:
        body = _member(plain, "body", list, place)
        inner = [_item(item, f"{place}.body[{n}]", depth + 1) for n, item in enumerate(body)]
        return Loop(_member(plain, "count", str, place), tuple(inner))
    if "kinds" in plain:
        kinds = _member(plain, "kinds", dict, place)
        return Choice(tuple((k, _nodes(v, f"{place}.kinds.{k}", depth)) for k, v in kinds.items()))
    return Line(_nodes(_member(plain, "line", list, place), f"{place}.line", depth))


def _nodes(plain: Any, place: str, depth: int) -> tuple[Node, ...]:
    nodes = _expect(plain, list, place)
    return tuple(_node(node, f"{place}[{number}]", depth + 1) for number, node in enumerate(nodes))


def _node(plain: Any, place: str, depth: int) -> Node:
    kind = _member(_expect(plain, dict, place), "kind", str, place)
    if depth > DEEPEST:
        raise SpecError(f"{place}: more than {DEEPEST} levels")
    if kind == "tuple":
        items = _nodes(_member(plain, "items", list, place), f"{place}.items", depth)
        scalars = tuple(item for item in items if isinstance(item, Scalar))
        if len(scalars) < len(items):
            raise SpecError(f"{place}.items: a tuple holds single values")
        return Tuple(scalars)
    name = _member(plain, "name", str, place)
    if kind == "list":
        item = _node(_member(plain, "item", dict, place), f"{place}.item", depth + 1)
        return Many(name, _member(plain, "count", str, place), item)
    if kind in STRUCTURES:
        options = _member(plain, "options", dict, place)
        nodes = _nodes(_member(plain, "nodes", list, place), f"{place}.nodes", depth)
        try:
            return Structure(kind, name, options, nodes)
        except ValueError as error:
            raise SpecError(f"{place}: {error}") from None
    if kind not in ("int", "real", "bool", "text"):
        known = ", ".join(("int", "real", "bool", "text", "list", "tuple", *STRUCTURES))
        raise SpecError(f"{place}.kind: {kind!r} is not one of {known}")
    return Scalar(name, kind, _optional(plain, "length", place))


def _member(plain: Mapping[str, Any], name: str, wanted: type, place: str) -> Any:
    if name not in plain:
        raise SpecError(f"{place}: {name} is missing")
    return _expect(plain[name], wanted, f"{place}.{name}")


def _optional(plain: Mapping[str, Any], name: str, place: str) -> str | None:
    return None if plain.get(name) is None else str(_member(plain, name, str, place))


def _expect(value: Any, wanted: type, place: str) -> Any:
    # Not isinstance: for Python True is an int.
    if type(value) is not wanted:
        raise SpecError(f"{place}: {type(value).__name__} instead of {wanted.__name__}")
    return value
