"""The promises of a statement about the values of every input.

`constraints.lark` is the grammar of sentences and phrases, and `meaning` turns parse trees into
promises. `constraints` reads sentences that are only constraints, `prose` the promises within
descriptions and stories, `outside` the bounds within tables and the story. `terms` marks the names
in a sentence. `promise_words` notices promises that no reader understood.
"""
