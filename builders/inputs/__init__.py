"""Test inputs of a problem: what they look like, what makes them and what checks them.

A build calls `make_inputs`. ``derive`` reads a specification from the statement, ``flat`` does so
for problems of trees, graphs and calls, ``model`` asks a language model for programs instead, and
``run_generator`` runs generators and validators in the sandbox. The rooms:

statements   sections, samples and formats of a statement
layouts      which values stand where in an input, and the evidence for it
promises     what sentences say about these values: a grammar and what its rules mean
spec         the specification, what validates by it and draws from it; published as one file

The words used here:

- A **way** says where a problem's inputs come from: ``own`` (its own generator), ``model`` (a
  generator that a language model wrote), ``derived`` (drawn from a specification that was read
  from the problem), ``given`` (the given inputs as they are).
- A **generator** is a Python program with ``generate(seed, size)``; whichever way made it, it runs
  in the sandbox, and the same arguments give the same input. A **size class** is one of
  ``run_generator.SIZES``; generators that list **families** take one of those instead, and make a
  pool of candidates.
- A **specification** has a layout and readings: what sentences, or other **witnesses**, promise.
- **Confidence** runs from 0 to 1; each **reason** says in words what lowered it.
"""
