"""Cards of datasets, models and evaluations: facts computed from files, in prose from templates.

    card      the README.md of a repository, whose header the Hub reads
    header    the YAML at the top: licence, configs, features, ``model-index``
    facts     numbers computed from the Parquet files with DuckDB
    block     a generated part of a card, between ``<!-- venus:NAME -->`` and ``<!-- /venus:NAME -->``
    finding   a place where a card disagrees with the data

Rendering a card again keeps text outside of blocks, and additional keys in the header.
"""
