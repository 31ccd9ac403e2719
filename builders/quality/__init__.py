"""Examines tests: good ones refuse wrong programs, accept right ones, and tell slow from fast.

mutant       an accepted solution with one small change: an operator, a constant, a bound, a dropped
             statement
to kill      a test kills a program if the judge does not accept the program on it
survivor     a mutant that compiles and that no test kills
differing    a survivor that differs from its parent on an input of a pool separate from the tests;
             the other survivors are equivalent, or wrong in a way that no input of the pool shows
round        one answer of a language model that attacks the gaps of the tests: inputs, and wrong
             programs of its own
killer       a wrong program of a model that a test kills: it affects the choice of tests, and is
             never a solution
detection    the share of known wrong solutions, and of killed or differing mutants, that the tests
             kill

`assess` does this for one problem: it draws mutants, runs them, adds tests while they still kill
something, and drops redundant ones. docs/quality.md discusses what the figures mean.
"""
