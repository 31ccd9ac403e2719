"""Checks an input against a specification: its values, the terms over them, its properties."""
