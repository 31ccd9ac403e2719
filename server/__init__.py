"""``venus serve``: the sandbox over HTTP, with a queue on disk that loses nothing it has accepted.

job        a program, its inputs and limits; accepted once it is on disk
result     what became of a job: its verdict, its runs, perhaps its measurement; kept for a time, then forgotten
worker     a thread with a core of its own, on which one program runs at a time
session    a program that a client keeps ready on one worker, to run it again and again; see sessions.py

jobs.py is what goes in and out, journal.py the disk, workers.py the cores, service.py what holds them together. app.py
and routes.py speak HTTP; other protocols are translations onto jobs (compat/).
"""
