"""Programs and statements of people, from public repositories, as Venus problem folders to measure the toolkit on.

The repositories are fetched by hand (shared/data/README.md names them) and stay outside of this
one: nothing of them is committed. ``convert_atcoder`` and ``convert_packages`` write folders that
``venus build --source`` and ``python -m tools.calibrate`` read; ``split`` says which tasks may be
looked at while something is developed.
"""
