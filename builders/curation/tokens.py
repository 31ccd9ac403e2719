"""Tokens of programs and words of texts, as SQL: comments and white space gone, everything else kept.

What a comment and a string literal is, a language's folder says (``[lexical]``). A token is a string literal, a run of
letters, digits and underscores, or any other single character. This is no parser: Python's indentation is white space.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from venus_toolkit.errors import LanguageError
from venus_toolkit.language import Language

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TOKEN = r"[\pL\pN_]+|[^\s\pL\pN_]"
BRANCH = r"when '{id}' then regexp_extract_all(regexp_replace(code, ${id}_strip, '\1 ', 'g'), ${id}_token)"
TEXT_WORDS = r"regexp_extract_all(lower(regexp_replace(text, '<[/a-zA-Z][^<>]*>', ' ', 'g')), '[\pL\pN]+')"
BLOCK_ROWS = 2048
BLOCK_TOKENS = 300_000


class Expression(NamedTuple):
    """An expression in SQL and the values of its parameters."""

    sql: str
    parameters: dict[str, str]


class Block(NamedTuple):
    """A few rows with the tokens of each."""

    rows: pa.Array
    tokens: pa.ListArray


def code_tokens(connection: duckdb.DuckDBPyConnection, languages: Iterable[Language]) -> Expression:
    """Return what makes a list of tokens of the columns ``language`` and ``code``; null for any other language.

    Raises:
        LanguageError: A language's patterns are not in RE2's syntax.
    """
    branches, parameters = [], {}
    for language in languages:
        _check(connection, language)
        strings, comments = language.strings.pattern, language.comments.pattern
        parameters[f"{language.id}_strip"] = rf"({strings})|(?:{comments})"
        parameters[f"{language.id}_token"] = rf"(?:{strings})|{TOKEN}"
        branches.append(BRANCH.format(id=language.id))
    return Expression(f"case language {' '.join(branches)} end", parameters)


def _check(connection: duckdb.DuckDBPyConnection, language: Language) -> None:
    import duckdb

    patterns = [language.strings.pattern, language.comments.pattern]
    try:
        connection.execute("select regexp_matches('', ?), regexp_matches('', ?)", patterns).fetchall()
    except duckdb.Error as error:
        raise LanguageError(
            f"the lexical patterns of {language.id} cannot be used",
            str(error).splitlines()[0],
            "write them without look-around: see docs/languages.md",
        ) from error


def token_blocks(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]
) -> Iterator[Block]:
    """Yield the rows of a query for (row, tokens) in blocks that fit into memory; the connection is busy meanwhile."""
    import pyarrow as pa

    for batch in connection.sql(query, params=dict(parameters)).to_arrow_reader(BLOCK_ROWS):
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
