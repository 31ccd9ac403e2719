"""Problems whose solution is one function in Python, as HumanEval and its successors have them.

Arguments are JSON, one a line, and so is the result: a tuple is a list. Their signatures say too
little for runners in other languages, so these problems have one in Python, in which everything
stands that a benchmark puts before a solution: imports, and functions that it may call.
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
    """Return a program that calls the function `entry` of what replaces the marker.

    Raises:
        ValueError: It is no name.
    """
    if not entry.isidentifier():
        raise ValueError(f"the entry point must be a name, found {entry[:80]!r}")
    return RUNNER.format(before=before.rstrip(), marker=MARKER, entry=entry).lstrip()


def documented(code: str, entry: str) -> str:
    """Return the docstring of a function, as it would be printed.

    Raises:
        ValueError: The code is no Python, or has no such function with a docstring.
    """
    found = ast.get_docstring(_function(code, entry))
    if not found:
        raise ValueError(f"{entry} has no docstring")
    return found + "\n"


def starter_of_function(code: str, entry: str) -> str:
    """Return the first line of a function, without what it does.

    Raises:
        ValueError: The code is no Python, or has no such function.
    """
    function = _function(code, entry)
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {entry}({ast.unparse(function.args)}){returns}:\n    "


def starter_of_class(code: str, entry: str) -> str:
    """Return the frame of a class ``Solution`` with one method, without what the code does.

    Raises:
        ValueError: The code is no Python, or has no such method.
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
