"""Parses programs: is a text a program, what does it define, does it read input?

The parsers are tree-sitter grammars, named with a query in `[syntax]` of a language.toml
(docs/languages.md). They need no compiler, find definitions in a program with mistakes, and take
about 1 ms for 10 kB. A text that is not a program can take a parser hours, so `Budget` limits its
CPU time, which does not depend on other work on the machine.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import re
import time
from collections.abc import Callable
from typing import NamedTuple

import tree_sitter

from venus_toolkit.core.errors import LanguageError
from venus_toolkit.core.language import Language

LONGEST_PROGRAM = 256 * 1024
"""Bytes; judges take 64 KiB, and longer texts are not parsed."""
MAX_LINES = 20_000
LINES_AT_ONCE = 500
MAX_DEPTH = 400
"""Nesting of brackets or nodes. A parser that discards thousands of brackets cannot be stopped, nor
can a query, whose time grows with the square of the depth (50,000 stars before a name)."""


class Budget:
    """The total CPU seconds of this thread that parsers may use."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    @property
    def spent(self) -> bool:
        """Whether the budget is used up."""
        return time.thread_time() > self._end


class Outline(NamedTuple):
    """The result of parsing a text; positions are in characters.

    Attributes:
        error: The end of the part with the first mistake; a program in the text ends no later than
            the next word. None: the text has no mistake.
        prose: The beginning of the first statement that could be a sentence, such as ``Sorry`` in
            Python; None: no statement could be one.
        is_code: Whether the text has a statement, and none that could be a sentence.
        definitions: The names of functions, types and, in languages that execute them, imports.
        uses: The names of called functions and of types.
        entry: Whether the text has the entry function of the language, if programs need one.
        input: Whether it reads standard input.
        preamble: The end of the imports or includes that other blocks may rely on; 0: none.
        literals: Beginning and end of each comment and string.
    """

    error: int | None
    prose: int | None
    is_code: bool
    definitions: frozenset[str]
    uses: frozenset[str]
    entry: bool
    input: bool
    preamble: int
    literals: tuple[tuple[int, int], ...]

    def is_inside(self, position: int) -> bool:
        """Return whether a position is inside a comment or string, not at its beginning."""
        return any(start < position < end for start, end in self.literals)


def outline(text: str, language: Language, budget: Budget) -> Outline | None:
    """Return the outline of a text.

    None: the language has no parser, the text is too long, or the budget is used up.
    """
    if language.syntax is None or len(text) > LONGEST_PROGRAM or budget.spent:
        return None
    data = text.encode("utf-8", "replace")
    root = parse(data, language.syntax.grammar, budget)
    if root is None:
        return None
    captures = query(language.syntax.grammar, language.syntax.outline).captures(root)

    def texts(name: str) -> frozenset[str]:
        return frozenset(
            data[node.start_byte : node.end_byte].decode() for node in captures.get(name, ())
        )

    def position(byte: int) -> int:
        return byte if len(data) == len(text) else len(data[:byte].decode("utf-8", "replace"))

    excluded = {node.id for node in captures.get("not.input", ())}
    macros = {node.id for node in captures.get("macro", ())}
    mistake = _first_mistake(root, macros) if root.has_error else None
    literals = [(node.start_byte, node.end_byte) for node in captures.get("literal", ())]
    statements = {(node.start_byte, node.end_byte) for node in root.named_children}
    return Outline(
        error=None if mistake is None else position(mistake.end_byte),
        prose=min((position(node.start_byte) for node in captures.get("prose", ())), default=None),
        is_code=bool(statements - set(literals)) and "prose" not in captures,
        definitions=texts("definition"),
        uses=texts("use"),
        entry="entry" in captures,
        input=any(node.id not in excluded for node in captures.get("input", ())),
        preamble=max((position(node.end_byte) for node in captures.get("preamble", ())), default=0),
        literals=tuple(sorted((position(start), position(end)) for start, end in literals)),
    )


def parse(data: bytes, grammar: str, budget: Budget) -> tree_sitter.Node | None:
    """Return the tree of a text, or None if a parser or a query would take too long for it.

    Raises:
        LanguageError: The package `grammar` is not installed, or is not a grammar.
    """
    depths = itertools.accumulate(
        1 if bracket in b"([{" else -1 for bracket in re.findall(rb"[()\[\]{}]", data)
    )
    lines = [match.end() for match in re.finditer(rb"\n", data)]
    if len(data) > LONGEST_PROGRAM or len(lines) > MAX_LINES or max(depths, default=0) > MAX_DEPTH:
        return None
    language, _ = _load(grammar)

    def stop(_offset: int, _has_error: bool) -> bool:
        return budget.spent

    def parse_first(size: int, known: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
        def read(offset: int, _point: object) -> bytes:
            return data[offset : min(offset + 65536, size)]

        # A new parser each time: it is cheap, and threads cannot share one.
        parser = tree_sitter.Parser(language)
        if known is None:
            return parser.parse(read, progress_callback=stop)
        return parser.parse(read, known, progress_callback=stop)

    try:
        # In Python, lines of operators take quadratic time, in one step that cannot be stopped. So
        # a long text is parsed in growing parts, and the budget is checked between them.
        known, start, row = None, 0, 0
        for row_after in range(LINES_AT_ONCE, len(lines), LINES_AT_ONCE):
            size = lines[row_after - 1]
            if known:
                known.edit(start, start, size, (row, 0), (row, 0), (row_after, 0))
            known, start, row = parse_first(size, known), size, row_after
        root = parse_first(len(data)).root_node
    except ValueError:  # `stop` returned true
        return None
    # The time of a query grows with the square of the number of children: statements or stray
    # tokens.
    return None if root.child_count > 5000 or _is_too_deep(root) else root


def query(grammar: str, source: str) -> tree_sitter.QueryCursor:
    """Return a cursor that applies the query `source` to a tree of `parse`.

    Raises:
        LanguageError: The package `grammar` is not installed, or the query does not fit it.
    """
    cursor = tree_sitter.QueryCursor(_load(grammar, source)[1])
    # Its progress_callback crashes in tree-sitter 0.26.
    cursor.set_max_start_depth(MAX_DEPTH)
    return cursor


def _is_too_deep(root: tree_sitter.Node) -> bool:
    cursor = root.walk()
    while cursor.depth <= MAX_DEPTH:
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
    return True


def _first_mistake(root: tree_sitter.Node, macros: set[int]) -> tree_sitter.Node | None:
    """Return the first node that is an error or missing from the text, except macros."""
    cursor = root.walk()
    while True:
        node = cursor.node
        assert node is not None
        tolerated = node.id in macros
        if not tolerated and (node.is_error or node.is_missing):
            return node
        if not tolerated and node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return None


@functools.cache
def _load(grammar: str, source: str = "") -> tuple[tree_sitter.Language, tree_sitter.Query]:
    try:
        pointer: Callable[[], object] = importlib.import_module(grammar).language
        language = tree_sitter.Language(pointer())
        return language, tree_sitter.Query(language, source)
    except ImportError as error:
        package = grammar.replace("_", "-")
        raise LanguageError(
            f"no parser {grammar}", str(error), f"type: pip install {package}"
        ) from error
    except (AttributeError, ValueError, tree_sitter.QueryError) as error:
        fix = "see docs/languages.md, [syntax]"
        raise LanguageError(f"the parser {grammar} cannot be used", str(error), fix) from error
