"""Rewards answers: judges them, and measures them in groups together with the original."""
