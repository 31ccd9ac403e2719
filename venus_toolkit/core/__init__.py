"""The foundation of every other package.

Errors, records, languages, options, the journal, temporary folders.

record     an immutable value of the pipeline, with units in its field names (records.py)
language   the content of ``languages/<id>/``: how to compile and run a program (language.py)
journal    finished work, stored under a digest of everything that it depends on (store.py)
options    a frozen dataclass per command, filled from a TOML file and overridden by flags (options.py)
"""

__version__ = "0.3.0"
