"""What is worth keeping, and where it goes: one idea a module, every drop with its reason.

Before anything runs: `problems` (not for everybody, not an algorithm, a statement like another's), `contamination`
(found in a benchmark or in the test split), `duplicates` (solutions with equal text, equal tokens, or nearly equal
tokens). After everything ran: `behaviour` (problems that answer alike), `selection` (too few passing solutions, more
than wanted), `placement` (train or test). `funnel` counts what each stage took.

Words: an *item* is a solution, a problem or a text. Items come in an order of *precedence*; of two that are alike the
one that comes first is kept, and whatever an earlier release kept comes before everything new. An item is dropped when
it is like any that precedes it, itself dropped or not: so more items never bring a dropped one back.

Rows are worked on by DuckDB, Arrow and NumPy, in blocks and within a memory limit; Python sees one row at a time only
where it is dropped.
"""

from venus_toolkit.builders.curation.options import CurationOptions, make_options

__all__ = ["CurationOptions", "make_options"]
