"""Validators as Python text, until specifications are published instead of them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from venus_toolkit.builders.inputs.promises.terms import NotUnderstood
from venus_toolkit.builders.inputs.spec.layout import Layout
from venus_toolkit.builders.inputs.spec.names import Names
from venus_toolkit.builders.inputs.spec.promises import Reading
from venus_toolkit.builders.inputs.validators.check_writer import lines_of
from venus_toolkit.builders.inputs.validators.render import is_ours, validator_text

REACHING = frozenset({"eval", "exec", "compile", "open", "getattr", "setattr", "delattr", "globals", "locals", "vars",
                      "input", "breakpoint"})  # fmt: skip

# ------------------------------------------------------------------ the source


def validator_source(
    slug: str,
    layout: Layout,
    names: Names,
    readings: Sequence[Reading],
    unread: Sequence[str] = (),
    loose: bool = False,
    directed: bool = False,
) -> str:
    """Return the validator of a layout that checks what was read.

    Args:
        slug: The problem, for the comment at the top.
        layout: Where the values stand.
        names: Its names, as the sentences were read with them.
        readings: The sentences that were understood.
        unread: Those that were not, for the same comment.
        loose: Whether white space counts as the layout's reader takes it, and not to the letter.
        directed: Whether the edges of a graph have a direction.

    Raises:
        NotUnderstood: A promise cannot be checked on this layout.
    """
    return validator_text(slug, unread, lines_of(layout, names, readings, loose, directed))


def refusal(source: str, stdin: str) -> str:
    """Run a validator of ours, here: return why it refuses an input, or "" where it allows it.

    Only for sources that this module compiled. They are made of anybody's words, so nothing is run
    that has more in it than our checks and one function that does not reach beyond them.

    Raises:
        NotUnderstood: It has.
    """
    tree = ast.parse(source)
    *before, last = tree.body
    plain = isinstance(last, ast.FunctionDef) and ast.unparse(last).startswith(
        "def validate(stdin: str) -> bool:"
    )
    if not plain or not all(map(is_ours, before)) or any(map(_reaches_out, ast.walk(last))):
        raise NotUnderstood("what was read is no plain check")
    scope: dict[str, Any] = {"__name__": "validator"}
    exec(compile(tree, "validator.py", "exec"), scope)
    try:
        return "" if scope["validate"](stdin) else "it returns nothing"
    except Exception as error:  # whatever a validator raises is a refusal, as in the sandbox
        return f"{type(error).__name__}: {error}"


def _reaches_out(node: ast.AST) -> bool:
    name = (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return (
        name.startswith("__")
        or called in REACHING
        or isinstance(node, (ast.Import, ast.ImportFrom, ast.Global))
    )
