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
DEEPEST = 40  # levels of nested nodes
PROMISES = {kind.__name__: kind for kind in typing.get_args(Promise)}


class SpecError(ValueError):
    """A text is not a specification that this version can read; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Spec:
    """The form of a problem's inputs and the promises about their values.

    Attributes:
        name: The problem.
        layout: The order of values and lines in an input.
        readings: The promises about them, grouped by the sentence or other source.
        first: The index of a list's first value, by the list's name, where the statement does not
            use the default of the style (1 in lines, 0 in JSON).
        directed: Whether the edges of graphs have a direction.
        loose: Whether an input may have more white space than its layout.
        rectangular: Whether all rows of a list of lists have the same length.
        constants: Numbers in the statement or the programs; values are drawn near them.
        words: Texts in the statement or the programs; drawn texts contain them.
        samples: Allowed inputs that `draw` varies.
        unread: Sentences that may promise something but were not understood.
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
        """Return the promises of these witnesses; without arguments, of all."""
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
    """Return a specification as JSON values; fields at their defaults are left out."""
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
    """Return the fields of a dataclass that are not at their defaults, tuples as lists."""
    plain = {}
    for attribute in dataclasses.fields(value):
        content = getattr(value, attribute.name)
        is_empty_dict = attribute.default_factory is dict and not content
        if content != attribute.default and not is_empty_dict:
            plain[attribute.name] = _plain(content)
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


def _plain_node(node: Node | Structure) -> dict[str, Any]:
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
        SpecError: It is not a specification, or has a later version.
    """
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"not JSON: {error}") from None
    return from_plain(plain)


def spec_of(program: str) -> Spec | None:
    """Return the specification embedded in a published program, None if there is none.

    The program holds it as the text in ``SPEC = json.loads(r'''…''')``, in any formatting.

    Raises:
        SpecError: It is damaged, or has a later version.
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
        SpecError: It is not a specification, or has a later version.
    """
    _expect(plain, dict, "the specification")
    version = plain.get("version")
    if type(version) is not int or version != VERSION:
        later = type(version) is int and version > VERSION
        fix = "; use the venus_inputs that came with it" if later else ""
        raise SpecError(f"version {version!r} is not {VERSION}{fix}")
    layout = _member(plain, "layout", dict, "the specification")
    _refuse_others(layout, "layout", "style", "body", "cases")
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
    spec: Spec = _record(Spec, rest, "the specification")
    return spec


def _reading(plain: Any, place: str) -> Reading:
    _refuse_others(_expect(plain, dict, place), place, "witness", "sentence", "promises")
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
    """Return a dataclass filled from a mapping, after checking each value's type."""
    hints = typing.get_type_hints(kind, vars(promise_kinds) | globals())
    _refuse_others(plain, place, *hints)
    values = {name: _typed(value, hints[name], f"{place}.{name}") for name, value in plain.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise SpecError(f"{place}: {error}") from None


def _typed(value: Any, expected: Any, place: str) -> Any:
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if origin is tuple:
        if isinstance(value, tuple):
            return value
        return tuple(
            _typed(item, arguments[0], f"{place}[{number}]")
            for number, item in enumerate(_expect(value, list, place))
        )
    if origin in (typing.Union, types.UnionType):
        if not any(type(value) is choice for choice in arguments):
            raise SpecError(f"{place}: {value!r} is not {expected}")
        return value
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {
            _expect(key, str, place): _expect(item, int, f"{place}.{key}")
            for key, item in _expect(value, dict, place).items()
        }
    return _expect(value, expected, place)


def _item(plain: Any, place: str, depth: int) -> Any:
    _expect(plain, dict, place)
    if depth > DEEPEST:
        raise SpecError(f"{place}: more than {DEEPEST} levels")
    if "body" in plain:
        _refuse_others(plain, place, "count", "body")
        body = _member(plain, "body", list, place)
        inner = [_item(item, f"{place}.body[{n}]", depth + 1) for n, item in enumerate(body)]
        return Loop(_member(plain, "count", str, place), tuple(inner))
    if "kinds" in plain:
        _refuse_others(plain, place, "kinds")
        kinds = _member(plain, "kinds", dict, place)
        return Choice(tuple((k, _nodes(v, f"{place}.kinds.{k}", depth)) for k, v in kinds.items()))
    _refuse_others(plain, place, "line")
    return Line(_nodes(_member(plain, "line", list, place), f"{place}.line", depth))


def _nodes(plain: Any, place: str, depth: int) -> tuple[Any, ...]:
    nodes = _expect(plain, list, place)
    return tuple(_node(node, f"{place}[{number}]", depth + 1) for number, node in enumerate(nodes))


def _node(plain: Any, place: str, depth: int) -> Any:
    kind = _member(_expect(plain, dict, place), "kind", str, place)
    if depth > DEEPEST:
        raise SpecError(f"{place}: more than {DEEPEST} levels")
    if kind == "tuple":
        _refuse_others(plain, place, "kind", "items")
        items = _nodes(_member(plain, "items", list, place), f"{place}.items", depth)
        scalars = tuple(item for item in items if isinstance(item, Scalar))
        if len(scalars) < len(items):
            raise SpecError(f"{place}.items: a tuple holds single values")
        return Tuple(scalars)
    name = _member(plain, "name", str, place)
    if not name.isidentifier():
        raise SpecError(f"{place}.name: {name[:40]!r} is not a name")
    if kind == "list":
        _refuse_others(plain, place, "kind", "name", "count", "item")
        item = _node(_member(plain, "item", dict, place), f"{place}.item", depth + 1)
        return Many(name, _member(plain, "count", str, place), item)
    if kind in STRUCTURES:
        _refuse_others(plain, place, "kind", "name", "options", "nodes")
        options = _member(plain, "options", dict, place)
        nodes = _nodes(_member(plain, "nodes", list, place), f"{place}.nodes", depth)
        try:
            return Structure(kind, name, options, nodes)
        except ValueError as error:
            raise SpecError(f"{place}: {error}") from None
    if kind not in ("int", "real", "bool", "text"):
        known = ", ".join(("int", "real", "bool", "text", "list", "tuple", *STRUCTURES))
        raise SpecError(f"{place}.kind: {kind!r} is not one of {known}")
    _refuse_others(plain, place, "kind", "name", "length")
    return Scalar(name, kind, _optional(plain, "length", place))


def _member(plain: Mapping[str, Any], name: str, expected: type, place: str) -> Any:
    if name not in plain:
        raise SpecError(f"{place}: {name} is missing")
    return _expect(plain[name], expected, f"{place}.{name}")


def _optional(plain: Mapping[str, Any], name: str, place: str) -> str | None:
    return None if plain.get(name) is None else str(_member(plain, name, str, place))


def _refuse_others(plain: Mapping[str, Any], place: str, *names: str) -> None:
    unknown = sorted(set(plain) - set(names))
    if unknown:
        raise SpecError(f"{place}: unknown {', '.join(unknown)}")


def _expect(value: Any, expected: type, place: str) -> Any:
    # Not isinstance: for Python True is an int.
    if type(value) is not expected:
        raise SpecError(f"{place}: {type(value).__name__} instead of {expected.__name__}")
    return value
