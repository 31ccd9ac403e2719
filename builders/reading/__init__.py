"""What the sources share: where rows are (`location`, `tables`), what is in them (`cells`), their use (`drafts`).

A source that reads tables is one function from a `Row` to a `Draft`; ``drafts.read_rows`` does the rest.
"""
