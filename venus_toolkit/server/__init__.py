"""``venus serve``: the sandbox over HTTP, with a queue on disk that loses no accepted job.

job        a program, its inputs and limits; accepted once it is on disk
result     the outcome of a job: verdict, runs, perhaps a measurement; stored for a limited time
worker     a thread with its own core, on which one program runs at a time
session    a program that a client keeps ready on one worker for many runs; see sessions.py

app.py and routes.py receive a request over HTTP; schemas.py checks it; service.py accepts the job,
and journal.py writes it to disk; workers.py has a thread for each core, on which execute.py runs
the job; the journal stores the result. Other protocols are translated to jobs (compat/).
"""
