"""``nox -s chaos``: kills commands at random moments or takes away resources, then resumes them.

It may run in parts: each run adds results to build/chaos.jsonl and writes the page from all of
them.

python -m bench.chaos [--only NAME,…] [--kills N] [--seed N] [--faults KIND,…|none] [--fresh]
[--page]

    disturbance   a SIGKILL, or a fault of the machine
    moment        the time of a kill: by the clock, before an operation on files, or after a write to the journal
    session       one output folder: some kills, resumed until the command finishes, then a comparison
    place         the folders of a session: input, output, cache, temporary files
    undisturbed   the run without disturbance; every session is compared with it, byte for byte

Measured figures differ between any two runs. So the child (`child.py`) measures, but then replaces
its figures by those of the undisturbed run; everything else is the unchanged command.
"""
