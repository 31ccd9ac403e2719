"""Commands that run programs or manage this machine."""
