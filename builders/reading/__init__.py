"""Shared by all sources: `tables` of rows, their `cells`, `values` in our terms, `drafts` of records.

A source that reads a table is one function from a `TableRow` to a `Draft`. The decorator
`drafts.table_source` does the rest.
"""
