"""Jobs, the journal that keeps them, and the workers that take them in turn."""
