"""``nox -s chaos``: commands that are killed at random moments, or lose what they need, and are typed again.

It may be done in parts: results are added to build/chaos.jsonl, and each time the page is made of
all of them.

python -m bench.chaos [--only NAME,…] [--kills N] [--seed N] [--faults KIND,…|none] [--fresh]
[--page]

    disturbance   what happens to a command: a SIGKILL, or a fault of the machine
    moment        when it is killed: by the clock, or before an operation on files, or after a write of its journal
    session       one output folder: killed some times, typed again until it is done, and then compared
    place         the folders of a session: input, output, cache, temporary files
    undisturbed   the run in peace that every session is compared with, byte for byte

What a measurement finds differs from run to run. So the child (`child.py`) really measures and then
puts the figures of the undisturbed run in the place of its own; everything else is the command as
it is typed.
"""
