"""Which structures a statement speaks of, and its problem as one of flat inputs.

`with_structures` reads the structures from the signature and the words (see `spec.structures`), and
writes the problem anew as one whose inputs are flat: promises are read, checked and drawn there.
`structured` puts the structures into the layout of the flat inputs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.derive import Derived, derive
from venus_toolkit.builders.inputs.promises.constraints import sentences
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Scalar, nodes_of
from venus_toolkit.builders.inputs.spec.promises import Reading
from venus_toolkit.builders.inputs.spec.structures import Structure, StructureError, flatten_nodes
from venus_toolkit.builders.inputs.statements import Statement, parse_statement
from venus_toolkit.core.language import load_languages
from venus_toolkit.core.records import Problem, Solution, TestCase
from venus_toolkit.signatures import Function, Kind, Parameter, Signature, Type, starter_code

KEY = "structures"  # of a problem's extra
INT = Type(Kind.INT)
LINKED = (Kind.LINKED_LIST, Kind.JOINED_LIST, Kind.CYCLIC_LIST)
TREES = (Kind.TREE, Kind.NEXT_TREE, Kind.NARY_TREE)
VALUES = (*TREES, *LINKED, Kind.RANDOM_LIST)  # lists of values when flat
CALLS = "calls"
InputNode = Scalar | Structure  # of plain values, whatever they are, a scalar has the name
# An option that a statement or the type of an argument says, and that a given test may contradict.
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


# ------------------------------------------------------------------ what an input is


class StatementWords:
    """The sentences of a statement, and what they say of an input."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = [part for part in SENTENCE.split(text) if len(part) <= LONGEST_SENTENCE]

    def about(self, name: str) -> StatementWords:
        """Return the sentences with a name."""
        # Not in ``non-empty``, where a method is called empty.
        named = re.compile(rf"(?<![\w-]){re.escape(name)}\b")
        return StatementWords("\n".join(filter(named.search, self.sentences)))

    def saying(self, option: str) -> Iterator[re.Match[str]]:
        """Yield where sentences promise something, see structures.toml."""
        anywhere = RULES[option].get("anywhere")
        for sentence in self.sentences:
            defines = not anywhere and SAID["defines"].search(sentence)
            for match in () if defines else SAID[option].finditer(sentence):
                if anywhere or not SAID["asked"].search(sentence, 0, match.start()):
                    yield match

    def say(self, option: str) -> bool:
        """Whether one of the sentences promises that."""
        return next(self.saying(option), None) is not None


def nodes_in(signature: Signature, statement: str) -> list[InputNode]:
    """Return the nodes of the lines of an input; each flat node in them has only its name yet."""
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
    """Return that a list of lists holds the neighbours of each node, where a statement says that."""
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
    ordered = [pool for pool, told in _told_of_pools(signature, words) if told]
    options |= {"once": ordered} if ordered else {}
    # One sentence about all methods bounds them together, which is the length of a flat list.
    if sum(len(list(SAID["most"].finditer(sentence))) for sentence in words.sentences) > 1:
        options["most"] = {name: min(numbers) for name, numbers in limits.items()}
    flat = [CALLS, *(pool for pools in methods.values() for pool in pools)]
    first = _argument_nodes(signature.constructor, signature.constructor, words)
    return Structure("class", signature.holder, options, (*first, *map(Scalar, flat)))


def _told_of_pools(signature: Signature, words: StatementWords) -> Iterator[tuple[str, str]]:
    """Yield the pools whose values never come twice, or in order, with what is said of them."""
    for function in () if not signature.design else signature.functions:
        names = [function.name, *(p.name for p in function.parameters if len(p.name) > 2)]
        sentences = {s: None for name in names for s in words.about(name).sentences}
        told = [m for s in sentences if (m := SAID["rising"].search(s)) and function.name in s]
        for pool in () if _is_row(function) or len(function.parameters) > 1 else _pools(function):
            if told:
                strict = any(match["strict"] for match in told)
                yield pool, f"{pool} is {'strictly increasing' if strict else 'non-decreasing'}."
            elif any(SAID["unique"].search(s) and re.search(r"\bcall", s) for s in sentences):
                yield pool, f"All the values of {pool} are unique."


def _number(text: str) -> int:
    """Return the number that is written as ``1000``, ``3 * 10^4`` or ``2,000``; 0 where it is none."""
    powers = [factor.split("^") for factor in re.sub(r"[ ,{}]", "", text).split("*")]
    if not all(part.isdigit() and len(part) < 10 for power in powers for part in power):
        return 0
    product = 1
    for base, *exponents in powers:
        product *= int(base) ** min(int(exponents[0]) if exponents else 1, 18)
    return product


def _is_row(function: Function) -> bool:
    """Whether the arguments of a method make a row of numbers, of which a statement compares one with another."""
    integers = (Kind.INT, Kind.LONG)
    kinds = [parameter.type.kind for parameter in function.parameters]
    return len(kinds) > 1 and all(kind in integers for kind in kinds)


def _pools(function: Function) -> list[str]:
    """Return the names of the flat lists of the arguments of a method."""
    if _is_row(function) or len(function.parameters) == 1:
        return [function.name]
    return [f"{function.name}_{parameter.name}" for parameter in function.parameters]


def structured(nodes: Sequence[InputNode], flat: Layout) -> Layout:
    """Return the layout of these nodes, with the flat nodes of the layout of the flat inputs."""
    flat_nodes = nodes_of(flat.body)

    def filled(node: InputNode) -> Any:
        if isinstance(node, Structure):
            return replace(node, nodes=tuple(map(filled, node.nodes)))
        return next(flat_nodes)

    return replace(flat, body=tuple(Line((filled(node),)) for node in nodes))


# ------------------------------------------------------------------ the flat problem


class Flat(NamedTuple):
    """A problem of flat inputs, and the nodes of the inputs that they are made into."""

    problem: Problem
    nodes: Sequence[InputNode]
    words: Mapping[str, str]  # of the statement, by the sentences of the flat problem

    def inputs(self, texts: Iterable[str]) -> list[str]:
        """Return the flat form of inputs, of those that have one."""
        return [flat for text in texts if (flat := _flattened(self.nodes, text)) is not None]


def with_structures(
    problem: Problem, signature: Signature | None, given: Sequence[TestCase]
) -> Problem:
    """Return a problem that has its flat problem in its extra, where its inputs are not plain values.

    An option that the given tests contradict was not said of this structure.
    """
    nodes = nodes_in(signature, problem.statement) if signature else []
    is_plain = not any(isinstance(node, Structure) for node in nodes)
    if not signature or (is_plain and not any(map(_is_special, signature.types()))):
        return problem
    for number, node in enumerate(nodes):
        # Later lines refer to earlier ones, which are settled by now.
        seen = ["".join(t.stdin.splitlines(keepends=True)[: number + 1]) for t in given]
        if signature.design:
            seen = [test.stdin for test in given]
        choices = ([*nodes[:number], weaker] for weaker in _weaker(node))
        keeping = (some for some in choices if None not in [_flattened(some, s) for s in seen])
        settled = next(keeping, None)
        if settled is None:
            return problem
        nodes[number] = settled[-1]
    flats = {test.test_id: _flattened(nodes, test.stdin) or "" for test in given}
    # Names of given tests that are the statement's examples begin so.
    shown = [flat for name, flat in flats.items() if flat and name.startswith("example-")]
    extra = {"nodes": nodes, **_flat_problem(problem, signature, nodes, shown)}
    return replace(problem, extra={**problem.extra, KEY: extra})


def _is_special(wanted: Type | None) -> bool:
    if wanted is None:
        return False
    return wanted.kind in (*VALUES, Kind.CHAR) or _is_special(wanted.element)


def _weaker(node: InputNode) -> Iterator[InputNode]:
    """Yield a node, and what it is with fewer and fewer of its options."""
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


def _flattened(nodes: Sequence[InputNode], text: str) -> str | None:
    try:
        return flatten_nodes(nodes, text)
    except StructureError:
        return None


def flat_of(problem: Problem) -> Flat | None:
    """Return the flat problem that `with_structures` wrote; None where inputs are plain values already."""
    extra = problem.extra.get(KEY)
    if not extra:
        return None
    starters = {"python": extra["python"]}
    flat = replace(problem, statement=extra["statement"], starter_code=starters, extra={})
    return Flat(flat, extra["nodes"], extra["words"])


def derived(
    problem: Problem, given: Sequence[str] = (), programs: Sequence[Solution] = ()
) -> Derived:
    """Return what `derive` makes of a problem, of the flat one and folded where there are structures.

    Raises:
        NotDerived: The statement says too little, or what was read does not fit the given inputs.
    """
    flat = flat_of(problem)
    if flat is None:
        return derive(problem, given, programs)
    page = parse_statement(problem.statement)
    # No programs: they do not read flat inputs.
    made = derive(
        flat.problem,
        flat.inputs(given),
        page=_without_kept(page, flat.nodes),
        kept=_kept(flat.nodes),
    )
    readings = [
        reading._replace(sentence=flat.words.get(_bare(reading.sentence)) or reading.sentence)
        for reading in made.spec.readings
    ]
    readings += [
        Reading(sentence, ()) for sentence in _stated(StatementWords(page.text), flat.nodes)
    ]
    layout = structured(flat.nodes, made.spec.layout)
    samples = [text for text in given if _flattened(flat.nodes, text) in made.spec.samples]
    spec = replace(
        made.spec, layout=layout, readings=tuple(readings), samples=tuple(dict.fromkeys(samples))
    )
    return made._replace(spec=spec)


def _stated(words: StatementWords, nodes: Sequence[InputNode]) -> Iterator[str]:
    """Yield a sentence for each option of the structures that the statement promises."""
    options = _options(nodes)
    quotes: dict[str, None] = {}
    for option in options.intersection(PROMISES):
        matches = [match.string for match in words.saying(option)]
        matches += [sentence for sentence in words.sentences if SAID[option].search(sentence)]
        quotes |= dict.fromkeys(matches[:1])
    yield from (quote.strip(" -") for quote in words.sentences if quote in quotes)


def _kept(nodes: Sequence[InputNode]) -> set[str]:
    """Return the kinds of promises (promise_words.py) that structures keep by how they are folded."""
    kinds: set[str] = set()
    for node in nodes:
        if isinstance(node, Structure) and node.kind in ("tree", "nary_tree", "node"):
            kinds |= {"tree", "connected"}
            kinds |= {"search tree", "order"} if node.options.get("search") else set()
            kinds |= {"amount"} if node.options.get("swapped") else set()
        elif isinstance(node, Structure) and node.kind == "graph":
            kinds |= {"simple", *(["connected"] * node["connected"]), *(["tree"] * node["acyclic"])}
    return kinds


def _without_kept(page: Statement, nodes: Sequence[InputNode]) -> Statement:
    """Return a statement without the sentences of its story, output and notes that structures keep to."""

    def rest(text: str) -> str:
        return "\n\n".join(
            s for s in sentences(text) if not SAID["seen_to"].search(s) and not _is_kept(s, nodes)
        )

    return replace(page, story=rest(page.story), output=rest(page.output), notes=rest(page.notes))


def _is_kept(sentence: str, nodes: Sequence[InputNode]) -> bool:
    """Whether a sentence promises what structures keep by how they are made, and nothing else."""
    promise = SAID["guaranteed"].split(sentence)[-1]
    promised = {option for option in PROMISES if SAID[option].search(promise)}
    return bool(promised) and promised <= _options(nodes) and not re.search(r"\d{2}|<", promise)


def _options(nodes: Sequence[InputNode]) -> set[str]:
    """Return the options that are set in structures."""
    structures = [node for node in nodes if isinstance(node, Structure)]
    options = {option for node in structures for option in node.options if node[option]}
    options |= {"exists"} if any(node.kind == "node" for node in structures) else set()
    options |= {"differ"} if "unlike" in options else set()
    options |= {"known"} if "filled" in options else set()  # ``one exists when it is called``
    return options.union(*(_options(node.nodes) for node in structures))


def _flat_problem(
    problem: Problem, signature: Signature, nodes: Sequence[InputNode], shown: Sequence[str]
) -> dict[str, Any]:
    """Return statement and Python starter code of the flat problem, of which `shown` are examples.

    Words are what the problem's statement says where the flat one has another sentence.
    """
    page = parse_statement(problem.statement)
    lines = list(_flat(signature, nodes))
    rows = (zip(lines, text.splitlines(), strict=True) for text in shown)
    examples = [", ".join(f"{line.name} = {value}" for line, value in row) for row in rows]
    words = {_bare(flat): told for flat, told in _told(page, signature, nodes) if flat.strip()}
    parts = [
        "Return a number.",
        *(f"Example {n}:\n\nInput: {text}\nOutput: 0\n" for n, text in enumerate(examples, 1)),
        "Constraints:",
        *(f"- {flat}" for flat in words),
    ]
    solve = Signature((Function("solve", tuple(lines), INT),))
    python = starter_code(solve, load_languages()["python"])
    return {"statement": "\n\n".join(parts), "python": python, "words": words}


def _bare(sentence: str) -> str:
    return re.sub(r"^-\s|\.$", "", sentence.strip())


def _flat(signature: Signature, nodes: Sequence[InputNode]) -> Iterator[Parameter]:
    """Yield the parameters that the lines of a flat input would be."""
    graphs = [n.name for n in nodes if isinstance(n, Structure) and n.kind == "graph"]
    for line in signature.constructor if signature.design else signature.lines():
        # The neighbours of each node are folded from as many values as there are nodes.
        yield replace(
            line, type=Type(Kind.LIST, INT) if line.name in graphs else _flat_type(line.type)
        )
    if signature.design:
        yield Parameter(CALLS, Type(Kind.LIST, INT))
    for function in signature.functions if signature.design else ():
        types = [parameter.type for parameter in function.parameters]
        types = [Type(Kind.LIST, INT)] if _is_row(function) else types
        for name, wanted in zip(_pools(function), types, strict=True):
            yield Parameter(name, Type(Kind.LIST, wanted))


def _flat_type(wanted: Type) -> Type:
    if wanted.kind == Kind.LIST:
        return Type(Kind.LIST, _flat_type(wanted.of))
    if wanted.kind in VALUES or wanted.kind == Kind.GRAPH:
        return Type(Kind.LIST, wanted.element or INT)
    return wanted.of.of if wanted.kind == Kind.NODE else wanted


# ------------------------------------------------------------------ its constraints


def _told(
    page: Statement, signature: Signature, nodes: Sequence[InputNode]
) -> Iterator[tuple[str, str]]:
    """Yield the constraints of the flat problem, each with the words of the statement."""
    lines = signature.constructor if signature.design else signature.lines()
    wholes = [line.name for line in lines if line.type.kind in (*VALUES, Kind.GRAPH)]
    inner = nodes[0].nodes if signature.design and isinstance(nodes[0], Structure) else nodes
    single = [node.name for node in inner if isinstance(node, Structure) and node.kind == "node"]
    told = re.split(r"\bfollow[- ]?up\b", page.constraints, maxsplit=1, flags=re.IGNORECASE)[0]
    for sentence in (part for line in told.split("\n") for part in SENTENCE.split(line)):
        if (signature.design and SAID["most"].search(sentence)) or _is_kept(sentence, nodes):
            continue
        for part in _of_nodes(sentence, wholes, single):
            arguments = _of_arguments(part, signature) if signature.design else [part]
            yield from ((flat, sentence) for flat in arguments)
    yield from _of_lists(StatementWords(page.text), lines)
    # What follows from the kinds of the arguments, or from several sentences about calls.
    implied = [flat for _, flat in _told_of_pools(signature, StatementWords(page.text))]
    limits = next((s for s in told.split("\n") if SAID["most"].search(s)), "")
    if signature.design and limits:
        yield from ((flat, limits) for flat in _of_calls(told, signature))
    elif signature.design:
        implied += _of_calls(told, signature)
    for line in lines:
        wanted, place = line.type, line.name
        while wanted.kind == Kind.LIST:
            wanted, place = wanted.of, f"{place}[{'ij'[place.count('[') % 2]}]"
        if wanted.kind == Kind.CHAR:
            implied.append(f"{place}.length == 1")
    for node in inner:
        implied += _of_structure(node) if isinstance(node, Structure) else ()
    yield from ((flat, "follows from the kind of the input") for flat in implied)


def _of_structure(node: Structure) -> Iterator[str]:
    """Yield what its kind alone says of the flat values of a structure."""
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


def _of_lists(words: StatementWords, lines: Sequence[Parameter]) -> Iterator[tuple[str, str]]:
    """Yield the order of linked lists that the story or the constraints promise."""
    kinds = {line.name: line.type.kind for line in lines}
    terms = {name: name for name, kind in kinds.items() if kind in LINKED}
    terms |= {n.name: f"{n.name}[i]" for n in lines if n.type.element and n.type.of.kind in LINKED}
    promised: dict[str, tuple[str, str]] = {}
    for match in words.saying("sorted") if terms else ():
        named = [name for name in terms if re.search(rf"\b{re.escape(name)}\b", match.string)]
        about_lists = named or re.search(r"\b(?:linked[- ])?lists?\b", match.string)
        order = SAID["order"].search(match.string, max(0, match.start() - 40))
        # Without a direction it is ascending; ``non-`` turns it round.
        way, is_strict = (order["way"].lower(), order["strict"]) if order else ("increasing", None)
        falls = (way in ("descending", "decreasing")) != bool(order and order["non"])
        weak = "non-increasing" if falls else "non-decreasing"
        strict = "strictly decreasing" if falls else "strictly increasing"
        for name in (named or terms) if about_lists else ():
            told = f"{terms[name]} is sorted in {strict if is_strict else weak} order."
            promised.setdefault(name, (told, match.string))
    yield from promised.values()


def _of_nodes(sentence: str, wholes: Sequence[str], single: Sequence[str]) -> Iterator[str]:
    """Yield what a sentence about nodes says of each of the lists `wholes` of their values, and of single nodes."""
    names = [name for name in wholes if re.search(rf"\b{re.escape(name)}\b", sentence)] or wholes
    is_unique = SAID["unique"].search(sentence) and re.search(
        r"\bnodes?\b|\btree\b", sentence, re.I
    )
    if wholes and is_unique:
        yield from (f"All the values of {name} are unique." for name in names)
        return
    if single and SAID["exists"].search(sentence):
        return  # they are nodes
    is_about_nodes = False
    for name in names:
        told = SAID["not_empty"].sub(
            f"1 <= {name}.length", SAID["counted"].sub(f"{name}.length", sentence)
        )
        told = SAID["holds"].sub(rf"{name}.length is \g<count>", told)
        told = SAID["value"].sub(
            f"{name}[i]", re.sub(rf"\b{re.escape(name)}\.val\b", f"{name}[i]", told)
        )
        is_about_nodes |= told != sentence
        if told != sentence:
            told = RANGE.sub(r"is between \g<low> and \g<high>", told)
            yield NAMED.sub(r"\g<name> == \g<count>", told)
    if SAID["value"].search(sentence):
        yield from (SAID["value"].sub(name, sentence) for name in single)
    keeps = SAID["seen_to"].search(sentence) or SAID["height"].search(sentence)
    if sentence.strip() and not is_about_nodes and not keeps:
        yield sentence


def _of_calls(told: str, signature: Signature) -> Iterator[str]:
    """Yield how many calls there are, and which."""
    yield f"0 <= {CALLS}[i] < {len(signature.functions)}"
    limits = [match["most"].strip() for match in SAID["most"].finditer(told)]
    most = limits[0] if len(limits) == 1 else str(sum(map(_number, limits)))
    pools = [pool for function in signature.functions for pool in _pools(function)]
    for name in (CALLS, *pools) if limits else ():
        yield f"0 <= {name}.length <= {most}"
    for function in signature.functions:
        if _is_row(function):
            yield f"{function.name}[i].length == {len(function.parameters)}"


def _of_arguments(sentence: str, signature: Signature) -> Iterator[str]:
    """Yield what a sentence about parameters of methods says of the lists that their values stand in."""
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
