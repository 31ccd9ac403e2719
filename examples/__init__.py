"""Programs that use the toolkit but are not part of it."""
