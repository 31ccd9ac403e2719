"""The stages of a build, one module each.

What one finishes is journalled under a key of all it depends on.
"""
