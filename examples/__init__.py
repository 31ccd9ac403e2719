"""Programs that use the toolkit, but do not belong to it."""
