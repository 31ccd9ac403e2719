"""Programs that wrap a problem's generator or evaluator: data files that run in the sandbox only."""
