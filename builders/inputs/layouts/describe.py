"""The layout of an input of lines, from words: ``The first line contains n and m``.

Words come last: they give a layout where no block shows it, and names to one that was found in the
inputs. Each sentence that speaks of lines becomes one `DescribedLines`; the parts are put together
in their order, and what they mean is tried on the inputs by the caller. All values are of the kind
``word``: whether they are numbers is for the inputs to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from venus_toolkit.builders.inputs.spec.layout import (
    Item,
    Layout,
    Line,
    Loop,
    Many,
    Node,
    Scalar,
    Tuple,
    changed,
    own_nodes,
    renamed,
    scalars,
    unique,
)
from venus_toolkit.builders.inputs.statements.spelling import LONGEST_SENTENCE

NUMBER_WORDS = {
    "a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
CASES = (
    r"(?:test\s*-?\s*cases?|data\s*sets?|sets? of input data|input sets?|cases\b"
    r"|descriptions?\s+of\s+(?:the\s+)?test)"
)
VERB = (
    r"(?:contains?|holds?|consists?\s+(?:only\s+)?of|has|gives?|describes?|provides?|lists?|is|are|there\s+(?:is|are)|includes?"
    r"|containing|consisting\s+of|describing|will\s+contain|giving|in\s+the\s+form(?:\s+of)?|(?:begin|start)s?\s+with|with)"
)
COUNT = r"(?P<count>\d*\s*\*?\s*\(?[A-Za-z]\w*(?:\s*[-+]\s*\d+)?\)?|\d+|two|three|four|five|six|seven|eight|nine|ten)"
ORDINAL = (
    r"(?:first|second|third|fourth|fifth|sixth|next|following|last|only|single|\d+(?:st|nd|rd|th))"
)
LINES = r"(?:(?:more|further|additional|other)\s+)?(?:lines|rows)"
MANY_LINES = (
    rf"(?:each\s+of\s+)?(?:the\s+|then\s+)?(?:i-th\s+of\s+(?:the\s+)?)?(?:each\s+of\s+)?(?:the\s+)?(?:next|following)\s+{COUNT}\s+{LINES}",
    rf"^{COUNT}\s+{LINES}(?=\s+(?:(?:will\s+)?follow|contain|describ|of|with|each|which|where|that|giv|consist)|\s*(?:,|$))",
    rf"followed\s+by\s+{COUNT}\s+{LINES}",
    rf"i-th\s+(?:line\s+)?of\s+(?:the\s+)?(?:next|following)\s+{COUNT}\s+{LINES}",
    rf"(?:^|\W)in\s+the\s+i-th\s+of\s+(?:the\s+)?(?:next|following)\s+{COUNT}\s+{LINES}",
)
# Words before what a sentence says of lines: ``Then, there will be a line with n integers``.
OPENING = re.compile(
    r"^(?:(?:then|also|after (?:that|this)|afterwards|thereafter|finally|lastly|and)[,\s]+|"
    r"next,?\s+(?=there|follow|come|are|is)|there\s+(?:is|are|will\s+be|follows?|comes?)\s+|(?:will\s+)?(?:follows?|comes?)\s+)+",
    re.IGNORECASE,
)
ON_LINE = re.compile(
    rf"^(?:on|in)\s+(the\s+(?:{ORDINAL}\s+)+line)(?:\s+of\s+(?:the\s+)?input)?,?\s+(?:there\s+)?(?:is|are|follows?|will\s+be|comes?)\s+",
    re.IGNORECASE,
)
NAME = r"[A-Za-z](?:_(?:\{\w+(?:,\s*\w+)?\}|\w+)|\w{0,11}(?:_\w+)?)"
SEQUENCE = re.compile(
    r"(?P<base>[A-Za-z]\w*?)_?\{?(?P<first>[012])(?:,\s*1)?\}?\s*,?\s*(?:(?P=base)_?\{?[123](?:,\s*2)?\}?\s*,?\s*)?"
    r"(?:(?P=base)_?\{?[34]\}?\s*,?\s*)?"
    r"(?:\.\.\.|\.\.)\s*,?\s*(?P=base)_?\{?(?P<last>[^\s,}.()]+(?:,\s*\w+)?)\}?"
)
MANY = re.compile(
    r"\b(?P<count>\d+|[A-Za-z]|\d+[A-Za-z]|[A-Za-z]\s*[-+]\s*\d+|two|three|four|five|six|seven|eight|nine|ten)\s+"
    r"(?:(?:space[- ]separated|distinct|different|positive|non-?negative|pairwise\s+distinct|unique|real|binary)\s+)*"
    r"(?P<what>integers?|numbers?|elements|values|strings|words|tokens|characters|letters|digits|bigrams|lowercase|uppercase)",
    re.IGNORECASE,
)
SHORT = r"[A-Za-z]\w?(?:_\w+)?"
# ``n - array size and d - offset``: what stands between two names that are both explained, or
# before ``, and k``.
REMARK = re.compile(
    rf"(?<=\w)\s+--?\s+[^,;:]{{1,80}}?(?=(?:,?\s+and|,)\s+{SHORT}\s+--?\s|,\s+and\s+{SHORT}\s*$)"
)
# ``an integer k followed by k integers``
LED = re.compile(
    rf"\b(?P<lead>{SHORT})\s*,?\s+(?:and\s+)?(?:then\s+)?(?:followed\s+by\s+)?(?:the\s+)?(?P=lead)\s+(?:[\w-]+\s+){{0,2}}?"
    r"(?:integers|numbers|strings|words|elements|values)\b(?P<rest>.*)"
)
# ``n, the number of cats, and m, the number of dogs``: what a value means, up to the next comma.
DEFINITION = re.compile(
    rf"(?<!\w)({SHORT})\s*,\s+the\s+(?:[a-z]+\s+)?(?:length|number|size|sum|count)\s+of\s[^,;:]*"
)
TYPE = r"(?:integers?|numbers?(?!\s+of)|strings?|words?|characters?)\b"
MEANING = re.compile(
    rf",\s+(?:(?:the|an?|each|both)\s(?!(?:[a-z-]+\s+){{0,3}}(?:{TYPE}|{SHORT}\s*(?:,|$|and\b)))[^,;:]*"
    r"|(?:where|satisfying)\s[^,;:]*(?=,)|(?!followed)[a-z]+ed\s[^,;:]*)"
)
CUT = re.compile(
    rf"\s-\s?|\s--\s|[:;]\s*(?!{SHORT}(?:,|\s+and\b|\s+-))(?=\w+\s+\w+)|"
    r",?\s+(?:where|denoting|representing|indicating|such that|meaning|for which|"
    r"that is|separated by)\b"
)
ALPHABET = re.compile(r"\b(?:which\s+)?consist(?:s|ing)?\s+(?:\w+\s+)?of\b.*", re.IGNORECASE)
ABSTRACT = {
    "description",
    "descriptions",
    "field",
    "level",
    "test",
    "queries",
    "query",
    "row",
    "board",
    "grid",
    "map",
} | {
    "case",
    "cases",
    "tests",
    "line",
    "lines",
    "input",
    "output",
}
# ``an integer 1 <= n <= 10^5``: what is bounded stands between the bounds.
BOUNDED = re.compile(
    r"(?<![\w)])-?\d[\w^{}]*(?:\s\*\s[\d^{}]+)?\s*<=?\s*(?P<names>[A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)*)\s*<=?\s*"
    r"-?\w[\w^{}]*(?:\s\*\s[\w^{}]+)*"
)
# ``n integers 1 <= t_1 <= t_2 <= ... <= t_n <= 10^9``
ORDERED = re.compile(
    r"(?<![\w)])(?:-?\d[\w^{}]*(?:\s\*\s[\d^{}]+)?\s*<=?\s*)?(?P<base>[A-Za-z]\w*?)_\{?(?P<first>[01])\}?\s*<=?\s*"
    r"(?:(?P=base)_\{?\d\}?\s*<=?\s*){0,2}\.\.\.?\s*<=?\s*(?P=base)_\{?(?P<last>\w+)\}?"
    r"(?:\s*<=?\s*-?\w[\w^{}]*(?:\s\*\s[\w^{}]+)*)?"
)
# ``k integers between 1 and n``
BETWEEN = re.compile(
    r"\b(?P<what>integers?|numbers?|values),?\s+(?:(?:all|each)\s+)?(?:between|from)\s+-?\d[\w^{}]*\s+"
    r"(?:and|to)\s+\w[\w^{}]*"
)
# ``three integers:``, and then a paragraph for each of them: ``the number of days N (1 <= N <= 9)``
SPREAD = re.compile(
    r"\b(?P<count>two|three|four|five|six|[2-6]) (?P<what>integers|numbers)[^:.\n]{0,60}:[ \t]*\n"
)
# ``k pairs of integers s n``
PAIRS = re.compile(
    rf"\b(?P<count>{SHORT}) pairs of (?:integers|numbers) (?P<one>[A-Za-z]\w?)(?:_\w)?(?:,? and|,)? "
    r"(?P<two>[A-Za-z]\w?)(?:_\w)?(?!\w)"
)
BELOW = re.compile(r"(?<=\w)\s*(?:>=|<=|>|<)\s*-?\d[\w^{}]*(?:\s\*\s[\w^{}]+)*")
# Lines that were spoken of before.
AGAIN = re.compile(
    r"^(?:(?:the\s+)?i-th(?:\s+line)?\s+of\s+(?:these|them|those)(?:\s+lines)?|line\s+(?:number\s+)?i"
    r"|(?:each|every)(?:\s+one)?\s+of\s+(?:these|them|those|the)(?:\s+lines)?|(?:each|every)\s+(?:such\s+)?line)\b",
    re.IGNORECASE,
)
SAID_AGAIN = re.compile(r"each line\b|(?:these|those)\s", re.IGNORECASE)
NAMELESS = "values"  # what a list is called that the statement does not name
UNSAID = "unsaid"  # a count that the description does not give: the number read before
FILLER = {
    "a", "an", "and", "the", "of", "is", "are", "in", "by", "to", "i", "it", "as", "on", "or", "be", "j", "th", "st",
    "integer", "integers", "number", "numbers", "string", "strings", "line", "lines", "contains", "contain", "single",
    "one", "two", "three", "four", "five", "six", "only", "space", "separated", "spaces", "positive", "each", "where",
    "with", "first", "second", "third", "respectively", "distinct", "holds", "consists", "denoting", "representing",
    "consisting", "length", "lowercase", "english", "latin", "letters", "characters", "exactly", "which", "that",
    "then", "this", "for", "if",
    "test", "case", "cases", "also", "non", "empty", "its", "word", "name", "value", "values",
    "at", "up", "so", "we", "no", "do", "he",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DescribedLines:
    """What one sentence says: the lines, how often they come, and whether it speaks of the test cases."""

    nodes: tuple[Node, ...]
    count: str | None = None
    case: bool = False
    opens: str | None = None  # the number of test cases is this one
    words: str = ""


def candidates(description: str) -> Iterator[Layout]:
    """Yield the layouts that a description (in the spelling of `statements`) may mean, the likeliest first."""
    parts = [part for part in map(_part, _sentences(description)) if part]
    for row in (None, Scalar("row", "word")):
        tried = _merged(parts, row)
        for layout in _layouts(tried) if tried else ():
            yield layout
            # ``m characters`` are often said to be ``m elements``.
            yield replace(layout, body=changed(layout.body, _as_word))


def named(layout: Layout, description: str) -> Layout:
    """Return a layout that was found in the inputs with the names that the sentences give to its lines.

    Lines and sentences are laid side by side from the first and from the last one, as far as they
    say alike.
    """
    lines = list(_lines(layout.body))
    parts = _merged([part for part in map(_part, _sentences(description)) if part], None)
    said = [part.nodes for part in parts]
    names: dict[str, str] = {}
    first = list(_alike(lines, said))
    for nodes, new in (*first, *_alike(lines[len(first) :][::-1], said[len(first) :][::-1])):
        pairs = zip(scalars([Line(nodes)]), scalars([Line(new)]), strict=False)
        names |= {old.name: called.name for old, called in pairs}
    new_names = list(names.values())
    found = renamed(layout, {old: new for old, new in names.items() if new_names.count(new) == 1})
    opened = parts[0].opens if parts else None
    repeated = {item.count for item in found.body if isinstance(item, Loop)}
    return replace(found, cases=opened) if opened in repeated else found


def _alike(
    lines: Sequence[tuple[Node, ...]], said: Sequence[tuple[Node, ...]]
) -> Iterator[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """Yield the first lines with what is said of them, while both have as many values of the same forms."""
    for nodes, new in zip(lines, said, strict=False):
        if list(map(type, nodes)) != list(map(type, new)):
            return
        yield nodes, new


def _lines(items: Sequence[Item]) -> Iterator[tuple[Node, ...]]:
    for item in items:
        if isinstance(item, Loop):
            yield from _lines(item.body)
        else:
            yield item.nodes if isinstance(item, Line) else ()


def _as_word(node: Node) -> Node:
    return Scalar(node.name, "word") if isinstance(node, Many) else node


def _sentences(description: str) -> list[str]:
    """Split into sentences, without what stands in brackets and without bounds, which are read elsewhere."""
    text = re.sub(r"\b([ij]|\w)\s*[-:']?\s*th\b", r"\1-th", description)
    text = re.sub(r"\((?:[^()]|\([^()]*\))*\)", _bracket, text)
    text = _gathered(text)
    text = BETWEEN.sub(r"\g<what>", text)
    text = ORDERED.sub(r"\g<base>_\g<first>, ..., \g<base>_\g<last>", text)
    text = BELOW.sub("", BOUNDED.sub(r"\g<names>", text))
    text = re.sub(r"\n(?=\s*[-*]\s|(?:The|Each|Then|Next|Following|It|In|Every)\s)", "\n\n", text)
    paragraphs = [re.sub(r"\s+", " ", part) for part in re.split(r"\n\s*\n", text)]
    sentences = [part for line in paragraphs for part in re.split(r"(?<!\.)\.(?:\s|$)|;\s", line)]
    return [
        part.strip(" -*")
        for part in sentences
        if part.strip(" -*") and len(part) <= LONGEST_SENTENCE
    ]


def _gathered(text: str) -> str:
    """Return a text with ``three integers N, M and K`` where they stand in paragraphs of their own."""
    most_spread = 9
    for _ in range(most_spread):
        announced = SPREAD.search(text)
        if announced is None:
            break
        count = int(_expression(announced["count"]))
        items = re.split(r"\n\s*", text[announced.end() :].lstrip("\n"), maxsplit=count)
        # A name ends its paragraph, but for what is in brackets or behind a comma; or it is a
        # capital.
        ends = rf"(?:.*?\s)?({SHORT})\s*(?:[,.(:]|--?\s|$)|.*?\s([B-HJ-Z])\s"
        found = [re.match(ends, item.strip(" -*")) for item in items[:count]]
        names = [
            name
            for match in found
            if match and (name := match[1] or match[2]).lower() not in FILLER
        ]
        if len(names) < count:
            break
        listed = f"{count} {announced['what']} {', '.join(names)}."
        text = f"{text[: announced.start()]}{listed}\n\n{''.join(items[count:])}"
    return text


def _bracket(match: re.Match[str]) -> str:
    """Return what is left of a bracket.

    Of ``n integers (1 <= a_i < 5)``, which have no other name, their name.
    """
    bounded = BOUNDED.fullmatch(match[0][1:-1].strip())
    before = match.string[max(0, match.start() - 20) : match.start()]
    if bounded and re.search(r"\b(?:integers?|numbers?|values)\s*$", before):
        return f" {bounded['names']} "
    return " " if len(match[0]) > 30 or re.search("[<>=]", match[0]) else match[0]


# ------------------------------------------------------------------ one sentence


def _part(sentence: str) -> DescribedLines | None:
    """Return what a sentence says about lines, or None."""
    said = AGAIN.sub("each line", ON_LINE.sub(r"\1 contains ", OPENING.sub("", sentence)))
    case = bool(re.search(CASES, said, re.IGNORECASE)) or bool(
        re.match(r"each description", said, re.IGNORECASE)
    )
    if re.match(
        r"(?:it is guaranteed|the (?:sum|total)|additional|note that|in other words|if )",
        said,
        re.IGNORECASE,
    ):
        return None
    if found := _many_lines(said, case):
        return found
    if re.search(
        rf"\b(?:{VERB})?\s*(?:the\s+)?(?:descriptions?|information)\b.*{CASES}|{CASES}\s+follow",
        said,
        re.IGNORECASE,
    ):
        return (
            _part(said.split(",")[1])
            if "," in said and re.search("contain", said.split(",", 1)[1])
            else None
        )
    if re.search(
        rf"{CASES}.*consists?\s+of\s+(?:two|three|four|several|\d+)\s+lines$", said, re.IGNORECASE
    ):
        return None
    one = re.search(
        rf"\b(?:the|a|an|one|each|in)?\s*(?:{ORDINAL}(?:\s+and\s+only)?\s+)?(?:line|row)s?\b.*?\b{VERB}\s+(?P<rest>.*)"
        rf"|^(?:(?:the|a|each|only|every)\s+)*(?:input|test\s*case)\b.*?\b(?:{VERB}|described\s+by)\s+(?P<rest2>.*)",
        said,
        re.IGNORECASE,
    )
    if not one:
        return None
    rest = one["rest"] or one["rest2"]
    inner = re.match(
        rf"(?:only\s+)?(?:of\s+)?(?:one|a|a single|only one|single)\s+line,?\s*(?:which\s+|that\s+)?{VERB}\s+(.*)",
        rest,
        re.IGNORECASE,
    )
    nodes = _values(inner[1] if inner else rest)
    if not nodes:
        return None
    opens = re.search(rf"number\s+(?:of\s+)?(?:the\s+)?(?:input\s+)?{CASES}", said, re.IGNORECASE)
    if opens and isinstance(nodes[0], Scalar):
        return DescribedLines(nodes, opens=nodes[0].name, words=said)
    return DescribedLines(nodes, case=case, words=said)


def _many_lines(said: str, case: bool) -> DescribedLines | None:
    for pattern in MANY_LINES:
        match = re.search(pattern, said, re.IGNORECASE)
        if match:
            count = _expression(match["count"])
            rest = said[match.end() :]
            phrases = [
                said[start.end() :]
                for start in re.finditer(rf"\b{VERB}\s", said)
                if start.end() > match.end() and not re.match(r"describ", start[0], re.IGNORECASE)
            ]
            # What lines describe (``n lines, each describing a die``) is not what stands in them.
            rest = "" if re.match(r"\W*(?:each\s+)?describ", rest, re.IGNORECASE) else rest
            found = (nodes for phrase in [*phrases, rest] if (nodes := _values(phrase)))
            return DescribedLines(next(found, ()), count, case, words=said)
    return None


def _expression(text: str) -> str:
    text = text.strip().strip("()").replace(" ", "")
    if text.lower() in NUMBER_WORDS:
        return str(NUMBER_WORDS[text.lower()])
    return re.sub(r"^(\d+)\*?([A-Za-z])", r"\1*\2", text)


# ------------------------------------------------------------------ the values of a line


def _values(text: str) -> tuple[Node, ...]:
    """Return the values that a phrase names, ``two integers n and m`` or ``n integers a_1 ...

    A_n``.
    """
    text = (
        re.split(CUT, MEANING.sub("", DEFINITION.sub(r"\1", REMARK.sub("", text))))[0].strip()
        or text
    )
    sequence = SEQUENCE.search(text)
    if sequence:
        before = _scalars(_plain_names(text[: sequence.start()]))
        led_by = tuple(
            node
            for node in before
            if isinstance(node, Scalar) and not _is_count(text, node.name, sequence)
        )
        return (
            *led_by,
            Many(sequence["base"], _length(text, sequence), Scalar(sequence["base"], "word")),
        )
    if pairs := PAIRS.search(text):
        terms = (Scalar(pairs["one"], "word"), Scalar(pairs["two"], "word"))
        before = _scalars(_plain_names(text[: pairs.start()]))
        return (*before, Many(pairs["one"], pairs["count"], Tuple(terms)))
    if led := LED.search(text):
        lead = re.sub(r"_\{?[ijk]\}?$", "", led["lead"])
        name = next(iter(_plain_names(led["rest"])), NAMELESS)
        return (Scalar(lead, "word"), Many(name, lead, Scalar(name, "word")))
    listed = _listed(text)
    if listed:
        return listed
    if re.search(r"\blength\s+\w+\b.*\b(?:letters|characters|digits)\b", text):
        return (Scalar("row", "word"),)
    if long := re.search(
        rf"\b(?:string|word)\s+(?P<name>{SHORT}\s+)?(?:of|with)\s+length\b", text, re.IGNORECASE
    ):
        return (Scalar((long["name"] or "row").strip(), "word"),)
    element = re.search(
        r"\b(?:elements|integers|numbers)\s+(?:of\s+the\s+array\s+)?(?P<base>[A-Za-z])_\{?i\}?(?!\s*,|\s+and\b|\w)",
        text,
    )
    if element and not re.search(r"\b(?:two|three|four|five|\d+)\s+\w+\s+[a-z]_", text):
        count = MANY.search(text)
        name = element["base"]
        return (Many(name, _expression(count["count"]) if count else UNSAID, Scalar(name, "word")),)
    counted = MANY.search(text)
    if counted and _named_after(text, counted):
        return _counted(text, counted)
    return _scalars(_plain_names(text)) or _scalars(_nouns(text))


def _nouns(text: str) -> list[str]:
    """Return what ``a name and an integer score`` are called."""
    items = re.split(r",\s*(?:and\s+)?|\s+and\s+", text)
    found = [re.match(r"(?:an?|the)\s(?:[a-z-]+\s)?([a-z]{3,12})$", item.strip()) for item in items]
    return [match[1] for match in found if match and match[1] not in ABSTRACT]


def _listed(text: str) -> tuple[Node, ...]:
    """Read ``two integers n and amount``: as many names as are announced."""
    match = re.search(
        rf"\b(?P<count>{'|'.join(list(NUMBER_WORDS)[3:])}|\d)\s+(?:\w+[- ]){{0,2}}?"
        rf"(?:integers|numbers|strings|words)[\s:,]+"
        rf"(?P<names>\w+(?:_\{{\w+\}})?(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s+)\w+(?:_\{{\w+\}})?)*)",
        text,
    )
    if not match:
        return ()
    names = re.split(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s+", match["names"])
    names = [
        re.sub(r"_\{?[ijk]\}?$|[{}]", "", name)
        for name in names[: int(_expression(match["count"]))]
    ]
    if len(names) < int(_expression(match["count"])) or any(
        name.lower() in FILLER - {"a", "i", "j"} for name in names
    ):
        return ()
    return _scalars(names)


def _last(index: str) -> str:
    return _expression(index.split(",")[-1].strip("{} "))


def _length(text: str, sequence: re.Match[str]) -> str:
    """Return how many ``p_2, p_3, ..., p_N`` are.

    What is said before, or else by the first and the last index.
    """
    last, first = _last(sequence["last"]), int(sequence["first"])
    said = MANY.search(text[: sequence.start()])
    count = _expression(said["count"]) if said else ""
    if count.lower() == last.lower() or (first != 1 and count):
        return count
    return {0: f"{last}+1", 1: last, 2: f"{last}-1"}[first]


def _is_count(text: str, name: str, sequence: re.Match[str]) -> bool:
    """Whether a name before a sequence says only how many there are."""
    return _length(text, sequence).lower().startswith(name.lower()) and bool(
        re.search(
            rf"\b{re.escape(name)}(?:\s*[-+]\s*\d+)?\s+(?:\S+\s+){{0,3}}?(?:integers|numbers|\w+s)\b",
            text,
        )
    )


def _named_after(text: str, counted: re.Match[str]) -> bool:
    """Whether the count is a length: a letter, or a number with fewer names after it."""
    count = _expression(counted["count"])
    if not count.isdigit():
        return True
    return len(_plain_names(text[counted.end() :])) < int(count) and int(count) > 1


def _counted(text: str, counted: re.Match[str]) -> tuple[Node, ...]:
    count = _expression(counted["count"])
    names = _plain_names(text[counted.end() :])
    before = _plain_names(text[: counted.start()]) if counted.start() > 3 else []
    if re.match(r"char|letter|lowercase|uppercase|digit", counted["what"], re.IGNORECASE):
        return _scalars(before or names[-1:] or ["row"])
    name = names[-1] if names else NAMELESS
    return (Many(name, count, Scalar(name, "word")),)


def _plain_names(text: str) -> list[str]:
    """Return the names of variables in a phrase: short, and no words."""
    names: list[str] = []
    cut = ALPHABET.sub(" ", re.sub(r"'[^']*'|\"[^\"]*\"", " ", text))
    for word in re.findall(rf"(?<![\w']){NAME}(?![\w']|-th)", cut):
        base = re.sub(r"_\{?(?:[ijk]|[ijk],\s*[ijkm\d])\}?$", "", word)
        short = len(base) <= 2 or "_" in word or base.isupper()
        if (
            short
            and base.lower() not in FILLER - {"a", "i"}
            and _is_variable(base, cut)
            and base not in names
        ):
            names.append(base)
    return [name for each in names if (name := re.sub(r"[{}]|,.*", "", each)).isidentifier()]


def _is_variable(base: str, text: str) -> bool:
    """Tell the variables a and i from the words: they end a list or stand between commas."""
    if base not in ("a", "A", "i", "I"):
        return True
    if base == "i" and re.search(r"\w_\{?i\b", text):
        return False
    return bool(
        re.search(
            rf"\b{base}(?:_|\s*,|\s+and\s+\w\b|\s*$|\s+\w(?:\s|,|$))|(?:and|integers?|numbers?|,)\s+{base}\b(?!\s+[a-z]{{2,}})",
            text,
        )
    )


def _scalars(names: Sequence[str]) -> tuple[Node, ...]:
    return tuple(Scalar(name, "word") for name in names)


# ------------------------------------------------------------------ parts to layouts


def _layouts(parts: Sequence[DescribedLines]) -> Iterator[Layout]:
    """Yield what the parts may mean together.

    With test cases, every part after their number belongs to a case.
    """
    opener = next((index for index, part in enumerate(parts) if part.opens), None)
    if opener is None:
        yield Layout("lines", _with_counts(unique(_items(parts))))
        return
    name = parts[opener].opens
    assert name
    head, cases = _items(parts[: opener + 1]), list(parts[opener + 1 :])
    # ``t`` (or two, three times ``t``) lines that follow are the cases themselves, not a repeat in
    # each of them.
    if cases and cases[0].count and _expression(cases[0].count) in (name, f"2*{name}", f"3*{name}"):
        cases[0] = replace(cases[0], count=None)
        cases = [part for part in cases if part.nodes]
    if cases:
        # Some inputs have an empty line before each case, and no description says so.
        for first in ((), (Line(),)):
            yield Layout(
                "lines", _with_counts(unique((*head, Loop(name, (*first, *_items(cases)))))), name
            )


def _items(parts: Sequence[DescribedLines]) -> tuple[Item, ...]:
    return tuple(
        Loop(part.count, (Line(part.nodes),)) if part.count else Line(part.nodes) for part in parts
    )


def _merged(parts: Sequence[DescribedLines], row: Scalar | None) -> list[DescribedLines]:
    """Give a part that only counts lines the values that the next part names: ``n lines follow.

    Each contains …``.

    Where no part names them they are `row`; without it such a part is left out.
    """
    merged: list[DescribedLines] = []
    for part in parts:
        last = merged[-1] if merged else None
        known = bool(last and {node.name for node in scalars([Line(last.nodes)])} - {NAMELESS})
        if last and last.count and not known and part.nodes and not part.count and not part.opens:
            merged[-1] = replace(part, count=last.count, case=last.case)
        elif not (last and last.count and not part.count and SAID_AGAIN.match(part.words)):
            merged.append(part)
    if row:
        merged = [part if part.nodes else replace(part, nodes=(row,)) for part in merged]
    return [part for part in merged if part.nodes]


def _with_counts(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return the items with counts that were not said: the number read last."""
    last = "n"

    def change(node: Node) -> Node:
        nonlocal last
        if isinstance(node, Many):
            return replace(node, count=last) if node.count == UNSAID else node
        return node

    done: list[Item] = []
    for item in items:
        if isinstance(item, Loop):
            done.append(replace(item, body=_with_counts(item.body)))
            continue
        done += changed([item], change)
        last = next((node.name for node in own_nodes(item) if isinstance(node, Scalar)), last)
    return tuple(done)
