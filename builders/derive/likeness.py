"""Which programs in a row are nearly alike: the Jaccard index of their token shingles, as curation takes it."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import numpy as np
import pyarrow as pa

from venus_toolkit.builders.curation.shingles import choose_banding, fingerprint, jaccard
from venus_toolkit.builders.curation.tokens import code_tokens, token_blocks
from venus_toolkit.builders.derive.options import DeriveOptions
from venus_toolkit.language import Language

QUERY = "select row, {tokens} as tokens from code"
MEMORY = "512MB"


class Likeness:
    """Compares programs of one language; a context manager.

    Args:
        language: What a comment and a string is.
        options: How alike is alike.

    Raises:
        LanguageError: The language's patterns cannot be used.
    """

    def __init__(self, language: Language, options: DeriveOptions) -> None:
        import duckdb

        self.language = language
        self.options = options
        self._banding = choose_banding(options.near)
        self._connection = duckdb.connect(":memory:", config={"memory_limit": MEMORY, "threads": 2})
        self._tokens = code_tokens(self._connection, [language])

    def __enter__(self) -> Likeness:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def shingles(self, codes: pa.StringArray) -> pa.ListArray:
        """Return the sets of shingles of programs, in their order."""
        if not len(codes):
            return pa.array([], pa.list_(pa.uint32()))
        rows = pa.array(np.arange(len(codes)))
        names = pa.array([self.language.id] * len(codes))
        self._connection.register("code", pa.table({"row": rows, "language": names, "code": codes}))
        blocks = token_blocks(self._connection, QUERY.format(tokens=self._tokens.sql), self._tokens.parameters)
        size = self.options.near_tokens
        found = [(block.rows, fingerprint(block.tokens, size, self._banding).shingles) for block in blocks]
        places = np.argsort(np.concatenate([rows.to_numpy() for rows, _ in found]))
        return pa.concat_arrays([shingles for _, shingles in found]).take(pa.array(places))

    def alike(self, shingles: pa.ListArray, left: Sequence[int], right: Sequence[int]) -> list[bool]:
        """Return for each pair of places in `shingles` whether the two are near duplicates."""
        if not left:
            return []
        index = jaccard(shingles.take(pa.array(left)), shingles.take(pa.array(right)))
        return [bool(value) for value in index >= self.options.near]
