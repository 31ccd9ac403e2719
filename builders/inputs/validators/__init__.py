"""Validators compiled from a layout and its promises.

`validator` decides which sentences a validator checks, `check_writer` writes its lines, and
`render` adds the functions of `checks` that they call.
"""
