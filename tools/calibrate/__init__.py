"""Measures the tests that a build makes by human programs that they have not seen."""
