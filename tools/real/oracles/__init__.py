"""Validators written by hand from statements: what no input of a test may break.

``contest`` and ``contest_aside`` have one function for each contest task, ``functions`` and
``functions_aside`` one for each function; their names are those of the problems, with underscores.
Those of ``…_aside`` are for problems that are kept aside or are only for measuring. Each raises
where an input is not allowed. ``python -m tools.real.oracles --write FOLDER`` writes them as
``SLUG.py``, which ``python -m tools.calibrate --oracles FOLDER`` reads.
"""
