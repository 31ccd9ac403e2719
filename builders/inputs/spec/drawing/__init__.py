"""Inputs drawn from a specification: a plan of it, patterns of values, and what bounds leave open."""
