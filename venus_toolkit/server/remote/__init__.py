"""The server side of the remote sandbox: sessions, and their results as a stream."""
