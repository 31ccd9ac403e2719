"""Measures the generated tests of a build on human programs that were not used to make them."""
