"""Validators as programs of their own: compiled lines, and our checks that they call, in one text."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent
IMPORTS = ("import json", "import re")
TYPING = ("from collections.abc import Iterable, Sequence", "from typing import Any")


def validator_text(slug: str, unread: Sequence[str], body: Sequence[str]) -> str:
    """Return the validator with these lines, and of our checks those that it calls."""
    text = "\n".join(f"    {line}" for line in body)
    said = [in_comment(sentence) for sentence in unread]
    template = make_environment(FOLDER / "templates", keep_trailing_newline=True).get_template(
        "validator.py.j2"
    )
    return template.render(slug=in_comment(slug), unread=said, code=_checks_in(text), body=text)


def in_comment(text: str) -> str:
    """Return anybody's text as one line without signs that end a comment.

    What follows them would be code.
    """
    return "".join(sign if sign.isprintable() else " " for sign in text)


def is_ours(node: ast.stmt) -> bool:
    """Whether what stands at the top of a validator is an import or a check that every validator may have."""
    return ast.dump(node) in _parts()


@cache
def _parts() -> frozenset[str]:
    allowed = [
        "from __future__ import annotations",
        *IMPORTS,
        *TYPING,
        (FOLDER / "checks.py").read_text(encoding="utf-8"),
    ]
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return frozenset(
        ast.dump(node)
        for text in allowed
        for node in ast.parse(text).body
        if isinstance(node, kinds)
    )


@cache
def checks() -> dict[str, str]:
    """Return the definitions of `checks` by name, as they are written."""
    source = (FOLDER / "checks.py").read_text(encoding="utf-8")
    parts = [
        node for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    return {node.name: ast.get_source_segment(source, node) or "" for node in parts}


def _checks_in(text: str) -> str:
    """Return the imports and those definitions of `checks` that a text needs, directly or through others."""
    found, code = ["Refused", "check"], checks()
    waiting = [text]
    while waiting:
        one = waiting.pop()
        more = [name for name in code if name not in found and re.search(rf"\b{name}\b", one)]
        found += more
        waiting += [code[name] for name in more]
    chosen = "\n\n\n".join(code[name] for name in code if name in found)
    imports = [
        line for line in IMPORTS if re.search(rf"\b{line.split()[-1].split('.')[0]}\b", chosen)
    ]
    return "\n".join([*imports, *TYPING]) + "\n\n\n" + chosen
