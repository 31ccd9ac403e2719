"""Cards of datasets, models and evaluations.

Facts computed from the files, prose from templates around them.

    card      the README.md of a repository, whose header the Hub reads
    header    the YAML at the top: licence, configs, features, ``model-index``
    facts     what the Parquet files say, computed with DuckDB
    block     a generated part of a card, between ``<!-- venus:NAME -->`` and ``<!-- /venus:NAME -->``
    finding   a place where a card does not say what the data say

Text that people write outside of blocks, and keys that they put into the header, stay when a card
is rendered again.
"""
