"""What the sources share: rows of `tables`, the `cells` in them, what their `values` mean, and `drafts` of records.

A source that reads a table is one function from a `Row` to a `Draft`; ``drafts.table_source`` does
the rest.
"""
