"""Commands that run programs, and those about this machine."""
