"""What a statement promises about the values of every input.

`constraints` reads sentences that are nothing but constraints, with the words of `predicates` and
`alphabets`; `prose` reads promises within descriptions, `outside` bounds within tables and the
story. What they find is made of `terms`. `promise_words` notices promises that no reader
understood.
"""
