"""``venus serve``: the sandbox over HTTP, with a queue on disk that loses nothing it has accepted.

job        a program, its inputs and limits; accepted once it is on disk
result     what became of a job: its verdict, its runs, perhaps its measurement; kept for a time, then forgotten
worker     a thread with a core of its own, on which one program runs at a time
session    a program that a client keeps ready on one worker, to run it again and again; see sessions.py

A request arrives in app.py and routes.py, which speak HTTP; schemas.py checks it; service.py
accepts the job, which journal.py puts on disk; workers.py has a thread for each core, on which
execute.py does the job; the result is kept in the journal. Other protocols are translations onto
jobs (compat/).
"""
