"""Datasets of others, each read by a module of its name."""
