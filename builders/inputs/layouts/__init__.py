"""The layout of an input, which is the places of its values, and the evidence for it.

`find_layout` chooses among candidates from the format block of a statement (`format_block`), from
its sentences (`describe`) and from given inputs (`search`).
`signature` gives the layout of a function's arguments. A layout is a tree (`layout`) whose counts
are arithmetic over its values (`expressions`, `bounds`).
"""
