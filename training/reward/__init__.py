"""From an answer to its reward: judged and measured beside the original, in groups."""
