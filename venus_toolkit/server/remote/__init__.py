"""What the sandbox of another machine asks of a server: sessions, and their results as a stream."""
