"""What everything else is built on.

Errors, records, languages, options, the journal, temporary folders.

record     a frozen thing that flows through the toolkit, with its units in the names (records.py)
language   what ``languages/<id>/`` says: how to compile and run a program (language.py)
journal    finished work, kept under a digest of everything that it depends on (store.py)
options    a frozen dataclass per command, filled from a TOML file and overridden by flags (options.py)
"""

__version__ = "0.2.0"
