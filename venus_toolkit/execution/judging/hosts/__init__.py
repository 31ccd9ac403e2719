"""Programs of ours that a problem's generator and evaluator are put into.

Data, they run in the sandbox only.
"""
