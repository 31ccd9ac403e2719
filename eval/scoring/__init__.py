"""Scores of answers: judged and measured together with reference solutions, with intervals."""
