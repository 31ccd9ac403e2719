"""From an answer to its reward: judged, and measured in groups together with the original."""
