"""Commands that ask, train and evaluate models."""
