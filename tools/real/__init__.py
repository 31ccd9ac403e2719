"""Converts human programs and statements to problem folders, to measure the toolkit on them.

The public repositories are fetched by hand (shared/data/README.md names them) and never committed
here. ``convert_atcoder`` and ``convert_packages`` write folders that ``venus build --source`` and
``python -m tools.calibrate`` read; ``split`` defines the tasks that developers may look at.
"""
