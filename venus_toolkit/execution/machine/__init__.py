"""What a machine can do: which limits it enforces, which languages work, which images are built."""
