"""A release on disk: its shape, its Parquet files, and the one reader of release folders.

    config    what load_dataset is asked for: ``default`` (all languages), a language, ``tests``, a derived set
    split     a part of a config: ``train`` and ``test``; ``time``, ``memory`` and ``integral`` of a derived set
    shard     one Parquet file of a split, ``<split>-00000-of-00002.parquet``; a split is the glob of its shards
    manifest  manifest.json, written last: what is in the release, and a SHA-256 of every file

A release folder::

    README.md  manifest.json  dropped.jsonl
    data/<language>/<train|test>-*.parquet      a row per problem, with its solutions and tests
    tests/<train|test>-*.parquet                a row per test, the same for all languages
    derived/<config>/<objective>-*.parquet      training sets made of the train split
    assets/                                     pictures of the card
"""

from venus_toolkit.release.folder import Release, open_release

__all__ = ["Release", "open_release"]
