"""Generators as programs: a specification with the runtime that draws from it, or given inputs varied.

`constants` finds the numbers and words that statements and programs spell out; `render` writes the
program. Drawing itself is in `spec`: `plan` says what promises mean for values, `synthesis` draws.
"""
