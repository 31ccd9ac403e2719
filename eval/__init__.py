"""Evaluates models and the code that they write.

The steps: generate, judge, measure interleaved with the reference solutions, score, report.

Evaluation reads a release (a dataset on the Hub with a revision, or a local release folder) and
judges with the same `judge()` as the builders and the rewards. Scores come with intervals. Import
modules of this package by their full name, `from venus_toolkit.eval.scoring.metrics import ...`:
`from venus_toolkit import eval` would hide the built-in `eval`.

task         a problem in one language
sample       one answer of the model to a task, with its verdict and figures
run folder   the output folder of an evaluation: rows, manifest, journal
rank         the share of human solutions that cost more than a program, plus half of its ties
"""
