"""The stages of a build, one module each.

Each stage journals its results. The key of a result is a digest of everything it depends on.
"""
