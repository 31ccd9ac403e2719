"""Programs on top of the toolkit, which are no part of it."""
