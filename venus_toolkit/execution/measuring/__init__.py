"""What a program costs: runs in turns, instruction counts, estimates with standard errors, and ranks."""
