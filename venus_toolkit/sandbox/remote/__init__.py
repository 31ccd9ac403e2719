"""Programs on another machine: a sandbox that is a `venus serve` somewhere.

sandbox     the server as a sandbox: its tools, what it compiles
session     runs on the server, over as many connections as it takes
client      one user of it: what is asked until it answers, and what it may forget
connection  one connection for each thread, and how long to be patient

Each thread has a connection of its own, and on the server a worker of its own: what a thread measures, the reference
program included, runs on one core there. A run is never done twice unnoticed. A request that was interrupted is asked
for again by its name, and the server goes on with the answer where it broke off; where the server was restarted it
does not know the request any more, what is missing is run again, and that is logged and counted in the facts.
"""

from venus_toolkit.sandbox.remote.sandbox import RemoteSandbox

__all__ = ["RemoteSandbox"]
