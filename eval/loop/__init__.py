"""Optimising step by step: the iterative loop of the paper, on tasks and on own programs."""
