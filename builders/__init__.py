"""How a dataset is made: sources, test generation, validation, curation, splits and derived sets.

A builder takes one language, one source and one plan through the stages ingest, generate, validate,
measure, curate, split and write. Every stage keeps the rows it drops, each with its reason, and a
finished stage is never redone. A source is one module of this package, found by its name. Nothing
here is imported by training or evaluation: those read the published dataset.
"""
