"""Readers of other projects' datasets, one module for each, named after it."""
