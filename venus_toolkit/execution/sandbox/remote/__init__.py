"""A `venus serve` as a sandbox."""
