"""What comes from outside: files beneath a folder, texts that can be stored, templates, and who is trusted."""
