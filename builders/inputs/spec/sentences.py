"""A specification as plain English, for a person to compare with the statement."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from .layout import Choice, Item, Line, Loop, Many, Node, Scalar, Tuple
from .promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    Letters,
    OneOf,
    Permutation,
    Promise,
    Reading,
    Sorted,
    TotalBound,
)
from .specification import Spec
from .structures import Structure

KINDS = {"int": "integer", "real": "real number", "bool": "boolean", "text": "string"}
KEPT_BY_FORM = "the form of the input keeps"
LONGEST_QUOTE = 160  # characters of a quoted sentence
OPERATORS = {"==": "=", "!=": "is not"}


def sentences(spec: Spec) -> list[str]:
    """Return the lines of an input, a sentence for each promise, and the unread sentences."""
    lines = list(
        _arguments(spec) if spec.layout.style == "json" else _lines(spec, spec.layout.body)
    )
    if spec.loose:
        lines.append("an input may have more white space than that")
    if not spec.rectangular:
        lines.append("the rows of a list of lists may differ in length")
    if spec.directed:
        lines.append("edges have a direction")
    nodes = [node for item in spec.layout.body for node in getattr(item, "nodes", ())]
    # A sentence without promises, such as the line of a format, is worth showing only with a
    # structure, whose form may already keep the sentence.
    by_form = [KEPT_BY_FORM] if any(isinstance(node, Structure) for node in nodes) else []
    for reading in spec.readings:
        texts = _promises(reading.promises) if reading.promises else by_form
        lines += [f"{text} ({_source(reading)})" for text in texts]
    return lines + [f"not understood: {_quoted(sentence)}" for sentence in spec.unread]


def _source(reading: Reading) -> str:
    if reading.witness == "guess":
        return f"a guess: {reading.sentence}" if reading.sentence else "a guess"
    is_statement = reading.witness == "statement"
    return _quoted(reading.sentence) if is_statement else f"suspected: {reading.sentence}"


def _quoted(sentence: str) -> str:
    words = " ".join(sentence.split())
    return f'"{words if len(words) <= LONGEST_QUOTE else words[:LONGEST_QUOTE] + "…"}"'


# ------------------------------------------------------------------ lines


def _lines(spec: Spec, items: Sequence[Item], number: int = 1) -> Iterator[str]:
    """Yield the lines of a body, numbered until a number depends on the input."""
    for item in items:
        if not isinstance(item, Loop):
            yield f"{f'line {number}' if number else 'then a line'}: {_form(item)}"
            number += 1 if number else 0
            continue
        number = 0
        first = item.body[0] if item.body else Line()
        if len(item.body) == 1 and not isinstance(first, Loop):
            yield f"then {_count(item.count)} lines: {_form(first)}"
            continue
        is_cases = item.count == spec.layout.cases
        yield f"then {_count(item.count)} {'test cases' if is_cases else 'times'}:"
        yield from (f"  {line.removeprefix('then ')}" for line in _lines(spec, item.body, 0))


def _form(item: Line | Choice) -> str:
    if isinstance(item, Choice):
        forms = (f"{kind} {_places(nodes)}".strip() for kind, nodes in item.kinds)
        return "one of " + " | ".join(forms)
    return _places(item.nodes) or "(empty)"


def _places(nodes: Sequence[Node | Structure]) -> str:
    return ", ".join(map(_place, nodes))


def _place(node: Node | Structure) -> str:
    if isinstance(node, Scalar):
        length = f" of length {node.length}" if node.length else ""
        return node.name if node.kind == "int" else f"{node.name} ({KINDS[node.kind]}{length})"
    if isinstance(node, Tuple):
        return _places(node.items)
    if isinstance(node, Structure):
        return f"{node.name} ({_structure(node)})"
    if isinstance(node.item, Scalar):
        return f"{node.name} ({_count(node.count)} {KINDS[node.item.kind]}s)"
    return f"{_count(node.count)} times: {_place(node.item)}"


def _count(expression: str) -> str:
    return re.sub(r"\blen_(\w+)", r"len(\1)", expression).replace(" ** ", "^")


# ------------------------------------------------------------------ arguments


def _arguments(spec: Spec) -> Iterator[str]:
    for line in spec.layout.body:
        for node in line.nodes if isinstance(line, Line) else ():
            if isinstance(node, Structure) and node.kind == "class":
                yield from _calls(node)
            else:
                name = "" if isinstance(node, Tuple) else node.name
                yield f"argument {name}: {_value(node)}"


def _value(node: Node | Structure, many: bool = False) -> str:
    if isinstance(node, Structure):
        return _structure(node)
    if isinstance(node, Scalar):
        kind = KINDS[node.kind]
        return f"{kind}s" if many else f"an {kind}" if kind[0] == "i" else f"a {kind}"
    if isinstance(node, Tuple):
        places = ", ".join(f"{item.name} ({KINDS[item.kind]})" for item in node.items)
        return f"rows [{places}]" if many else f"[{places}]"
    return f"{'lists' if many else 'a list'} of {_value(node.item, many=True)}"


def _structure(node: Structure) -> str:
    """Describe a structure and its options."""
    values = node.nodes[0].item if isinstance(node.nodes[0], Many) else None
    of = f" of {_value(values, many=True)}" if values else ""
    if node.kind == "tree":
        options = ("complete", "perfect", "balanced")
        words = " ".join(option for option in options if node[option])
        heap = f" that is a {node['heap']} heap" if node["heap"] else ""
        equal = ", equal values allowed" if node["equal"] else ""
        swapped = (
            f", in which exactly {node['swapped']} values changed places" if node["swapped"] else ""
        )
        kind = f"{words} binary {'search ' if node['search'] else ''}tree".strip()
        return f"a {kind}{of}{heap}{equal}{swapped}{_height(node)}"
    if node.kind == "nary_tree":
        return f"a tree{of} whose nodes have any number of children{_height(node)}"
    if node.kind == "linked_list":
        return (
            f"a linked list{of}, whose {node['leading']} digit is not 0 unless it is the only one"
        )
    if node.kind == "random_list":
        return f"a linked list{of} with a second pointer to any node or none"
    if node.kind == "position":
        return f"the index in {node['of']} that its last node links to, -1 for none"
    if node.kind == "shared":
        return f"how many nodes {' and '.join(node['of'])} share at their ends"
    if node.kind == "node":
        other = f", not the one of {' or '.join(node['unlike'])}" if node["unlike"] else ""
        return f"the value of a node of {node['of']}{other}"
    properties = [option for option in ("connected", "acyclic") if node[option]]
    kind = " ".join([*properties, "undirected" if node["undirected"] else "directed"])
    article = "an" if kind[0] in "au" else "a"
    return f"{article} {kind} graph as the neighbours of each node, from {node['base']} on"


def _height(node: Structure) -> str:
    return f", of at most {node['height']} levels" if node["height"] else ""


def _calls(design: Structure) -> Iterator[str]:
    methods = design["methods"]
    first = len(design.nodes) - 1 - sum(map(len, methods.values()))
    parameters = ", ".join(f"{node.name}: {_value(node)}" for node in design.nodes[:first])
    yield f"line 1: the methods that are called, {design.name} first; line 2: their arguments"
    yield f"{design.name}({parameters})"
    pools = {node.name: node.item for node in design.nodes[first:] if isinstance(node, Many)}
    for name, arguments in methods.items():
        yield f"{name}({', '.join(f'{pool}: {_value(pools[pool])}' for pool in arguments)})"
    rules = {
        "filled": "is called only while something is inside",
        "known": "is called only with a value that is inside",
        "grows": "puts one in", "shrinks": "takes one out",
    }  # fmt: skip
    has_rules = design["filled"] or design["known"]
    for option, words in rules.items() if has_rules else ():
        yield from (f"{name} {words}" for name in design[option])
    yield from (f"{name} is called at most {most} times" for name, most in design["most"].items())
    yield from (f"no value of {pool} comes twice" for pool in design["once"])


# ------------------------------------------------------------------ promises


def _promises(promises: Sequence[Promise]) -> Iterator[str]:
    """Yield a sentence for each promise, and one for each chain of comparisons."""
    pairs = list(map(_upwards, promises))
    chain = ""
    for promise, following in itertools.zip_longest(pairs, pairs[1:]):
        if not isinstance(promise, Compare):
            yield _promise(promise)
            continue
        operator = OPERATORS.get(promise.operator, promise.operator)
        chain = f"{chain or _term(promise.left)} {operator} {_term(promise.right)}"
        after = following if isinstance(following, Compare) else None
        if after and (after.left, after.conditions) == (promise.right, promise.conditions):
            continue
        conditions = " and ".join(map(_term, promise.conditions))
        yield chain + (f", where {conditions}" if conditions else "")
        chain = ""


def _upwards(promise: Promise) -> Promise:
    """Return a comparison with the smaller side on the left."""
    if not isinstance(promise, Compare) or promise.operator not in (">", ">="):
        return promise
    operator = promise.operator.replace(">", "<")
    return Compare(promise.right, operator, promise.left, promise.conditions)


def _promise(promise: Promise) -> str:
    match promise:
        case Letters(term, letters):
            return f"{_term(term)} consists of {_alphabet(letters)}"
        case OneOf(term, values):
            return f"{_term(term)} is one of {', '.join(map(str, values))}"
        case Distinct(terms, unordered):
            rows = "rows " if len(terms) > 1 else "of "
            either = ", in either order" if unordered else ""
            return f"no two {rows}{_row(terms)} are equal{either}"
        case Sorted(term, descending, strict):
            way = "decreasing" if descending else "increasing"
            opposite = "increasing" if descending else "decreasing"
            return f"{_term(term)} is {f'strictly {way}' if strict else f'non-{opposite}'}"
        case Permutation(term, low, high):
            return f"{_term(term)} holds each of {_term(low)} to {_term(high)} once"
        case Graph(kinds, term):
            return f"the edges{f' {_term(term)}' if term else ''} form a graph: {', '.join(kinds)}"
        case TotalBound(term, most):
            return f"the sum of {_term(term)} over all test cases is at most {_term(most)}"
        case Is(term, property_name, arguments):
            return " ".join([_term(term), "is", property_name, *map(_term, arguments)])
    raise TypeError(type(promise).__name__)


def _row(terms: Sequence[str]) -> str:
    return ", ".join(map(_term, terms)) if len(terms) == 1 else f"({', '.join(map(_term, terms))})"


def _term(term: str) -> str:
    """Return a term as a person writes it."""
    return re.sub(r"\blen_(\w+)", r"len(\1)", str(term)).replace(" ** ", "^")


def _alphabet(letters: str) -> str:
    """Return letters with consecutive ones as ranges: ``a-z``."""
    ordered = sorted(set(letters))
    runs: list[list[str]] = []
    for letter in ordered:
        if runs and ord(letter) == ord(runs[-1][-1]) + 1:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    least = 4  # consecutive letters to show as a range
    shown = (f"{run[0]}-{run[-1]}" if len(run) >= least else " ".join(run) for run in runs)
    return " ".join(shown).replace("   ", " space ") or "no letters"
