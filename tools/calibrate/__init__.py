"""Measures the tests that a build makes on human programs that did not help to make them."""
