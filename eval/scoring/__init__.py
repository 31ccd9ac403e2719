"""Scores of answers: judged, and measured interleaved with reference solutions, with intervals."""
