"""Jobs, the journal that stores them, and the workers that run them."""
