"""What the parser of a language says about a text.

Whether it is a program, what it defines, whether it reads input.

The parsers are tree-sitter grammars, which `[syntax]` in a language.toml names beside a query
(docs/languages.md). They need no compiler, find definitions in a program with mistakes, and take
about 1 ms for 10 kB. Texts that are no program can take a parser hours, so it gets `Budget`: CPU
time, which other work on the machine does not change.
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
MOST_LINES = 20_000
LINES_AT_ONCE = 500
DEEPEST = 400
"""Brackets in brackets, or nodes in nodes. Neither a parser can be stopped while it gives up thousands of brackets, nor
a query, which takes quadratic time of the depth, as of 50,000 stars in front of a name."""


class Budget:
    """CPU seconds of this thread that parsers may take together."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return time.thread_time() > self._end


class Outline(NamedTuple):
    """What a parser says about a text; positions are in characters.

    Attributes:
        error: Where the part ends that the first mistake lies in: no program reaches beyond the
            word after it. None: the text has no mistake.
        prose: Where the first statement begins that could be a sentence, such as ``Sorry`` in
            Python; None: nowhere.
        is_code: Whether it has a statement, and none of that kind.
        definitions: The names of functions, types and, in languages that execute them, imports.
        uses: Names that are called, or stand for types.
        entry: Whether it has the function that programs of the language begin in, where there is
            one.
        input: Whether it reads standard input.
        preamble: Whether it has imports or includes that other blocks may rely on, and their end.
        literals: Beginning and end of comments and strings.
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

    def is_inside(self, place: int) -> bool:
        """Return whether a place is inside a comment or string, not at its beginning."""
        return any(start < place < end for start, end in self.literals)


def outline(text: str, language: Language, budget: Budget) -> Outline | None:
    """Return what the parser says about a text.

    None: it has none, the text is too long, or the budget is spent.
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

    def place(byte: int) -> int:
        return byte if len(data) == len(text) else len(data[:byte].decode("utf-8", "replace"))

    excluded = {node.id for node in captures.get("not.input", ())}
    macros = {node.id for node in captures.get("macro", ())}
    mistake = _first_mistake(root, macros) if root.has_error else None
    literals = [(node.start_byte, node.end_byte) for node in captures.get("literal", ())]
    statements = {(node.start_byte, node.end_byte) for node in root.named_children}
    return Outline(
        error=None if mistake is None else place(mistake.end_byte),
        prose=min((place(node.start_byte) for node in captures.get("prose", ())), default=None),
        is_code=bool(statements - set(literals)) and "prose" not in captures,
        definitions=texts("definition"),
        uses=texts("use"),
        entry="entry" in captures,
        input=any(node.id not in excluded for node in captures.get("input", ())),
        preamble=max((place(node.end_byte) for node in captures.get("preamble", ())), default=0),
        literals=tuple(sorted((place(start), place(end)) for start, end in literals)),
    )


def parse(data: bytes, grammar: str, budget: Budget) -> tree_sitter.Node | None:
    """Return the tree of a text, None for one that takes a parser or a query too long.

    Raises:
        LanguageError: The package `grammar` is not installed, or it is no grammar.
    """
    depths = itertools.accumulate(
        1 if bracket in b"([{" else -1 for bracket in re.findall(rb"[()\[\]{}]", data)
    )
    lines = [match.end() for match in re.finditer(rb"\n", data)]
    if len(data) > LONGEST_PROGRAM or len(lines) > MOST_LINES or max(depths, default=0) > DEEPEST:
        return None
    language, _ = _load(grammar)

    def stop(_offset: int, _has_error: bool) -> bool:
        return budget.spent

    def parse_first(size: int, known: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
        def read(offset: int, _point: object) -> bytes:
            return data[offset : min(offset + 65536, size)]

        # A parser each time: it is cheap, and threads cannot share one.
        parser = tree_sitter.Parser(language)
        if known is None:
            return parser.parse(read, progress_callback=stop)
        return parser.parse(read, known, progress_callback=stop)

    try:
        # In Python, lines of operators take quadratic time, in one step that cannot be stopped. So
        # a long text is parsed in growing parts first: the budget is looked at between them.
        known, start, row = None, 0, 0
        for row_after in range(LINES_AT_ONCE, len(lines), LINES_AT_ONCE):
            size = lines[row_after - 1]
            if known:
                known.edit(start, start, size, (row, 0), (row, 0), (row_after, 0))
            known, start, row = parse_first(size, known), size, row_after
        root = parse_first(len(data)).root_node
    except ValueError:  # it was stopped
        return None
    # Children are statements, or tokens that belong to none; a query takes quadratic time of them.
    return None if root.child_count > 5000 or _is_too_deep(root) else root


def query(grammar: str, source: str) -> tree_sitter.QueryCursor:
    """Return a cursor that asks a tree of `parse` the query `source`.

    Raises:
        LanguageError: The package `grammar` is not installed, or the query is not one of its own.
    """
    cursor = tree_sitter.QueryCursor(_load(grammar, source)[1])
    # Its progress_callback crashes in tree-sitter 0.26.
    cursor.set_max_start_depth(DEEPEST)
    return cursor


def _is_too_deep(root: tree_sitter.Node) -> bool:
    cursor = root.walk()
    while cursor.depth <= DEEPEST:
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
    return True


def _first_mistake(root: tree_sitter.Node, macros: set[int]) -> tree_sitter.Node | None:
    """Return the first node that the parser could not read or had to invent, except macros."""
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
