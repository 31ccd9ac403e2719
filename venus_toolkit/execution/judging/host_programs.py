"""Python programs that come with a problem, run inside one of ours (``hosts/``), and what can be read in their text."""

from __future__ import annotations

import ast
import io
import threading
import zipfile
from functools import cache
from importlib import resources
from typing import Any

from venus_toolkit.core.errors import SourceError
from venus_toolkit.core.language import load_languages, render
from venus_toolkit.execution.sandbox import Compiled, File, Program, Sandbox

RUNTIME = "venus_inputs.pyz"  # what programs import that hold a specification of inputs
LONGEST_CODE = 1_000_000  # characters that are searched for a literal
# Python 3.11 counts how deep it is in a tree for all threads together: two that parse at once may
# both fail.
PARSING = threading.RLock()


def host_program(sandbox: Sandbox, host: str, code: str | None) -> Compiled:
    """Compile a problem's Python code inside one of our host programs (``generator.py.txt``, ``evaluator.py.txt``).

    Raises:
        SourceError: The code is missing or does not compile.
    """
    name = host.removesuffix(".py.txt")
    if not code:
        raise SourceError(
            f"the problem has no {name}", f"{name}.py is missing", "see docs/problems.md"
        )
    template = (resources.files("venus_toolkit.execution.judging.hosts") / host).read_text()
    beside = (File(RUNTIME, inputs_runtime()),) if "venus_inputs" in code else ()
    compiled = sandbox.compile(Program(load_languages()["python"], render(template, code), beside))
    if not compiled.ok:
        raise SourceError(
            f"the {name} does not compile", compiled.log.strip()[-500:], f"fix {name}.py"
        )
    return compiled


@cache
def inputs_runtime() -> bytes:
    """Return the package that reads, checks and draws from specifications of inputs, as one file.

    The same bytes wherever it is made. It is data here, never imported: it runs in the sandbox, and
    beside a release on the machines of others.
    """
    folder = resources.files("venus_toolkit.builders.inputs.spec")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                info = zipfile.ZipInfo(f"venus_inputs/{entry.name}")
                info.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(info, entry.read_bytes())
    return content.getvalue()


def top_level_literal(code: str | None, name: str) -> Any:
    """Return the literal that stands at the top level of a program under a name, or None.

    Nothing is run.
    """
    if not code or len(code) > LONGEST_CODE or name not in code:
        return None
    try:
        with PARSING:
            body = ast.parse(code).body
        for node in body:
            if isinstance(node, ast.Assign) and [
                ast.unparse(target) for target in node.targets
            ] == [name]:
                return ast.literal_eval(node.value)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        pass  # anybody's program: of one that cannot be read nothing is known
    return None
