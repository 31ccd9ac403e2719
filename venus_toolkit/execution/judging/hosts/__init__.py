"""Programs of ours that a problem's generator and evaluator are put into; data, they run in the sandbox only."""
