"""Are the tests good? They should refuse what is wrong, accept what is right, and tell slow from fast.

mutant       an accepted solution with one small change: an operator, a constant, a bound, a dropped statement
to kill      a test kills a program when the judge does not accept the program on it
survivor     a mutant that compiles and that no test kills
differing    a survivor that differs from its parent on some input of a pool that the tests were not taken from;
             the other survivors are not told apart: equivalent, or wrong in a way that no input of
             the pool shows
round        one answer of a language model that attacks what the tests miss: inputs, and wrong programs of its own
killer       a wrong program of a model that a test kills: it has a say in which tests are kept, and is no solution
detection    the share of known wrong solutions, and of killed or differing mutants, that the tests kill

`assess` does all of it for one problem: it draws mutants, runs them, asks for more tests while
those still kill something, and drops tests that are not needed. What the figures are worth is in
docs/quality.md.
"""
