"""What a model is asked: tasks and suites, prompts, and its samples."""
