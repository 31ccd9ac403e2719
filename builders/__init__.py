"""Builds datasets: sources, test generation, validation, curation, splits and derived sets.

A builder takes one language, one source and one plan through the stages ingest, generate, validate,
measure, curate, split and write. Every stage stores the rows it drops, each with its reason, and a
finished stage is never redone. A source is one module of this package, found by its name. Training
and evaluation import nothing from here; they read the published dataset.
"""
