"""Training itself: data, what fits into memory, the trainers of TRL, and what a run leaves behind."""
