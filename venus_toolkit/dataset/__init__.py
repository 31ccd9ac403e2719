"""A release on disk and on the Hub.

Its columns, its Parquet files, its card, and the one reader of release folders.

    release   a folder with data, card and manifest: one version of the data set
    config    a part that load_dataset loads by name: ``default`` (all languages), a language, ``tests``, a derived set
    split     a part of a config: ``train`` and ``test``; ``time``, ``memory`` and ``integral`` of a derived set
    shard     one Parquet file of a split, ``<split>-00000-of-00002.parquet``; a split is the glob of its shards
    manifest  manifest.json, written last: the contents of the release, and a SHA-256 of every file
    task      a problem in one language, with everything needed to judge and measure a program for it
    funnel    how many problems and solutions each stage dropped, from the source to the release

A release folder::

    README.md  manifest.json  dropped.jsonl
    data/<language>/<train|test>-*.parquet      a row per problem, with its solutions and tests
    tests/<train|test>-*.parquet                a row per test, the same for all languages
    derived/<config>/<objective>-*.parquet      training sets made from the train split
    assets/                                     pictures of the card
"""
