"""Test inputs of a problem: their layout, their generator and their validator.

A build calls `make_inputs`. ``derive`` reads a specification from the statement, ``flat`` does so
for problems of trees, graphs and calls, ``model`` asks a language model for programs instead, and
``run_generator`` runs generators and validators in the sandbox. The packages:

statements   sections, samples and formats of a statement
layouts      which values stand where in an input, and the evidence for it
promises     the constraints that sentences put on these values: a grammar and its meaning
spec         the specification, its validator and its generator; published as one file

The words used here:

- A **way** says where a problem's inputs come from: ``own`` (its own generator), ``model`` (a
  generator that a language model wrote), ``derived`` (drawn from a specification that was read
  from the problem), ``given`` (the given inputs, unchanged).
- A **generator** is a Python program with ``generate(seed, size)``. It always runs in the sandbox,
  and the same arguments give the same input. A **size class** is one of ``run_generator.SIZES``;
  generators that list **families** take one of those instead, and make a pool of candidates.
- A **specification** has a layout and readings: the promises of sentences or other **witnesses**.
- **Confidence** runs from 0 to 1; each **reason** says in words what lowered it.
"""
