"""Untrusted data: files beneath a folder, storable texts, templates, trust."""
