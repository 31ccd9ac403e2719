"""What the sources share: rows of `tables`, the `cells` in them, what their `values` mean, and `drafts` of records.

A source that reads a table is one function from a `TableRow` to a `Draft`. The decorator
`drafts.table_source` does the rest.
"""
