"""Generators as programs of their own.

Our modules that make inputs, and what they are given, in one text.
"""

from __future__ import annotations

import ast
import pprint
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from venus_toolkit.builders.inputs.generation.synthesis import largest_sizes
from venus_toolkit.core.untrusted.templates import make_environment

FOLDER = Path(__file__).parent
WIDTH = 120
MOST_SAMPLES = 16  # in the text of a generator that varies them
LONGEST_SAMPLE = 4_000  # characters of each
IMPORTS = ("import json", "import re")
TYPING = ("from collections.abc import Iterable, Sequence", "from typing import Any")


def derived_source(slug: str, shape: Mapping[str, Any], samples: Sequence[str] = ()) -> str:
    """Return the generator that makes inputs of `shape`.

    Of `samples` it varies those that are short enough.
    """
    code = (
        code_of("expressions", "bounds", "patterns", "replay", "synthesis")
        + "\n\n\n"
        + _checks()["is_prime"]
    )
    short = [text for text in dict.fromkeys(samples) if len(text) <= LONGEST_SAMPLE][:MOST_SAMPLES]
    plain, shown = (
        pprint.pformat(value, width=WIDTH, sort_dicts=False) for value in (dict(shape), short)
    )
    sizes = largest_sizes(shape)
    return _template("derived.py.j2").render(
        slug=in_comment(slug), code=code, shape=plain, samples=shown, sizes=sizes
    )


def mutated_source(slug: str, inputs: Sequence[str]) -> str:
    """Return the generator that varies `inputs`."""
    literal = pprint.pformat(list(inputs), width=WIDTH, sort_dicts=False)
    return _template("mutated.py.j2").render(
        slug=in_comment(slug), code=code_of("mutation"), inputs=literal
    )


def validator_text(slug: str, unread: Sequence[str], body: Sequence[str]) -> str:
    """Return the validator with these lines, and of our checks those that it calls."""
    text = "\n".join(f"    {line}" for line in body)
    said = [in_comment(sentence) for sentence in unread]
    return _template("validator.py.j2").render(
        slug=in_comment(slug), unread=said, code=_checks_in(text), body=text
    )


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
def _checks() -> dict[str, str]:
    """Return the definitions of `checks` by name, as they are written."""
    source = (FOLDER / "checks.py").read_text(encoding="utf-8")
    parts = [
        node for node in ast.parse(source).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]
    return {node.name: ast.get_source_segment(source, node) or "" for node in parts}


def _checks_in(text: str) -> str:
    """Return the imports and those definitions of `checks` that a text needs, directly or through others."""
    found, code = ["Refused", "check"], _checks()
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


def _template(name: str) -> jinja2.Template:
    return make_environment(FOLDER / "templates", keep_trailing_newline=True).get_template(name)


@cache
def code_of(*modules: str) -> str:
    """Return the texts of our modules as one, imports first, without docstrings of modules and imports of ours."""
    imports: dict[str, None] = {}
    bodies = []
    for module in modules:
        text = (FOLDER / f"{module}.py").read_text(encoding="utf-8")
        found = [
            node for node in ast.parse(text).body if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        for node in found:
            # A generator runs without our package, and says at its top what it takes from the
            # future.
            package = (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else ""
            if package not in ("venus_toolkit", "__future__"):
                imports[ast.unparse(node)] = None
        bodies.append("\n".join(text.splitlines()[found[-1].end_lineno :]).strip())
    return "\n".join(imports) + "\n\n" + "\n\n\n".join(bodies)
