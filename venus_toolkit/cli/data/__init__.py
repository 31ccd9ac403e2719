"""Commands that make, describe and publish datasets."""
