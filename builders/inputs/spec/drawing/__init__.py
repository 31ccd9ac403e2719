"""Draws inputs from a specification: a plan of it, patterns of values, and bounds on values."""
