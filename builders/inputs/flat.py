"""Reads the structures of a statement, and rewrites its problem as one with flat inputs.

`with_structures` reads the structures from the signature and the words (see `spec.structures`), and
rewrites the problem as one with flat inputs, where promises are read, checked and drawn.
`nested_layout` puts the structures back into the layout of the flat inputs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.derive import DerivedSpec, derive
from venus_toolkit.builders.inputs.promises.constraints import sentences
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Scalar, nodes_of
from venus_toolkit.builders.inputs.spec.promises import Reading
from venus_toolkit.builders.inputs.spec.structures import Structure, StructureError, flatten_nodes
from venus_toolkit.builders.inputs.statements import Statement, parse_statement
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, Solution, TestCase
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, starter_code

KEY = "structures"  # key in `Problem.extra`
INT = Type(Kind.INT)
LINKED = (Kind.LINKED_LIST, Kind.JOINED_LIST, Kind.CYCLIC_LIST)
TREES = (Kind.TREE, Kind.NEXT_TREE, Kind.NARY_TREE)
VALUES = (*TREES, *LINKED, Kind.RANDOM_LIST)  # structures whose flat form is a list of their values
CALLS = "calls"
InputNode = Scalar | Structure  # a scalar stands for plain values of any kind
# Options that a statement or the type of an argument sets, and that a given test may contradict.
DOUBTFUL = ("unlike", "search", "swapped", "perfect", "complete", "balanced", "heap", "height", "leading", "undirected",
            "acyclic", "connected", "filled", "known", "most")  # fmt: skip
GROWS = re.compile(r"(?:push|add|insert|enqueue|enq|offer|append|put|record|inc)", re.IGNORECASE)
SHRINKS = re.compile(r"(?:pop|remove|delete|dequeue|deq|poll|next|take|pull|dec)", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
LONGEST_SENTENCE = 500
RULES = tomllib.loads(Path(__file__).with_name("structures.toml").read_text(encoding="utf-8"))
SAID = {name: re.compile("|".join(rule["phrases"]), re.I) for name, rule in RULES.items()}
PROMISES = (*DOUBTFUL[1:-1], "equal", "exists", "differ", "unique", "sorted", "rising", "after")
RANGE = re.compile(
    r"\b(?:is|are) (?:in|within) the (?:inclusive )?range (?:of )?\[(?P<low>[^,\]]+), ?(?P<high>[^\]]+)\]"
)
NAMED = re.compile(r"^\W*(?P<count>\w+\.length) (?:is|equals) (?P<name>[A-Za-z])\W*$")


# ------------------------------------------------------------------ structures


class StatementWords:
    """The sentences of a statement, searched for promises about its input."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = [part for part in SENTENCE.split(text) if len(part) <= LONGEST_SENTENCE]

    def about(self, name: str) -> StatementWords:
        """Return the sentences that contain a name."""
        # ``non-empty`` does not name a method ``empty``.
        named = re.compile(rf"(?<![\w-]){re.escape(name)}\b")
        return StatementWords("\n".join(filter(named.search, self.sentences)))

    def saying(self, option: str) -> Iterator[re.Match[str]]:
        """Yield the matches of sentences that promise an option of structures.toml."""
        anywhere = RULES[option].get("anywhere")
        for sentence in self.sentences:
            defines = not anywhere and SAID["defines"].search(sentence)
            for match in () if defines else SAID[option].finditer(sentence):
                if anywhere or not SAID["asked"].search(sentence, 0, match.start()):
                    yield match

    def say(self, option: str) -> bool:
        """Whether one of the sentences promises an option."""
        return next(self.saying(option), None) is not None


def nodes_in(signature: Signature, statement: str) -> list[InputNode]:
    """Return the nodes of the lines of an input; their flat nodes have only names yet."""
    words = StatementWords(parse_statement(statement).text)
    if signature.design:
        return [_class(signature, words)]
    return _argument_nodes(signature.lines(), signature.functions[0].parameters, words)


def _argument_nodes(
    lines: Sequence[Parameter], parameters: Sequence[Parameter], words: StatementWords
) -> list[InputNode]:
    nodes: list[InputNode] = []
    joined = [
        line.name for line in parameters if line.type.kind in (Kind.LINKED_LIST, Kind.JOINED_LIST)
    ]
    names = {parameter.name for parameter in parameters}
    wholes = {line.type: line.name for line in lines if line.type.kind in VALUES}
    for line in lines:
        kind, options = "", dict[str, Any]()
        match line.type.kind:
            case Kind.TREE | Kind.NEXT_TREE:
                kind, options = "tree", _tree_options(words)
            case Kind.NARY_TREE:
                kind, options = "nary_tree", {"height": _height(words) or 1_000}
            case Kind.RANDOM_LIST:
                kind = "random_list"
            case Kind.LINKED_LIST if words.say("leading"):
                digit = "last" if words.say("reverse") else "first"
                kind, options = "linked_list", {"leading": digit}
            case Kind.GRAPH:
                kind = "graph"
                options = {"base": 1, "undirected": True, "connected": True}
                options |= {"acyclic": True} if words.say("acyclic") else {}
            case Kind.NODE:
                kind, options = "node", {"of": wholes.get(line.type.of, nodes[0].name)}
            case Kind.INT | Kind.LONG if line.name not in names:
                # The second line of a list is not a parameter.
                is_shared = len(joined) > 1
                kind = "shared" if is_shared else "position"
                options = {"of": joined if is_shared else nodes[-1].name}
            case Kind.INT | Kind.LONG | Kind.STRING if wholes and words.about(line.name).say(
                "exists"
            ):
                kind, options = "node", {"of": next(iter(wholes.values()))}
            case Kind.LIST if line.type == Type(Kind.LIST, Type(Kind.LIST, INT)):
                kind, options = _adjacency(line.name, words)
        if kind == "node":
            others = [n.name for n in nodes if isinstance(n, Structure) and n.kind == kind]
            unequal = [rf"\b{re.escape(other)}\s*!=\s*{re.escape(line.name)}\b" for other in others]
            is_other = words.say("differ") or any(re.search(u, words.text) for u in unequal)
            options |= {"unlike": others} if is_other and others else {}
        flat = Scalar(line.name)
        nodes.append(Structure(kind, line.name, options, (flat,)) if kind else flat)
    return nodes


def _tree_options(words: StatementWords) -> dict[str, Any]:
    flags = ("search", "perfect", "complete", "balanced")
    options: dict[str, Any] = {flag: True for flag in flags if words.say(flag)}
    if "search" in options:
        options |= {"equal": True} if words.say("equal") else {}
        options |= {"swapped": 2} if words.say("swapped") else {}
    heap = next(words.saying("heap"), None)
    options |= {"heap": heap["order"].lower()} if heap else {}
    height = _height(words)
    return options | ({"height": height} if height else {})


def _height(words: StatementWords) -> int | None:
    height = SAID["height"].search(words.text)
    return int(height["most"]) if height else None


def _adjacency(name: str, words: StatementWords) -> tuple[str, dict[str, Any]]:
    """Return the kind and options of an adjacency list, "" if the statement mentions none."""
    if name not in [match["name"] for match in SAID["neighbours"].finditer(words.text)]:
        return "", {}
    is_tree = words.say("tree")
    options = {flag: True for flag in ("acyclic", "connected") if is_tree or words.say(flag)}
    # Over two lines: ``graph[u] contains v`` and the other way round.
    is_undirected = is_tree or SAID["undirected"].search(words.text.replace("\n", " "))
    return "graph", {"base": 0} | options | ({"undirected": True} if is_undirected else {})


def _class(signature: Signature, words: StatementWords) -> Structure:
    names = [function.name for function in signature.functions]
    one = [function.name for function in signature.functions if len(function.parameters) == 1]
    grows = [name for name in names if GROWS.match(name)]
    methods = {function.name: _pools(function) for function in signature.functions}
    limits: dict[str, list[int]] = {}
    for sentence in words.sentences:
        for most in SAID["most"].finditer(sentence):
            for name in names if _number(most["most"]) else ():
                if re.search(rf"\b{re.escape(name)}\b", sentence):
                    limits.setdefault(name, []).append(_number(most["most"]))
    options: dict[str, Any] = {
        "methods": methods,
        "rows": [function.name for function in signature.functions if _is_row(function)],
        "grows": grows,
        "shrinks": [name for name in names if SHRINKS.match(name)],
        "filled": [n for n in names if n not in grows and words.about(n).say("filled")],
        "known": [n for n in one if n not in grows and words.about(n).say("known")],
    }
    for match in words.saying("after"):
        earlier = re.compile(rf"\b(?:{'|'.join(names)})\b").findall(match.string, 0, match.start())
        options["filled"] += [name for name in earlier if name not in options["filled"]]
        options["grows"] += {match["first"] or match["other"]} & set(names) - set(grows)
    ordered = [pool for pool, _ in _pool_promises(signature, words)]
    options |= {"once": ordered} if ordered else {}
    # A single limit bounds all calls together, which the length of the flat list of calls expresses.
    if sum(len(list(SAID["most"].finditer(sentence))) for sentence in words.sentences) > 1:
        options["most"] = {name: min(numbers) for name, numbers in limits.items()}
    flat = [CALLS, *(pool for pools in methods.values() for pool in pools)]
    first = _argument_nodes(signature.constructor, signature.constructor, words)
    return Structure("class", signature.holder, options, (*first, *map(Scalar, flat)))


def _pool_promises(signature: Signature, words: StatementWords) -> Iterator[tuple[str, str]]:
    """Yield the pools whose values are unique or sorted, each with a sentence that says so."""
    for function in () if not signature.design else signature.functions:
        names = [function.name, *(p.name for p in function.parameters if len(p.name) > 2)]
        sentences = {s: None for name in names for s in words.about(name).sentences}
        matches = [m for s in sentences if (m := SAID["rising"].search(s)) and function.name in s]
        for pool in () if _is_row(function) or len(function.parameters) > 1 else _pools(function):
            if matches:
                strict = any(match["strict"] for match in matches)
                yield pool, f"{pool} is {'strictly increasing' if strict else 'non-decreasing'}."
            elif any(SAID["unique"].search(s) and re.search(r"\bcall", s) for s in sentences):
                yield pool, f"All the values of {pool} are unique."


def _number(text: str) -> int:
    """Return the number in ``1000``, ``3 * 10^4`` or ``2,000``; 0 if the text is not a number."""
    powers = [factor.split("^") for factor in re.sub(r"[ ,{}]", "", text).split("*")]
    if not all(part.isdigit() and len(part) < 10 for power in powers for part in power):
        return 0
    product = 1
    for base, *exponents in powers:
        product *= int(base) ** min(int(exponents[0]) if exponents else 1, 18)
    return product


def _is_row(function: Function) -> bool:
    """Whether the arguments of a method make a row of numbers: at least two, all integers."""
    integers = (Kind.INT, Kind.LONG)
    kinds = [parameter.type.kind for parameter in function.parameters]
    return len(kinds) > 1 and all(kind in integers for kind in kinds)


def _pools(function: Function) -> list[str]:
    """Return the names of the flat lists of the arguments of a method."""
    if _is_row(function) or len(function.parameters) == 1:
        return [function.name]
    return [f"{function.name}_{parameter.name}" for parameter in function.parameters]


def nested_layout(nodes: Sequence[InputNode], flat: Layout) -> Layout:
    """Return the layout of original inputs: `nodes`, with the flat nodes inside taken from `flat`."""
    flat_nodes = nodes_of(flat.body)

    def fill(node: InputNode) -> Any:
        if isinstance(node, Structure):
            return replace(node, nodes=tuple(map(fill, node.nodes)))
        return next(flat_nodes)

    return replace(flat, body=tuple(Line((fill(node),)) for node in nodes))


# ------------------------------------------------------------------ the flat problem


class Flat(NamedTuple):
    """A problem with flat inputs, and the nodes of the original inputs."""

    problem: Problem
    nodes: Sequence[InputNode]
    words: Mapping[str, str]  # sentences of the original statement, by their flat versions

    def inputs(self, texts: Iterable[str]) -> list[str]:
        """Return the flat forms of the inputs that have one."""
        return [flat for text in texts if (flat := _try_flatten(self.nodes, text)) is not None]


def with_structures(
    problem: Problem, signature: Signature | None, given_tests: Sequence[TestCase]
) -> Problem:
    """Return the problem with its flat problem in `extra`, if its inputs are not plain values.

    An option that the given tests contradict is dropped: the statement means another structure.
    """
    nodes = nodes_in(signature, problem.statement) if signature else []
    is_plain = not any(isinstance(node, Structure) for node in nodes)
    if not signature or (is_plain and not any(map(_is_special, signature.types()))):
        return problem
    for number, node in enumerate(nodes):
        # Later lines refer to earlier ones, whose options are final by now.
        seen = ["".join(t.stdin.splitlines(keepends=True)[: number + 1]) for t in given_tests]
        if signature.design:
            seen = [test.stdin for test in given_tests]
        choices = ([*nodes[:number], weaker] for weaker in _weaker_versions(node))
        keeping = (
            choice for choice in choices if None not in [_try_flatten(choice, s) for s in seen]
        )
        settled = next(keeping, None)
        if settled is None:
            return problem
        nodes[number] = settled[-1]
    flats = {test.test_id: _try_flatten(nodes, test.stdin) or "" for test in given_tests}
    # This prefix marks given tests that are the statement's examples.
    shown = [flat for name, flat in flats.items() if flat and name.startswith("example-")]
    extra = {"nodes": nodes, **_flat_problem(problem, signature, nodes, shown)}
    return replace(problem, extra={**problem.extra, KEY: extra})


def _is_special(value_type: Type | None) -> bool:
    if value_type is None:
        return False
    return value_type.kind in (*VALUES, Kind.CHAR) or _is_special(value_type.element)


def _weaker_versions(node: InputNode) -> Iterator[InputNode]:
    """Yield a node, then versions with ever fewer of its doubtful options."""
    if not isinstance(node, Structure):
        yield node
        return
    doubtful = [option for option in node.options if option in DOUBTFUL]
    for size in range(len(doubtful), -1, -1):
        for options in combinations(doubtful, size):
            rest = {k: v for k, v in node.options.items() if k in options or k not in DOUBTFUL}
            if "swapped" not in rest or "search" in rest:
                yield replace(node, options=rest)
    if node.kind in ("node", "graph"):
        yield from node.nodes


def _try_flatten(nodes: Sequence[InputNode], text: str) -> str | None:
    try:
        return flatten_nodes(nodes, text)
    except StructureError:
        return None


def flat_of(problem: Problem) -> Flat | None:
    """Return the flat problem that `with_structures` stored; None for plain inputs."""
    extra = problem.extra.get(KEY)
    if not extra:
        return None
    starters = {"python": extra["python"]}
    flat = replace(problem, statement=extra["statement"], starter_code=starters, extra={})
    return Flat(flat, extra["nodes"], extra["words"])


def derived(
    problem: Problem, given_inputs: Sequence[str] = (), programs: Sequence[Solution] = ()
) -> DerivedSpec:
    """Derive the specification of a problem; one with structures is derived from its flat problem.

    Raises:
        NotDerived: The statement says too little, or its reading does not fit the given inputs.
    """
    flat = flat_of(problem)
    if flat is None:
        return derive(problem, given_inputs, programs)
    page = parse_statement(problem.statement)
    # Programs are left out: they do not read flat inputs.
    flat_spec = derive(
        flat.problem,
        flat.inputs(given_inputs),
        page=_without_implied(page, flat.nodes),
        implied_kinds=_implied_kinds(flat.nodes),
    )
    readings = [
        reading._replace(
            sentence=flat.words.get(_strip_marks(reading.sentence)) or reading.sentence
        )
        for reading in flat_spec.spec.readings
    ]
    readings += [
        Reading(sentence, ())
        for sentence in _promising_sentences(StatementWords(page.text), flat.nodes)
    ]
    layout = nested_layout(flat.nodes, flat_spec.spec.layout)
    samples = [
        text for text in given_inputs if _try_flatten(flat.nodes, text) in flat_spec.spec.samples
    ]
    spec = replace(
        flat_spec.spec,
        layout=layout,
        readings=tuple(readings),
        samples=tuple(dict.fromkeys(samples)),
    )
    return flat_spec._replace(spec=spec)


def _promising_sentences(words: StatementWords, nodes: Sequence[InputNode]) -> Iterator[str]:
    """Yield a sentence for each option of the structures that the statement promises."""
    options = _options(nodes)
    quotes: dict[str, None] = {}
    for option in options.intersection(PROMISES):
        matches = [match.string for match in words.saying(option)]
        matches += [sentence for sentence in words.sentences if SAID[option].search(sentence)]
        quotes |= dict.fromkeys(matches[:1])
    yield from (quote.strip(" -") for quote in words.sentences if quote in quotes)


def _implied_kinds(nodes: Sequence[InputNode]) -> set[str]:
    """Return the kinds of promises (promise_words.py) that the folding of structures ensures."""
    kinds: set[str] = set()
    for node in nodes:
        if isinstance(node, Structure) and node.kind in ("tree", "nary_tree", "node"):
            kinds |= {"tree", "connected"}
            kinds |= {"search tree", "order"} if node.options.get("search") else set()
            kinds |= {"amount"} if node.options.get("swapped") else set()
        elif isinstance(node, Structure) and node.kind == "graph":
            kinds |= {"simple", *(["connected"] * node["connected"]), *(["tree"] * node["acyclic"])}
    return kinds


def _without_implied(page: Statement, nodes: Sequence[InputNode]) -> Statement:
    """Return a statement whose story, output and notes lack the promises that structures ensure."""

    def rest(text: str) -> str:
        return "\n\n".join(
            s
            for s in sentences(text)
            if not SAID["seen_to"].search(s) and not _is_implied(s, nodes)
        )

    return replace(page, story=rest(page.story), output=rest(page.output), notes=rest(page.notes))


def _is_implied(sentence: str, nodes: Sequence[InputNode]) -> bool:
    """Whether a sentence promises only what the structures ensure."""
    promise = SAID["guaranteed"].split(sentence)[-1]
    promised = {option for option in PROMISES if SAID[option].search(promise)}
    return bool(promised) and promised <= _options(nodes) and not re.search(r"\d{2}|<", promise)


def _options(nodes: Sequence[InputNode]) -> set[str]:
    """Return the options that structures set."""
    structures = [node for node in nodes if isinstance(node, Structure)]
    options = {option for node in structures for option in node.options if node[option]}
    options |= {"exists"} if any(node.kind == "node" for node in structures) else set()
    options |= {"differ"} if "unlike" in options else set()
    # "One always exists" matches the pattern of ``known``, but may mean ``filled``.
    options |= {"known"} if "filled" in options else set()
    return options.union(*(_options(node.nodes) for node in structures))


def _flat_problem(
    problem: Problem, signature: Signature, nodes: Sequence[InputNode], shown: Sequence[str]
) -> dict[str, Any]:
    """Return the flat problem: its statement, its Python starter code, and its words.

    `shown` are its examples. words maps its sentences to those of the original statement.
    """
    page = parse_statement(problem.statement)
    lines = list(_flat_parameters(signature, nodes))
    rows = (zip(lines, text.splitlines(), strict=True) for text in shown)
    examples = [", ".join(f"{line.name} = {value}" for line, value in row) for row in rows]
    words = {
        _strip_marks(flat): original
        for flat, original in _constraints(page, signature, nodes)
        if flat.strip()
    }
    parts = [
        "Return a number.",
        *(f"Example {n}:\n\nInput: {text}\nOutput: 0\n" for n, text in enumerate(examples, 1)),
        "Constraints:",
        *(f"- {flat}" for flat in words),
    ]
    solve = Signature((Function("solve", tuple(lines), INT),))
    python = starter_code(solve, load_languages()["python"])
    return {"statement": "\n\n".join(parts), "python": python, "words": words}


def _strip_marks(sentence: str) -> str:
    return re.sub(r"^-\s|\.$", "", sentence.strip())


def _flat_parameters(signature: Signature, nodes: Sequence[InputNode]) -> Iterator[Parameter]:
    """Yield the parameters of the flat problem, one for each line of a flat input."""
    graphs = [n.name for n in nodes if isinstance(n, Structure) and n.kind == "graph"]
    for line in signature.constructor if signature.design else signature.lines():
        # An adjacency list is folded from one value for each node.
        yield replace(
            line, type=Type(Kind.LIST, INT) if line.name in graphs else _flat_type(line.type)
        )
    if signature.design:
        yield Parameter(CALLS, Type(Kind.LIST, INT))
    for function in signature.functions if signature.design else ():
        types = [parameter.type for parameter in function.parameters]
        types = [Type(Kind.LIST, INT)] if _is_row(function) else types
        for name, value_type in zip(_pools(function), types, strict=True):
            yield Parameter(name, Type(Kind.LIST, value_type))


def _flat_type(original: Type) -> Type:
    if original.kind == Kind.LIST:
        return Type(Kind.LIST, _flat_type(original.of))
    if original.kind in VALUES or original.kind == Kind.GRAPH:
        return Type(Kind.LIST, original.element or INT)
    return original.of.of if original.kind == Kind.NODE else original


# ------------------------------------------------------------------ constraints of the flat problem


def _constraints(
    page: Statement, signature: Signature, nodes: Sequence[InputNode]
) -> Iterator[tuple[str, str]]:
    """Yield the constraints of the flat problem, each with its sentence in the statement."""
    lines = signature.constructor if signature.design else signature.lines()
    wholes = [line.name for line in lines if line.type.kind in (*VALUES, Kind.GRAPH)]
    inner = nodes[0].nodes if signature.design and isinstance(nodes[0], Structure) else nodes
    single = [node.name for node in inner if isinstance(node, Structure) and node.kind == "node"]
    constraints = re.split(r"\bfollow[- ]?up\b", page.constraints, maxsplit=1, flags=re.IGNORECASE)[
        0
    ]
    for sentence in (part for line in constraints.split("\n") for part in SENTENCE.split(line)):
        if (signature.design and SAID["most"].search(sentence)) or _is_implied(sentence, nodes):
            continue
        for part in _node_constraints(sentence, wholes, single):
            arguments = _argument_constraints(part, signature) if signature.design else [part]
            yield from ((flat, sentence) for flat in arguments)
    yield from _list_constraints(StatementWords(page.text), lines)
    # The kinds of the arguments, or several sentences about calls, imply these.
    implied = [flat for _, flat in _pool_promises(signature, StatementWords(page.text))]
    limits = next((s for s in constraints.split("\n") if SAID["most"].search(s)), "")
    if signature.design and limits:
        yield from ((flat, limits) for flat in _call_constraints(constraints, signature))
    elif signature.design:
        implied += _call_constraints(constraints, signature)
    for line in lines:
        value_type, place = line.type, line.name
        while value_type.kind == Kind.LIST:
            value_type, place = value_type.of, f"{place}[{'ij'[place.count('[') % 2]}]"
        if value_type.kind == Kind.CHAR:
            implied.append(f"{place}.length == 1")
    for node in inner:
        implied += _structure_constraints(node) if isinstance(node, Structure) else ()
    yield from ((flat, "follows from the kind of the input") for flat in implied)


def _structure_constraints(node: Structure) -> Iterator[str]:
    """Yield the constraints that the kind of a structure puts on its flat values."""
    name, options = node.name, node.options
    if node.kind == "graph":
        yield f"{options['base']} <= {name}[i] < {name}.length + {options['base']}"
    elif node.kind == "position":
        yield f"-1 <= {name} < {options['of']}.length"
    elif node.kind == "shared":
        yield f"0 <= {name} <= {options['of'][0]}.length"
    if options.get("search") and not options.get("equal"):
        yield f"All the values of {name} are unique."
    if options.get("swapped"):
        yield f"{options['swapped']} <= {name}.length"


def _list_constraints(
    words: StatementWords, lines: Sequence[Parameter]
) -> Iterator[tuple[str, str]]:
    """Yield the promised orders of linked lists, each with its sentence."""
    kinds = {line.name: line.type.kind for line in lines}
    terms = {name: name for name, kind in kinds.items() if kind in LINKED}
    terms |= {n.name: f"{n.name}[i]" for n in lines if n.type.element and n.type.of.kind in LINKED}
    promised: dict[str, tuple[str, str]] = {}
    for match in words.saying("sorted") if terms else ():
        named = [name for name in terms if re.search(rf"\b{re.escape(name)}\b", match.string)]
        about_lists = named or re.search(r"\b(?:linked[- ])?lists?\b", match.string)
        order = SAID["order"].search(match.string, max(0, match.start() - 40))
        # The default direction is ascending; ``non-`` reverses it.
        way, is_strict = (order["way"].lower(), order["strict"]) if order else ("increasing", None)
        falls = (way in ("descending", "decreasing")) != bool(order and order["non"])
        weak = "non-increasing" if falls else "non-decreasing"
        strict = "strictly decreasing" if falls else "strictly increasing"
        for name in (named or terms) if about_lists else ():
            constraint = f"{terms[name]} is sorted in {strict if is_strict else weak} order."
            promised.setdefault(name, (constraint, match.string))
    yield from promised.values()


def _node_constraints(sentence: str, wholes: Sequence[str], single: Sequence[str]) -> Iterator[str]:
    """Rewrite a sentence about nodes to constrain lists of values (`wholes`) and single nodes."""
    names = [name for name in wholes if re.search(rf"\b{re.escape(name)}\b", sentence)] or wholes
    is_unique = SAID["unique"].search(sentence) and re.search(
        r"\bnodes?\b|\btree\b", sentence, re.I
    )
    if wholes and is_unique:
        yield from (f"All the values of {name} are unique." for name in names)
        return
    if single and SAID["exists"].search(sentence):
        return  # the kind of these nodes already ensures that they exist
    is_about_nodes = False
    for name in names:
        flat = SAID["not_empty"].sub(
            f"1 <= {name}.length", SAID["counted"].sub(f"{name}.length", sentence)
        )
        flat = SAID["holds"].sub(rf"{name}.length is \g<count>", flat)
        flat = SAID["value"].sub(
            f"{name}[i]", re.sub(rf"\b{re.escape(name)}\.val\b", f"{name}[i]", flat)
        )
        is_about_nodes |= flat != sentence
        if flat != sentence:
            flat = RANGE.sub(r"is between \g<low> and \g<high>", flat)
            yield NAMED.sub(r"\g<name> == \g<count>", flat)
    if SAID["value"].search(sentence):
        yield from (SAID["value"].sub(name, sentence) for name in single)
    keeps = SAID["seen_to"].search(sentence) or SAID["height"].search(sentence)
    if sentence.strip() and not is_about_nodes and not keeps:
        yield sentence


def _call_constraints(constraints: str, signature: Signature) -> Iterator[str]:
    """Yield the constraints on the number of calls, and on their methods."""
    yield f"0 <= {CALLS}[i] < {len(signature.functions)}"
    limits = [match["most"].strip() for match in SAID["most"].finditer(constraints)]
    most = limits[0] if len(limits) == 1 else str(sum(map(_number, limits)))
    pools = [pool for function in signature.functions for pool in _pools(function)]
    for name in (CALLS, *pools) if limits else ():
        yield f"0 <= {name}.length <= {most}"
    for function in signature.functions:
        if _is_row(function):
            yield f"{function.name}[i].length == {len(function.parameters)}"


def _argument_constraints(sentence: str, signature: Signature) -> Iterator[str]:
    """Rewrite a sentence about parameters of methods to constrain the lists of their values."""
    own = {parameter.name for parameter in signature.constructor}

    def name_of(parameter: str) -> str:
        return rf"(?<![\w.\[\]]){re.escape(parameter)}(?![\w\[(])"

    every = {p.name for function in signature.functions for p in function.parameters} - own
    named = {name for name in every if re.search(name_of(name), sentence)}
    for function in signature.functions if named else ():
        mine = [parameter.name for parameter in function.parameters]
        if named <= set(mine):
            flat = sentence
            for place, name in enumerate(mine):
                is_row = _is_row(function)
                term = f"{function.name}[i][{place}]" if is_row else f"{_pools(function)[place]}[i]"
                flat = re.sub(name_of(name), term, flat) if name in named else flat
            yield flat
    if not named:
        yield sentence
