"""Tokens of programs and words of texts, as SQL: comments and white space gone, everything else kept.

What a comment and a string literal is, a language's folder says (``[lexical]``). A token is a string literal, a run of
letters, digits and underscores, or any other single character. This is no parser: Python's indentation is white space.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from venus_toolkit.errors import LanguageError
from venus_toolkit.language import Language

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TOKEN = r"[\pL\pN_]+|[^\s\pL\pN_]"
CODE_TOKENS = r"regexp_extract_all(regexp_replace(code, $strip, '\1 ', 'g'), $token)"
TEXT_WORDS = r"regexp_extract_all(lower(regexp_replace(text, '<[/a-zA-Z][^<>]*>', ' ', 'g')), '[\pL\pN]+')"
BLOCK_ROWS = 2048
BLOCK_TOKENS = 2_000_000


class Patterns(NamedTuple):
    """The parameters of CODE_TOKENS for one language."""

    strip: str
    token: str


class Block(NamedTuple):
    """A few rows with the tokens of each."""

    rows: pa.Array
    tokens: pa.ListArray


def patterns(language: Language, connection: duckdb.DuckDBPyConnection) -> Patterns:
    """Return what finds the tokens of programs in a language.

    Raises:
        LanguageError: Its patterns are not in RE2's syntax.
    """
    import duckdb

    strings, comments = language.strings.pattern, language.comments.pattern
    found = Patterns(rf"({strings})|(?:{comments})", rf"(?:{strings})|{TOKEN}")
    try:
        connection.execute("select regexp_matches('', $strip), regexp_matches('', $token)", found._asdict()).fetchall()
    except duckdb.Error as error:
        raise LanguageError(
            f"the lexical patterns of {language.id} cannot be used",
            str(error).splitlines()[0],
            "write them without look-around: see docs/languages.md",
        ) from error
    return found


def token_blocks(connection: duckdb.DuckDBPyConnection, query: str, **parameters: object) -> Iterator[Block]:
    """Yield the rows of a query for (row, tokens) in blocks that fit into memory; the connection is busy meanwhile."""
    import pyarrow as pa

    for batch in connection.sql(query, params=parameters).to_arrow_reader(BLOCK_ROWS):
        rows, tokens = (column.combine_chunks() for column in pa.Table.from_batches([batch]).columns)
        yield from _cut(rows, tokens)


def _cut(rows: pa.Array, tokens: pa.ListArray) -> Iterator[Block]:
    """Halve a block until its tokens are few enough."""
    if len(rows) > 1 and len(tokens.flatten()) > BLOCK_TOKENS:
        middle = len(rows) // 2
        yield from _cut(rows[:middle], tokens[:middle])
        yield from _cut(rows[middle:], tokens[middle:])
    elif len(rows):
        yield Block(rows, tokens)
