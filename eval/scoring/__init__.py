"""What its answers are worth: judged and measured beside reference solutions, with intervals."""
