"""Test inputs of a problem, and what checks them.

A build calls `make_inputs`. ``run_generator`` runs generators and validators in the sandbox,
``model`` asks a language model for them, ``derive`` makes both from the statement, ``flat`` does so
for problems of trees, graphs and calls. What these consist of has a room for each kind of thing:

statements   sections, samples and formats of a statement
layouts      which values stand where in an input, and the evidence for it
promises     what sentences say about these values
validators   programs that check an input for its layout and promises
generators   programs that draw inputs of a layout that keep its promises

A room imports only the rooms above it.

The words used here:

- A **way** says where a problem's inputs come from: ``own`` (its own generator), ``model`` (a
  generator that a language model wrote), ``derived`` (a generator made from the statement),
  ``mutated`` (variations of given inputs), ``types`` (random values of the types in a function's
  starter code), ``given`` (the given inputs as they are).
- A **generator** is a Python program with ``generate(seed, size)``; whichever way made it, it runs
  in the sandbox, and the same arguments give the same input. A **size class** is one of
  ``run_generator.SIZES``; generators that list **families** (``synthesis.FAMILIES``) take one of
  those instead, and make a pool of candidates.
- A **layout** says which values stand where in an input; a **relation** compares two expressions
  over them (``1 <= n``, ``k <= n``); a **trait** is what relations cannot say (distinct, ascending,
  a tree).
- A **plan** is what a specification means for drawing: comparisons and traits of flat names.
- **Confidence** runs from 0 to 1; each **reason** says in words what lowered it.
"""
