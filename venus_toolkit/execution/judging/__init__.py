"""Whether a program is right: its tests are run, its outputs compared or checked, and the verdict is given."""
