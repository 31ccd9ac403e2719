"""Data from outside: files beneath a folder, storable texts, templates, trust."""
