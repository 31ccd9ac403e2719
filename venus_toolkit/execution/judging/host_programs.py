"""Python programs that come with a problem, run inside one of ours (``hosts/``), and what can be read in their text."""

from __future__ import annotations

import ast
import importlib.util
import io
import marshal
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
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
    beside = (File(RUNTIME, inputs_runtime(compiled=True)),) if "venus_inputs" in code else ()
    compiled = sandbox.compile(Program(load_languages()["python"], render(template, code), beside))
    if not compiled.ok:
        raise SourceError(
            f"the {name} does not compile", compiled.log.strip()[-500:], f"fix {name}.py"
        )
    return compiled


@cache
def inputs_runtime(compiled: bool = False) -> bytes:
    """Return the package that reads, checks and draws from specifications of inputs, as one file.

    It is data here, never imported: it runs in the sandbox, and beside a release on the machines of
    others.

    Args:
        compiled: Whether it also holds bytecode of this version of Python, which takes a fifth of
            the time to import; another version reads the source beside it. Without, the bytes are
            the same wherever they are made.
    """
    package = resources.files("venus_toolkit.builders.inputs.spec")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in sorted(_modules(package, "venus_inputs")):
            files = {name: text}
            if compiled:
                # The flags say that nobody compares it with a source.
                header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
                files[f"{name}c"] = header + marshal.dumps(compile(text, name, "exec"))
            for path, data in files.items():
                info = zipfile.ZipInfo(path)
                info.compress_type = zipfile.ZIP_STORED if compiled else zipfile.ZIP_DEFLATED
                archive.writestr(info, data)
    return content.getvalue()


def _modules(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the text of each module of a package and of its rooms."""
    for entry in folder.iterdir():
        if entry.name.endswith(".py"):
            yield f"{name}/{entry.name}", entry.read_bytes()
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _modules(entry, f"{name}/{entry.name}")


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
