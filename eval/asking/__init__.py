"""Asking a model: tasks and suites, prompts, and samples."""
