"""Everything that turns a program and tests into verdicts and figures.

program      source and files in one language; compiled once for all callers
sandbox      compiles and runs programs: ``local``, ``docker`` or a server; raises SandboxError
             when it fails
session      a compiled program that runs on one input after another
run          one execution, as the kernel reported it
judge        compares the outputs of runs outside the sandbox and decides on a verdict
measure      runs programs interleaved with a reference program and adds up the cost of each
executor     the one entry to all of this: retries sandbox failures and journals results
engine       spreads work over threads of this machine (``local``) or over the nodes of a Ray
             cluster (``ray``)
worker       a sandbox and cores of one machine, which process one item of work at a time
"""
