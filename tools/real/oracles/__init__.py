"""Oracles: validators of test inputs, written by hand from statements.

``contest`` and ``contest_aside`` have one function for each contest task, ``functions`` and
``functions_aside`` one for each function problem, named after the problem with underscores. The
modules ``…_aside`` are for problems of the parts aside and measure (``tools.real.split``). An
oracle raises an exception if an input is not allowed. ``python -m tools.real.oracles --write
FOLDER`` writes them as ``SLUG.py`` for ``python -m tools.calibrate --oracles FOLDER``.
"""
