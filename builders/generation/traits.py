"""What a statement says of values that no comparison says: letters, choices, distinct, sorted, trees, totals."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from venus_toolkit.builders.generation.layout import Relation, Scalar
from venus_toolkit.builders.generation.relations import find_relations, identifier, orders
from venus_toolkit.builders.statements.spelling import LONGEST_SENTENCE

DIGITS = string.digits
LETTERS = (
    (r"lower\s*-?case", string.ascii_lowercase),
    (r"upper\s*-?case|capital", string.ascii_uppercase),
    (r"digits?\b", DIGITS),
    (r"(?:English|Latin|alphabet)", string.ascii_letters),
)
QUOTED = re.compile(r"""['"](?P<text>[^'"\s]{1,12})['"]""")
GUARANTEE = re.compile(
    r"guarantee|additional|constraint on|input is generated|such that|at least one|at most one|exactly|valid|no two|"
    r"overlap|represents?\b|prime|palindrom|divisible|anagram|subsequence|\beven\b|\bodd\b|leading zero",
    re.IGNORECASE,
)
TOTAL = re.compile(
    r"(?:sum|total)\s+of\s+(?:all\s+)?(?:the\s+)?(?:values\s+of\s+)?(?P<of>\|?\w+\|?(?:\s*\*\s*\w+)?)\s+(?:over|across|in|for|among)\b.*?"
    r"(?:exceed|at\s+most|<=|more\s+than|less\s+than\s+or\s+equal\s+to|bounded\s+by)\s*(?P<limit>[\d*^{}e\s]+)",
    re.IGNORECASE,
)


class Names(NamedTuple):
    """The values of a layout by name, and how a name in the statement is found among them."""

    scalars: Mapping[str, Scalar]
    many: frozenset[str]
    style: str
    aliases: Mapping[str, str]

    def resolve(self, written: str) -> list[str]:
        """Return the names that an identifier from the statement means; none where it is not one of ours."""
        sized, bare = written.startswith("len_"), written.removeprefix("len_")
        if self.style == "json" and sized:
            return [written]
        for name in (bare, self.aliases.get(bare, ""), re.sub(r"_[1n0]$", "", bare), re.sub(r"_at(_\d)?$", "", bare)):
            if name in self.scalars:
                return [written.replace(bare, name) if sized else name]
        numbered = [name for name in self.scalars if re.fullmatch(rf"{re.escape(bare)}_?\d+", name)]
        same = [name for name in self.scalars if name.lower() == bare.lower()]
        return [f"len_{name}" if sized else name for name in numbered or same[:1]]


@dataclass(slots=True)
class Traits:
    """What was found; `unread` holds sentences that promise something we did not understand."""

    alphabets: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[Any]] = field(default_factory=dict)
    traits: dict[str, list[str]] = field(default_factory=dict)
    totals: list[tuple[str, str]] = field(default_factory=list)
    graph: set[str] = field(default_factory=set)
    relations: list[Relation] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def mark(self, name: str, *traits: str) -> None:
        """Give `name` traits it does not have yet."""
        have = self.traits.setdefault(name, [])
        have += [trait for trait in traits if trait not in have]


def find_traits(text: str, names: Names) -> Traits:
    """Return what the sentences of `text` (in the spelling of `statements`) say of the values called `names`."""
    found = Traits()
    for written, order, strict in orders(text, names.style):
        for name in names.resolve(written):
            found.mark(name, order, *(["distinct"] if strict else []))
    for sentence in _sentences(text):
        # These sentences are about the output, or about some cases only.
        if re.match(r"(?:print|output|return|if |note)", sentence, re.IGNORECASE):
            continue
        # A promise that nothing was read from: inputs may break it, which costs confidence.
        if not _read(sentence, names, found) and GUARANTEE.search(sentence) and not find_relations(sentence):
            found.unread.append(sentence[:160])
    return found


def _sentences(text: str) -> list[str]:
    parts = re.split(r"\n\s*\n|\n\s*[-*]\s|(?<!\.)\.(?=\s|$)|\n(?=[A-Z\w])", text)
    return [re.sub(r"\s+", " ", part).strip(" -*.") for part in parts if part.strip() and len(part) <= LONGEST_SENTENCE]


def _read(sentence: str, names: Names, found: Traits) -> bool:
    """Apply one sentence; whether anything in it was understood."""
    understood = False
    total = TOTAL.search(sentence)
    if total:
        found.totals.append(
            (total["of"].strip("|") if "|" not in total["of"] else f"len_{total['of'].strip('|')}", total["limit"])
        )
        return True
    mentioned = list(_mentioned(sentence, names))
    understood |= _orders_and_kinds(sentence, mentioned, names, found)
    understood |= _graphs(sentence, found)
    understood |= _letters(sentence, mentioned, names, found)
    return understood


def _mentioned(sentence: str, names: Names) -> Iterator[str]:
    seen = set()
    for word in re.findall(r"[A-Za-z]\w*(?:_\{[^{}]*\}|\[[\w+-]*\])*", sentence):
        for name in names.resolve(identifier(word, names.style)) + names.resolve(identifier(f"{word}[i]", names.style)):
            if (
                name in names.scalars
                and name not in seen
                # ``a`` and ``i`` are words too: before another word they name nothing.
                and not (name in ("a", "i") and re.search(rf"\b{name}\s[a-z]{{3}}", sentence))
            ):
                seen.add(name)
                yield name


def _orders_and_kinds(sentence: str, mentioned: Sequence[str], names: Names, found: Traits) -> bool:
    lists = [name for name in mentioned if name in names.many] or _only(names, "int", many=True)
    lists = [name for name in lists if names.scalars[name].kind == "int"][:1]
    rules = (
        (r"\bpermutation\b(?!s)", ("permutation",)),
        (r"\b(?:distinct|unique)\b|pairwise\s+different|no\s+duplicates", ("distinct",)),
        (
            r"\b(?:sorted|ascending|increasing|non-?\s?decreasing)\b(?!.*(?:descending|non-?\s?increasing))",
            ("ascending",),
        ),
        (r"\b(?:descending|non-?\s?increasing)\b", ("descending",)),
        (r"strictly\s+increasing", ("ascending", "distinct")),
    )
    understood = False
    for pattern, traits in rules:
        if (
            lists
            and re.search(pattern, sentence, re.IGNORECASE)
            and not re.search(r"not\s+(?:necessarily|have)|\bmay\b", sentence)
        ):
            # What has to be printed in order says nothing of the input.
            if re.search(r"\bprint\b|\boutput\b|\breturn\b", sentence, re.IGNORECASE):
                continue
            found.mark(lists[0], *traits)
            understood = True
    for name in mentioned:
        if re.search(r"permutation of (?:the )?string (\w+)", sentence) and names.scalars[name].kind == "text":
            match = re.search(r"permutation of (?:the )?string (\w+)", sentence)
            assert match
            found.alphabets[name] = match[1]
            found.mark(name, "distinct letters")
            understood = True
    return understood


GRAPHS = (
    ("tree", r"\btrees?\b.*(?:valid|represent|form|edges|given)|(?:valid|represent|form|edges|given).*\btrees?\b"),
    ("simple", r"(?:no|not|without|n't)\b.*(?:multiple|repeated|parallel|duplicate)\b|simple\s+graph"),
    ("simple", r"edges.*\bdistinct"),
    ("loopless", r"(?:no|not|without|n't)\b.*self[- ]?loops?"),
    ("connected", r"(?<!not )(?<!necessarily )\bconnected\b"),
    ("distinct", r"\b(?:queries|points|pairs|segments|intervals|edges|positions|coordinates)\b.*(?:unique|distinct)"),
    ("distinct", r"\bno\s+two\b.*\bsame\b"),
)


def _graphs(sentence: str, found: Traits) -> bool:
    """Read what is said of edges; their ends are the first two values of a row."""
    told = {kind for kind, said in GRAPHS if re.search(said, sentence, re.IGNORECASE)}
    found.graph |= told
    return bool(told)


LENGTHS = re.compile(
    r"lengths?\s+(?:between|from)\s+(\d+)\s+(?:and|to)\s+(\d+)|from\s+(\d+)\s+to\s+(\d+)\s+(?:letters|characters)|"
    r"of\s+(\d+)\s+to\s+(\d+)\s+\w+\s+"
)


def _letters(sentence: str, mentioned: Sequence[str], names: Names, found: Traits) -> bool:
    texts = [name for name in mentioned if names.scalars[name].kind == "text"] or _only(names, "text")
    bound = LENGTHS.search(sentence)
    if bound and texts:
        low, high = [part for part in bound.groups() if part]
        length = f"len_{texts[-1]}"
        found.relations += [Relation(low, "<=", length), Relation(length, "<=", high)]
    if re.search(r"\b(?:print|output|return)\b", sentence, re.IGNORECASE):
        return False
    letters = _alphabet(sentence)
    words = [match["text"] for match in QUOTED.finditer(sentence) if len(match["text"]) > 1]
    if texts and (letters or len(words) > 1):
        for name in texts if len(texts) == len(mentioned) or re.search(r"\band\b", sentence) else texts[-1:]:
            if len(words) > 1 and not letters.strip():
                found.choices.setdefault(name, words)
            elif letters and not (re.search(r"one of", sentence) and len(words) > 1):
                found.alphabets.setdefault(name, letters)
        return True
    return _numbers(sentence, mentioned, names, found) or bool(bound)


def _numbers(sentence: str, mentioned: Sequence[str], names: Names, found: Traits) -> bool:
    """Read ``every entry is 0 or 1`` and ``a_i = 0 or a_i = 1``."""
    match = re.search(
        r"(?:is|are|be)\s+(?:either\s+)?(-?\d+)\s+or\s+(-?\d+)|=\s*(-?\d+)\s+or\s+\w+\s*=\s*(-?\d+)|(?:numbers|integers)\s+(0)\s+and\s+(1)\b",
        sentence,
    )
    numbers = [name for name in mentioned if name in names.many] or _only(names, "int", many=True)
    numbers = [name for name in numbers if name in names.scalars and names.scalars[name].kind == "int"]
    if not match or not numbers:
        return False
    found.choices.setdefault(numbers[-1], [int(part) for part in match.groups() if part])
    return True


def _alphabet(sentence: str) -> str:
    """Return the letters that a text may have, or ""."""
    quoted = [match["text"] for match in QUOTED.finditer(sentence) if len(match["text"]) == 1]
    span = re.search(r"from\s+'(.)'\s+to\s+'(.)'|range\s+\['(.)',\s*'(.)'\]|'(.)'\s+to\s+'(.)'", sentence)
    if span:
        first, last = [part for part in span.groups() if part]
        return "".join(map(chr, range(ord(first), ord(last) + 1)))
    if quoted and re.search(
        r"consist|character|letter|contain|either|one of|symbols|digit|the line", sentence, re.IGNORECASE
    ):
        return "".join(dict.fromkeys(quoted))
    either = re.search(r"(?:is|are)\s+(?:either\s+)?([^\w\s])\s+or\s+([^\w\s])$", sentence)
    if either:
        return either[1] + either[2]
    bare = re.search(
        r"(?:characters?|letters?|symbols?|digits|consists?\s+of(?:\s+only)?|is\s+(?:either|`?))\s+(?:either\s+)?(?:a\s+)?(\S)\s*(?:,\s*(\S)\s*)?(?:,?\s*(?:and/or|and|or)\s+(?:a\s+)?)(\S)(?:\s|$|[.,;])",
        sentence,
    )
    if bare and not bare[1].isspace():
        return "".join(part for part in bare.groups() if part)
    if not re.search(r"consist|contain|letters|character|digits", sentence, re.IGNORECASE):
        return ""
    return "".join(
        dict.fromkeys("".join(found for pattern, found in LETTERS[:3] if re.search(pattern, sentence, re.IGNORECASE)))
    ) or (string.ascii_lowercase if re.search(LETTERS[3][0], sentence) else "")


def _only(names: Names, kind: str, many: bool = False) -> list[str]:
    """Return the only value of a kind (in a list, if `many`), where there is just one."""
    fitting = [name for name, node in names.scalars.items() if node.kind == kind and (not many or name in names.many)]
    return fitting if len(fitting) == 1 else []
