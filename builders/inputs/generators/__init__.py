"""Generators compiled from a layout and its promises, or from given inputs.

`make_shape` turns a layout with its `traits` and `constants` into plain values, from which
`synthesis` draws inputs, with the arrays and graphs of `patterns` and the variations of `replay`.
`mutation` varies given inputs, and `structures` builds trees, graphs and calls from flat inputs.
`render` writes the text of these modules into a program.
"""
