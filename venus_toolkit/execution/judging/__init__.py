"""Judging: run the tests of a program, compare or check its outputs, and decide on a verdict."""
