"""Whether an input keeps a specification: its values, the terms over them, and what is checked."""
