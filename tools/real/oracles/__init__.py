"""Validators written by hand from statements of the development part.

What no input of a test may break.

``contest`` has one function for each contest task, ``functions`` one for each function; their names
are those of the problems, with underscores. Each raises where an input is not allowed. ``python -m
tools.real.oracles --write FOLDER`` writes them as ``SLUG.py``, which ``python -m tools.calibrate
--oracles FOLDER`` reads.
"""
