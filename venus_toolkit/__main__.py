"""``python -m venus_toolkit``: the same as the command ``venus``."""

from venus_toolkit.cli import main

main()
