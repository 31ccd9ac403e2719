"""The grammar of constraint sentences.

``S is a string of length N consisting of 0 and 1`` becomes promises.

A sentence is read from its first word to its last: it is either understood as a whole, or not at
all. Here are its comparisons, and for which places they hold; `predicates` reads what it says in
words, `prose` what a sentence promises that also says other things.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from venus_toolkit.builders.inputs.promises.alphabets import choice
from venus_toolkit.builders.inputs.promises.predicates import of_some, said
from venus_toolkit.builders.inputs.promises.promise_words import kinds_of
from venus_toolkit.builders.inputs.promises.terms import (
    Cursor,
    NotUnderstood,
    chain,
    comparisons,
    expression,
    only_list,
    row,
    span,
)
from venus_toolkit.builders.inputs.spec.names import Names, last_place
from venus_toolkit.builders.inputs.spec.promises import (
    Compare,
    Distinct,
    Graph,
    Is,
    OneOf,
    Promise,
    Sorted,
)

# ``105`` for ``10^5``: a superscript that was copied as plain text.
LOST_POWER = re.compile(r"(?<![\w.^*])(-?)10([3-9]|1[0-8])(?![\w.])")
# ``27`` for ``2^7``, where the inputs say so: most numbers that look like a power are none.
POWER_OF_2 = re.compile(r"(?<![\w.^*])(-?)2([5-9]|[1-5][0-9]|6[0-4])(?![\w.])")
LONGEST_SENTENCE = 600  # characters; statements are anybody's text

# What is said besides: it changes nothing, or is spelt in one way here.
SPELLINGS = (
    ("≦", "<="),
    (r"\bfloor(?=\()", ""),  # whole numbers below a quotient are those below its floor
    (r"\\?(?:text)?color\{\w{1,20}\}\{((?:[^{}]|\{[^{}]{0,40}\}){1,200})\}", r"\1"),
    (r"\^?\{\s*\}", ""),
    (r"(?i)\s*\(defined in (?:the )?problem statement\)", ""),
    (r"(?i)\btwo kinds of characters[,:]? ", ""),
    (r"(?i)\bis a length[- ](\w{1,8}) string\b", r"is a string of length \1"),
    (r"(?<=\s)([#.*@?])s\b", r"\1"),
    (r"^\s*([i-l])\s*!=\s*([i-l])\s*(?:implies|Rightarrow)\s*(.{1,200})$", r"\3 (\1 != \2)"),
    (r"(?<=\w) _ ?(?=[\w{])", "_"),
    (r"(?<=[a-z0-9}])(<=|>=|!=|<|>)", r" \1"),
    (r"\(\s*([i-l])\s*=\s*(\w)\s*(?:,\s*\w\s*){0,8},\s*(\w)\s*\)", r"(\2 <= \1 <= \3)"),
    ("≧", ">="),
    (r"\\(?:ldots|dots|cdots)(?![a-z])", "..."),
    (r"(?<=,)\s*\.\.\s*(?=,)", "..."),
    (r"(?<=\w) (?=\.\.\.,)", ", "),
    (r"(?<![\w^])([A-Z]) ([A-Z])(?![\w'])", r"\1 * \2"),
    (
        r"(?i)^no two (?:neighbou?ring|adjacent|consecutive) \w+ (?:in|of) (\w+) are (?:equal|the same)\.?$",
        r"\1_i != \1_{i+1}",
    ),
    (
        r"(?i)^(?:for any (?:two|pair of) [^,]{1,40}, )?it is possible to (?:get|go|travel|move|reach) [^.]{1,120}"
        r"(?:roads?|edges?|bridges?|paths?)\.?$",
        "the graph is connected",
    ),
    (
        r"(?i)^(?:it(?: is|'s) (?:also )?guaranteed that )?"
        r"(?:(?:one|you|people) can (?:travel|get|go|move|drive|walk)|"
        r"it is (?:always )?possible to (?:travel|get|go|move|drive|walk)|there (?:is|exists?|always exists) an? "
        r"(?:sequence of \w+|path|route|way)|an? (?:sequence of \w+|path|route|way) (?:always )?exists?) "
        r"[^.]{0,40}\bbetween (?:every|any|each|all)(?: (?:two|pairs? of|other))? [^.]{1,100}\.?$",
        "the graph is connected",
    ),
    (r"(?<=[Tt]he )graph ([A-Z]|given (?:as|in the) input)(?= (?:is|has|does))", "graph"),
    (r"(?:\\[dt]?|\b)frac ?\{([^{}]{1,60})\}\{([^{}]{1,60})\}", r"((\1) // (\2))"),
    (r"(?i)\b(?:the )+(?:undirected )?edges form", "the edges form"),
    (r"\\(?:lbrace|\{)", "{"),
    (r"\\(?:rbrace|\})", "}"),
    (r"\{ +(?=\w)", "{"),
    (r"(?<=\w) +\}", "}"),
    (r"\\in(?![a-z])", " in "),
    (r"\\b?mod(?![a-z])", " mod "),
    (r"\\(?:ll?floor|rfloor|lceil|rceil|[bB]igg?[lr]?|displaystyle|[ ,;!:])", " "),
    (r"\\([a-z]+)", r"\1"),
    (r"[\u200b\ufeff]", ""),
    (r",? ?\(?(?:both |all )?inclusive(?:ly)?\)?(?=[\s,.;)]|$)", ""),
    (r"[,(]? ?(?:where|here),? [^,.;()]{1,20} (?:denotes?|is|represents?|means?) (?:the )?(?:length|"
    r"size|number|absolute)[^().;]{0,60}\)?", ""),
    (r"\([^()]{1,20} (?:denotes?|is|represents?) (?:the )?(?:length|size|number|absolute)[^()]{0,60}\)", ""),
    (r"\((?:a|A)\s*-\s*(?:z|Z)\)", ""),
    (r"\(\d\d:\d\d,[^()]{0,80}\)", ""),
    (r"\b([i-l])\s*=\s*([\w+-]{1,8})\s*,\s*(?:\w{1,8}\s*,\s*)?\.\.\.\s*,\s*([\w+ -]{1,12})", r"\2 <= \1 <= \3"),
    (r"\b(?:sum|Σ|∑)_?\{?\s*[i-l]'?\s*=\s*[01]\s*\}?\s*\^\s*(?:\{[\w -]{1,10}\}|\w)", "sum of "),
    (
        r"\|([A-Za-z])_\{?1\}?\|\s*\+\s*(?:\|\1_\{?2\}?\|\s*\+\s*)?\.\.\.\s*\+\s*\|\1_\{?\w\}?\|",
        r"sum of |\1_i|",
    ),
)  # fmt: skip
LEADS = re.compile(
    r"^(?:for (?:all|each|every) [i-l],? it is guaranteed that|these|(?:for|in) (?:each|one|the|every) input(?: file)?|"
    r"it is (?:also )?guaranteed(?: that)?|it's guaranteed that|(?:the )?(?:input|inputs|"
    r"testcases?|test cases?|tests?) "
    r"(?:is|are) generated (?:such that|in a way that|so that)|also|note that|moreover|additionally|"
    r"furthermore|and|you may assume that|"
    r"(?:for|in) (?:each|all|the|every) (?:quer(?:y|ies)|operations?) (?:of|in) "
    r"the (?:first|second|third|fourth|fifth) (?:kind|type|format|form)|"
    r"for (?:each |all |every )?type[- ]?\d (?:quer(?:y|ies)|operations?)|"
    r"in addition|here|that is|in other words|the following (?:holds|conditions? (?:is|are) satisfied):?)[,:]?\s+",
    re.IGNORECASE,
)
# What stands among constraints and is none.
NO_CONSTRAINT = re.compile(
    r"follow[- ]?up|note: this (?:question|problem)|(?:can|could) you |answers within|your solution will be tested|"
    r"each (?:test )?group|to get (?:the )?points|your (?:final )?score|(?:sub)?(?:task|group)s? |"
    r"lines? [i-l] ?= ?\d[^:<>]{0,40}:[^<>]*$|print |the i-th line should|"
    r"(?:for )?each (?:test case|query)[^.,:]{0,40} in the [^.,:]{0,20}form(?:at)?:",
    re.IGNORECASE,
)
# What need not be so, from there to the end of the clause, with what leads over to it.
NO_PROMISE = re.compile(
    r"[,;(]?(?:\s*\b(?:and|but|although|though|however|it|they|there|also|which|that|is|are))*\s*"
    r"\b(?:not necessarily|may (?:not )?(?:be|contain|have|appear|occur)\b|(?:is )?not guaranteed)[^,;()]*\)?",
    re.IGNORECASE,
)
# What the columns of a row are called, ``edges[i] = [ui, vi]``, says how long rows are.
NAMED = re.compile(
    r"(?P<row>\w{1,30})\[i\] ?={1,2} ?\[(?P<columns>\s*[A-Za-z]\w{0,30}(?:\s*,\s*\w{1,30})+)\s*\]"
)
SERIES = re.compile(
    r"[({]?\s*(?P<base>[A-Za-z][A-Za-z0-9]{0,15})_\{?(?P<first>[01])\}?\s*(?P<by>,|<=|<|>=|>|\+|!=)\s*"
    r"(?:(?P=base)_\{?[12]\}?\s*(?P=by)\s*)?(?:(?P=base)_\{?[23]\}?\s*(?P=by)\s*)?\.\.\.?\.?\s*(?P=by)\s*"
    r"(?:(?P=base)_\{?\w{1,9}\s?-\s?1\}?\s*(?P=by)\s*)?(?P=base)_(?P<last>\{[^{}]{1,12}\}|\w)\s*[)}]?"
)
NUMBERS = re.compile(
    r"[({\[]?\s*(?P<low>[01])\s*,\s*(?:[12]\s*,\s*)?(?:[23]\s*,\s*)?\.\.\.\s*,\s*\{?(?P<high>[\w]{1,4}(?:\s*[-+]\s*1)?)\}?\s*[)}\]]?"
)
QUANTIFIER = re.compile(
    r"[,(]?\s*\b(?:for|where|when|whenever|if|such that|"
    r"with)\s+(?P<what>[^()]{1,80}(?:\([^()]{1,60}\))?)\)?$|\((?P<bare>(?!\s*(?:and|or)\s*\))[^()]{1,60})\)$",
    re.IGNORECASE,
)
# ``the total length of all strings``, ``the sum of the lengths of S_1, S_2, ..., S_N``
TOTAL_LENGTH = re.compile(
    r"\b(?:the )?(?:sum of (?:the |all )?lengths|(?:total|combined) length) of (?:all )?(?:the )?"
    r"(?:given )?(?:strings|words|names|"
    r"(?P<name>[A-Za-z])_\{?[i1]\}?(?:(?:, (?P=name)_\{?\d\}?)*, \.\.\., (?P=name)_\{?\w\}?)?)(?!\w)",
    re.IGNORECASE,
)
LEADING_QUANTIFIER = re.compile(
    r"^(?:for|when|if|whenever)\s+(?P<what>[^,]{1,60}(?:\([^()]{1,60}\))?),\s*", re.IGNORECASE
)
QUANTITIES = (
    "all", "every", "each", "any", "integer", "integers", "index", "indices", "valid", "possible", "pair", "pairs",
    "of", "such", "that", "satisfying", "with", "and", "distinct", "different", "the", "where", "from",
)  # fmt: skip


def sentences(text: str) -> list[str]:
    """Return the sentences of a section; an item of a list is one or several."""
    found: list[str] = []
    # A long line that goes on with a small letter was only broken there.
    for line in re.split(r"\n\s*\n|(?<![^\n]{60})\n|\n(?![ \t]*[a-z]{2})", text):
        # A full stop that is followed by a capital ends a sentence; ``0, 1 and .`` has one that
        # does not.
        parts = re.split(
            r"(?<=[\w)}\]|$'\"])\.\s+(?=[A-Z])",
            re.sub(r"^(?:[*•]|-(?! *\d))[ \t]+", "", line.strip()),
        )
        found += [re.sub(r"\s+", " ", part).strip() for part in parts if part.strip(" .")]
    most_sentences = 200
    return [one for one in found if not NO_CONSTRAINT.match(one)][:most_sentences]


def restore_powers(text: str) -> str:
    """Return `text` with ``105`` as ``10^5``: how a power reads once its superscript is lost."""
    return LOST_POWER.sub(r"\g<1>10^\2", text)


def restore_powers_of_2(text: str) -> str:
    """Return `text` with ``231 - 1`` as ``2^31 - 1``.

    >>> restore_powers_of_2("-231 <= nums[i] <= 231 - 1")
    '-2^31 <= nums[i] <= 2^31 - 1'
    """
    return POWER_OF_2.sub(r"\g<1>2^\2", text)


def spelt(text: str) -> str:
    """Return a text without what changes nothing, the rest spelt in one way."""
    for pattern, spelling in SPELLINGS:
        text = re.sub(pattern, spelling, text)
    return text


def read(sentence: str, names: Names) -> list[Promise] | None:
    """Return all that a sentence promises; None where some of it is not understood."""
    if len(sentence) > LONGEST_SENTENCE:
        return None
    # ``# or ..`` ends with a letter and a full stop.
    text = re.sub(r"(?<=[^\s,])[.;,]$", "", spelt(sentence).strip()).strip()
    if (total := TOTAL_LENGTH.search(text)) and (
        name := total["name"] or next(iter(only_list(names, "text")), "")
    ):
        text = f"{text[: total.start()]}sum of |{name}_i|{text[total.end() :]}"
    while lead := LEADS.match(text):
        text = text[lead.end() :]
    if not re.search("<|>|=", text) and (rest := NO_PROMISE.sub("", text)) != text:
        # ``connected, but it may contain multi-edges`` promises something in its other half.
        if not kinds_of(rest):
            return []
        text = rest.strip(" ,;")
    if (named := NAMED.fullmatch(text)) and named["row"] in names.places:
        return [Compare(f"len({named['row']}[i])", "==", str(named["columns"].count(",") + 1))]
    try:
        return list(dict.fromkeys(_promises(text, names)))
    except (NotUnderstood, RecursionError):
        return None


def _promises(text: str, names: Names) -> list[Promise]:
    text, orders = _series(text, names)
    if some := Cursor(text, names).attempt(of_some):
        return some
    conditions: list[str] = []
    if leading := LEADING_QUANTIFIER.match(text):
        conditions = _quantifier(leading["what"], names)
        text = text[leading.end() :].removeprefix("then ")
    for _ in range(2):
        # Letters may be written in brackets too, so that what is no quantifier stays where it is.
        trailing = QUANTIFIER.search(text)
        if trailing is None:
            break
        try:
            conditions += _quantifier(trailing["what"] or trailing["bare"], names)
        except NotUnderstood:
            break
        text = text[: trailing.start()].rstrip(" ,")
    cursor = Cursor(text, names)
    found = cursor.attempt(_compared)
    if found is None:
        found = cursor.attempt(_there_is)
    if found is None:
        found = said(cursor)
    return [*orders, *(_conditioned(promise, conditions, names) for promise in found)]


def _series(text: str, names: Names) -> tuple[str, list[Promise]]:
    """Return the text with ``A_1, A_2, ..., A_N`` as ``A_{*}``; and what ``A_1 < A_2 < ...

    < A_N`` says.
    """
    orders: list[Promise] = []

    def short(match: re.Match[str]) -> str:
        base, by = match["base"], match["by"]
        if by == "+":
            return f" sum of {base} "
        if by in ("<", "<=", ">", ">="):
            term = names.find(base, ())
            if term is None:
                raise NotUnderstood(base)
            orders.append(Sorted(term, by[0] == ">", len(by) == 1))
            # A bound at either end holds for each value, and so does what an end is equal to, as a
            # bound.
            before, after = text[: match.start()], text[match.end() :]
            least = re.search(r"(?P<value>[\w^{}]+)\s*(?<![<>!])=\s*$", before)
            most = re.match(r"\s*=\s*(?P<value>[\w^{}]+)", after)
            first = f"{base}_{match['first']} ; {least['value']} {by[0]}= " if least else ""
            last = f" {by[0]}= {most['value']} ; {base}_{match['last']}" if most else ""
            return f" {first}{base}_{{i}}{last}"
        return f" {base}_{{*}} "

    text = SERIES.sub(short, text)
    return NUMBERS.sub(lambda match: f" {match['low']} to {match['high']} ", text).strip(), orders


def _quantifier(text: str, names: Names) -> list[str]:
    """Return the conditions on indices: ``all 1 <= i < N`` has two, ``every i`` has none."""
    cursor = Cursor(text.strip(" ,"), names)
    while cursor.word(*QUANTITIES):
        pass
    found: list[str] = []
    while not cursor.done:
        compared = cursor.attempt(chain)
        if compared:
            for one in compared:
                if not set(names.indices) & set(
                    re.findall(r"\b[a-z]\b", f"{one.left} {one.right}")
                ):
                    raise NotUnderstood("a condition on values")
                found.append(f"{one.left} {one.operator} {one.right}")
        elif cursor.peek().text in (*names.indices,):
            index = cursor.peek().text
            cursor.at += 1
            between = cursor.attempt(span)
            found += [f"{between.low} <= {index}", f"{index} <= {between.high}"] if between else []
        elif not cursor.word(*QUANTITIES, ",", "(", ")"):
            raise NotUnderstood("no quantifier")
    return found


def _conditioned(promise: Promise, conditions: Sequence[str], names: Names) -> Promise:
    """Return a promise for those places only where the conditions hold."""
    if not isinstance(promise, Compare):
        return promise
    bases = set(re.findall(r"[A-Za-z_]\w*", f"{promise.left} {promise.right}")) & set(names.places)
    # That there is such a place is no condition: ``1 <= i``, ``i <= N`` where N is the length of
    # the list.
    ends = {"1<=i", "0<=i"}
    for name in bases:
        counts, first = names.places[name].counts, names.base(name)
        ends |= {f"{first}<=i"} | {
            f"i<={last_place(count, first)}".replace(" ", "") for count in counts
        }
        if names.style == "json":
            ends |= {f"i<len({name})", "i<n"}
    some = [
        one for one in conditions if re.sub(r"\b[j-l]\b", "i", one).replace(" ", "") not in ends
    ]
    return replace(promise, conditions=tuple(some))


def _compared(cursor: Cursor) -> list[Promise]:
    """Read a sentence that is all comparisons."""
    tuples = cursor.attempt(_tuples_differ)
    if tuples:
        return tuples
    found = comparisons(cursor)
    if cursor.word("or"):
        return _either(cursor, found)
    promises = [promise for one in found for promise in _expanded(one, cursor.names)]
    if cursor.word("are integers|is an integer|and are integers|are all integers") or cursor.done:
        return promises
    cursor.need(", and|,|and|;")
    return promises + said(cursor)


def _either(cursor: Cursor, found: list[Compare]) -> list[Promise]:
    """Read what follows ``C_i = 0 or``, and ``x_i != x_j or``."""
    first = found[-1]
    others = [first, *(comparisons(cursor) if cursor.peek(1).kind == "compare" else [])]
    while len(others) == 1 and not cursor.done:
        others += [Compare(first.left, "==", expression(cursor))]
        cursor.word(", or|or|,")
    signs = {one.operator for one in others}
    if len(found) > 1 or not cursor.done or len(others) < 2:
        raise NotUnderstood(cursor.rest)
    if signs == {"=="} and {one.left for one in others} == {first.left}:
        return [choice(first.left, [one.right for one in others], cursor.names)]
    differ = [_expanded(one, cursor.names)[0] for one in others]
    if signs == {"!="} and all(isinstance(one, Distinct) for one in differ):
        return [Distinct(tuple(one.terms[0] for one in differ if isinstance(one, Distinct)))]
    raise NotUnderstood("alternatives")


def _expanded(one: Compare, names: Names) -> list[Promise]:
    """Return a comparison with what differs in two places as `Distinct`: ``A[i] != A[j]``."""
    one = replace(one, left=one.left.replace("[*]", "[i]"), right=one.right.replace("[*]", "[i]"))
    if not set(re.findall(r"[A-Za-z_]\w*", f"{one.left} {one.right}")) & set(names.places):
        raise NotUnderstood("a comparison of no values")
    literal = re.fullmatch(r"-?\w", one.right)
    if names.kind(one.left) in ("text", "letter") and literal and one.right not in names.places:
        if one.operator != "==":
            raise NotUnderstood("a letter is compared")
        return [OneOf(one.left, (one.right,))]
    if one.operator == "!=" and re.sub(r"\bj\b", "i", one.right) == one.left and "[i]" in one.left:
        return [Distinct((one.left,))]
    return [one]


def _tuples_differ(cursor: Cursor) -> list[Promise]:
    """Read ``(X_i, Y_i) != (X_j, Y_j)``, which is said of any two rows, or ``(x_i, y_i) != (1, 1)``."""
    found: list[Promise] = []
    while True:
        left = row(cursor)
        cursor.need("!=")
        right = row(cursor)
        unindexed, other = [
            [re.sub(r"\[[ij]\]", "", term) for term in side] for side in (left, right)
        ]
        if len(left) != len(right):
            raise NotUnderstood(cursor.rest)
        if sorted(unindexed) == sorted(other) and left != right:
            found.append(
                Distinct(tuple(re.sub(r"\bj\b", "i", term) for term in left), unindexed != other)
            )
        else:
            found.append(Is(left[0], "not all equal", (*left[1:], *right)))
        if cursor.done:
            return found
        cursor.need("and|, and|,")


def _there_is(cursor: Cursor) -> list[Promise]:
    """Read ``there are no self-loops`` and its like."""
    cursor.word("there are|there is|the given graph|the graph|the edges|edges")
    cursor.word(
        "contains|contain|has|have|does not have any|does not contain|do not contain",
        "does not have",
    )
    kinds = list[str]()
    while True:
        cursor.word("no|not|any|neither|without")
        found = cursor.need(
            "self-loops|self loops|self-loop|self loop|loops|multiple edges|"
            "multi-edges", "multi-edge|duplicate edges|repeated edges|multiedges|parallel edges|"
            "multi edges", "duplicated edges|repeated connections")  # fmt: skip
        kinds.append("loopless" if "loop" in found else "no multi-edges")
        if not cursor.word("or|and|nor|,|, and|and no"):
            break
    cursor.word("in the graph")
    if not cursor.done:
        raise NotUnderstood(cursor.rest)
    return [Graph(tuple(kinds))]
