"""Whether a program is right.

Its tests are run, its outputs compared or checked, and the verdict is given.
"""
