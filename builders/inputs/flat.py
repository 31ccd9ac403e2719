"""Which structures a statement speaks of, and its problem as one of flat inputs.

`with_structures` reads the structures from the signature and the words (see `spec.structures`), and
writes the problem anew as one whose inputs are flat: promises are read, checked and drawn there.
`structured` puts the structures into the layout of the flat inputs.
"""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from venus_toolkit.builders.inputs.derive import Derived, derive
from venus_toolkit.builders.inputs.generators.render import WIDTH, code_of, mutated_source
from venus_toolkit.builders.inputs.promises.constraints import sentences
from venus_toolkit.builders.inputs.spec.layout import Layout, Line, Node, Scalar, nodes_of
from venus_toolkit.builders.inputs.spec.promises import Reading
from venus_toolkit.builders.inputs.spec.structures import Broken, Structure, flatten_nodes
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
# An option that a statement or the type of an argument says, and that a given test may contradict.
DOUBTFUL = ("search", "swapped", "perfect", "complete", "balanced", "heap", "height", "leading", "undirected",
            "acyclic", "connected", "unlike", "filled", "known", "most")  # fmt: skip
GROWS = re.compile(r"(?:push|add|insert|enqueue|enq|offer|append|put|record|inc)", re.IGNORECASE)
SHRINKS = re.compile(r"(?:pop|remove|delete|dequeue|deq|poll|next|take|pull|dec)", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
LONGEST_SENTENCE = 500


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# A definition promises nothing, even where the thing is promised elsewhere.
DEFINES = _words(
    r"^\W*(?:an?|every|recall)\b[^.]{0,80}\b(?:is|are|means|satisfies)\b(?! given)|\b(?:is|are) \w+ if\b"
)
# Before a word that names a structure: it is asked for or denied, not promised.
ASKED = _words(
    r"\b(?:determine|check|returns?|outputs?|find out|verify|convert|turn|rebuild|construct|build|"
    r"create|recover|make|into|whether|if|not|cannot|never|need not|without|could|would)\b|n't\b"
)
SAID = {
    "search": _words(r"\bbinary search trees?\b|\bBSTs?\b"),
    "equal": _words(
        r"\b(?:may|can|might|with|allow\w*|contain\w*)(?: \w+){0,3} duplicates?\b|\bequal (?:values|keys)\b"
        r"|\b(?:nodes|keys|values)\b[^.]{0,60}\b(?:less|greater|smaller|larger) than or equal to the "
        r"(?:node|key|value)\b"
        r"|\bnot (?:necessarily )?(?:unique|distinct)\b"
    ),
    "swapped": _words(
        r"\b(?:two|2)\b[^.]{0,80}\b(?:swapped|exchanged|interchanged|switched|traded|mixed up)\b"
    ),
    "perfect": _words(r"\bperfect (?:binary )?tree\b|\bis (?:a )?perfect\b"),
    "complete": _words(r"\bcomplete (?:binary )?tree\b|\b(?:tree is|to be) complete\b"),
    "balanced": _words(r"\b(?:height-?\s?)?balanced\b|\bAVL\b"),
    "heap": _words(r"\b(?P<order>max|min)(?:imum)?[- ]?heap\b"),
    "leading": _words(r"\bleading zeroe?s?\b|\b(?:starts?|begins?|leads?) with (?:a )?(?:zero|0)\b"),
    "undirected": _words(
        r"\bundirected\b|\bcontains?\s+v\b.{0,60}\bcontains?\s+u\b|\bedges? (?:is|are) bidirectional\b"
    ),
    "acyclic": _words(
        r"\bacyclic\b|\bDAG\b|\bcycle-?free\b|\bforest\b"
        r"|\b(?:no|without(?: any| a)?|not (?:contain|have) (?:any |a )?) ?cycles?\b"
    ),
    "connected": _words(r"\bgraph is (?:\w+ )?connected\b|\bconnected (?:\w+ )?graph\b"),
    "tree": _words(r"\b(?:undirected|unrooted) tree\b|\b(?:is|are|forms?|represents?) an? (?:\w+ )?tree\b"),
    "filled": _words(
        r"\bnon-? ?empty\b|\bnot (?:be )?empty\b|\bat least one (?:element|number|item|value)"
        r"|\b(?:calls?|operations?)\b.{0,80}\bvalid\b|\bvalid\b.{0,40}\bcalls?\b|\bexists? (?:a |an )?next\b"
    ),
    "known": _words(r"\b(?:guaranteed|always|each call)\b.{0,80}\b(?:exist\w*|present)\b"),
    "exists": _words(
        r"\bexists? in the (?:\w+ ){0,3}(?:tree|BST|list)\b|\b(?:in|of) the tree (?:always )?exists?\b"
        r"|\b(?:is|are|be) (?:\w+ )?values? of (?:\w+ ){0,3}nodes?\b"
        r"|\bexists? (?:some|a|an|exactly one) node\b.{0,60}\b(?:val|value|equal)"
    ),
    "differ": _words(r"\b(?:different|distinct) (?:nodes|values)\b|\bare (?:different|distinct)\b"),
    "rising": _words(
        r"\b(?P<strict>strictly )(?:increasing|larger|greater)\b"
        r"|\b(?:chronological|increasing|non-?decreasing|ascending) order\b"
    ),
    "after": _words(r"\bonly (?:be )?called after (?P<first>\w+)|\bcalled only after (?P<other>\w+)"),
    "unique": _words(r"\bunique\b|\bdistinct\b|\bno two (?:nodes|values)\b|\bno duplicates?\b"),
    "reverse": _words(r"\breversed? order\b|\b(?:least significant|lowest|units?) digit\b"),
}  # fmt: skip
GUARANTEED = _words(r"\b(?:guaranteed?s?|assumed?|ensured?s?)\b")
SORTED = _words(
    r"\bsorted(?: linked)? lists?\b|\b(?:is|are|be|list,?|been|a|two) (?:already |always |each )?sorted\b"
    r"|\b(?:in|of) (?P<before>(?:strictly )?(?:ascending|non-?descending|non-?decreasing|increasing|descending|"
    r"non-?increasing|decreasing))(?: sorted)? order\b"
)
ORDER = _words(
    r"(?:(?P<strict>strictly) )?\b(?P<non>non-?)?(?P<way>ascending|increasing|descending|decreasing)\b"
)
HEIGHT = _words(
    r"\b(?:depth|height)\b[^\n]{0,80}?(?:<=|less than or equal to|at most|exceeds?|range \[\d+,)\s*(?P<most>\d{1,7})"
)
NEIGHBOURS = _words(
    r"\b(?P<name>\w+)\[[iu]\]\s+(?:is|are|represents?|contains?|lists?|holds?|stores?)\s+(?:a list|an array|all|the)\b"
    r".{0,60}\b(?:nodes?|neighbou?rs|vertices)\b"
)
# How statements speak of the length and the values of what is a list when flat.
COUNTED = _words(
    r"\b(?:(?:the|total) )*number of (?:the )?nodes(?: (?:in|of)\b(?P<where>[^\n,.<>=]{1,60}?))?"
    r"(?=\s*(?:$|[<>=,.)]|\b(?:is|are|will|do|does|must|can|never|equals?)\b))"
)
HOLDS = _words(
    r"\b(?:(?:the|given|each|linked|binary)[- ])*(?:list|tree)s? (?:will |always )?(?:contains?|has|have|holds?) "
    r"(?P<count>(?:between|at most|at least|no more than|up to)[^.\n]{1,40}?) nodes\b"
)
NOT_EMPTY = _words(
    r"\b(?:(?:the|given|linked|binary) )*(?:list|tree)s? (?:is|are|will be) (?:not |non-?\s?)empty\b"
)
VALUE = _words(
    r"\bnode\.val(?:ue)?\b|\b(?:(?:the|all|each|every) )*(?:values? of (?:(?:the|all|each|every) )*nodes?"
    r"|nodes?(?:'s?)? values?)(?: (?:in|of) the (?:tree|list))?\b"
)
RANGE = _words(
    r"\b(?:is|are) (?:in|within) the (?:inclusive )?range (?:of )?\[(?P<low>[^,\]]+), ?(?P<high>[^\]]+)\]"
)
NAMED = _words(r"^\W*(?P<count>\w+\.length) (?:is|equals) (?P<name>[a-z])\W*$")
MOST_CALLS = _words(r"\bat most\s+(?P<most>[\d^*{} .,]{1,30}?)\s+(?:\w+ ){0,3}?calls?\b")
# What the structures themselves see to.
KNOWN = _words(
    r"\bexists? in the (?:\w+ ){0,2}(?:tree|BST|list)|\bvalid index\b|\bperfect binary tree\b|\ball edges\b"
    r"|\bis a (?:valid )?(?:node|binary search tree|BST|perfect)\b|\bguaranteed\b.{0,40}\bnode\b"
    r"|\brandom\b.{0,40}\b(?:null|pointing)\b|\brepeated edges\b|\bself-loops?\b|\bgraph is connected\b"
    r"|\bskip[AB]\b|\bintersectVal\b|\b\w+\[u\]|\bguaranteed to be complete\b"
)


# ------------------------------------------------------------------ what an input is


class Words:
    """The sentences of a statement, and what they say of an input."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = [part for part in SENTENCE.split(text) if len(part) <= LONGEST_SENTENCE]

    def about(self, name: str) -> Words:
        """Return the sentences with a name."""
        return Words(
            "\n".join(s for s in self.sentences if re.search(rf"\b{re.escape(name)}\b", s))
        )

    def saying(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Yield where sentences say something that they do not ask for, and do not deny."""
        for sentence in self.sentences:
            for match in () if DEFINES.search(sentence) else pattern.finditer(sentence):
                if not ASKED.search(sentence, 0, match.start()):
                    yield match

    def say(self, option: str) -> bool:
        """Whether one of the sentences promises that."""
        return next(self.saying(SAID[option]), None) is not None

    def mention(self, option: str) -> bool:
        """Whether one of the sentences has the words, whatever stands before them."""
        return any(map(SAID[option].search, self.sentences))


def nodes_in(signature: Signature, statement: str) -> list[Node]:
    """Return the nodes of the lines of an input; each flat node in them has only its name yet."""
    words = Words(parse_statement(statement).text)
    if signature.design:
        return [_class(signature, words)]
    return _argument_nodes(signature.lines(), signature.functions[0].parameters, words)


def _argument_nodes(
    lines: Sequence[Parameter], parameters: Sequence[Parameter], words: Words
) -> list[Node]:
    nodes: list[Node] = []
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
            case Kind.LINKED_LIST if words.mention("leading"):
                digit = "last" if words.mention("reverse") else "first"
                kind, options = "linked_list", {"leading": digit}
            case Kind.GRAPH:
                kind = "graph"
                options = {"base": 1, "undirected": True, "connected": True}
                options |= {"acyclic": True} if words.say("acyclic") else {}
            case Kind.NODE:
                kind, options = "node", {"of": wholes.get(line.type.of, nodes[0].name)}  # type: ignore[union-attr]
            case Kind.INT | Kind.LONG if line.name not in names:
                # The second line of a list is not a parameter.
                is_shared = len(joined) > 1
                kind = "shared" if is_shared else "position"
                options = {"of": joined if is_shared else nodes[-1].name}  # type: ignore[union-attr]
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


def _tree_options(words: Words) -> dict[str, Any]:
    flags = ("search", "perfect", "complete", "balanced")
    options: dict[str, Any] = {flag: True for flag in flags if words.say(flag)}
    if "search" in options:
        options |= {"equal": True} if words.mention("equal") else {}
        options |= {"swapped": 2} if words.say("swapped") else {}
    heap = next(words.saying(SAID["heap"]), None)
    options |= {"heap": heap["order"].lower()} if heap else {}
    height = _height(words)
    return options | ({"height": height} if height else {})


def _height(words: Words) -> int | None:
    height = HEIGHT.search(words.text)
    return int(height["most"]) if height else None


def _adjacency(name: str, words: Words) -> tuple[str, dict[str, Any]]:
    """Return that a list of lists holds the neighbours of each node, where a statement says that."""
    if name not in [match["name"] for match in NEIGHBOURS.finditer(words.text)]:
        return "", {}
    is_tree = words.say("tree")
    options = {flag: True for flag in ("acyclic", "connected") if is_tree or words.say(flag)}
    # Over two lines: ``graph[u] contains v`` and the other way round.
    is_undirected = is_tree or SAID["undirected"].search(words.text.replace("\n", " "))
    return "graph", {"base": 0} | options | ({"undirected": True} if is_undirected else {})


def _class(signature: Signature, words: Words) -> Structure:
    names = [function.name for function in signature.functions]
    one = [function.name for function in signature.functions if len(function.parameters) == 1]
    grows = [name for name in names if GROWS.match(name)]
    methods = {function.name: _pools(function) for function in signature.functions}
    limits: dict[str, list[int]] = {}
    for sentence in words.sentences:
        for most in MOST_CALLS.finditer(sentence):
            for name in names if _number(most["most"]) else ():
                if re.search(rf"\b{re.escape(name)}\b", sentence):
                    limits.setdefault(name, []).append(_number(most["most"]))
    options: dict[str, Any] = {
        "methods": methods,
        "rows": [function.name for function in signature.functions if _is_row(function)],
        "grows": grows,
        "shrinks": [name for name in names if SHRINKS.match(name)],
        "filled": [n for n in names if n not in grows and words.about(n).mention("filled")],
        "known": [n for n in one if n not in grows and words.about(n).mention("known")],
    }
    for match in words.saying(SAID["after"]):
        earlier = re.compile(rf"\b(?:{'|'.join(names)})\b").findall(match.string, 0, match.start())
        options["filled"] += [name for name in earlier if name not in options["filled"]]
        options["grows"] += {match["first"] or match["other"]} & set(names) - set(grows)
    ordered = [pool for pool, told in _told_of_pools(signature, words) if told]
    options |= {"once": ordered} if ordered else {}
    # One sentence about all methods bounds them together, which is the length of a flat list.
    if sum(len(list(MOST_CALLS.finditer(sentence))) for sentence in words.sentences) > 1:
        options["most"] = {name: min(numbers) for name, numbers in limits.items()}
    flat = [CALLS, *(pool for pools in methods.values() for pool in pools)]
    first = _argument_nodes(signature.constructor, signature.constructor, words)
    return Structure("class", signature.holder, options, (*first, *map(Scalar, flat)))


def _told_of_pools(signature: Signature, words: Words) -> Iterator[tuple[str, str]]:
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


def structured(nodes: Sequence[Node], flat: Layout) -> Layout:
    """Return the layout of these nodes, with the flat nodes of the layout of the flat inputs."""
    flat_nodes = nodes_of(flat.body)

    def filled(node: Node) -> Node:
        if isinstance(node, Structure):
            return replace(node, nodes=tuple(map(filled, node.nodes)))
        return next(flat_nodes)

    return replace(flat, body=tuple(Line((filled(node),)) for node in nodes))


# ------------------------------------------------------------------ the flat problem


class Flat(NamedTuple):
    """A problem of flat inputs, and the nodes of the inputs that they are made into."""

    problem: Problem
    nodes: Sequence[Node]
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


def _weaker(node: Node) -> Iterator[Node]:
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


def _flattened(nodes: Sequence[Node], text: str) -> str | None:
    try:
        return flatten_nodes(nodes, text)
    except Broken:
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
    source, validator = folding(made.source, flat.nodes), flattening(made.validator, flat.nodes)
    readings = [
        reading._replace(sentence=flat.words.get(_bare(reading.sentence)) or reading.sentence)
        for reading in made.spec.readings
    ]
    readings += [Reading(sentence, ()) for sentence in _stated(Words(page.text), flat.nodes)]
    layout = structured(flat.nodes, made.spec.layout)
    spec = replace(made.spec, layout=layout, readings=tuple(readings))
    return made._replace(source=source, validator=validator, spec=spec)


def _stated(words: Words, nodes: Sequence[Node]) -> Iterator[str]:
    """Yield a sentence for each option of the structures that the statement promises."""
    options = _options(nodes)
    quotes: dict[str, None] = {}
    for option in options & SAID.keys():
        matches = [match.string for match in words.saying(SAID[option])]
        matches += [sentence for sentence in words.sentences if SAID[option].search(sentence)]
        quotes |= dict.fromkeys(matches[:1])
    yield from (quote.strip(" -") for quote in words.sentences if quote in quotes)


def _kept(nodes: Sequence[Node]) -> set[str]:
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


def _without_kept(page: Statement, nodes: Sequence[Node]) -> Statement:
    """Return a statement without the sentences of its story, output and notes that structures keep to."""

    def rest(text: str) -> str:
        return "\n\n".join(
            s for s in sentences(text) if not KNOWN.search(s) and not _is_kept(s, nodes)
        )

    return replace(page, story=rest(page.story), output=rest(page.output), notes=rest(page.notes))


def _is_kept(sentence: str, nodes: Sequence[Node]) -> bool:
    """Whether a sentence promises what structures keep by how they are made, and nothing else."""
    promise = GUARANTEED.split(sentence)[-1]
    promised = {option for option, pattern in SAID.items() if pattern.search(promise)}
    others = SORTED.search(promise) or re.search(r"\d{2}|<", promise)
    return bool(promised) and not others and promised <= _options(nodes)


def _options(nodes: Sequence[Node]) -> set[str]:
    """Return the options that are set in structures."""
    structures = [node for node in nodes if isinstance(node, Structure)]
    options = {option for node in structures for option in node.options if node[option]}
    options |= {"exists"} if any(node.kind == "node" for node in structures) else set()
    options |= {"differ"} if "unlike" in options else set()
    options |= {"reverse"} if "leading" in options else set()
    options |= {"known"} if "filled" in options else set()  # ``one exists when it is called``
    return options.union(*(_options(node.nodes) for node in structures))


def varied(problem: Problem, inputs: Sequence[str]) -> str:
    """Return a generator that varies inputs; where they have structures, their flat forms."""
    flat = flat_of(problem)
    if flat is None:
        return mutated_source(problem.slug, inputs)
    return folding(mutated_source(problem.slug, flat.inputs(inputs)), flat.nodes)


def _flat_problem(
    problem: Problem, signature: Signature, nodes: Sequence[Node], shown: Sequence[str]
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


def _flat(signature: Signature, nodes: Sequence[Node]) -> Iterator[Parameter]:
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
    page: Statement, signature: Signature, nodes: Sequence[Node]
) -> Iterator[tuple[str, str]]:
    """Yield the constraints of the flat problem, each with the words of the statement."""
    lines = signature.constructor if signature.design else signature.lines()
    wholes = [line.name for line in lines if line.type.kind in (*VALUES, Kind.GRAPH)]
    inner = nodes[0].nodes if signature.design and isinstance(nodes[0], Structure) else nodes
    single = [node.name for node in inner if isinstance(node, Structure) and node.kind == "node"]
    told = re.split(r"\bfollow[- ]?up\b", page.constraints, maxsplit=1, flags=re.IGNORECASE)[0]
    for sentence in (part for line in told.split("\n") for part in SENTENCE.split(line)):
        if (signature.design and MOST_CALLS.search(sentence)) or _is_kept(sentence, nodes):
            continue
        for part in _of_nodes(sentence, wholes, single):
            arguments = _of_arguments(part, signature) if signature.design else [part]
            yield from ((flat, sentence) for flat in arguments)
    yield from _of_lists(Words(page.text), lines)
    # What follows from the kinds of the arguments, or from several sentences about calls.
    implied = [flat for _, flat in _told_of_pools(signature, Words(page.text))]
    limits = next((s for s in told.split("\n") if MOST_CALLS.search(s)), "")
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


def _of_lists(words: Words, lines: Sequence[Parameter]) -> Iterator[tuple[str, str]]:
    """Yield the order of linked lists that the story or the constraints promise."""
    kinds = {line.name: line.type.kind for line in lines}
    terms = {name: name for name, kind in kinds.items() if kind in LINKED}
    terms |= {n.name: f"{n.name}[i]" for n in lines if n.type.element and n.type.of.kind in LINKED}
    promised: dict[str, tuple[str, str]] = {}
    for match in words.saying(SORTED) if terms else ():
        named = [name for name in terms if re.search(rf"\b{re.escape(name)}\b", match.string)]
        about_lists = named or re.search(r"\b(?:linked[- ])?lists?\b", match.string)
        order = ORDER.search(match.string, max(0, match.start() - 40))
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
        told = NOT_EMPTY.sub(f"1 <= {name}.length", COUNTED.sub(f"{name}.length", sentence))
        told = HOLDS.sub(rf"{name}.length is \g<count>", told)
        told = VALUE.sub(f"{name}[i]", re.sub(rf"\b{re.escape(name)}\.val\b", f"{name}[i]", told))
        is_about_nodes |= told != sentence
        if told != sentence:
            told = RANGE.sub(r"is between \g<low> and \g<high>", told)
            yield NAMED.sub(r"\g<name> == \g<count>", told)
    if VALUE.search(sentence):
        yield from (VALUE.sub(name, sentence) for name in single)
    keeps = KNOWN.search(sentence) or HEIGHT.search(sentence)
    if sentence.strip() and not is_about_nodes and not keeps:
        yield sentence


def _of_calls(told: str, signature: Signature) -> Iterator[str]:
    """Yield how many calls there are, and which."""
    yield f"0 <= {CALLS}[i] < {len(signature.functions)}"
    limits = [match["most"].strip() for match in MOST_CALLS.finditer(told)]
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


# ------------------------------------------------------------------ programs


def folding(generator: str, nodes: Sequence[Node]) -> str:
    """Return a generator whose flat inputs become inputs."""
    wrapper = (
        "_flat_input = generate\n\n\n"
        "def generate(seed: int, size: str) -> str:\n"
        "    return fold_nodes(NODES, _flat_input(seed, size), seed)\n"
    )
    return f"{generator.rstrip()}\n\n\n{_embedded(nodes)}\n\n{wrapper}"


def flattening(validator: str, nodes: Sequence[Node]) -> str:
    """Return a validator of the inputs whose flat form a validator checks."""
    wrapper = (
        "_flat_is_valid = validate\n\n\ndef validate(stdin: str) -> bool:\n"
        "    return _flat_is_valid(flatten_nodes(NODES, stdin))\n"
    )
    return f"{validator.rstrip()}\n\n\n{_embedded(nodes)}\n\n{wrapper}"


def _embedded(nodes: Sequence[Node]) -> str:
    scalar = "class Scalar(NamedTuple):\n    name: str\n    kind: str\n    length: str | None"
    literal = pprint.pformat(list(nodes), width=WIDTH, sort_dicts=False)
    return f"{code_of('spec/structures')}\n\n\n{scalar}\n\n\nNODES = {literal}"
