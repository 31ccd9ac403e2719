"""Measuring: interleaved runs, instruction counts, estimates with standard errors, and ranks."""
