"""Everything that turns a program and tests into verdicts and figures.

program      source and files in one language; compiled once, whoever asks for it
sandbox      where programs are compiled and run: ``local``, ``docker``, a server; raises SandboxError when it fails
session      a compiled program that is ready to run on one input after the other
run          what the kernel reported of one execution
judge        compares the outputs of runs outside the sandbox and decides on a verdict
measure      runs programs in turns, a reference program beside them, and adds up what each of them costs
executor     the one place that does all of this, again where the sandbox failed, and keeps it in a journal
engine       spreads work over threads of this machine (``local``) or over the nodes of a Ray cluster (``ray``)
worker       where one piece of work is done: a sandbox, and cores of a machine
"""
