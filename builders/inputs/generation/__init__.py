"""How test inputs are made.

``inputs.make_inputs`` is what a build calls; the other modules are its parts.

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
- A **shape** is a layout with its relations and traits as plain values: what a derived generator is
  given.
- **Confidence** runs from 0 to 1; each **reason** says in words what lowered it.
"""
