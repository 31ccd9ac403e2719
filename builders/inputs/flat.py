"""Problems with trees, lists, graphs or classes as problems of plain values, for those who read statements.

`with_structures` says what the lines of an input are, and writes the problem anew as one whose
inputs are flat (see `structures`). Generators and validators are made for that one, and then
wrapped: `folding` makes a generator's flat inputs inputs of the problem, `flattening` lets a
validator see the flat form of what it checks.
"""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.derive import Derived, derive
from venus_toolkit.builders.inputs.generators.render import WIDTH, code_of
from venus_toolkit.builders.inputs.promises.constraints import sentences
from venus_toolkit.builders.inputs.spec.structures import Broken, Structure, flatten
from venus_toolkit.builders.inputs.statements import Statement, parse_statement
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, Solution, TestCase
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, starter_code

KEY = "structures"  # of a problem's extra
# What structures are where nothing is said of them.
UNSAID: dict[str, Any] = {
    "search": False, "perfect": False, "complete": False, "unlike": [], "connected": False, "acyclic": False,
    "directed": True, "filled": [], "known": [],
}  # fmt: skip
INT = Type(Kind.INT)
# lists of values when flat
VALUES = (Kind.TREE, Kind.NARY_TREE, Kind.LINKED_LIST, Kind.RANDOM_LIST, Kind.NEXT_TREE)
CALLS = "calls"
GROWS = re.compile(r"(?:push|add|insert|enqueue|enq|offer|append|put|record|inc)", re.IGNORECASE)
SHRINKS = re.compile(r"(?:pop|remove|delete|dequeue|deq|poll|next|take|pull|dec)", re.IGNORECASE)
INSIDE = re.compile(
    r"\b(?:guaranteed|always|each call)\b.{0,80}\b(?:exist\w*|present)\b", re.IGNORECASE
)
FILLED = re.compile(
    r"\bnon-? ?empty\b|\bnot (?:be )?empty\b|\bat least one (?:element|number|item|value)"
    r"|\b(?:calls?|operations?)\b.{0,80}\bvalid\b|\bvalid\b.{0,40}\bcalls?\b|\bexists? (?:a |an )?next\b",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
MOST_CALLS = re.compile(
    r"\bat most\s+(?P<most>[\d^*{} .,]{1,30}?)\s+(?:\w+ ){0,3}?calls?\b", re.IGNORECASE
)
NODES_IN_RANGE = re.compile(
    r"[^\n.]{0,40}\bnumber of (?:the )?nodes (?:in|of) (?P<where>[^\n]{0,60}?)\s*(?:is|are|will be)?\s*"
    r"(?:(?:in )?the range|between)\s*(?:of\s*)?\[?\s*"
    r"(?P<least>[^\n,\[\]]{1,40}?)\s*(?:,|and)\s*(?P<most>[^\n,\[\]]{1,40}?)\s*(?:\]|$)",
    re.IGNORECASE | re.MULTILINE,
)
NODES_NAMED = re.compile(
    r"[^\n.]{0,40}\bnumber of (?:the )?nodes (?:in|of) (?:the )?\w+ is (?:in the )?(?P<name>[A-Za-z])\b[^\n]{0,20}",
    re.IGNORECASE,
)
NODE_VALUE = re.compile(r"\b[Nn]ode\.val(?:ue)?\b")
UNIQUE = re.compile(r"\b(?:unique|distinct)\b", re.IGNORECASE)
DEPTH = re.compile(
    r"\b(?:depth|height)\b[^\n]{0,80}?(?:<=|less than or equal to|at most|exceed)\s*(?P<most>\d{1,7})",
    re.IGNORECASE,
)
SEARCH = re.compile(r"\bbinary search tree\b|\bBST\b")
PERFECT = re.compile(r"\bperfect binary tree\b", re.IGNORECASE)
COMPLETE = re.compile(r"\bcomplete binary tree\b|\bguaranteed to be complete\b", re.IGNORECASE)
UNDIRECTED = re.compile(
    r"\bcontains?\s+v\b.{0,60}\bcontains?\s+u\b|\bundirected\b", re.IGNORECASE | re.DOTALL
)
ACYCLIC = re.compile(r"\bacyclic\b|\bDAG\b")
NEIGHBOURS = re.compile(
    r"\b(?P<name>\w+)\[[iu]\]\s+(?:is|are|represents?)\s+(?:a list|an array|all|the)\b"
    r".{0,60}\b(?:nodes?|neighbou?rs)\b",
    re.IGNORECASE,
)
# What the structures themselves see to.
KNOWN = re.compile(
    r"\b(?:will )?exists? in the (?:tree|BST|list)|\bvalid index\b|\bperfect binary tree\b|\ball edges\b"
    r"|\bis a (?:valid )?(?:node|binary search tree|BST|perfect)\b|\bguaranteed\b.{0,40}\bnode\b"
    r"|\brandom\b.{0,40}\b(?:null|pointing)\b|\brepeated edges\b|\bself-loops?\b|\bgraph is connected\b"
    r"|\bskip[AB]\b|\bintersectVal\b|\b\w+\[u\]|\bguaranteed to be complete\b",
    re.IGNORECASE,
)


# ------------------------------------------------------------------ what an input is


def structures_of(signature: Signature, statement: str) -> list[dict[str, Any]]:
    """Return the structures of the flat lines of an input.

    Nothing where all of them are plain values.
    """
    text = parse_statement(statement).text
    if signature.design:
        return [_class(signature, text)]
    lines = signature.lines()
    found = _lines(lines, signature.functions[0].parameters, text)
    return found if any(each["kind"] != "same" for each in found) or _has_lists(lines) else []


def _has_lists(lines: Sequence[Parameter]) -> bool:
    def has(wanted: Type | None) -> bool:
        return wanted is not None and (
            wanted.kind in VALUES or wanted.kind == Kind.CHAR or has(wanted.element)
        )

    return any(has(each.type) for each in lines)


def _lines(
    lines: Sequence[Parameter], parameters: Sequence[Parameter], text: str
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    joined = [
        each.name for each in parameters if each.type.kind in (Kind.LINKED_LIST, Kind.JOINED_LIST)
    ]
    known = {each.name for each in parameters}
    search, perfect, depth = SEARCH.search(text), PERFECT.search(text), DEPTH.search(text)
    for line in lines:
        kind, name = line.type.kind, line.name
        each: dict[str, Any] = {"kind": "same", "name": name}
        if kind in (Kind.TREE, Kind.NEXT_TREE):
            complete = bool(COMPLETE.search(text))
            each |= {
                "kind": "tree",
                "search": bool(search),
                "perfect": bool(perfect),
                "complete": complete,
            }
        elif kind == Kind.NARY_TREE:
            each |= {"kind": "nary_tree", "depth": int(depth["most"]) if depth else 1_000}
        elif kind == Kind.RANDOM_LIST:
            each |= {"kind": "random_list"}
        elif kind == Kind.GRAPH:
            each |= {
                "kind": "graph",
                "base": 1,
                "directed": False,
                "acyclic": False,
                "connected": True,
            }
        elif kind == Kind.NODE:
            whole = [
                other["name"]
                for other, its in zip(found, lines, strict=False)
                if its.type == line.type.of
            ]
            unlike = [other["name"] for other in found if other["kind"] == "node"]
            differ = any(
                re.search(rf"\b{re.escape(o)}\s*!=\s*{re.escape(name)}\b", text) for o in unlike
            )
            each |= {"kind": "node", "of": whole[0], "unlike": unlike if differ else []}
        elif name not in known and kind == Kind.INT:
            # The second line of a list is no parameter.
            cyclic = [other["name"] for other in found][-1]
            each |= (
                {"kind": "shared", "of": joined}
                if len(joined) > 1
                else {"kind": "position", "of": cyclic}
            )
        elif line.type == Type(Kind.LIST, Type(Kind.LIST, INT)):
            each |= _adjacency(name, text)
        found.append(each)
    return found


def _adjacency(name: str, text: str) -> dict[str, Any]:
    """Return that a list of lists holds the neighbours of each node, where a statement says that."""
    said = NEIGHBOURS.search(text)
    if not said or said["name"] != name:
        return {}
    acyclic = bool(ACYCLIC.search(text))
    directed = acyclic or not UNDIRECTED.search(text)
    return {
        "kind": "graph",
        "base": 0,
        "directed": directed,
        "acyclic": acyclic,
        "connected": False,
    }


def _class(signature: Signature, text: str) -> dict[str, Any]:
    names = [function.name for function in signature.functions]
    grows = [name for name in names if GROWS.match(name)]
    filled = [name for name in names if name not in grows and _is_said(FILLED, name, text)]
    one = [function.name for function in signature.functions if len(function.parameters) == 1]
    known = [name for name in one if name not in grows and _is_said(INSIDE, name, text)]
    methods = {function.name: _pools(function) for function in signature.functions}
    return {
        "kind": "class",
        "name": signature.holder,
        "parameters": _lines(signature.constructor, signature.constructor, text),
        "methods": methods,
        "rows": [function.name for function in signature.functions if _is_row(function)],
        "pools": [pool for pools in methods.values() for pool in pools],
        "grows": grows,
        "shrinks": [name for name in names if SHRINKS.match(name)],
        "filled": filled,
        "known": known,
    }


def _is_said(what: re.Pattern[str], name: str, text: str) -> bool:
    """Whether a sentence says that of a method."""
    method = re.compile(rf"\b{re.escape(name)}\b")
    longest_sentence = 500
    sentences = (sentence for sentence in SENTENCE.split(text) if len(sentence) <= longest_sentence)
    return any(what.search(sentence) and method.search(sentence) for sentence in sentences)


def _is_row(function: Function) -> bool:
    """Whether the arguments of a method make a row of numbers, of which a statement compares one with another."""
    return len(function.parameters) > 1 and all(
        each.type.kind in (Kind.INT, Kind.LONG) for each in function.parameters
    )


def _pools(function: Function) -> list[str]:
    """Return what the flat lists of the arguments of a method are called."""
    if _is_row(function):
        return [function.name]
    one = len(function.parameters) == 1
    return [
        function.name if one else f"{function.name}_{each.name}" for each in function.parameters
    ]


# ------------------------------------------------------------------ the flat problem


def with_structures(
    problem: Problem, signature: Signature | None, given: Sequence[TestCase]
) -> Problem:
    """Return a problem that has in its extra what its inputs are made of, where that is more than plain values.

    What the given tests break was not said of these structures: it is left out, or all of it.
    """
    structures = structures_of(signature, problem.statement) if signature else []
    less = [
        {**each, **{flag: UNSAID[flag] for flag in set(each) & set(UNSAID)}} for each in structures
    ]
    example = "example-"  # begins the names of the given tests that are the statement's examples
    for found in (structures, less):
        flats = {
            test.test_id: flat
            for test in given
            if (flat := _flattened(found, test.stdin)) is not None
        }
        if signature and found and len(flats) == len(given):
            shown = [flats[test.test_id] for test in given if test.test_id.startswith(example)]
            statement, python = _flat_problem(problem, signature, found, shown)
            extra = {**problem.extra, KEY: {"are": found, "statement": statement, "python": python}}
            return replace(problem, extra=extra)
    return problem


def _flattened(structures: Sequence[Structure], text: str) -> str | None:
    try:
        return flatten(structures, text)
    except (Broken, TypeError, KeyError, IndexError):
        return None


def derived(
    problem: Problem, given: Sequence[str] = (), programs: Sequence[Solution] = ()
) -> Derived:
    """Return what `derive` makes of a problem.

    Where its inputs have structures, of the flat one, wrapped.

    `programs` read the inputs of `problem`, not flat ones.

    Raises:
        NotDerived: The statement says too little, or what was read does not fit the given inputs.
    """
    flat = flat_of(problem)
    if flat is None:
        return derive(problem, given, programs)
    page = _without_kept(parse_statement(problem.statement), flat.structures)
    found = derive(flat.problem, flat.inputs(given), page=page, kept=_kept(flat.structures))
    source, validator = (
        folding(found.source, flat.structures),
        flattening(found.validator, flat.structures),
    )
    return found._replace(source=source, validator=validator)


def _kept(structures: Sequence[Structure]) -> set[str]:
    """Return the kinds of promises (promise_words.py) that structures keep by how they are folded."""
    kinds: set[str] = set()
    for each in structures:
        if each["kind"] in ("tree", "nary_tree", "node"):
            kinds |= {"tree", "connected"} | (
                {"search tree", "order"} if each.get("search") else set()
            )
        elif each["kind"] == "graph":
            kinds |= {"simple", *(["connected"] * each["connected"]), *(["tree"] * each["acyclic"])}
    return kinds


def _without_kept(page: Statement, structures: Sequence[Structure]) -> Statement:
    """Return a statement without the sentences of its story, output and notes that structures keep to."""

    def left(text: str) -> str:
        told = (one for one in sentences(text) if not KNOWN.search(one))
        return "\n\n".join(
            one
            for one in told
            if structures[0]["kind"] != "class" or not _is_seen_to(one, structures[0])
        )

    return replace(page, story=left(page.story), output=left(page.output), notes=left(page.notes))


class Flat(NamedTuple):
    """A problem of flat inputs, and what makes them inputs of the problem."""

    problem: Problem
    structures: Sequence[Structure]

    def inputs(self, texts: Iterable[str]) -> list[str]:
        """Return the flat form of inputs, of those that have one."""
        return [flat for text in texts if (flat := _flattened(self.structures, text)) is not None]


def flat_of(problem: Problem) -> Flat | None:
    """Return the flat problem that `with_structures` wrote.

    None where inputs are plain values already.
    """
    found = problem.extra.get(KEY)
    if not found:
        return None
    plain_one = replace(
        problem, statement=found["statement"], starter_code={"python": found["python"]}, extra={}
    )
    return Flat(plain_one, found["are"])


def _flat_problem(
    problem: Problem, signature: Signature, structures: Sequence[Structure], shown: Sequence[str]
) -> tuple[str, str]:
    """Return statement and Python starter code of a problem of flat inputs, of which `shown` are examples."""
    told = parse_statement(problem.statement).constraints
    lines = _flat(signature)
    graphs = {each["name"] for each in structures if each["kind"] == "graph"}
    # The neighbours of each node are folded from as many values as there are nodes.
    lines = [
        replace(each, type=Type(Kind.LIST, INT)) if each.name in graphs else each for each in lines
    ]
    examples = [
        ", ".join(
            f"{each.name} = {value}" for each, value in zip(lines, text.splitlines(), strict=True)
        )
        for text in shown
    ]
    parts = [
        "Return a number.",
        *(
            f"Example {number}:\n\nInput: {named}\nOutput: 0\n"
            for number, named in enumerate(examples, 1)
        ),
        "Constraints:",
        *(f"- {line.strip()}" for line in _told(told, signature, structures) if line.strip()),
    ]
    solve = Function("solve", tuple(lines), INT)
    python = starter_code(Signature((solve,)), load_languages()["python"])
    return "\n\n".join(parts), python


def _flat(signature: Signature) -> list[Parameter]:
    """Return the parameters that the lines of a flat input would be."""
    if not signature.design:
        return [replace(each, type=_flat_type(each.type)) for each in signature.lines()]
    found = [replace(each, type=_flat_type(each.type)) for each in signature.constructor]
    found.append(Parameter(CALLS, Type(Kind.LIST, INT)))
    for function in signature.functions:
        types = [each.type for each in function.parameters]
        if _is_row(function):
            types = [Type(Kind.LIST, INT)]
        found += [
            Parameter(name, Type(Kind.LIST, each))
            for name, each in zip(_pools(function), types, strict=True)
        ]
    return found


def _flat_type(wanted: Type) -> Type:
    if wanted.kind == Kind.LIST:
        return Type(Kind.LIST, _flat_type(wanted.of))
    if wanted.kind in VALUES or wanted.kind == Kind.GRAPH:
        return Type(Kind.LIST, wanted.element or INT)
    return wanted.of.of if wanted.kind == Kind.NODE else wanted


def _told(told: str, signature: Signature, structures: Sequence[Structure]) -> Iterator[str]:
    """Yield the constraints of the flat problem, each a line."""
    lines = signature.constructor if signature.design else signature.lines()
    wholes = [each.name for each in lines if each.type.kind in (*VALUES, Kind.GRAPH)]
    nodes = [each.name for each in lines if each.type.kind == Kind.NODE]
    told = re.split(r"\bfollow[- ]?up\b", told, maxsplit=1, flags=re.IGNORECASE)[0]
    for name, match in zip(wholes, NODES_NAMED.finditer(told), strict=False):
        told = re.sub(
            rf"(?<![\w.]){match['name']}(?![\w.])", f"{name}.length", told.replace(match[0], "")
        )
    for sentence in (part for line in told.split("\n") for part in SENTENCE.split(line)):
        if signature.design and (
            MOST_CALLS.search(sentence) or _is_seen_to(sentence, structures[0])
        ):
            continue
        for said in _of_nodes(sentence, wholes, nodes):
            yield from _of_arguments(said, signature) if signature.design else [said]
    if signature.design:
        yield from _of_calls(told, signature)
    for line in lines:
        inner, place = line.type, line.name
        while inner.kind == Kind.LIST:
            inner, place = inner.of, f"{place}[{'ij'[place.count('[') % 2]}]"
        if inner.kind == Kind.CHAR:
            yield f"{place}.length == 1"
    for each in structures[0]["parameters"] if signature.design else structures:
        if each["kind"] == "graph":
            yield f"{each['base']} <= {each['name']}[i] < {each['name']}.length + {each['base']}"
        if each.get("search"):
            yield f"All the values of {each['name']} are unique."
        if each["kind"] == "position":
            yield f"-1 <= {each['name']} < {each['of']}.length"
        if each["kind"] == "shared":
            yield f"0 <= {each['name']} <= {each['of'][0]}.length"


def _is_seen_to(sentence: str, structure: Structure) -> bool:
    """Whether a sentence says which methods are called when, and the calls are made so."""
    filled, known = structure["filled"], structure["known"]
    return bool((filled and FILLED.search(sentence)) or (known and INSIDE.search(sentence)))


def _of_nodes(sentence: str, wholes: Sequence[str], nodes: Sequence[str]) -> Iterator[str]:
    """Yield what a sentence about nodes says of each of the lists `wholes` of their values, and of single `nodes`."""
    ranged = NODES_IN_RANGE.search(sentence)
    names = [name for name in wholes if re.search(rf"\b{re.escape(name)}\b", sentence)] or wholes
    if ranged and wholes:
        yield from (f"{ranged['least']} <= {name}.length <= {ranged['most']}" for name in names)
    elif NODE_VALUE.search(sentence) and UNIQUE.search(sentence):
        yield from (f"All the values of {name} are unique." for name in names)
    elif NODE_VALUE.search(sentence):
        yield from (NODE_VALUE.sub(f"{name}[i]", sentence) for name in names)
        yield from (NODE_VALUE.sub(name, sentence) for name in nodes)
    elif sentence.strip() and not KNOWN.search(sentence) and not DEPTH.search(sentence):
        yield sentence


def _of_calls(told: str, signature: Signature) -> Iterator[str]:
    """Yield how many calls there are, and which."""
    yield f"0 <= {CALLS}[i] < {len(signature.functions)}"
    most = MOST_CALLS.search(told)
    for name in (CALLS, *(pool for function in signature.functions for pool in _pools(function))):
        if most:
            yield f"{int(name == CALLS)} <= {name}.length <= {most['most'].strip()}"
    for function in signature.functions:
        if _is_row(function):
            yield f"{function.name}[i].length == {len(function.parameters)}"


def _of_arguments(sentence: str, signature: Signature) -> Iterator[str]:
    """Yield what a sentence about parameters of methods says of the lists that their values stand in."""
    own = {each.name for each in signature.constructor}

    def name_of(parameter: str) -> str:
        return rf"(?<![\w.\[\]]){re.escape(parameter)}(?![\w\[(])"

    every = {each.name for function in signature.functions for each in function.parameters} - own
    named = {name for name in every if re.search(name_of(name), sentence)}
    for function in signature.functions if named else ():
        mine = [each.name for each in function.parameters]
        if named <= set(mine):
            said = sentence
            for place, name in enumerate(mine):
                pools = _pools(function)
                flat = f"{function.name}[i][{place}]" if _is_row(function) else f"{pools[place]}[i]"
                said = re.sub(name_of(name), flat, said) if name in named else said
            yield said
    if not named:
        yield sentence


# ------------------------------------------------------------------ programs


def folding(generator: str, structures: Sequence[Structure]) -> str:
    """Return a generator whose flat inputs become inputs."""
    return (
        f"{generator.rstrip()}\n\n\n{code_of('spec/structures')}\n\n\n{_literal(structures)}\n\n"
        "_flat_input = generate\n\n\n"
        "def generate(seed: int, size: str) -> str:\n    return fold(STRUCTURES, "
        "_flat_input(seed, size), seed)\n"
    )


def flattening(validator: str, structures: Sequence[Structure]) -> str:
    """Return a validator of the inputs whose flat form a validator checks."""
    return (
        f"{validator.rstrip()}\n\n\n{code_of('spec/structures')}\n\n\n{_literal(structures)}\n\n"
        "_flat_is_valid = validate\n\n\ndef validate(stdin: str) -> bool:\n"
        "    return _flat_is_valid(flatten(STRUCTURES, stdin))\n"
    )


def _literal(structures: Sequence[Structure]) -> str:
    return (
        "STRUCTURES = "
        f"{pprint.pformat([dict(each) for each in structures], width=WIDTH, sort_dicts=False)}"
    )
