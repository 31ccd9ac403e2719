"""Training: its data, its memory needs, the trainers of TRL, and the folder of a run."""
