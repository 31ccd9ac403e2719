"""Our programs around a problem's generator or evaluator: data here, they run in the sandbox."""
