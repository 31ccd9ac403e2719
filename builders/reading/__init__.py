"""Shared by all sources: `tables` of rows, their `cells`, converted `values`, `drafts` of records.

A source that reads a table is one function from a `TableRow` to a `Draft`. The decorator
`drafts.table_source` does the rest.
"""
