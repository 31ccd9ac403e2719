"""Comparisons in a statement: ``1 <= n, m <= 2 * 10^5`` becomes four relations over identifiers.

Names are spelt as identifiers: ``nums.length``, ``|s|`` and ``length of s`` are ``len_nums`` and ``len_s``; ``a_i`` and
``a[i]`` stand for every value of ``a`` and are ``a`` in inputs of lines, ``a_at`` in JSON, where ``a[i][0]`` is
``a_at_0``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from venus_toolkit.builders.generation.layout import Relation

TOKEN = re.compile(
    r"""\s*(?:
      (?P<dots>\.\.\.)
    | (?P<compare><=|>=|==|!=|<|>|=)
    | (?P<number>\d+(?:\.\d+)?(?:e\d+)?)
    | (?P<size>\|\s*(?P<sized>[A-Za-z]\w*(?:_\{[^{}]*\}|\[\w+\])*)\s*\||
        (?:the\s+)?(?:length|size)\s+of\s+(?:the\s+)?(?:string\s+|array\s+)?(?P<sized2>[A-Za-z]\w*))
    | (?P<count>(?:the\s+)?number\s+of\s+(?P<counted>rows|columns))
    | (?P<name>[A-Za-z](?:\w(?!\{))*(?:_\{[^{}]*\}|\[[\w\s+-]*\])*(?:\.(?:length|size)(?:\(\))?)?)
    | (?P<sign>\*\*|//|[-+*/^(){}])
    | (?P<comma>,)
    | (?P<other>\S)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
PROSE = {"and", "or", "is", "are", "the", "of", "all", "where", "for", "each", "in", "with", "if", "then", "to", "that"}
SERIES = re.compile(
    r"(?P<base>[A-Za-z]\w{0,30}?)_\{?1\}?\s*(?P<operator><=|<|>=|>)\s*(?P=base)_\{?2\}?\s*(?:<=|<|>=|>)\s*(?:\.\.\.|\.\.)\s*"
    r"(?:<=|<|>=|>)\s*(?P=base)_\{?\w+\}?"
)
NEIGHBOURS = re.compile(
    r"(?P<base>[A-Za-z]\w{0,30}?)(?:_\{?i\}?|\[i\])\s*(?P<operator><=|<|>=|>)\s*(?P=base)(?:_\{\s*i\s*\+\s*1\s*\}|\[i\s*\+\s*1\])"
)
# Relations have no ``>`` and ``>=``: their sides change places instead.
TURNED = {"<=": "<=", "<": "<", ">=": "<=", ">": "<", "==": "==", "!=": "!="}
# ``105`` for ``10^5``: a superscript that was copied as plain text.
LOST_POWER = re.compile(r"(?<![\w.^*])(-?)10([3-9]|1[0-8])(?![\w.])")

# Tokens on one side of a comparison; statements are anybody's text, and reading each from every token takes long.
MOST_COMPARED = 60


class Token(NamedTuple):
    """A piece of a comparison; `text` is Python."""

    kind: str
    text: str


def find_relations(text: str, style: str = "lines") -> list[Relation]:
    """Return the comparisons in `text` (in the spelling of `statements`), none twice."""
    found: dict[Relation, None] = {}
    for part in re.split(r"[;\n]|(?<!\.)\.\s|(?<!\.)\.$", without_series(text)):
        for chain in _chains(_tokens(part, style)):
            found.update(dict.fromkeys(_relations(chain)))
    return list(found)


def orders(text: str, style: str = "lines") -> Iterator[tuple[str, str, bool]]:
    """Yield (name, ascending or descending, strict) of lists that are said to be sorted by a comparison."""
    for match in itertools.chain(SERIES.finditer(text), NEIGHBOURS.finditer(text)):
        operator = match["operator"]
        name = identifier(match["base"] + "[i]", style)
        yield name, "ascending" if operator[0] == "<" else "descending", len(operator) == 1


def without_series(text: str) -> str:
    """Return `text` with ``a_1 < a_2 < ... < a_n`` as ``a_i``, so that what is around it can be read."""
    return NEIGHBOURS.sub(" ; ", SERIES.sub(lambda match: f"{match['base']}_i", text))


def restore_powers(text: str) -> str:
    """Return `text` with ``105`` as ``10^5``: how a power reads once its superscript is lost."""
    return LOST_POWER.sub(r"\g<1>10^\2", text)


def identifier(name: str, style: str) -> str:
    """Return a name in a statement as an identifier."""
    name = re.sub(r"\s", "", name)
    sized = re.fullmatch(r"(.*)\.(?:length|size)(?:\(\))?", name, re.IGNORECASE)
    if sized:
        return "len_" + identifier(sized[1], style)
    name = re.sub(r"_\{?(?:[ijk]|[ijk],?[ijkm\d]|[ijk][+-]1)\}?$", "[i]", name) if style == "lines" else name
    if style == "lines":
        return re.sub(r"\[.*", "", re.sub(r"[{}]", "", name)).strip("_")
    places = re.findall(r"\[([\w+-]*)\]", name)
    return re.sub(r"[\[{].*", "", name) + "".join(f"_{p}" if p.isdigit() else "_at" for p in places)


# ------------------------------------------------------------------ tokens


def _tokens(text: str, style: str) -> list[Token]:
    found: list[Token] = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup or ""
        kind = next(
            k for k in ("dots", "compare", "number", "size", "count", "name", "sign", "comma", "other") if match[k]
        )
        found.append(Token(kind, _spelt(match, kind, style)))
    return found


def _spelt(match: re.Match[str], kind: str, style: str) -> str:
    text = match[kind].strip()
    if kind == "size":
        return "len_" + identifier(match["sized"] or match["sized2"], style)
    if kind == "count":
        return f"count_{match['counted'].lower()}"
    if kind == "name":
        return text if text in ("min", "max") else identifier(text, style)
    if kind == "number":
        return str(int(float(text))) if "e" in text.lower() else text
    return {"^": "**", "/": "//", "{": "(", "}": ")", "=": "="}.get(text, text)


# ------------------------------------------------------------------ chains


def _chains(tokens: Sequence[Token]) -> Iterator[list[list[str] | str]]:
    """Yield ``[[expressions], operator, [expressions], …]`` wherever comparisons stand."""
    at = 0
    for sign in [place for place, token in enumerate(tokens) if token.kind == "compare"]:
        # What stands further before the sign is not read: of a long list only its end could be compared.
        at = max(at, sign - MOST_COMPARED)
        while at < sign:
            chain, end = _chain(tokens, at)
            if len(chain) >= 3:
                yield chain
            at = end if len(chain) >= 3 else at + 1


def _chain(tokens: Sequence[Token], at: int) -> tuple[list[list[str] | str], int]:
    chain: list[list[str] | str] = []
    while True:
        group, end = _group(tokens, at)
        if not group:
            return chain[:-1], at
        compares = end < len(tokens) and tokens[end].kind == "compare"
        # In ``1 <= n <= 5, m <= 6`` the comma ends a comparison, in ``1 <= n, m <= 6`` it joins two names.
        if not compares or (chain and group != _names_only(group)):
            _, end = _expression(tokens, at)
            chain.append(group[:1])
            return chain, end
        chain += [group, tokens[end].text]
        at = end + 1


def _group(tokens: Sequence[Token], at: int) -> tuple[list[str], int]:
    """Read expressions with commas between them."""
    group: list[str] = []
    while True:
        text, end = _expression(tokens, at)
        if not text:
            return group, at - bool(group)
        group.append(text)
        if end >= len(tokens) or tokens[end].kind != "comma":
            return group, end
        at = end + 1


def _expression(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read operands with operators between them; ``2n`` and ``2(n-1)`` are products."""
    words: list[str] = []
    wants, depth = True, 0
    whole, end = 0, at  # how many words, and which tokens, are an expression that does not end in its middle
    while at < len(tokens) and len(words) < MOST_COMPARED:
        kind, text = tokens[at]
        operand = kind in ("number", "size", "count", "name")
        if operand and not wants and not _product(tokens[at - 1], tokens[at]):
            break
        if operand and text.lower() in PROSE:
            break
        if operand or text == "(":
            words += [text] if wants else ["*", text]
            wants = text == "(" or text in ("min", "max")
            depth += text == "("
        elif text == ")" and depth and not wants:
            words.append(text)
            depth -= 1
        # The comma of ``min(a, b)``; any other stands between expressions.
        elif kind == "comma" and depth and "m" in "".join(words[:1]):
            words.append(",")
            wants = True
        elif kind == "sign" and text != ")" and (not wants or text == "-"):
            words.append(text)
            wants = True
        else:
            break
        at += 1
        if not wants and not depth:
            whole, end = len(words), at
    return " ".join(words[:whole]), end


def _product(before: Token, token: Token) -> bool:
    # ``2n`` is a product, ``5 nodes`` is prose: variables have short names.
    return before.kind == "number" and token.kind == "name" and len(token.text) <= 2


def _relations(chain: Sequence[list[str] | str]) -> Iterator[Relation]:
    groups = [_names_only(group) for group in chain[::2] if isinstance(group, list)]
    operators = [str(operator) for operator in chain[1::2]]
    if set(operators) == {"="}:
        return
    for left, operator, right in zip(groups[:-1], operators, groups[1:], strict=True):
        for a, b in itertools.product(left, right):
            turned = TURNED["==" if operator == "=" else operator]
            yield Relation(b, turned, a) if operator in (">", ">=") else Relation(a, turned, b)


def _names_only(group: list[str]) -> list[str]:
    """Several things are compared at once only where all are names; else the last one is meant."""
    return group if all(text.isidentifier() for text in group) else group[-1:]
