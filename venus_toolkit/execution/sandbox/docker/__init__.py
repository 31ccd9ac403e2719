"""Docker containers as a sandbox."""
