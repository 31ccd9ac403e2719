"""Problems solved by one Python function, as in HumanEval and its successors.

Arguments are JSON, one a line, and so is the result; a tuple becomes a list. The signatures are too
vague for runners in other languages, so the problems have only a Python runner. It includes the
code that a benchmark puts before a solution: imports and helper functions.
"""

from __future__ import annotations

import ast

from venus_toolkit.core.language import MARKER

RUNNER = """{before}

import json
import sys

# {marker}

if __name__ == "__main__":
    _arguments = [json.loads(line) for line in sys.stdin.read().split("\\n") if line.strip()]
    sys.stdout.write(json.dumps({entry}(*_arguments)) + "\\n")
"""


def python_runner(entry: str, before: str = "") -> str:
    """Return a program that calls the function `entry` of the code put in place of the marker.

    Raises:
        ValueError: `entry` is not an identifier.
    """
    if not entry.isidentifier():
        raise ValueError(f"the entry point must be a name, found {entry[:80]!r}")
    return RUNNER.format(before=before.rstrip(), marker=MARKER, entry=entry).lstrip()


def documented(code: str, entry: str) -> str:
    """Return the docstring of a function without its indentation.

    Raises:
        ValueError: `code` is not Python, or has no function `entry` with a docstring.
    """
    docstring = ast.get_docstring(_function(code, entry))
    if not docstring:
        raise ValueError(f"{entry} has no docstring")
    return docstring + "\n"


def starter_of_function(code: str, entry: str) -> str:
    """Return the signature of a function, without its body.

    Raises:
        ValueError: `code` is not Python, or has no function `entry`.
    """
    function = _function(code, entry)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {entry}({ast.unparse(function.args)}){returns}:\n    "


def starter_of_class(code: str, entry: str) -> str:
    """Return a class ``Solution`` with the signature of one method, without its body.

    Raises:
        ValueError: `code` is not Python, or has no method `entry`.
    """
    method = _function(code, entry)
    returns = f" -> {ast.unparse(method.returns)}" if method.returns else ""
    return f"class Solution:\n    def {entry}({ast.unparse(method.args)}){returns}:\n        "


def _function(code: str, entry: str) -> ast.FunctionDef:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"the code is not Python: {error}") from error
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return node
    raise ValueError(f"the code has no function {entry}")
