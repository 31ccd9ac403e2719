"""What a statement promises about the values of every input.

`constraints.lark` says which sentences and phrases are read, `meaning` what their derivations
promise. `constraints` reads sentences that are nothing but constraints, `prose` what descriptions
and stories promise beside what else they say, `outside` bounds within tables and the story.
`terms` marks the names in a sentence. `promise_words` notices promises that no reader understood.
"""
